/* picaflor.hpp: objects, exceptions, moves. */
#include "check.h"
#include <atomic>
#include <picaflor.hpp>

/* Every method, also those that nothing here calls. */
template class picaflor::detail::Machine<picaflor::detail::GpuFunctions>;
template class picaflor::detail::Machine<picaflor::detail::GeFunctions>;

static std::vector<uint8_t> vram(0x200000);

static picaflor_memory memory_of(picaflor_region &region, uint32_t address) {
    region.address = address, region.length = (uint32_t)vram.size(), region.bytes = vram.data();
    auto memory = picaflor::make<picaflor_memory>();
    memory.regions = &region, memory.region_count = 1;
    return memory;
}

static void pica(const picaflor::Engine &engine) {
    picaflor_region region;
    const auto memory = memory_of(region, 0x18000000);
    auto config = picaflor::make<picaflor_gpu_config>();
    config.memory = &memory;
    picaflor::Gpu first(engine, config), other(engine, config);
    first.fill(0, 0x18000000, 0x18000000 + 240 * 400 * 3, 0x204080, 3);
    CHECK(first.interrupts() == PICAFLOR_INTERRUPT_PSC0 && first.stats().fills == 1);
    first.acknowledge(PICAFLOR_INTERRUPT_PSC0);
    CHECK(first.picture(PICAFLOR_SCREEN_TOP).rgb.empty());
    const uint32_t screen[][2] = {{0x45c, 400 << 16 | 240}, {0x468, 0x18000000}, {0x470, 1}, {0x490, 720}};
    for (const auto &word : screen)
        first.write(0x10400000 + word[0], word[1]);
    CHECK(first.read(0x10400468) == 0x18000000);
    first.write_field(PICAFLOR_FIELD_REGISTERS, 0x041, {0x460000, 7});
    other.load(first.save());
    CHECK(other.read_field(PICAFLOR_FIELD_REGISTERS)[0x041] == 0x460000);
    picaflor::Gpu moved = std::move(other);
    moved.import_state(first.export_state());
    const auto picture = moved.picture(PICAFLOR_SCREEN_TOP);
    CHECK(picture.width == 400 && picture.height == 240 && picture.rgb[0] == 0x20 && picture.rgb[2] == 0x80);
    CHECK(moved.run_list(0x18000000, 0) == PICAFLOR_FINISHED_END);
    moved.invalidate(0x18000000, 16);
    try {
        moved.run_list(0x18000001, 16);
        CHECK(false);
    } catch (const picaflor::Error &error) {
        CHECK(error.status() == PICAFLOR_ERROR_ARGUMENT && std::strlen(error.what()) > 10);
    }
}

template <class Function> static void fails(picaflor_status status, Function function) {
    try {
        function();
        CHECK(false);
    } catch (const picaflor::Error &error) {
        CHECK(error.status() == status);
    }
}

/* A triangle over half of a target of 64 by 64 pixels, with a texture of 8 by 8 texels. */
static void textured(picaflor::Gpu &gpu) {
    static const uint32_t words[][2] = {
        {0x041, 0x440000}, {0x042, 0x3a000000}, {0x043, 0x440000}, {0x044, 0x3a000000}, {0x04d, 0xbf0000}, {0x06d, 1},
        {0x110, 1}, {0x11c, 0x18080000 >> 3}, {0x11d, 0x18000000 >> 3}, {0x11e, 0x0103f040}, {0x06e, 0x0103f040},
        {0x116, 3}, {0x112, 15}, {0x113, 15}, {0x0c0, 0x00030003}, {0x0c8, 0x000f000f}, {0x0d0, 0x000f000f},
        {0x0d8, 0x000f000f}, {0x0f0, 0x000f000f}, {0x0f8, 0x000f000f}, {0x100, 0x00e40000}, {0x101, 0x01010000},
        {0x102, 3}, {0x107, 0x0f10}, {0x080, 1}, {0x082, 8 << 16 | 8}, {0x083, 0x2200}, {0x085, 0x18040000 >> 3},
        {0x08e, 0}};
    for (const auto &word : words)
        gpu.write_register(word[0], word[1]);
    CHECK(gpu.read_register(0x102) == 3);
}

