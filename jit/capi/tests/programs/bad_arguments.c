/* Every function with arguments that are wrong: each gives a status and a text, none crashes. */
#include "check.h"

#define FAILS(expected, call)                                                                                     \
    do {                                                                                                          \
        picaflor_status status_ = (call);                                                                         \
        if (status_ != PICAFLOR_ERROR_##expected || picaflor_last_error()[0] == '\0') {                           \
            printf("%s:%d: %s gives %d (%s), not " #expected "; last error: %s\n", __FILE__, __LINE__, #call,     \
                   status_, picaflor_status_text(status_), picaflor_last_error());                                \
            GIVE_UP();                                                                                            \
        }                                                                                                         \
        checked++;                                                                                                \
    } while (0)

static int checked;
static const uint32_t code[] = {0x4c000000, 0x88000000};
static const uint32_t descriptors[] = {0x36f};
static uint8_t bytes[4096];

static void engines(picaflor_engine *engine) {
    picaflor_engine *made = engine;
    START(picaflor_engine_config, config);
    FAILS(NULL, picaflor_engine_create(&config, NULL));
    config.mode = 3;
    FAILS(ARGUMENT, picaflor_engine_create(&config, &made));
    CHECK(made == NULL);
    config.mode = 0, config.variant = 2;
    FAILS(ARGUMENT, picaflor_engine_create(&config, &made));
    config.variant = 0, config.compile_threads = 65;
    FAILS(ARGUMENT, picaflor_engine_create(&config, &made));
    config.compile_threads = 0, config.disk_cache = "\xff\xfe";
    FAILS(ARGUMENT, picaflor_engine_create(&config, &made));
    config.disk_cache = "";
    FAILS(ARGUMENT, picaflor_engine_create(&config, &made));
    config.disk_cache = NULL, config.jitdump = "";
    FAILS(ARGUMENT, picaflor_engine_create(&config, &made));
    config.jitdump = NULL, config.dumps = "";
    FAILS(ARGUMENT, picaflor_engine_create(&config, &made));
    config.dumps = NULL, config.jitdump = "/nowhere/at/all";
    FAILS(HOST, picaflor_engine_create(&config, &made));
    config.jitdump = NULL, config.dumps = "/nowhere/at/all";
    FAILS(HOST, picaflor_engine_create(&config, &made));
    config.dumps = NULL, config.reserved = 1;
    FAILS(ARGUMENT, picaflor_engine_create(&config, &made));
    config.reserved = 0, config.size = 0;
    FAILS(SIZE, picaflor_engine_create(&config, &made));
    config.size = 100000;
    FAILS(SIZE, picaflor_engine_create(&config, &made));
    /* Half a pointer. */
    config.size = offsetof(picaflor_engine_config, dumps) + 1;
    FAILS(SIZE, picaflor_engine_create(&config, &made));
    FAILS(NULL, picaflor_engine_wait(NULL));
    START(picaflor_engine_stats, stats);
    FAILS(NULL, picaflor_engine_get_stats(NULL, &stats));
    FAILS(NULL, picaflor_engine_get_stats(engine, NULL));
    stats.size = 4;
    FAILS(SIZE, picaflor_engine_get_stats(engine, &stats));
    size_t count;
    picaflor_fault fault;
    FAILS(NULL, picaflor_engine_faults(NULL, &fault, 1, &count));
    FAILS(NULL, picaflor_engine_faults(engine, &fault, 1, NULL));
    OK(picaflor_engine_faults(engine, NULL, 0, &count));
    OK(picaflor_engine_destroy(NULL));
}

static void programs(void) {
    picaflor_program *made;
    uint32_t entry;
    FAILS(NULL, picaflor_program_create(0, NULL, 2, descriptors, 1, &made));
    FAILS(NULL, picaflor_program_create(0, code, 2, NULL, 1, &made));
    FAILS(NULL, picaflor_program_create(0, code, 2, descriptors, 1, NULL));
    FAILS(ARGUMENT, picaflor_program_create(2, code, 2, descriptors, 1, &made));
    FAILS(ARGUMENT, picaflor_program_create(0, code, 0, descriptors, 1, &made));
    FAILS(ARGUMENT, picaflor_program_create(0, (const uint32_t *)bytes, 513, descriptors, 1, &made));
    FAILS(ARGUMENT, picaflor_program_create(0, code, 2, (const uint32_t *)bytes, 129, &made));
    FAILS(ARGUMENT, picaflor_program_create(0, (const uint32_t *)(bytes + 1), 1, descriptors, 1, &made));
    FAILS(ARGUMENT, picaflor_program_create(0, code, (size_t)-1, descriptors, 1, &made));
    FAILS(NULL, picaflor_program_from_shbin(0, NULL, 4, &made));
    FAILS(FORMAT, picaflor_program_from_shbin(0, bytes, sizeof bytes, &made));
    FAILS(FORMAT, picaflor_program_from_shbin(0, bytes, 0, &made));
    CHECK(made == NULL);
    OK(picaflor_program_create(PICAFLOR_UNIT_VERTEX, code, 2, descriptors, 1, &made));
    FAILS(ARGUMENT, picaflor_program_entry(made, 0, &entry));
    FAILS(NULL, picaflor_program_entry(NULL, 0, &entry));
    OK(picaflor_program_destroy(made));
    OK(picaflor_program_destroy(NULL));
}

