/* Hooks, the log, counters that are reset, and the registers of a shader unit. */
#include "check.h"

enum { VRAM = 0x18000000, GE_VRAM = 0x04000000, SIZE = 0x200000 };
static uint8_t bytes[SIZE];

typedef struct seen {
    uint32_t counts[7], last_register, last_value, kinds;
} seen;

static void event(void *user, const picaflor_event *event) {
    seen *self = (seen *)user;
    for (int n = 0; n < 7; n++)
        self->counts[n] += event->kind >> n & 1;
    self->kinds |= event->kind;
    CHECK(event->register_count == 1024 || event->register_count == 256);
    if (event->kind == PICAFLOR_EVENT_REGISTER) {
        self->last_register = event->number, self->last_value = event->value;
        CHECK(event->number != 0x041 || event->value != 7 || (event->mask == 15 && event->registers[0x041] == 7));
    }
    if (event->kind == PICAFLOR_EVENT_COMMAND && event->register_count == 256)
        CHECK(event->number == event->value >> 24);
}

typedef struct draws {
    uint32_t count, interpreted[4], refusals[4];
    char reason[128];
} draws;

static void draw_ended(void *user, const picaflor_event *event) {
    draws *self = (draws *)user;
    CHECK(event->kind == PICAFLOR_EVENT_DRAW_END && self->count < 4 && (event->reason != NULL) == (event->refusals > 0));
    self->interpreted[self->count] = event->interpreted;
    self->refusals[self->count++] = event->refusals;
    if (event->reason)
        strncpy(self->reason, event->reason, sizeof self->reason - 1);
}

static void lines(void *user, uint32_t level, const char *text) {
    CHECK(level >= PICAFLOR_LOG_ERROR && level <= PICAFLOR_LOG_DEBUG && text[0] != '\0');
    ++*(uint32_t *)user;
}

static void pica_events(picaflor_engine *engine) {
    static const uint32_t list[] = {2, 0xf0040, 7, 0xf0041, 0, 0xf00f0, 0x12345678, 0xf0010};
    picaflor_region region;
    region.address = VRAM, region.length = SIZE, region.bytes = bytes;
    START(picaflor_memory, memory);
    memory.regions = &region, memory.region_count = 1;
    START(picaflor_gpu_config, config);
    config.memory = &memory;
    picaflor_gpu *gpu;
    OK(picaflor_gpu_create(engine, &config, &gpu));
    seen events;
    memset(&events, 0, sizeof events);
    START(picaflor_hooks, hooks);
    hooks.user = &events, hooks.event = event, hooks.events = 127;
    OK(picaflor_gpu_set_hooks(gpu, &hooks));
    memcpy(bytes, list, sizeof list);
    OK(picaflor_gpu_run_list(gpu, VRAM, sizeof list, NULL));
    CHECK(events.counts[0] == 4 && events.counts[1] == 4 && events.counts[6] == 1);
    CHECK(events.last_register == 0x10 && events.last_value == 0x12345678);
    OK(picaflor_gpu_fill(gpu, 1, VRAM + 0x1000, VRAM + 0x1010, 0, 2));
    CHECK(events.counts[4] == 1 && events.counts[5] == 1);
    OK(picaflor_gpu_write_register(gpu, 0x228, 3, 15));
    OK(picaflor_gpu_write_register(gpu, 0x22e, 1, 15));
    CHECK(events.counts[2] == 1 && events.counts[3] == 1 && events.counts[1] == 6);
    hooks.events = 128;
    CHECK(picaflor_gpu_set_hooks(gpu, &hooks) == PICAFLOR_ERROR_ARGUMENT);
    hooks.events = 1, hooks.event = NULL;
    CHECK(picaflor_gpu_set_hooks(gpu, &hooks) == PICAFLOR_ERROR_NULL);
    OK(picaflor_gpu_set_hooks(gpu, NULL));
    OK(picaflor_gpu_run_list(gpu, VRAM, sizeof list, NULL));
    CHECK(events.counts[6] == 1);
    OK(picaflor_gpu_destroy(gpu));
}

