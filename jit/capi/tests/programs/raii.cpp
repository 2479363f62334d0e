/* picaflor.hpp: objects, exceptions, moves. */
#include "check.h"
#include <picaflor.hpp>

static std::vector<uint8_t> vram(0x100000);

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
    engine.wait();
    engine.reset_stats();
    pica(engine);
    psp(engine);
    try {
        picaflor::Program::from_shbin(PICAFLOR_UNIT_VERTEX, {1, 2, 3});
        CHECK(false);
    } catch (const picaflor::Error &error) {
        CHECK(error.status() == PICAFLOR_ERROR_FORMAT);
    }
    std::puts("fine");
    return 0;
}