static void batches(picaflor_engine *engine, const picaflor_program *program) {
    START(picaflor_batch, batch);
    START(picaflor_shaded, shaded);
    START(picaflor_uniforms, uniforms);
    picaflor_attribute attributes[17];
    memset(attributes, 0, sizeof attributes);
    attributes[0].bytes = bytes, attributes[0].length = 64, attributes[0].stride = 16;
    attributes[0].element = PICAFLOR_ELEMENT_F32, attributes[0].components = 4;
    batch.program = program, batch.uniforms = &uniforms, batch.output_mask = 1;
    batch.attributes = attributes, batch.attribute_count = 1, batch.vertex_count = 4;
    OK(picaflor_shade(engine, &batch, &shaded));
    FAILS(NULL, picaflor_shade(NULL, &batch, &shaded));
    FAILS(NULL, picaflor_shade(engine, NULL, &shaded));
    FAILS(NULL, picaflor_shade(engine, &batch, NULL));
    START(picaflor_compiled, compiled);
    FAILS(NULL, picaflor_compile(NULL, &batch, &compiled));
    FAILS(NULL, picaflor_compile(engine, NULL, &compiled));
    FAILS(NULL, picaflor_compile(engine, &batch, NULL));
    batch.instruction_budget = 1;
    OK(picaflor_compile(engine, &batch, &compiled));
    batch.instruction_budget = 0, batch.vertex_count = 5;
    FAILS(SIZE, picaflor_compile(engine, &batch, &compiled));
    FAILS(SIZE, picaflor_shade(engine, &batch, &shaded));
    const uint32_t indices[] = {0, 0xffffffff, 1, 2};
    batch.vertex_count = 4, batch.indices = indices;
    FAILS(SIZE, picaflor_shade(engine, &batch, &shaded));
    attributes[0].stride = 0xffffffff;
    FAILS(SIZE, picaflor_shade(engine, &batch, &shaded));
    attributes[0].stride = 16, batch.indices = NULL, batch.vertex_count = PICAFLOR_MAX_VERTICES + 1;
    FAILS(ARGUMENT, picaflor_shade(engine, &batch, &shaded));
    batch.vertex_count = (size_t)-1;
    FAILS(ARGUMENT, picaflor_shade(engine, &batch, &shaded));
    batch.vertex_count = 4, attributes[0].length = (size_t)PICAFLOR_MAX_ARRAY + 1;
    FAILS(SIZE, picaflor_shade(engine, &batch, &shaded));
    attributes[0].length = 64, attributes[0].components = 5;
    FAILS(ARGUMENT, picaflor_shade(engine, &batch, &shaded));
    attributes[0].components = 4, attributes[0].element = 4;
    FAILS(ARGUMENT, picaflor_shade(engine, &batch, &shaded));
    attributes[0].element = 3, batch.attribute_count = 0;
    FAILS(ARGUMENT, picaflor_shade(engine, &batch, &shaded));
    batch.attribute_count = 17;
    FAILS(ARGUMENT, picaflor_shade(engine, &batch, &shaded));
    batch.attribute_count = 1, batch.attributes = NULL;
    FAILS(NULL, picaflor_shade(engine, &batch, &shaded));
    batch.attributes = attributes, batch.program = NULL;
    FAILS(NULL, picaflor_shade(engine, &batch, &shaded));
    batch.program = program, batch.entry = 4096;
    FAILS(ARGUMENT, picaflor_shade(engine, &batch, &shaded));
    batch.entry = 0, batch.precision = 2;
    FAILS(ARGUMENT, picaflor_shade(engine, &batch, &shaded));
    batch.precision = 0, batch.output_mask = 0;
    FAILS(ARGUMENT, picaflor_shade(engine, &batch, &shaded));
    batch.output_mask = 0x10000;
    FAILS(ARGUMENT, picaflor_shade(engine, &batch, &shaded));
    batch.output_mask = 1, batch.output_form = 2;
    FAILS(ARGUMENT, picaflor_shade(engine, &batch, &shaded));
    batch.output_form = 1, uniforms.size = 1;
    FAILS(SIZE, picaflor_shade(engine, &batch, &shaded));
    /* Odd, and fine: no vertices, a map to nowhere, more outputs than there are. */
    uniforms.size = sizeof uniforms, batch.vertex_count = 0;
    OK(picaflor_shade(engine, &batch, &shaded));
    batch.vertex_count = 4, batch.output_total = 0xffffffff;
    memset(batch.output_map, 0xff, sizeof batch.output_map);
    OK(picaflor_shade(engine, &batch, &shaded));
    batch.entry = 511, batch.permutation = 0xffffffffffffffff, uniforms.bools = 0xffff;
    OK(picaflor_shade(engine, &batch, &shaded));
    uniforms.reserved = 1;
    FAILS(ARGUMENT, picaflor_shade(engine, &batch, &shaded));
    uniforms.reserved = 0, batch.reserved = 1;
    FAILS(ARGUMENT, picaflor_shade(engine, &batch, &shaded));
    batch.reserved = 0, attributes[0].reserved = 1;
    FAILS(ARGUMENT, picaflor_shade(engine, &batch, &shaded));
    attributes[0].reserved = 0;
    /* There is no b16. */
    picaflor_uniform_set *set;
    uniforms.bools = 0x10000;
    FAILS(ARGUMENT, picaflor_shade(engine, &batch, &shaded));
    FAILS(ARGUMENT, picaflor_uniform_set_create(&uniforms, &set));
    CHECK(set == NULL);
}