/* A line of the GE whose level of detail follows from its pixels is interpreted, a triangle is not. */
static void ge_draws(void) {
    static const uint32_t list[] = {0x9c100000, 0x9d000200, 0xd2000003, 0x15000000, 0x160fffff, 0xd4000000,
                                    0xd50fffff, 0x1280011c, 0x10040000, 0x01000800, 0x1e000001, 0xa0000800, 0xa8040004,
                                    0xc3000003, 0xc6000001, 0x04010002, 0x1e000000, 0x01000800, 0x04030003, 0x0f000000,
                                    0x0c000000};
    static const struct {
        uint32_t colour;
        int16_t x, y, z, pad;
    } corners[3] = {{0xff0000ff, 2, 2, 0, 0}, {0xff00ff00, 30, 2, 0, 0}, {0xffff0000, 2, 30, 0, 0}};
    picaflor_engine *engine = engine_of(PICAFLOR_MODE_BLOCKING);
    picaflor_region region;
    region.address = GE_VRAM, region.length = SIZE, region.bytes = bytes;
    START(picaflor_memory, memory);
    memory.regions = &region, memory.region_count = 1;
    START(picaflor_ge_config, config);
    config.memory = &memory;
    picaflor_ge *ge;
    OK(picaflor_ge_create(engine, &config, &ge));
    draws seen;
    memset(&seen, 0, sizeof seen);
    START(picaflor_hooks, hooks);
    hooks.user = &seen, hooks.event = draw_ended, hooks.events = PICAFLOR_EVENT_DRAW_END;
    OK(picaflor_ge_set_hooks(ge, &hooks));
    memcpy(bytes + 0x1000, list, sizeof list);
    memcpy(bytes + 0x800, corners, sizeof corners);
    START(picaflor_ge_list, request);
    request.address = GE_VRAM + 0x1000, request.callback = -1;
    uint32_t answer;
    OK(picaflor_ge_enqueue(ge, &request, &answer));
    OK(picaflor_ge_run(ge, NULL, NULL));
    CHECK(seen.count == 2 && seen.interpreted[0] > 0 && seen.interpreted[1] == 0);
    CHECK(seen.refusals[0] > 0 && seen.reason[0] != '\0' && seen.refusals[1] == 0);
    OK(picaflor_ge_destroy(ge));
    OK(picaflor_engine_destroy(engine));
}

static void ge_events(picaflor_engine *engine) {
    static const uint32_t list[] = {0xcf000001, 0xea000000, 0x0f000000, 0x0c000000};
    picaflor_region region;
    region.address = GE_VRAM, region.length = SIZE, region.bytes = bytes;
    START(picaflor_memory, memory);
    memory.regions = &region, memory.region_count = 1;
    START(picaflor_ge_config, config);
    config.memory = &memory;
    picaflor_ge *ge;
    OK(picaflor_ge_create(engine, &config, &ge));
    seen events;
    memset(&events, 0, sizeof events);
    START(picaflor_hooks, hooks);
    hooks.user = &events, hooks.event = event, hooks.events = 127;
    OK(picaflor_ge_set_hooks(ge, &hooks));
    memcpy(bytes + 0x1000, list, sizeof list);
    START(picaflor_ge_list, request);
    request.address = GE_VRAM + 0x1000, request.callback = -1;
    uint32_t answer;
    OK(picaflor_ge_enqueue(ge, &request, &answer));
    OK(picaflor_ge_run(ge, NULL, NULL));
    CHECK(events.counts[0] == 4 && events.kinds & PICAFLOR_EVENT_COMMAND);
    OK(picaflor_ge_set_hooks(ge, NULL));
    OK(picaflor_ge_destroy(ge));
}

/* A program that adds, from a state of the host's making; counters begin anew. */
static void unit_state(picaflor_engine *engine) {
    /* add o0, v0, v1; end */
    static const uint32_t code[] = {0x00000080, 0x88000000}, descriptor = 0x0006c36f;
    picaflor_program *program;
    picaflor_geometry_unit *unit;
    OK(picaflor_program_create(PICAFLOR_UNIT_GEOMETRY, code, 2, &descriptor, 1, &program));
    OK(picaflor_geometry_unit_create(&unit));
    START(picaflor_unit_state, state);
    state.al = -7, state.a0[1] = 5, state.compare[0] = 1, state.vertex = 2, state.winding = 1;
    for (int i = 0; i < 4; i++)
        state.v[0][i] = (float)i, state.r[3][i] = 0.5f;
    OK(picaflor_geometry_unit_set(unit, &state));
    START(picaflor_unit_state, now);
    OK(picaflor_geometry_unit_get(unit, &now));
    CHECK(memcmp(&now, &state, sizeof now) == 0);
    START(picaflor_uniforms, uniforms);
    START(picaflor_geometry_run, run);
    run.program = program, run.uniforms = &uniforms, run.output_mask = 1;
    size_t count = 9;
    picaflor_emission emission;
    OK(picaflor_run_geometry(engine, unit, &run, &emission, 1, &count));
    OK(picaflor_geometry_unit_get(unit, &now));
    CHECK(count == 0 && now.al == -7 && now.compare[0] == 1 && now.vertex == 2 && now.winding == 1);
    CHECK(now.o[0][0][3] == state.v[0][3] + state.v[1][3] && now.r[3][0] == 0.5f);
    state.compare[1] = 2;
    CHECK(picaflor_geometry_unit_set(unit, &state) == PICAFLOR_ERROR_ARGUMENT);
    CHECK(picaflor_geometry_unit_set(unit, NULL) == PICAFLOR_ERROR_NULL);
    CHECK(picaflor_geometry_unit_get(NULL, &now) == PICAFLOR_ERROR_NULL);

    START(picaflor_engine_stats, stats);
    OK(picaflor_engine_get_stats(engine, &stats));
    CHECK(stats.compiles > 0 && stats.groups > 0);
    OK(picaflor_engine_reset_stats(engine));
    OK(picaflor_engine_get_stats(engine, &stats));
    CHECK(stats.compiles == 0 && stats.groups == 0 && stats.live_routines > 0);
    picaflor_buffer *text;
    OK(picaflor_engine_refusals(engine, &text));
    CHECK(picaflor_buffer_size(text) >= 1 && picaflor_buffer_data(text)[picaflor_buffer_size(text) - 1] == '\0');
    OK(picaflor_buffer_destroy(text));
    OK(picaflor_geometry_unit_destroy(unit));
    OK(picaflor_program_destroy(program));
}

