/* What calls cost, in one run: `costs 300` takes the shortest of 300 samples; without an argument few are taken, as a test.
 *
 *   cc -O2 costs.c $(pkg-config --cflags --libs picaflor) -o costs && ./costs 300
 */
#if !defined(__cplusplus)
#define _POSIX_C_SOURCE 199309L
#endif
#include "check.h"
#include <time.h>

enum { VRAM = 0x18000000, VRAM_SIZE = 0x600000, FCRAM = 0x20000000, FCRAM_SIZE = 0x6000000 };
enum { VERTICES = 0x80000, TEXTURES = 0x100000, TEXTURED = 16, REGISTERS = 0x300 };

#define ALL(id) ((id) | 0xf0000u)
#define BYTE(id, n) ((id) | 0x10000u << (n))
static const uint32_t setup[][2] = {
    {0, BYTE(0x229, 0)}, {0, BYTE(0x244, 0)},
    {0, ALL(0x2cb)}, {0x4c000000, ALL(0x2cc)}, {0x4c201000, ALL(0x2cc)}, {0x88000000, ALL(0x2cc)},
    {0, ALL(0x2d5)}, {0x0000036f, ALL(0x2d6)},
    {0xa0000001, ALL(0x2b9)}, {0x7fff0000, ALL(0x2ba)}, {0x76543210, ALL(0x2bb)}, {0xfedcba98, ALL(0x2bc)},
    {3, ALL(0x2bd)}, {0x7fff0000, ALL(0x2b0)}, {1, ALL(0x242)},
    {2, ALL(0x04f)}, {0x03020100, ALL(0x050)}, {0x0b0a0908, ALL(0x051)},
    {0, ALL(0x064)}, {0x01030703, ALL(0x06f)}, {1, ALL(0x24a)}, {1, ALL(0x251)}, {1, BYTE(0x25e, 0)},
    {0x440000, ALL(0x041)}, {0x3a000000, ALL(0x042)}, {0x440000, ALL(0x043)}, {0x3a000000, ALL(0x044)},
    {0, ALL(0x068)}, {0, ALL(0x040)}, {0xbf0000, ALL(0x04d)}, {0, ALL(0x04e)}, {1, ALL(0x06d)},
    {1, ALL(0x110)}, {(VRAM + 0x80000) >> 3, ALL(0x11c)}, {VRAM >> 3, ALL(0x11d)}, {0x0103f040, ALL(0x11e)},
    {0x0103f040, ALL(0x06e)}, {3, ALL(0x116)}, {2, ALL(0x117)}, {0, ALL(0x11b)}, {15, ALL(0x112)}, {15, ALL(0x113)},
    {0x000f000f, ALL(0x0c0)}, {0, ALL(0x0c1)}, {0, ALL(0x0c2)}, {0, ALL(0x0c4)},
    {0x000f000f, ALL(0x0c8)}, {0x000f000f, ALL(0x0d0)}, {0x000f000f, ALL(0x0d8)}, {0x000f000f, ALL(0x0f0)},
    {0x000f000f, ALL(0x0f8)}, {0, ALL(0x0e0)}, {0x00e40000, ALL(0x100)}, {3, ALL(0x102)}, {0x10, ALL(0x104)},
    {0x10, ALL(0x105)}, {0, ALL(0x106)}, {0x0f10, ALL(0x107)}, {0, ALL(0x065)}, {0, ALL(0x080)}, {0, ALL(0x08f)},
    {1, ALL(0x1c6)}, {FCRAM >> 3, ALL(0x200)}, {0xdb, ALL(0x201)}, {0x10000000, ALL(0x202)},
    {VERTICES, ALL(0x203)}, {0x10, ALL(0x204)}, {0x20100000, ALL(0x205)},
    {0, BYTE(0x25e, 1)}, {1, ALL(0x25f)}, {3, ALL(0x228)}, {0, ALL(0x22a)}, {1, BYTE(0x253, 0)}, {1, ALL(0x245)},
};
enum { SETUP = sizeof setup / sizeof *setup };

typedef struct host {
    uint8_t *vram, *fcram;
    picaflor_engine *engine;
    picaflor_gpu *gpu;
    uint32_t list_bytes;
} host;

static int samples = 3;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