/* Each call takes programs of its own unit: EMIT has an effect in those of the geometry unit alone. */
static void programs_of_the_other_unit(picaflor_engine *engine, const picaflor_program *vertex,
                                       const picaflor_program *geometry) {
    picaflor_attribute attribute;
    memset(&attribute, 0, sizeof attribute);
    float floats[4] = {0}, vertices[1][24];
    START(picaflor_batch, batch);
    START(picaflor_shaded, shaded);
    START(picaflor_compiled, compiled);
    batch.program = geometry, batch.attributes = &attribute, batch.attribute_count = 1, batch.vertex_count = 1;
    batch.output_mask = 1, batch.output_form = PICAFLOR_OUTPUT_SEMANTICS;
    FAILS(ARGUMENT, picaflor_shade(engine, &batch, &shaded));
    FAILS(ARGUMENT, picaflor_shade_vertices(engine, &batch, vertices, 1));
    FAILS(ARGUMENT, picaflor_compile(engine, &batch, &compiled));
    START(picaflor_float_batch, plain);
    plain.program = geometry, plain.inputs = floats, plain.outputs = floats;
    plain.input_count = 1, plain.vertex_count = 1, plain.output_capacity = 1, plain.output_mask = 1;
    FAILS(ARGUMENT, picaflor_shade_floats(engine, &plain));
    picaflor_geometry_unit *unit;
    picaflor_emission emission;
    size_t count = 0;
    START(picaflor_uniforms, uniforms);
    START(picaflor_geometry_run, run);
    OK(picaflor_geometry_unit_create(&unit));
    run.program = vertex, run.uniforms = &uniforms;
    FAILS(ARGUMENT, picaflor_run_geometry(engine, unit, &run, &emission, 1, &count));
    FAILS(ARGUMENT, picaflor_run_geometry_batch(engine, unit, &run, 2, &emission, 1, &count));
    CHECK(uniforms.bools == 0); /* a run would have set b15 */
    OK(picaflor_geometry_unit_destroy(unit));
}

static void float_batches(picaflor_engine *engine, const picaflor_program *program) {
    float floats[8] = {0};
    START(picaflor_float_batch, batch);
    batch.program = program, batch.inputs = floats, batch.outputs = floats;
    batch.input_count = 1, batch.vertex_count = 2, batch.output_capacity = 2, batch.output_mask = 1;
    OK(picaflor_shade_floats(engine, &batch));
    FAILS(NULL, picaflor_shade_floats(NULL, &batch));
    FAILS(NULL, picaflor_shade_floats(engine, NULL));
    batch.output_mask = 3;
    FAILS(SIZE, picaflor_shade_floats(engine, &batch));
    batch.output_mask = 0x10001;
    FAILS(ARGUMENT, picaflor_shade_floats(engine, &batch));
    batch.output_mask = 1, batch.inputs = NULL;
    FAILS(NULL, picaflor_shade_floats(engine, &batch));
    batch.inputs = floats, batch.outputs = NULL;
    FAILS(NULL, picaflor_shade_floats(engine, &batch));
    batch.outputs = floats, batch.input_count = 17;
    FAILS(ARGUMENT, picaflor_shade_floats(engine, &batch));
    batch.input_count = 1, batch.vertex_count = (size_t)1 << 60;
    FAILS(ARGUMENT, picaflor_shade_floats(engine, &batch));
    batch.vertex_count = 2, batch.output_mask = 0;
    OK(picaflor_shade_floats(engine, &batch)); /* nothing to write */
}