static std::vector<float> triangle() {
    static const float corners[3][4] = {{-1, -1, 0, 0}, {1, -1, 1, 0}, {-1, 1, 0, 1}};
    std::vector<float> vertices(3 * PICAFLOR_SEMANTICS);
    for (size_t n = 0; n < 3; n++) {
        float *vertex = vertices.data() + n * PICAFLOR_SEMANTICS;
        vertex[0] = corners[n][0], vertex[1] = corners[n][1], vertex[2] = -0.5f, vertex[3] = 1;
        vertex[12] = corners[n][2], vertex[13] = corners[n][3];
    }
    return vertices;
}

/* Pixels of the image that a host put in place of the texture. */
static size_t replaced() {
    static const uint8_t pixel[4] = {0xff, 0x11, 0x22, 0x33};
    size_t count = 0;
    for (size_t at = 0; at < 4 * 64 * 64; at += 4)
        count += std::memcmp(vram.data() + at, pixel, 4) == 0;
    return count;
}

static void pica_hooks(const picaflor::Engine &engine) {
    picaflor_region region;
    auto memory = memory_of(region, 0x18000000);
    auto config = picaflor::make<picaflor_gpu_config>();
    config.memory = &memory;
    memory.tracked = 1;
    picaflor::Gpu gpu(engine, config);
    gpu.set_engine(engine), gpu.set_memory(memory), gpu.set_threads(2), gpu.set_attribute_clocks(true);
    textured(gpu);
    uint32_t events = 0, textures = 0;
    const uint32_t both = PICAFLOR_EVENT_DRAW_BEGIN | PICAFLOR_EVENT_DRAW_END;
    gpu.set_hooks(both, [&](const picaflor_event &event) { events += event.kind; });
    gpu.set_textures([&](const picaflor_texture &texture, uint32_t *texels) {
        CHECK(texture.width == 8 && texture.address == 0x18040000);
        std::fill(texels, texels + 64, 0xff112233u); /* alpha, blue, green, red, as in memory */
        textures++;
    });
    picaflor::Gpu other = std::move(gpu); /* what was handed over stays where it was */
    auto trace = picaflor::make<picaflor_trace>();
    trace.pixel = 1, trace.x = 2, trace.y = 3;
    other.trace(trace);
    other.set_timing(picaflor::make<picaflor_gpu_rates>());
    other.draw_vertices(triangle());
    CHECK(events == both && textures == 1 && other.run_cycles() > 0);
    CHECK(replaced() > 1000);
    const auto notes = other.take_trace();
    const auto is_texel = [](const picaflor::Note &note) { return note.name == "texel"; };
    const auto texel = std::find_if(notes.begin(), notes.end(), is_texel);
    CHECK(texel != notes.end() && texel->kind == PICAFLOR_NOTE_PIXEL && texel->numbers.size() == 7);
    CHECK(texel->numbers[3] == 0x33 && !texel->text.empty());
    other.trace(trace), other.trace_nothing();
    fails(PICAFLOR_ERROR_STATE, [&] { other.take_trace(); });
    other.set_hooks(0, {}), other.set_textures({}), other.reset_timing();
    const auto triangles = other.set_up(triangle());
    CHECK(triangles.size() == 1);
    other.draw_triangles(triangles);
    CHECK(events == both && textures == 1 && replaced() == 0);
    const auto written = other.take_written();
    CHECK(!written.empty() && written[0].address == 0x18000000 && other.take_faults().empty());
    other.stop();
    fails(PICAFLOR_ERROR_STOPPED, [&] { other.run_list(0x18000000, 16); });
    other.stop(false), other.set_time_limit(0);
}