/* Nanoseconds of a call, of the best of some samples of `times` calls. */
static double cost(void (*call)(void *), void *argument, int times) {
    double best = 1e30;
    call(argument);
    for (int sample = 0; sample < samples; sample++) {
        double start = now();
        for (int n = 0; n < times; n++)
            call(argument);
        double time = (now() - start) / times;
        best = time < best ? time : best;
    }
    return best;
}

static void row(const char *what, double nanoseconds) {
    printf("%-64s %12.0f ns\n", what, nanoseconds);
}

static uint8_t *region(void *user, uint32_t address, uint32_t length) {
    host *self = (host *)user;
    if (address >= VRAM && (uint64_t)address + length <= VRAM + VRAM_SIZE)
        return self->vram + (address - VRAM);
    if (address >= FCRAM && (uint64_t)address + length <= FCRAM + FCRAM_SIZE)
        return self->fcram + (address - FCRAM);
    return NULL;
}

/* A host without writes of its own answers with one number for its textures. */
static int32_t version(void *user, uint32_t address, uint32_t length, uint64_t *number) {
    (void)user, (void)length;
    *number = 1;
    return address >= FCRAM + TEXTURES;
}

static host make(void) {
    host self;
    memset(&self, 0, sizeof self);
    self.vram = (uint8_t *)calloc(1, VRAM_SIZE);
    self.fcram = (uint8_t *)calloc(1, FCRAM_SIZE);
    CHECK(self.vram && self.fcram);
    for (uint32_t n = TEXTURES; n < FCRAM_SIZE; n++)
        self.fcram[n] = (uint8_t)(n * 2654435761u >> 24);
    static const float places[3][3] = {{-0.9f, -0.9f, -0.5f}, {-0.4f, -0.9f, -0.5f}, {-0.9f, -0.4f, -0.5f}};
    for (int n = 0; n < 3; n++)
        memcpy(self.fcram + VERTICES + 16 * n, places[n], 12);
    START(picaflor_engine_config, config);
    config.mode = PICAFLOR_MODE_BLOCKING;
    config.texture_budget = 192 << 20; /* an engine keeps the source of each texture beside its texels */
    OK(picaflor_engine_create(&config, &self.engine));
    return self;
}

/* tracked: 0, 1, or 2 for the callback. */
static void start(host *self, int tracked) {
    START(picaflor_memory, memory);
    memory.user = self, memory.region = region, memory.tracked = tracked == 1;
    memory.version = tracked == 2 ? version : NULL;
    START(picaflor_gpu_config, config);
    config.memory = &memory;
    OK(picaflor_gpu_create(self->engine, &config, &self->gpu));
}

static void end(host *self) {
    OK(picaflor_gpu_destroy(self->gpu));
    OK(picaflor_engine_destroy(self->engine));
    free(self->vram), free(self->fcram);
}

static void put(host *self, uint32_t value, uint32_t header) {
    memcpy(self->fcram + self->list_bytes, &value, 4);
    memcpy(self->fcram + self->list_bytes + 4, &header, 4);
    self->list_bytes += 8;
}

/* A list that draws `draws` triangles, each with one of `textures` textures of `side` by `side` texels, if there are any. */
static void write_list(host *self, uint32_t draws, uint32_t textures, uint32_t side) {
    self->list_bytes = 0;
    for (int n = 0; n < SETUP; n++)
        put(self, setup[n][0], setup[n][1]);
    if (textures) {
        put(self, 0x000f0003, ALL(0x0c0)), put(self, 1, ALL(0x080));
        put(self, side << 16 | side, ALL(0x082)), put(self, 0x6, ALL(0x083)), put(self, 0, ALL(0x08e));
    }
    for (uint32_t n = 0; n < draws; n++) {
        if (textures)
            put(self, (FCRAM + TEXTURES + n % textures * 4 * side * side) >> 3, ALL(0x085));
        put(self, 1, ALL(0x22e));
    }
    put(self, 1, ALL(0x111));
    if (self->list_bytes % 16 == 0)
        put(self, 0, 0);
    put(self, 0x12345678, ALL(0x010));
}

static void run_list(void *argument) {
    host *self = (host *)argument;
    OK(picaflor_gpu_run_list(self->gpu, FCRAM, self->list_bytes, NULL));
}