static void geometry_runs(picaflor_engine *engine, const picaflor_program *program) {
    picaflor_geometry_unit *unit;
    picaflor_emission emission;
    START(picaflor_uniforms, uniforms);
    START(picaflor_geometry_run, run);
    size_t count = 0;
    FAILS(NULL, picaflor_geometry_unit_create(NULL));
    OK(picaflor_geometry_unit_create(&unit));
    run.program = program, run.uniforms = &uniforms;
    OK(picaflor_run_geometry(engine, unit, &run, &emission, 1, &count));
    FAILS(NULL, picaflor_run_geometry(NULL, unit, &run, &emission, 1, &count));
    FAILS(NULL, picaflor_run_geometry(engine, NULL, &run, &emission, 1, &count));
    FAILS(NULL, picaflor_run_geometry(engine, unit, NULL, &emission, 1, &count));
    FAILS(NULL, picaflor_run_geometry(engine, unit, &run, NULL, 1, &count));
    FAILS(NULL, picaflor_run_geometry(engine, unit, &run, &emission, 1, NULL));
    run.input_count = 17, run.inputs = (const float *)bytes;
    FAILS(ARGUMENT, picaflor_run_geometry(engine, unit, &run, &emission, 1, &count));
    run.input_count = 0, uniforms.bools = 0x10000;
    FAILS(ARGUMENT, picaflor_run_geometry(engine, unit, &run, &emission, 1, &count));
    run.uniforms = NULL;
    FAILS(NULL, picaflor_run_geometry(engine, unit, &run, &emission, 1, &count));
    OK(picaflor_geometry_unit_destroy(unit));
    OK(picaflor_geometry_unit_destroy(NULL));
}

static void configurations(picaflor_engine *engine) {
    picaflor_gpu *made;
    picaflor_region regions[65];
    for (uint32_t i = 0; i < 65; i++)
        regions[i].address = 0x20000000 + i * 16, regions[i].length = 16, regions[i].bytes = bytes;
    START(picaflor_memory, memory);
    START(picaflor_limits, limits);
    START(picaflor_gpu_config, config);
    memory.regions = regions, memory.region_count = 2, config.memory = &memory, config.limits = &limits;
    FAILS(NULL, picaflor_gpu_create(engine, NULL, &made));
    FAILS(NULL, picaflor_gpu_create(NULL, &config, &made));
    FAILS(NULL, picaflor_gpu_create(engine, &config, NULL));
    config.precision = 7;
    FAILS(ARGUMENT, picaflor_gpu_create(engine, &config, &made));
    config.precision = 0, config.threads = 1000;
    FAILS(ARGUMENT, picaflor_gpu_create(engine, &config, &made));
    config.threads = 0, limits.size = 3;
    FAILS(SIZE, picaflor_gpu_create(engine, &config, &made));
    limits.size = sizeof limits, limits.reserved = 1;
    FAILS(ARGUMENT, picaflor_gpu_create(engine, &config, &made));
    limits.reserved = 0, config.memory = NULL;
    FAILS(NULL, picaflor_gpu_create(engine, &config, &made));
    config.memory = &memory, memory.region_count = 65;
    FAILS(ARGUMENT, picaflor_gpu_create(engine, &config, &made));
    memory.region_count = 2, memory.regions = NULL;
    FAILS(NULL, picaflor_gpu_create(engine, &config, &made));
    memory.regions = regions, memory.region_count = 0;
    FAILS(NULL, picaflor_gpu_create(engine, &config, &made));
    memory.region_count = 2, regions[0].length = 17;
    FAILS(ARGUMENT, picaflor_gpu_create(engine, &config, &made));
    regions[0].address = 0xfffffff0;
    FAILS(ARGUMENT, picaflor_gpu_create(engine, &config, &made));
    regions[0].length = 16, regions[0].bytes = NULL;
    FAILS(NULL, picaflor_gpu_create(engine, &config, &made));
    CHECK(made == NULL);
    OK(picaflor_gpu_destroy(NULL));
}