/* A batch of runs gives the emissions of single runs, and leaves the same registers. */
static void batches(picaflor_engine *engine) {
    /* mov o0, v0; setemit 0, prim; emit; end */
    static const uint32_t code[] = {0x4c000000, 0xac800000, 0xa8000000, 0x88000000}, descriptor = 0x36f;
    picaflor_program *program;
    picaflor_geometry_unit *units[2];
    OK(picaflor_program_create(PICAFLOR_UNIT_GEOMETRY, code, 4, &descriptor, 1, &program));
    static float inputs[40][4];
    for (int n = 0; n < 160; n++)
        inputs[n / 4][n % 4] = (float)n / 8;
    static picaflor_emission one[40], all[40];
    size_t counts[2] = {0, 0};
    START(picaflor_uniforms, uniforms);
    START(picaflor_geometry_run, run);
    run.program = program, run.uniforms = &uniforms, run.output_mask = 1, run.input_count = 1;
    for (int n = 0; n < 2; n++)
        OK(picaflor_geometry_unit_create(&units[n]));
    for (int n = 0; n < 40; n++) {
        run.inputs = inputs[n];
        OK(picaflor_run_geometry(engine, units[0], &run, one + n, 1, &counts[0]));
        CHECK(counts[0] == 1);
    }
    run.inputs = inputs[0];
    CHECK(picaflor_run_geometry_batch(engine, units[1], &run, 4097, all, 40, &counts[1]) == PICAFLOR_ERROR_ARGUMENT);
    OK(picaflor_run_geometry_batch(engine, units[1], &run, 40, all, 40, &counts[1]));
    CHECK(counts[1] == 40 && memcmp(one, all, sizeof one) == 0);
    START(picaflor_unit_state, first);
    START(picaflor_unit_state, second);
    OK(picaflor_geometry_unit_get(units[0], &first));
    OK(picaflor_geometry_unit_get(units[1], &second));
    CHECK(memcmp(&first, &second, sizeof first) == 0 && first.v[0][0] == inputs[39][0]);
    for (int n = 0; n < 2; n++)
        OK(picaflor_geometry_unit_destroy(units[n]));
    OK(picaflor_program_destroy(program));
}

/* A set of uniforms gives what a structure of them gives, and is told of changes. */
static void uniform_sets(picaflor_engine *engine) {
    /* add o0, c0, v0; end */
    static const uint32_t code[] = {0x00020000, 0x88000000}, descriptor = 0x0006c36f;
    static const float place[4] = {1, 2, 3, 4}, values[2][4] = {{10, 20, 30, 40}, {5, 5, 5, 5}};
    static const uint8_t ints[4][4] = {{1, 2, 3, 0}};
    picaflor_program *program;
    picaflor_uniform_set *set;
    OK(picaflor_program_create(PICAFLOR_UNIT_VERTEX, code, 2, &descriptor, 1, &program));
    START(picaflor_uniforms, uniforms);
    uniforms.floats[0][3] = 7;
    OK(picaflor_uniform_set_create(&uniforms, &set));
    picaflor_attribute attribute;
    memset(&attribute, 0, sizeof attribute);
    attribute.bytes = place, attribute.length = sizeof place, attribute.stride = 16;
    attribute.element = PICAFLOR_ELEMENT_F32, attribute.components = 4;
    START(picaflor_batch, batch);
    START(picaflor_shaded, shaded);
    batch.program = program, batch.attributes = &attribute, batch.attribute_count = 1, batch.vertex_count = 1;
    batch.output_mask = 1, batch.uniform_set = set;
    OK(picaflor_shade(engine, &batch, &shaded));
    CHECK(shaded.values[3 * shaded.stride] == 11);
    OK(picaflor_uniform_set_floats(set, 0, values, 2));
    OK(picaflor_uniform_set_flow(set, 0x8, ints));
    OK(picaflor_shade(engine, &batch, &shaded));
    CHECK(shaded.values[0] == 11 && shaded.values[3 * shaded.stride] == 44);
    CHECK(picaflor_uniform_set_floats(set, 95, values, 2) == PICAFLOR_ERROR_ARGUMENT);
    CHECK(picaflor_uniform_set_floats(set, 0, NULL, 2) == PICAFLOR_ERROR_NULL);
    CHECK(picaflor_uniform_set_flow(set, 0x10000, ints) == PICAFLOR_ERROR_ARGUMENT);
    CHECK(picaflor_uniform_set_create(NULL, NULL) == PICAFLOR_ERROR_NULL);
    float vertex[1][24];
    CHECK(picaflor_shade_vertices(engine, &batch, vertex, 1) == PICAFLOR_ERROR_ARGUMENT); /* of registers */
    OK(picaflor_uniform_set_destroy(set));
    OK(picaflor_program_destroy(program));
}