static uint32_t block[REGISTERS];

static void read_each(void *argument) {
    for (uint32_t id = 0; id < REGISTERS; id++)
        OK(picaflor_gpu_read_register(((host *)argument)->gpu, id, &block[id]));
}

static void read_block(void *argument) {
    OK(picaflor_gpu_read_field(((host *)argument)->gpu, PICAFLOR_FIELD_REGISTERS, 0, block, REGISTERS));
}

static void write_each(void *argument) {
    for (uint32_t id = 0x040; id < 0x228; id++)
        OK(picaflor_gpu_write_register(((host *)argument)->gpu, id, block[id], 15));
}

static void write_block(void *argument) {
    OK(picaflor_gpu_write_field(((host *)argument)->gpu, PICAFLOR_FIELD_REGISTERS, 0x040, block + 0x040, 0x2a0));
}

static void read_one(void *argument) {
    OK(picaflor_gpu_read_register(((host *)argument)->gpu, 0x11d, block));
}

static const picaflor_register_range nothing = {0x041, 4};

static void draw(void *argument) {
    START(picaflor_draw, draw);
    draw.registers = block, draw.register_count = REGISTERS, draw.changed = &nothing, draw.changed_count = 1;
    OK(picaflor_gpu_draw(((host *)argument)->gpu, &draw));
}

static void draw_whole(void *argument) {
    START(picaflor_draw, draw);
    draw.registers = block, draw.register_count = REGISTERS;
    OK(picaflor_gpu_draw(((host *)argument)->gpu, &draw));
}

static void save(void *argument) {
    picaflor_buffer *state;
    OK(picaflor_gpu_save(((host *)argument)->gpu, &state));
    OK(picaflor_buffer_destroy(state));
}

static void export_state(void *argument) {
    picaflor_buffer *state;
    OK(picaflor_gpu_export(((host *)argument)->gpu, &state));
    OK(picaflor_buffer_destroy(state));
}

static void registers(void) {
    host self = make();
    start(&self, 0);
    write_list(&self, 1, 0, 0);
    run_list(&self);
    row("a register, one call", cost(read_one, &self, 1000));
    row("0x300 registers out, a call for each", cost(read_each, &self, 10));
    row("0x300 registers out, one call", cost(read_block, &self, 100));
    row("0x1E8 registers in, a call for each", cost(write_each, &self, 10));
    row("0x2A0 registers in, one call", cost(write_block, &self, 100));
    row("list that sets all up and draws one triangle", cost(run_list, &self, 100));
    row("the same triangle by registers, any of which may have changed", cost(draw_whole, &self, 100));
    row("the same triangle by registers, four of which may have changed", cost(draw, &self, 100));
    row("snapshot", cost(save, &self, 10));
    row("exported state", cost(export_state, &self, 10));
    end(&self);
}

/* ---------------------------------------------------------------- shader level */

typedef struct shading {
    picaflor_engine *engine;
    picaflor_program *programs[2];
    picaflor_uniforms uniforms;
    picaflor_batch batch;
    int changes_program, changes_uniforms, changes_set, turn;
} shading;

static void shade(void *argument) {
    shading *self = (shading *)argument;
    START(picaflor_shaded, shaded);
    self->turn ^= 1;
    self->batch.program = self->programs[self->changes_program && self->turn];
    for (int n = 0; n < self->changes_uniforms; n++)
        self->uniforms.floats[n][0] = (float)self->turn;
    if (self->changes_set) {
        self->uniforms.floats[0][0] = (float)self->turn;
        OK(picaflor_uniform_set_floats(self->batch.uniform_set, 0, (const float(*)[4])self->uniforms.floats, 4));
    }
    OK(picaflor_shade(self->engine, &self->batch, &shaded));
}

typedef struct geometry {
    picaflor_engine *engine;
    picaflor_geometry_unit *unit;
    picaflor_geometry_run run;
    picaflor_uniforms uniforms;
    picaflor_emission emissions[64];
    size_t runs;
} geometry;

static void run_geometry(void *argument) {
    geometry *self = (geometry *)argument;
    size_t count;
    if (self->runs == 1)
        OK(picaflor_run_geometry(self->engine, self->unit, &self->run, self->emissions, 64, &count));
    else
        OK(picaflor_run_geometry_batch(self->engine, self->unit, &self->run, self->runs, self->emissions, 64, &count));
}