static void machines(picaflor_engine *engine) {
    picaflor_gpu *gpu;
    picaflor_region mapped;
    mapped.address = 0x20000000, mapped.length = sizeof bytes, mapped.bytes = bytes;
    START(picaflor_memory, memory);
    START(picaflor_gpu_config, config);
    memory.regions = &mapped, memory.region_count = 1, config.memory = &memory;
    OK(picaflor_gpu_create(engine, &config, &gpu));
    uint32_t value = 5, width, height;
    FAILS(NULL, picaflor_gpu_run_list(NULL, 0x20000000, 16, NULL));
    FAILS(LIST, picaflor_gpu_run_list(gpu, 0x30000000, 16, NULL));
    FAILS(LIST, picaflor_gpu_run_list(gpu, 0xfffffff0, 0xfffffff0, &value));
    FAILS(ARGUMENT, picaflor_gpu_run_list(gpu, 0x20000008, 16, &value));
    FAILS(ARGUMENT, picaflor_gpu_run_list(gpu, 0x20000000, 24, &value));
    CHECK(value == 5);
    OK(picaflor_gpu_run_list(gpu, 0x20000000, 0, &value));
    CHECK(value == PICAFLOR_FINISHED_END);
    FAILS(NULL, picaflor_gpu_write(NULL, 0, 0));
    OK(picaflor_gpu_write(gpu, 3, 0xffffffff));
    FAILS(NULL, picaflor_gpu_read(gpu, 0x10400000, NULL));
    FAILS(NULL, picaflor_gpu_read(NULL, 0x10400000, &value));
    FAILS(ARGUMENT, picaflor_gpu_write_register(gpu, 0x400, 0, 15));
    FAILS(ARGUMENT, picaflor_gpu_write_register(gpu, 0x10040, 0, 15));
    FAILS(ARGUMENT, picaflor_gpu_write_register(gpu, 0x40, 0, 16));
    FAILS(ARGUMENT, picaflor_gpu_read_register(gpu, 0xffffffff, &value));
    CHECK(value == 0);
    FAILS(ARGUMENT, picaflor_gpu_fill(gpu, 2, 0x20000000, 0x20000010, 0, 4));
    FAILS(ARGUMENT, picaflor_gpu_fill(gpu, 0, 0x20000001, 0x20000010, 0, 4));
    FAILS(ARGUMENT, picaflor_gpu_fill(gpu, 0, 0x20000000, 0x20000010, 0, 5));
    FAILS(NULL, picaflor_gpu_transfer(gpu, NULL));
    START(picaflor_transfer, transfer);
    transfer.input = 4;
    FAILS(ARGUMENT, picaflor_gpu_transfer(gpu, &transfer));
    FAILS(NULL, picaflor_gpu_interrupts(gpu, NULL));
    FAILS(NULL, picaflor_gpu_acknowledge(NULL, 1));
    OK(picaflor_gpu_acknowledge(gpu, 0xffffffff));
    FAILS(ARGUMENT, picaflor_gpu_picture(gpu, 3, NULL, 0, &width, &height));
    FAILS(NULL, picaflor_gpu_picture(gpu, 0, NULL, 16, &width, &height));
    FAILS(NULL, picaflor_gpu_picture(gpu, 0, NULL, 0, NULL, &height));
    OK(picaflor_gpu_picture(gpu, 0, NULL, 0, &width, &height));
    CHECK(width == 0 && height == 0);
    START(picaflor_picture_buffer, shown);
    FAILS(NULL, picaflor_gpu_picture_into(gpu, 0, NULL, &width, &height));
    FAILS(NULL, picaflor_gpu_picture_into(NULL, 0, &shown, &width, &height));
    FAILS(NULL, picaflor_gpu_picture_into(gpu, 0, &shown, &width, NULL));
    FAILS(ARGUMENT, picaflor_gpu_picture_into(gpu, 3, &shown, &width, &height));
    OK(picaflor_gpu_picture_into(gpu, 0, &shown, &width, &height));
    CHECK(width == 0 && height == 0);
    shown.capacity = 16;
    FAILS(NULL, picaflor_gpu_picture_into(gpu, 0, &shown, &width, &height));
    shown.capacity = 0;
    shown.format = 3;
    FAILS(ARGUMENT, picaflor_gpu_picture_into(gpu, 0, &shown, &width, &height));
    shown.format = 0;
    shown.reserved = 1;
    FAILS(ARGUMENT, picaflor_gpu_picture_into(gpu, 0, &shown, &width, &height));
    FAILS(NULL, picaflor_gpu_frame_end(NULL));
    FAILS(NULL, picaflor_gpu_vblank(NULL, PICAFLOR_SCREEN_TOP));
    FAILS(ARGUMENT, picaflor_gpu_vblank(gpu, 3));
    FAILS(ARGUMENT, picaflor_gpu_set_threads(gpu, 65));
    FAILS(ARGUMENT, picaflor_gpu_set_attribute_clocks(gpu, 2));
    FAILS(NULL, picaflor_gpu_set_attribute_clocks(NULL, 1));
    OK(picaflor_gpu_set_attribute_clocks(gpu, 0));
    OK(picaflor_gpu_set_attribute_clocks(gpu, 1));
    FAILS(NULL, picaflor_gpu_set_engine(gpu, NULL));
    FAILS(NULL, picaflor_gpu_set_memory(gpu, NULL));
    START(picaflor_gpu_stats, stats);
    FAILS(NULL, picaflor_gpu_get_stats(gpu, NULL));
    stats.size = 3;
    FAILS(SIZE, picaflor_gpu_get_stats(gpu, &stats));
    size_t count;
    FAILS(NULL, picaflor_gpu_take_faults(gpu, NULL, 4, &count));
    FAILS(NULL, picaflor_gpu_take_faults(gpu, NULL, 0, NULL));

    /* Limits that are set hold, the others are the defaults. */
    static const uint32_t list[][2] = {{0, 0x000f0040}, {0, 0x000f0040}, {0, 0x000f0040}, {0x12345678, 0x000f0010}};
    picaflor_gpu *limited;
    START(picaflor_limits, limits);
    limits.commands = 3;
    config.limits = &limits;
    memcpy(bytes, list, sizeof list);
    OK(picaflor_gpu_create(engine, &config, &limited));
    FAILS(LIST, picaflor_gpu_run_list(limited, 0x20000000, sizeof list, NULL));
    OK(picaflor_gpu_destroy(limited));
    OK(picaflor_gpu_run_list(gpu, 0x20000000, sizeof list, NULL));
    /* Three vertices of a program without an end. */
    static const uint32_t draw[][2] = {{3, 0x000f0228}, {1, 0x000f022e}};
    memcpy(bytes, draw, sizeof draw);
    for (int set = 0; set < 2; set++) {
        limits.commands = 0, limits.run_instructions = set ? 2 : 0;
        OK(picaflor_gpu_create(engine, &config, &limited));
        CHECK(picaflor_gpu_run_list(limited, 0x20000000, sizeof draw, NULL) ==
              (set ? PICAFLOR_ERROR_LIST : PICAFLOR_OK));
        OK(picaflor_gpu_destroy(limited));
    }
    CHECK(strstr(picaflor_last_error(), "more than 2 instructions") != NULL);
    /* Of a program that was compiled before there was such a limit. */
    limits.size = offsetof(picaflor_limits, run_instructions);
    OK(picaflor_gpu_create(engine, &config, &limited));
    OK(picaflor_gpu_run_list(limited, 0x20000000, sizeof draw, NULL));
    OK(picaflor_gpu_destroy(limited));
    memset(bytes, 0, sizeof list);

    /* What the guest does wrong is a fault and no error. */
    picaflor_fault faults[2];
    OK(picaflor_gpu_fill(gpu, 0, 0x30000000, 0x30000010, 0, 4));
    OK(picaflor_gpu_take_faults(gpu, faults, 2, &count));
    CHECK(count == 1 && faults[0].kind == PICAFLOR_FAULT_UNMAPPED && faults[0].value == 0x30000000);

    picaflor_buffer *buffer;
    FAILS(STATE, picaflor_gpu_stop_recording(gpu, &buffer));
    CHECK(buffer == NULL && picaflor_buffer_data(buffer) == NULL && picaflor_buffer_size(buffer) == 0);
    FAILS(NULL, picaflor_gpu_stop_recording_to(gpu, NULL));
    FAILS(STATE, picaflor_gpu_stop_recording_to(gpu, "x"));
    OK(picaflor_gpu_start_recording(gpu, NULL, 0));
    FAILS(IO, picaflor_gpu_stop_recording_to(gpu, "/nowhere/at/all"));
    const picaflor_range overlapping[] = {{0x20000000, 32}, {0x20000010, 32}};
    FAILS(ARGUMENT, picaflor_gpu_start_recording(gpu, overlapping, 2));
    FAILS(NULL, picaflor_gpu_start_recording(gpu, NULL, 1));
    FAILS(ARGUMENT, picaflor_gpu_start_recording(gpu, overlapping, (size_t)1 << 32));
    FAILS(NULL, picaflor_gpu_save(gpu, NULL));
    FAILS(FORMAT, picaflor_gpu_load(gpu, bytes, sizeof bytes));
    FAILS(FORMAT, picaflor_gpu_load(gpu, bytes, 3));
    FAILS(NULL, picaflor_gpu_load(gpu, NULL, 4));
    OK(picaflor_buffer_destroy(NULL));
    OK(picaflor_gpu_destroy(gpu));
}