static void pica_runs(picaflor::Engine &engine) {
    static const uint32_t list[] = {1, 0xf0040, 2, 0xf0041, 0x12345678, 0xf0010, 0, 0};
    picaflor_region region;
    const auto memory = memory_of(region, 0x18000000);
    auto config = picaflor::make<picaflor_gpu_config>();
    config.memory = &memory;
    picaflor::Gpu gpu(engine, config);
    std::memcpy(vram.data(), list, sizeof list);
    gpu.set_timing(picaflor::make<picaflor_gpu_rates>());
    std::atomic<uint64_t> done{0};
    const uint64_t fence = gpu.submit_list(0x18000000, sizeof list, [&](uint64_t number, picaflor_status status) {
        CHECK(status == PICAFLOR_OK);
        done = number;
    });
    gpu.wait(fence);
    gpu.wait(gpu.submit_list(0x18000000, sizeof list));
    CHECK(fence == 1 && gpu.complete() == 2 && done == 1);
    const auto delays = gpu.take_delays();
    CHECK(delays.size() == 2 && delays[0].interrupt == PICAFLOR_INTERRUPT_P3D && delays[0].cycles == 18);
    gpu.start_recording({{0x18000000, (uint32_t)vram.size()}});
    gpu.vblank(PICAFLOR_SCREEN_TOP), gpu.fill(0, 0x18000000, 0x18001000, 7, 4), gpu.frame_end();
    const auto capture = gpu.stop_recording();
    const std::vector<uint8_t> bytes(capture.begin(), capture.end());
    uint32_t frames = 0, fills = 0;
    const auto count = [&](const picaflor_frame &) { return ++frames > 0; };
    const auto fill = [&](const picaflor_event &) { fills++; };
    engine.replay_gpu(bytes, PICAFLOR_SCREEN_TOP, count, PICAFLOR_EVENT_TRANSFER_END, fill);
    CHECK(frames == 1 && fills == 1);
    fails(PICAFLOR_ERROR_FORMAT, [&] { engine.replay_ge(bytes, count); });
    std::vector<uint8_t> pixels(16);
    auto buffer = picaflor::make<picaflor_picture_buffer>();
    buffer.bytes = pixels.data(), buffer.capacity = pixels.size();
    CHECK(gpu.picture_into(PICAFLOR_SCREEN_BOTTOM, buffer).first == 0);
    const uint32_t screen[][2] = {{0x55c, 320 << 16 | 240}, {0x568, 0x18000000}, {0x570, 1}, {0x590, 720}};
    for (const auto &word : screen)
        gpu.write(0x10400000 + word[0], word[1]);
    fails(PICAFLOR_ERROR_SIZE, [&] { gpu.picture_into(PICAFLOR_SCREEN_BOTTOM, buffer); });
    buffer.capacity = 0;
    CHECK(gpu.picture_into(PICAFLOR_SCREEN_BOTTOM, buffer) == std::make_pair(320u, 240u));
}

/* The end of an object whose run is under way, in a loop of jumps: the run ends, and calls nothing of the host afterwards. */
static void ends_of_runs(const picaflor::Engine &engine) {
    // Jumps from buffer 0 to itself.
    const uint32_t list[] = {0x18000000 >> 3, 0xf023a, 0x20 >> 3, 0xf0238, 1, 0xf023c, 0, 0};
    picaflor_region region;
    const auto memory = memory_of(region, 0x18000000);
    auto config = picaflor::make<picaflor_gpu_config>();
    config.memory = &memory;
    std::memcpy(vram.data(), list, sizeof list);
    std::atomic<bool> is_over{false}, is_late{false};
    std::atomic<unsigned> calls{0};
    std::atomic<picaflor_status> result{PICAFLOR_OK};
    const auto token = std::make_shared<int>(0);
    const std::weak_ptr<int> alive = token;
    {
        picaflor::Gpu gpu(engine, config);
        gpu.set_hooks(PICAFLOR_EVENT_COMMAND, [&, token](const picaflor_event &) {
            is_late = is_late || is_over;
            calls++;
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        });
        gpu.submit_list(0x18000000, sizeof list, [&](uint64_t, picaflor_status status) { result = status; });
        while (calls == 0)
            std::this_thread::yield();
    }
    is_over = true;
    CHECK(result == PICAFLOR_ERROR_STOPPED && !is_late && alive.use_count() == 1);
}