static void shader_calls(void) {
    static const uint32_t codes[2][3] = {{0x4c000000, 0x4c201000, 0x88000000}, {0x4c001000, 0x4c200000, 0x88000000}};
    static const uint32_t emits[] = {0xac000000, 0x4c000000, 0x4c201000, 0xa8000000, 0xae800000,
                                     0x4c001000, 0x4c200000, 0xa8000000, 0x88000000};
    static const uint32_t descriptor = 0x36f;
    static const float inputs[64][4] = {{1, 2, 3, 4}};
    static float vertices[4][8];
    shading self;
    memset(&self, 0, sizeof self);
    self.engine = engine_of(PICAFLOR_MODE_BLOCKING);
    for (int n = 0; n < 2; n++)
        OK(picaflor_program_create(PICAFLOR_UNIT_VERTEX, codes[n], 3, &descriptor, 1, &self.programs[n]));
    picaflor_attribute attributes[2];
    memset(attributes, 0, sizeof attributes);
    for (int n = 0; n < 2; n++) {
        attributes[n].bytes = vertices[0] + 4 * n, attributes[n].length = sizeof vertices - 16u * (unsigned)n;
        attributes[n].stride = 32, attributes[n].element = PICAFLOR_ELEMENT_F32, attributes[n].components = 4;
    }
    self.uniforms.size = sizeof self.uniforms;
    self.batch.size = sizeof self.batch, self.batch.uniforms = &self.uniforms, self.batch.attributes = attributes;
    self.batch.attribute_count = 2, self.batch.vertex_count = 4, self.batch.output_mask = 3;
    row("call of 4 vertices, nothing changed", cost(shade, &self, 1000));
    self.changes_program = 1;
    row("call of 4 vertices, the program changed", cost(shade, &self, 1000));
    self.changes_uniforms = 4;
    row("call of 4 vertices, the program and 4 uniforms changed", cost(shade, &self, 1000));
    self.changes_uniforms = 96;
    row("call of 4 vertices, the program and all uniforms changed", cost(shade, &self, 1000));

    self.changes_uniforms = 0, self.batch.uniforms = NULL;
    OK(picaflor_uniform_set_create(&self.uniforms, &self.batch.uniform_set));
    row("call of 4 vertices, uniforms in a set, the program changed", cost(shade, &self, 1000));
    self.changes_set = 1;
    row("call of 4 vertices, the program and 4 uniforms of a set changed", cost(shade, &self, 1000));
    OK(picaflor_uniform_set_destroy(self.batch.uniform_set));

    static geometry runs;
    picaflor_program *program;
    OK(picaflor_program_create(PICAFLOR_UNIT_GEOMETRY, emits, 9, &descriptor, 1, &program));
    runs.engine = self.engine;
    OK(picaflor_geometry_unit_create(&runs.unit));
    runs.uniforms.size = sizeof runs.uniforms;
    runs.run.size = sizeof runs.run, runs.run.program = program, runs.run.uniforms = &runs.uniforms;
    runs.run.inputs = inputs[0], runs.run.input_count = 2, runs.run.output_mask = 3;
    runs.runs = 1;
    row("geometry run of two emissions, alone", cost(run_geometry, &runs, 1000));
    runs.runs = 32;
    row("geometry run of two emissions, in batches of 32", cost(run_geometry, &runs, 100) / 32);
    OK(picaflor_geometry_unit_destroy(runs.unit));
    OK(picaflor_program_destroy(program));
    for (int n = 0; n < 2; n++)
        OK(picaflor_program_destroy(self.programs[n]));
    OK(picaflor_engine_destroy(self.engine));
}

/* ---------------------------------------------------------------- stalls of a display list */

static void stall(void *argument) {
    picaflor_ge *ge = (picaflor_ge *)argument;
    static uint32_t at = 0x08000000;
    uint32_t answer;
    at = at >= 0x08000f00 ? 0x08000004 : at + 4;
    OK(picaflor_ge_update_stall(ge, 0, at, &answer));
    OK(picaflor_ge_run(ge, NULL, NULL));
}