static void ge_configurations(picaflor_engine *engine, picaflor_memory *memory) {
    picaflor_ge *made;
    START(picaflor_ge_limits, limits);
    START(picaflor_ge_config, config);
    config.memory = memory, config.limits = &limits;
    FAILS(NULL, picaflor_ge_create(engine, NULL, &made));
    FAILS(NULL, picaflor_ge_create(NULL, &config, &made));
    FAILS(NULL, picaflor_ge_create(engine, &config, NULL));
    config.threads = 65;
    FAILS(ARGUMENT, picaflor_ge_create(engine, &config, &made));
    config.threads = 0, limits.size = 3;
    FAILS(SIZE, picaflor_ge_create(engine, &config, &made));
    limits.size = sizeof limits, config.memory = NULL;
    FAILS(NULL, picaflor_ge_create(engine, &config, &made));
    CHECK(made == NULL);
    OK(picaflor_ge_destroy(NULL));
}

/* Of one call each: no machine, and nowhere to put the answer. */
static void ge_answers(picaflor_ge *ge) {
    START(picaflor_ge_list, list);
    uint32_t answer = 5;
    FAILS(NULL, picaflor_ge_enqueue(ge, NULL, &answer));
    for (int n = 0; n < 2; n++) {
        picaflor_ge *machine = n ? ge : NULL;
        uint32_t *where = n ? NULL : &answer;
        FAILS(NULL, picaflor_ge_enqueue(machine, &list, where));
        FAILS(NULL, picaflor_ge_update_stall(machine, 0, 0, where));
        FAILS(NULL, picaflor_ge_list_sync(machine, 0, where));
        FAILS(NULL, picaflor_ge_draw_sync(machine, where));
        FAILS(NULL, picaflor_ge_dequeue(machine, 0, where));
        FAILS(NULL, picaflor_ge_break(machine, 0, where));
        FAILS(NULL, picaflor_ge_continue(machine, where));
        FAILS(NULL, picaflor_ge_save_context(machine, 0, where));
        FAILS(NULL, picaflor_ge_restore_context(machine, 0, where));
        FAILS(NULL, picaflor_ge_set_translation(machine, 0, where));
        FAILS(NULL, picaflor_ge_read_command(machine, 0, where));
        FAILS(NULL, picaflor_ge_read_matrix(machine, 0, where, 12));
    }
    CHECK(answer == 0);
    FAILS(NULL, picaflor_ge_forget_completed(NULL));
    FAILS(NULL, picaflor_ge_set_sdk(NULL, 0));
    FAILS(NULL, picaflor_ge_run(NULL, &answer, &answer));
}