/* `emit; end` with a register of the host's. */
static void geometry(picaflor::Engine &engine) {
    const picaflor::Program program(PICAFLOR_UNIT_GEOMETRY, {0x4c000000, 0xa8000000, 0x88000000}, {0x36f});
    picaflor::GeometryUnit unit;
    auto state = unit.state();
    state.vertex = 2, state.primitive = 1;
    unit.set_state(state);
    CHECK(unit.state().vertex == 2);
    auto uniforms = picaflor::make<picaflor_uniforms>();
    const float inputs[2][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}};
    auto run = picaflor::make<picaflor_geometry_run>();
    run.program = program.get(), run.uniforms = &uniforms, run.inputs = inputs[0], run.input_count = 1;
    run.output_mask = 1;
    const auto one = engine.run_geometry(unit, run);
    CHECK(one.size() == 1 && one[0].vertex == 2 && one[0].primitive == 1);
    const auto two = engine.run_geometry(unit, run, 2);
    CHECK(two.size() == 2 && engine.faults().empty());
    fails(PICAFLOR_ERROR_SIZE, [&] { engine.run_geometry(unit, run, 2, 1); });
    // More runs than those whose emissions are kept together, also where there is no room for any.
    std::vector<float> many;
    for (int n = 0; n < 100; n++)
        many.insert(many.end(), {(float)n, 0, 0, 1});
    run.inputs = many.data();
    const auto all = engine.run_geometry(unit, run, 100);
    CHECK(all.size() == 100 && all[0].values[0][0] == 0 && all[57].values[0][0] == 57 && all[99].values[0][0] == 99);
    size_t count = 0;
    CHECK(picaflor_run_geometry_batch(engine.get(), unit.get(), &run, 100, nullptr, 0, &count) == PICAFLOR_ERROR_SIZE);
    CHECK(count == 100);
    state.reserved = 1;
    fails(PICAFLOR_ERROR_ARGUMENT, [&] { unit.set_state(state); });
}