static void stalls(void) {
    static uint32_t words[1024];
    words[0] = 0x10080000, words[960] = 0x08000000; /* BASE, and back to the start */
    picaflor_region region;
    region.address = 0x08000000, region.length = sizeof words, region.bytes = words;
    START(picaflor_memory, memory);
    memory.regions = &region, memory.region_count = 1;
    START(picaflor_ge_config, config);
    config.memory = &memory;
    picaflor_engine *engine = engine_of(PICAFLOR_MODE_BLOCKING);
    picaflor_ge *ge;
    OK(picaflor_ge_create(engine, &config, &ge));
    START(picaflor_ge_list, list);
    list.address = 0x08000000, list.stall = 0x08000000;
    uint32_t answer;
    OK(picaflor_ge_enqueue(ge, &list, &answer));
    row("stall of a display list that moves on by a word", cost(stall, ge, 500));
    OK(picaflor_ge_destroy(ge));
    OK(picaflor_engine_destroy(engine));
}

/* ---------------------------------------------------------------- 64 MiB of textures that do not change */

static void textures(void) {
    static const char *const names[] = {"list with 64 MiB of textures: bytes are compared",
                                        "list with 64 MiB of textures: tracked, nothing was announced",
                                        "list with 64 MiB of textures: versions by the callback"};
    for (int way = 0; way < 3; way++) {
        host self = make();
        start(&self, way);
        write_list(&self, TEXTURED, TEXTURED, 1024);
        run_list(&self);
        START(picaflor_engine_stats, before);
        OK(picaflor_engine_get_stats(self.engine, &before));
        row(names[way], cost(run_list, &self, 2));
        START(picaflor_engine_stats, after);
        OK(picaflor_engine_get_stats(self.engine, &after));
        CHECK(before.texture_misses == TEXTURED && after.texture_misses == before.texture_misses);
        if (way == 0) {
            write_list(&self, TEXTURED, 0, 0);
            run_list(&self);
            row("the same list without textures", cost(run_list, &self, 2));
        }
        end(&self);
    }
}

/* ---------------------------------------------------------------- whole frames, with hooks */

enum { DRAWS = 1000 };

static void on_event(void *user, const picaflor_event *event) { *(uint64_t *)user += event->kind; }

static void on_texture(void *user, const picaflor_texture *texture, uint32_t *texels) {
    (void)texels;
    *(uint64_t *)user += texture->hash;
}

/* A list of 1,000 triangles with 16 textures of 64 by 64 texels, tracked. */
static void frames(void) {
    static uint64_t seen;
    host self = make();
    start(&self, 1);
    write_list(&self, DRAWS, 16, 64);
    run_list(&self);
    row("frame of 1,000 triangles with textures, without hooks", cost(run_list, &self, 1));
    START(picaflor_hooks, hooks);
    hooks.user = &seen, hooks.event = on_event, hooks.events = PICAFLOR_EVENT_DRAW_BEGIN | PICAFLOR_EVENT_DRAW_END;
    OK(picaflor_gpu_set_hooks(self.gpu, &hooks));
    row("the frame, begin and end of each draw to a callback", cost(run_list, &self, 1));
    hooks.events = 127;
    OK(picaflor_gpu_set_hooks(self.gpu, &hooks));
    row("the frame, every command, register and draw to a callback", cost(run_list, &self, 1));
    OK(picaflor_gpu_set_hooks(self.gpu, NULL));
    CHECK(seen > DRAWS * (PICAFLOR_EVENT_DRAW_BEGIN + PICAFLOR_EVENT_DRAW_END));
    seen = 0;
    START(picaflor_textures, textures);
    textures.user = &seen, textures.texture = on_texture;
    OK(picaflor_gpu_set_textures(self.gpu, &textures));
    row("the frame, textures to a callback", cost(run_list, &self, 1));
    CHECK(seen > 0);
    OK(picaflor_gpu_set_textures(self.gpu, NULL));
    START(picaflor_gpu_rates, rates);
    OK(picaflor_gpu_set_timing(self.gpu, &rates));
    row("the frame, its time estimated", cost(run_list, &self, 1));
    OK(picaflor_gpu_set_timing(self.gpu, NULL));
    row("the frame, without hooks once more", cost(run_list, &self, 1));
    end(&self);
}