static void ge_reads(picaflor_ge *ge) {
    static uint8_t rgb[PICAFLOR_GE_PICTURE_BYTES];
    uint32_t elements[16], word;
    picaflor_ge_interrupt interrupt;
    FAILS(ARGUMENT, picaflor_ge_read_command(ge, 256, &word));
    FAILS(ARGUMENT, picaflor_ge_read_matrix(ge, 12, elements, 16));
    FAILS(SIZE, picaflor_ge_read_matrix(ge, 10, elements, 15));
    FAILS(NULL, picaflor_ge_read_clut(NULL, bytes, sizeof bytes));
    FAILS(NULL, picaflor_ge_read_clut(ge, NULL, sizeof bytes));
    FAILS(SIZE, picaflor_ge_read_clut(ge, bytes, PICAFLOR_GE_CLUT_BYTES - 1));
    FAILS(NULL, picaflor_ge_picture(NULL, 0, 0, 0, rgb, sizeof rgb));
    FAILS(NULL, picaflor_ge_picture(ge, 0, 0, 0, NULL, sizeof rgb));
    FAILS(SIZE, picaflor_ge_picture(ge, 0, 0, 0, rgb, sizeof rgb - 1));
    FAILS(ARGUMENT, picaflor_ge_picture(ge, 0, 0, 4, rgb, sizeof rgb));
    OK(picaflor_ge_picture(ge, 0xfffffff0, 0xffffffff, 3, rgb, sizeof rgb));
    START(picaflor_picture_buffer, shown);
    shown.bytes = rgb;
    shown.capacity = sizeof rgb;
    OK(picaflor_ge_picture_into(ge, 0, 0, 0, &shown));
    FAILS(NULL, picaflor_ge_picture_into(ge, 0, 0, 0, NULL));
    FAILS(NULL, picaflor_ge_picture_into(NULL, 0, 0, 0, &shown));
    FAILS(ARGUMENT, picaflor_ge_picture_into(ge, 0, 0, 4, &shown));
    shown.stride = 3 * PICAFLOR_GE_WIDTH - 1;
    FAILS(SIZE, picaflor_ge_picture_into(ge, 0, 0, 0, &shown));
    shown.stride = 0;
    shown.format = PICAFLOR_PICTURE_RGBA;
    FAILS(SIZE, picaflor_ge_picture_into(ge, 0, 0, 0, &shown));
    FAILS(NULL, picaflor_ge_frame_end(NULL, 0, 0, 0));
    FAILS(ARGUMENT, picaflor_ge_frame_end(ge, 0, 0, 256));
    FAILS(NULL, picaflor_ge_next_interrupt(ge, NULL));
    FAILS(NULL, picaflor_ge_next_interrupt(NULL, &interrupt));
    CHECK(interrupt.kind == PICAFLOR_GE_INTERRUPT_NONE);
    FAILS(NULL, picaflor_ge_acknowledge(NULL, 1, 0));
    FAILS(ARGUMENT, picaflor_ge_acknowledge(ge, 0, 0));
    OK(picaflor_ge_acknowledge(ge, PICAFLOR_GE_INTERRUPT_FINISH, 0xffffffff));
    size_t count;
    FAILS(NULL, picaflor_ge_take_faults(ge, NULL, 4, &count));
    FAILS(NULL, picaflor_ge_take_faults(ge, NULL, 0, NULL));
    START(picaflor_ge_stats, stats);
    FAILS(NULL, picaflor_ge_get_stats(ge, NULL));
    stats.size = 3;
    FAILS(SIZE, picaflor_ge_get_stats(ge, &stats));
}