static void psp_parts(const picaflor::Engine &engine) {
    picaflor_region region;
    const auto memory = memory_of(region, 0x04000000);
    auto config = picaflor::make<picaflor_ge_config>();
    config.memory = &memory;
    picaflor::Ge ge(engine, config);
    const uint32_t words[] = {0x22000000, 0x0e020007, 0x0c000000, 0x22000001, 0x0f000009, 0x0c000000};
    std::memcpy(vram.data() + 0x80000, words, sizeof words);
    auto rates = picaflor::make<picaflor_ge_rates>();
    rates.command = 256;
    ge.set_timing(rates), ge.set_sdk(0x06060010);
    auto list = picaflor::make<picaflor_ge_list>();
    list.address = list.stall = 0x04080000;
    CHECK(ge.enqueue(list) == 0 && ge.run() == PICAFLOR_GE_STALLED);
    ge.before_write(0x04000000, 16);
    try {
        ge.session([&] {
            CHECK(ge.run() == PICAFLOR_GE_STALLED && ge.draw_sync() == PICAFLOR_GE_LIST_STALLING);
            ge.before_read(0x04000000, 16);
            throw std::runtime_error("the host's own");
        });
        CHECK(false);
    } catch (const std::runtime_error &error) {
        CHECK(std::string(error.what()) == "the host's own");
    }
    CHECK(ge.list_sync(0) == PICAFLOR_GE_LIST_STALLING && ge.draw_sync() == PICAFLOR_GE_LIST_STALLING);
    CHECK(ge.update_stall(0, 0) == 0 && ge.dequeue(99) >= 0x80000000u);
    std::atomic<int> done{0};
    ge.submit_run([&](uint64_t, picaflor_status status) { done = status == PICAFLOR_OK; });
    ge.wait(ge.submit_run()); /* behind the function of the first */
    CHECK(done == 1 && ge.complete() == 2 && ge.cycles() == 6);
    const auto signal = ge.next_interrupt();
    CHECK(signal.token == 7 && ge.interrupt_cycles() == 3);
    ge.acknowledge(signal);
    ge.acknowledge(ge.next_interrupt());
    ge.forget_completed();
    CHECK(ge.break_list(2) >= 0x80000000u && ge.continue_list() == 0);
    CHECK(ge.save_context(0x04090000) == 0 && ge.restore_context(0x04090000) == 0);
    CHECK(ge.set_translation(0x400) == 0x400 && ge.read_command(0x22) == 0x22000001);
    CHECK(ge.read_matrix(10).size() == 16 && ge.read_matrix(8).size() == 12 && ge.read_clut().size() == 1024);
    /* 8 by 8 pixels at the origin, by vertices and by primitives; then moved to the right. */
    ge.execute({0x9c000000, 0x9d000040, 0xd2000003, 0x15000000, 0x160fffff, 0xd4000000, 0xd500fc3f, 0x1280011c,
                0xe8000000, 0xd700ffff, 0x22000000});
    const int16_t corners[2][6] = {{255, -1, 0, 0, 0, 0}, {255, -1, 8, 8, 0, 0}};
    std::vector<uint8_t> records(sizeof corners);
    std::memcpy(records.data(), corners, sizeof corners);
    const auto vertices = ge.transform(records, {0, 1});
    CHECK(vertices.size() == 2 && vertices[1].x == 8 * 16);
    ge.draw_vertices(6, vertices);
    CHECK(vram[0] == 255 && vram[4 * (7 * 64 + 7)] == 255);
    const auto primitives = ge.set_up(6, vertices);
    CHECK(primitives.size() == 1 && primitives[0].shape == PICAFLOR_GE_SHAPE_RECTANGLE);
    std::fill(vram.begin(), vram.begin() + 64 * 64 * 4, uint8_t{0});
    ge.draw_primitives(primitives);
    CHECK(vram[0] == 255 && ge.stats().draws > 0);
    auto transfer = picaflor::make<picaflor_ge_transfer>();
    transfer.source = transfer.destination = 0x04000000, transfer.source_stride = transfer.destination_stride = 64;
    transfer.destination_x = 32, transfer.width = transfer.height = 8, transfer.pixel_bytes = 4;
    ge.run_transfer(transfer);
    CHECK(vram[4 * 32] == 255);
    std::vector<uint8_t> pixels(PICAFLOR_GE_PICTURE_BYTES);
    auto buffer = picaflor::make<picaflor_picture_buffer>();
    buffer.bytes = pixels.data(), buffer.capacity = pixels.size();
    ge.picture_into(0x04000000, 64, 3, buffer);
    CHECK(pixels[0] == 255);
    ge.start_recording();
    ge.frame_end(0x04000000, 64, 3);
    CHECK(ge.stop_recording().size() > 0);
    fails(PICAFLOR_ERROR_STATE, [&] { ge.stop_recording_to("nothing"); });
}