static int32_t frame(void *user, const picaflor_frame *frame) {
    uint32_t *counts = (uint32_t *)user;
    CHECK(frame->frame == counts[0] && frame->errors == 0);
    counts[0]++;
    counts[1] = (uint32_t)frame->draws;
    counts[2] = frame->rgb ? frame->width : 0;
    return counts[0] == 2;
}

/* Recordings of three frames without draws, of which the host looks at two. */
static void replays(picaflor_engine *engine) {
    picaflor_region region;
    region.address = VRAM, region.length = SIZE, region.bytes = bytes;
    START(picaflor_memory, memory);
    memory.regions = &region, memory.region_count = 1;
    START(picaflor_gpu_config, config);
    config.memory = &memory;
    picaflor_gpu *gpu;
    picaflor_buffer *capture;
    OK(picaflor_gpu_create(engine, &config, &gpu));
    OK(picaflor_gpu_start_recording(gpu, NULL, 0));
    for (int n = 0; n < 3; n++) {
        OK(picaflor_gpu_write(gpu, 0x1040045c, 240 << 16 | 240));
        OK(picaflor_gpu_write_register(gpu, 0x040, (uint32_t)n, 15));
        OK(picaflor_gpu_frame_end(gpu));
    }
    OK(picaflor_gpu_stop_recording(gpu, &capture));
    OK(picaflor_gpu_destroy(gpu));
    const uint8_t *data = picaflor_buffer_data(capture);
    size_t size = picaflor_buffer_size(capture);
    uint32_t counts[3] = {0, 9, 9};
    seen events;
    memset(&events, 0, sizeof events);
    START(picaflor_hooks, hooks);
    hooks.user = &events, hooks.event = event, hooks.events = PICAFLOR_EVENT_REGISTER;
    OK(picaflor_gpu_replay(engine, data, size, PICAFLOR_SCREEN_TOP, &hooks, frame, counts));
    CHECK(counts[0] == 2 && counts[1] == 0 && events.counts[1] == 2 && events.last_value == 1);
    CHECK(picaflor_gpu_replay(engine, data, size, 3, NULL, frame, counts) == PICAFLOR_ERROR_ARGUMENT);
    CHECK(picaflor_gpu_replay(engine, data, size, 0, NULL, NULL, NULL) == PICAFLOR_ERROR_NULL);
    CHECK(picaflor_gpu_replay(engine, data, size - 1, 0, NULL, frame, counts) == PICAFLOR_ERROR_FORMAT);
    CHECK(picaflor_ge_replay(engine, data, size, NULL, frame, counts) == PICAFLOR_ERROR_FORMAT);
    CHECK(picaflor_ge_replay(engine, NULL, 4, NULL, frame, counts) == PICAFLOR_ERROR_NULL);
    OK(picaflor_buffer_destroy(capture));
}

int main(void) {
    uint32_t logged = 0;
    CHECK(picaflor_set_log(lines, &logged, 6) == PICAFLOR_ERROR_ARGUMENT);
    OK(picaflor_set_log(lines, &logged, PICAFLOR_LOG_DEBUG));
    picaflor_engine *engine = engine_of(PICAFLOR_MODE_BLOCKING);
    unit_state(engine);
    CHECK(logged > 0);
    OK(picaflor_set_log(NULL, NULL, PICAFLOR_LOG_OFF));
    logged = 0;
    batches(engine);
    CHECK(logged == 0);
    uniform_sets(engine);
    replays(engine);
    pica_events(engine);
    ge_events(engine);
    ge_draws();
    CHECK(picaflor_engine_refusals(NULL, NULL) == PICAFLOR_ERROR_NULL);
    CHECK(picaflor_engine_reset_stats(NULL) == PICAFLOR_ERROR_NULL);
    OK(picaflor_engine_destroy(engine));
    puts("fine");
    return 0;
}