static void ge_machines(picaflor_engine *engine) {
    picaflor_ge *ge;
    picaflor_buffer *buffer;
    picaflor_region mapped;
    mapped.address = 0x08800000, mapped.length = sizeof bytes, mapped.bytes = bytes;
    START(picaflor_memory, memory);
    START(picaflor_ge_config, config);
    memory.regions = &mapped, memory.region_count = 1, config.memory = &memory;
    ge_configurations(engine, &memory);
    OK(picaflor_ge_create(engine, &config, &ge));
    ge_answers(ge);
    ge_reads(ge);
    FAILS(ARGUMENT, picaflor_ge_set_threads(ge, 65));
    FAILS(NULL, picaflor_ge_set_engine(ge, NULL));
    FAILS(NULL, picaflor_ge_set_memory(ge, NULL));
    FAILS(NULL, picaflor_ge_save(ge, NULL));
    FAILS(FORMAT, picaflor_ge_load(ge, bytes, sizeof bytes));
    FAILS(FORMAT, picaflor_ge_load(ge, bytes, 0));
    FAILS(FORMAT, picaflor_ge_load(ge, bytes, 3));
    FAILS(NULL, picaflor_ge_load(ge, NULL, 4));
    OK(picaflor_ge_save(ge, &buffer));
    FAILS(FORMAT, picaflor_ge_load(ge, picaflor_buffer_data(buffer), picaflor_buffer_size(buffer) - 4));
    OK(picaflor_buffer_destroy(buffer));
    FAILS(STATE, picaflor_ge_stop_recording(ge, &buffer));
    FAILS(STATE, picaflor_ge_stop_recording_to(ge, "x"));
    OK(picaflor_ge_start_recording(ge, NULL, 0));
    FAILS(IO, picaflor_ge_stop_recording_to(ge, "/nowhere/at/all"));
    FAILS(NULL, picaflor_ge_start_recording(ge, NULL, 1));

    /* A list that is not mapped, and one that does too much; what the guest does wrong is an answer. */
    START(picaflor_ge_list, list);
    uint32_t answer, progress = 7, first;
    list.address = 0x0c000000;
    OK(picaflor_ge_enqueue(ge, &list, &answer));
    FAILS(LIST, picaflor_ge_run(ge, &progress, NULL));
    CHECK(progress == 7);
    OK(picaflor_ge_run(ge, &progress, &first));
    CHECK(progress == PICAFLOR_GE_STUCK && first == answer);
    OK(picaflor_ge_break(ge, 1, &answer));
    list.address = 0x08800001;
    OK(picaflor_ge_enqueue(ge, &list, &answer));
    CHECK(answer == 0x80000103);
    START(picaflor_ge_limits, limits);
    limits.commands = 3, config.limits = &limits, list.address = 0x08800000;
    OK(picaflor_ge_destroy(ge));
    OK(picaflor_ge_create(engine, &config, &ge));
    OK(picaflor_ge_enqueue(ge, &list, &answer));
    FAILS(LIST, picaflor_ge_run(ge, NULL, NULL));
    CHECK(strstr(picaflor_last_error(), "more than 3 commands") != NULL);
    OK(picaflor_ge_destroy(ge));
}

int main(void) {
    CHECK(picaflor_last_error()[0] == '\0');
    CHECK(strcmp(picaflor_status_text(PICAFLOR_OK), "fine") == 0);
    CHECK(strcmp(picaflor_status_text(-1), "no such status") == 0);
    picaflor_engine *engine = engine_of(PICAFLOR_MODE_BLOCKING);
    picaflor_program *program, *geometry;
    OK(picaflor_program_create(PICAFLOR_UNIT_VERTEX, code, 2, descriptors, 1, &program));
    OK(picaflor_program_create(PICAFLOR_UNIT_GEOMETRY, code, 2, descriptors, 1, &geometry));
    engines(engine);
    programs();
    batches(engine, program);
    float_batches(engine, program);
    geometry_runs(engine, geometry);
    programs_of_the_other_unit(engine, program, geometry);
    configurations(engine);
    machines(engine);
    ge_machines(engine);
    OK(picaflor_program_destroy(geometry));
    OK(picaflor_program_destroy(program));
    OK(picaflor_engine_destroy(engine));
    printf("fine: %d\n", checked);
    return 0;
}