typedef struct display {
    picaflor_ge *ge;
    int stalls;
} display;

enum { RAM = 0x08000000, DRAW_WORDS = 4, LIST = 0x10000 };

/* A list of 1,000 rectangles, at once or draw by draw. */
static void run_display(void *argument) {
    display *self = (display *)argument;
    START(picaflor_ge_list, list);
    uint32_t number, answer, progress;
    list.address = RAM + LIST, list.stall = self->stalls ? list.address : 0;
    OK(picaflor_ge_enqueue(self->ge, &list, &number));
    for (uint32_t n = 1; n <= (self->stalls ? DRAWS : 0); n++) {
        OK(picaflor_ge_update_stall(self->ge, number, list.address + 4 * DRAW_WORDS * n, &answer));
        OK(picaflor_ge_run(self->ge, NULL, NULL));
    }
    OK(picaflor_ge_update_stall(self->ge, number, 0, &answer));
    OK(picaflor_ge_run(self->ge, &progress, NULL));
    CHECK(progress == PICAFLOR_GE_IDLE);
    picaflor_ge_interrupt interrupt;
    OK(picaflor_ge_next_interrupt(self->ge, &interrupt));
    OK(picaflor_ge_acknowledge(self->ge, interrupt.kind, interrupt.list));
    OK(picaflor_ge_forget_completed(self->ge));
}

static void displays(void) {
    static const uint32_t state[] = {0x9c000000, 0x9d000200, 0xd2000003, 0x15000000, 0x16043ddf, 0xd4000000, 0xd5043ddf,
                                     0x1280011c, 0xe8000000, 0xd700ffff};
    static const int16_t corners[2][6] = {{255, -1, 0, 0, 0, 0}, {255, -1, 16, 16, 0, 0}};
    static uint64_t seen;
    uint32_t *ram = (uint32_t *)calloc(1, 0x100000), *word = ram + LIST / 4;
    uint8_t *vram = (uint8_t *)calloc(1, 0x200000);
    CHECK(ram && vram);
    memcpy(ram, corners, sizeof corners);
    for (int n = 0; n < DRAWS; n++)
        *word++ = 0x10080000, *word++ = 0x01000000, *word++ = 0, *word++ = 0x04060002;
    *word++ = 0x0f000000, *word++ = 0x0c000000;
    picaflor_region regions[2];
    regions[0].address = 0x04000000, regions[0].length = 0x200000, regions[0].bytes = vram;
    regions[1].address = RAM, regions[1].length = 0x100000, regions[1].bytes = ram;
    START(picaflor_memory, memory);
    memory.regions = regions, memory.region_count = 2, memory.tracked = 1;
    START(picaflor_ge_config, config);
    config.memory = &memory;
    picaflor_engine *engine = engine_of(PICAFLOR_MODE_BLOCKING);
    display self;
    OK(picaflor_ge_create(engine, &config, &self.ge));
    OK(picaflor_ge_execute(self.ge, state, sizeof state / sizeof *state));
    self.stalls = 0;
    double whole = cost(run_display, &self, 1);
    CHECK(vram[0] == 255 && vram[4 * (15 * 512 + 15)] == 255 && vram[4 * 16] == 0);
    row("frame of 1,000 rectangles on the GE, at once", whole);
    self.stalls = 1;
    double stalled = cost(run_display, &self, 1);
    row("the frame, with 1,000 stalls", stalled);
    self.stalls = 0;
    START(picaflor_hooks, hooks);
    hooks.user = &seen, hooks.event = on_event, hooks.events = PICAFLOR_EVENT_DRAW_BEGIN | PICAFLOR_EVENT_DRAW_END;
    OK(picaflor_ge_set_hooks(self.ge, &hooks));
    row("the frame at once, begin and end of each draw to a callback", cost(run_display, &self, 1));
    CHECK(seen > DRAWS);
    OK(picaflor_ge_destroy(self.ge));
    OK(picaflor_engine_destroy(engine));
    free(ram), free(vram);
}

int main(int argc, char **argv) {
    if (argc > 1)
        samples = atoi(argv[1]);
    puts("fine");
    registers();
    shader_calls();
    stalls();
    textures();
    frames();
    displays();
    return 0;
}