static void psp(const picaflor::Engine &engine) {
    picaflor_region region;
    const auto memory = memory_of(region, 0x04000000);
    auto config = picaflor::make<picaflor_ge_config>();
    config.memory = &memory;
    picaflor::Ge ge(engine, config);
    const uint32_t words[] = {0xcf000005, 0x0f000003, 0x0c000000};
    std::memcpy(vram.data(), words, sizeof words);
    auto list = picaflor::make<picaflor_ge_list>();
    list.address = 0x04000000;
    CHECK(ge.enqueue(list) == 0 && ge.run() == PICAFLOR_GE_IDLE);
    const auto interrupt = ge.next_interrupt();
    CHECK(interrupt.kind == PICAFLOR_GE_INTERRUPT_FINISH && interrupt.token == 3);
    ge.acknowledge(interrupt);
    ge.execute({0x1f000001});
    ge.write_field(PICAFLOR_GE_FIELD_COMMANDS, 0xce, {9});
    ge.invalidate(0x04000000, 16);
    CHECK(ge.read_field(PICAFLOR_GE_FIELD_COMMANDS)[0xcf] == 0xcf000005);
    ge.import_state(ge.export_state());
    ge.load(ge.save());
    CHECK(ge.picture(0x04000000, 512, 3).rgb.size() == PICAFLOR_GE_PICTURE_BYTES);
}

int main() {
    auto config = picaflor::make<picaflor_engine_config>();
    config.mode = PICAFLOR_MODE_BLOCKING;
    picaflor::Engine engine(config);
    const picaflor::Program program(PICAFLOR_UNIT_VERTEX, {0x4c000000, 0x88000000}, {0x36f});
    float place[4] = {1, 2, 3, 4};
    picaflor_attribute attribute;
    std::memset(&attribute, 0, sizeof attribute);
    attribute.bytes = place, attribute.length = sizeof place, attribute.element = PICAFLOR_ELEMENT_F32;
    attribute.components = 4;
    auto batch = picaflor::make<picaflor_batch>();
    batch.program = program.get(), batch.attributes = &attribute, batch.attribute_count = 1;
    batch.vertex_count = 1, batch.output_mask = 1;
    const auto shaded = engine.shade(batch);
    CHECK(shaded.values[3 * shaded.stride] == 4);
    CHECK(engine.stats().compiles == 1 && engine.refusals().empty());
    CHECK(engine.compile(batch).words == 2);
    batch.output_form = PICAFLOR_OUTPUT_SEMANTICS, batch.output_total = 1, batch.output_map[0] = 0x03020100;
    picaflor::UniformSet uniforms;
    const float values[1][4] = {{1, 2, 3, 4}};
    uniforms.set_floats(95, values, 1);
    uniforms.set_flow(1, {{1, 2, 3, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}});
    fails(PICAFLOR_ERROR_ARGUMENT, [&] { uniforms.set_floats(96, values, 1); });
    batch.uniform_set = uniforms.get();
    const auto vertices = engine.shade_vertices(batch);
    CHECK(vertices.size() == PICAFLOR_SEMANTICS && vertices[2] == 3);
    auto plain = picaflor::make<picaflor_float_batch>();
    float outputs[4] = {0, 0, 0, 0};
    plain.program = program.get(), plain.inputs = place, plain.input_count = 1, plain.vertex_count = 1;
    plain.outputs = outputs, plain.output_capacity = 1, plain.output_mask = 1;
    engine.shade_floats(plain);
    CHECK(outputs[3] == 4);
    ends_of_runs(engine);
    engine.wait();
    engine.reset_stats();
    CHECK(picaflor::abi_version() == PICAFLOR_ABI && picaflor::version() == PICAFLOR_VERSION);
    CHECK(!picaflor::status_text(PICAFLOR_ERROR_BUSY).empty());
    pica(engine);
    pica_hooks(engine);
    pica_runs(engine);
    geometry(engine);
    psp(engine);
    psp_parts(engine);
    try {
        picaflor::Program::from_shbin(PICAFLOR_UNIT_VERTEX, {1, 2, 3});
        CHECK(false);
    } catch (const picaflor::Error &error) {
        CHECK(error.status() == PICAFLOR_ERROR_FORMAT);
    }
    std::puts("fine");
    return 0;
}
