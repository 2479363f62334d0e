/* Traces of chosen draws: the numbers of vertices, steps of programs, geometry runs, and a pixel, without another
 * picture. Engines with other efforts and features of the processor draw the same. */
#include "check.h"

enum { VRAM = 0x18000000, SIZE = 0x100000, VERTICES = VRAM + 0x9000, WIDTH = 64 };
enum { GE_VRAM = 0x04000000, RAM = 0x08800000, GE_SIZE = 0x200000 };

typedef struct seen {
    uint32_t notes, steps, vertices, fragments, outputs;
    double colour[4], position[2], first_input[4], omitted;
    char last_step[128];
} seen;

static void note(void *user, const picaflor_note *note) {
    seen *self = (seen *)user;
    self->notes++;
    CHECK(self->omitted == 0); /* the last note */
    CHECK(note->stage[0] && note->name[0] && note->text && (note->count == 0 || note->numbers));
    if (note->kind == PICAFLOR_NOTE_VERTEX && !strcmp(note->name, "v0")) {
        self->vertices++;
        CHECK(note->count == 4 && note->item == 1 && note->index == 1);
        memcpy(self->first_input, note->numbers, sizeof self->first_input);
    }
    if (!strcmp(note->name, "step"))
        self->steps++, strncpy(self->last_step, note->text, sizeof self->last_step - 1);
    self->outputs += !strcmp(note->stage, "outputs");
    if (note->kind == PICAFLOR_NOTE_VERTEX && !strcmp(note->name, "position / 16")) {
        self->vertices++;
        memcpy(self->position, note->numbers, sizeof self->position);
    }
    if (note->kind == PICAFLOR_NOTE_PIXEL && !strcmp(note->stage, "inputs") && !strcmp(note->name, "colour")) {
        self->fragments++;
        CHECK(note->count == 4);
        memcpy(self->colour, note->numbers, sizeof self->colour);
    }
    if (!strcmp(note->stage, "fragments")) {
        CHECK(note->kind == PICAFLOR_NOTE_PIXEL && !strcmp(note->name, "omitted") && note->count == 1);
        self->omitted = note->numbers[0];
    }
}

#define ALL(id) ((id) | 0xf0000u)
/* `mov o0, v0; mov o1, v1; end`, three vertices of 3 floats and a colour. */
static const uint32_t list[][2] = {
    {0, ALL(0x2cb)}, {0x4c000000, ALL(0x2cc)}, {0x4c201000, ALL(0x2cc)}, {0x88000000, ALL(0x2cc)}, {1, ALL(0x2bf)},
    {0, ALL(0x2d5)}, {0x0000036f, ALL(0x2d6)}, {0xa0000001, ALL(0x2b9)}, {0x7fff0000, ALL(0x2ba)},
    {0x76543210, ALL(0x2bb)}, {0xfedcba98, ALL(0x2bc)}, {3, ALL(0x2bd)}, {0x7fff0000, ALL(0x2b0)}, {1, ALL(0x242)},
    {2, ALL(0x04f)}, {0x03020100, ALL(0x050)}, {0x0b0a0908, ALL(0x051)}, {0x01030703, ALL(0x06f)}, {1, ALL(0x24a)},
    {1, ALL(0x251)}, {1, ALL(0x25e)}, {0x440000, ALL(0x041)}, {0x3a000000, ALL(0x042)}, {0x440000, ALL(0x043)},
    {0x3a000000, ALL(0x044)}, {0xbf0000, ALL(0x04d)}, {1, ALL(0x06d)}, {(VRAM + 0x80000) >> 3, ALL(0x11c)},
    {VRAM >> 3, ALL(0x11d)}, {0x0103f040, ALL(0x11e)}, {0x0103f040, ALL(0x06e)}, {3, ALL(0x116)}, {15, ALL(0x112)},
    {15, ALL(0x113)}, {0x000f000f, ALL(0x0c8)}, {0x000f000f, ALL(0x0d0)}, {0x000f000f, ALL(0x0d8)},
    {0x000f000f, ALL(0x0f0)}, {0x000f000f, ALL(0x0f8)}, {0x00e40000, ALL(0x100)}, {0x01010000, ALL(0x101)},
    {3, ALL(0x102)}, {0x0f10, ALL(0x107)}, {VRAM >> 3, ALL(0x200)}, {0xdb, ALL(0x201)}, {0x10000000, ALL(0x202)},
    {VERTICES - VRAM, ALL(0x203)}, {0x10, ALL(0x204)}, {0x20100000, ALL(0x205)}, {1, ALL(0x25f)},
    {0x80000000, ALL(0x227)}, {3, ALL(0x228)}, {1, ALL(0x22e)}, {1, ALL(0x22e)}, {0x12345678, ALL(0x010)}, {0, 0}};

static void gpu(const picaflor_engine_config *settings, int traces, uint8_t *picture) {
    static const struct {
        float position[3];
        uint8_t colour[4];
    } vertices[3] = {{{-1, -1, -0.5f}, {1, 0, 0, 1}}, {{1, -1, -0.5f}, {0, 1, 0, 1}}, {{-1, 1, -0.5f}, {0, 0, 1, 1}}};
    static uint8_t bytes[SIZE];
    memset(bytes, 0, sizeof bytes);
    memcpy(bytes + (VERTICES - VRAM), vertices, sizeof vertices);
    memcpy(bytes + 0x8000, list, sizeof list);
    picaflor_region region;
    region.address = VRAM, region.length = SIZE, region.bytes = bytes;
    START(picaflor_memory, memory);
    memory.regions = &region, memory.region_count = 1;
    START(picaflor_gpu_config, config);
    config.memory = &memory, config.threads = 2;
    picaflor_engine *engine;
    OK(picaflor_engine_create(settings, &engine));
    picaflor_gpu *gpu;
    OK(picaflor_gpu_create(engine, &config, &gpu));
    seen found;
    memset(&found, 0, sizeof found);
    size_t count = 9;
    CHECK(picaflor_gpu_take_trace(gpu, note, &found, &count) == PICAFLOR_ERROR_STATE && count == 0);
    START(picaflor_trace, trace);
    trace.draw = 1, trace.pixel = 1, trace.x = 2, trace.y = 3, trace.first_vertex = 1, trace.vertex_count = 1;
    if (traces) {
        trace.vertex_count = 300;
        CHECK(picaflor_gpu_trace(gpu, &trace) == PICAFLOR_ERROR_ARGUMENT);
        trace.vertex_count = 1;
        OK(picaflor_gpu_trace(gpu, &trace));
    }
    OK(picaflor_gpu_run_list(gpu, VRAM + 0x8000, sizeof list, NULL));
    if (traces) {
        CHECK(picaflor_gpu_take_trace(gpu, NULL, NULL, NULL) == PICAFLOR_ERROR_NULL);
        OK(picaflor_gpu_take_trace(gpu, note, &found, &count));
        CHECK(count == found.notes && found.vertices == 1 && found.steps == 3 && found.outputs == 16);
        CHECK(found.first_input[0] == 1 && found.first_input[1] == -1 && found.first_input[3] == 1);
        CHECK(strstr(found.last_step, "end") != NULL);
        CHECK(found.fragments == 1 && found.colour[0] > 200 && found.colour[3] == 255); /* one draw, near the red corner */
        OK(picaflor_gpu_trace(gpu, &trace));
        OK(picaflor_gpu_take_trace(gpu, note, &found, &count));
        CHECK(count == 0); /* the draw has been */
        OK(picaflor_gpu_trace(gpu, NULL));
        CHECK(picaflor_gpu_take_trace(gpu, note, &found, NULL) == PICAFLOR_ERROR_STATE);
    }
    memcpy(picture, bytes, 4 * WIDTH * WIDTH);
    OK(picaflor_gpu_destroy(gpu));
    OK(picaflor_engine_destroy(engine));
}

typedef struct runs {
    uint32_t notes, runs, steps, emissions, completed;
    double inputs[2][4], last_output[4];
} runs;

static void run_note(void *user, const picaflor_note *note) {
    runs *self = (runs *)user;
    self->notes++;
    CHECK(note->kind == PICAFLOR_NOTE_GEOMETRY && (note->item == 1 || note->item == 2) && note->index == 0);
    if (!strcmp(note->stage, "inputs") && !strcmp(note->name, "v0")) {
        CHECK(self->runs < 2 && note->item == self->runs + 1);
        memcpy(self->inputs[self->runs++], note->numbers, sizeof self->inputs[0]);
    }
    self->steps += !strcmp(note->stage, "program");
    if (!strcmp(note->stage, "emission")) {
        self->emissions += !strcmp(note->name, "vertex");
        self->completed += !strcmp(note->name, "completes a primitive") && note->numbers[0] == 1;
        if (!strcmp(note->name, "o0"))
            memcpy(self->last_output, note->numbers, sizeof self->last_output);
    }
}

/* A run for each vertex: `setemit 0; mov o0, v0; mov o1, v1; emit; mov o0, v0; setemit 2, primitive; emit; end`. */
static const uint32_t geometry_list[][2] = {
    {2, ALL(0x229)}, {0, ALL(0x253)}, {1, 0x10244}, {0, ALL(0x252)}, {1, ALL(0x24a)}, {1, ALL(0x251)}, {0, ALL(0x29b)},
    {0xac000000, ALL(0x29c)}, {0x4c000000, ALL(0x29c)}, {0x4c201000, ALL(0x29c)}, {0xa8000000, ALL(0x29c)},
    {0x4c000000, ALL(0x29c)}, {0xae800000, ALL(0x29c)}, {0xa8000000, ALL(0x29c)}, {0x88000000, ALL(0x29c)}, {1, ALL(0x28f)}, {0, ALL(0x2a5)},
    {0x0000036f, ALL(0x2a6)}, {0xa0000001, ALL(0x289)}, {0x7fff0000, ALL(0x28a)}, {0x76543210, ALL(0x28b)},
    {0xfedcba98, ALL(0x28c)}, {3, ALL(0x28d)}, {0x7fff0000, ALL(0x280)}, {0, ALL(0x252)}, {0x300, ALL(0x25e)}};

static void geometry(uint32_t mode) {
    static const float vertices[3][4] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
    static uint8_t bytes[SIZE];
    enum { DRAW = 6, BEFORE = sizeof list / sizeof list[0] - DRAW, OWN = sizeof geometry_list / sizeof list[0] };
    memset(bytes, 0, sizeof bytes);
    memcpy(bytes + (VERTICES - VRAM), vertices, sizeof vertices);
    uint8_t *at = bytes + 0x8000;
    memcpy(at, list, 8 * BEFORE);
    memcpy(at + 8 * BEFORE, geometry_list, 8 * OWN);
    memcpy(at + 8 * (BEFORE + OWN), list + BEFORE, 8 * DRAW);
    picaflor_region region;
    region.address = VRAM, region.length = SIZE, region.bytes = bytes;
    START(picaflor_memory, memory);
    memory.regions = &region, memory.region_count = 1;
    START(picaflor_gpu_config, config);
    config.memory = &memory;
    picaflor_engine *engine = engine_of(mode);
    picaflor_gpu *gpu;
    OK(picaflor_gpu_create(engine, &config, &gpu));
    START(picaflor_trace, trace);
    trace.first_run = 1, trace.run_count = PICAFLOR_MAX_TRACED_RUNS + 1;
    CHECK(picaflor_gpu_trace(gpu, &trace) == PICAFLOR_ERROR_ARGUMENT);
    trace.run_count = PICAFLOR_MAX_TRACED_RUNS;
    OK(picaflor_gpu_trace(gpu, &trace));
    OK(picaflor_gpu_run_list(gpu, VRAM + 0x8000, 8 * (BEFORE + OWN + DRAW), NULL));
    runs found;
    memset(&found, 0, sizeof found);
    size_t count = 0;
    OK(picaflor_gpu_take_trace(gpu, run_note, &found, &count));
    CHECK(count == found.notes && found.runs == 2 && found.steps == 2 * 8 && found.emissions == 2 * 2);
    CHECK(found.completed == 2 && found.inputs[0][0] == 4 && found.inputs[1][0] == 7 && found.last_output[0] == 7);
    OK(picaflor_gpu_destroy(gpu));
    OK(picaflor_engine_destroy(engine));
}

#define WORD(command, argument) ((uint32_t)(command) << 24 | (argument))

typedef struct vertex {
    uint32_t colour;
    int16_t x, y, z, pad;
} vertex;

/* Draws vertices in pixels of the screen, and traces a pixel and vertex 1. `prim`: primitive and number of vertices. */
static seen ge_draw(uint32_t mode, uint32_t prim, const vertex *vertices, const int32_t pixel[2]) {
    const uint32_t words[] = {
        WORD(0x9c, 0), WORD(0x9d, 64), WORD(0xd2, 3), WORD(0x15, 0), WORD(0x16, 0xfffff), WORD(0xd4, 0),
        WORD(0xd5, 63 << 10 | 63), WORD(0x12, 0x80011c), WORD(0x10, 0x080000), WORD(0x01, 0x800000),
        WORD(0xe8, 0), WORD(0xd7, 0xffff), WORD(0x04, prim)};
    static uint8_t vram[GE_SIZE], ram[0x20000];
    const size_t bytes = (prim & 0xffff) * sizeof *vertices;
    CHECK(bytes <= sizeof ram);
    memset(vram, 0, sizeof vram);
    memcpy(ram, vertices, bytes);
    picaflor_region regions[2];
    regions[0].address = GE_VRAM, regions[0].length = GE_SIZE, regions[0].bytes = vram;
    regions[1].address = RAM, regions[1].length = sizeof ram, regions[1].bytes = ram;
    START(picaflor_memory, memory);
    memory.regions = regions, memory.region_count = 2;
    START(picaflor_ge_config, config);
    config.memory = &memory;
    picaflor_engine *engine = engine_of(mode);
    picaflor_ge *ge;
    OK(picaflor_ge_create(engine, &config, &ge));
    START(picaflor_trace, trace);
    trace.pixel = 1, trace.x = pixel[0], trace.y = pixel[1], trace.first_vertex = 1, trace.vertex_count = 1;
    OK(picaflor_ge_trace(ge, &trace));
    OK(picaflor_ge_execute(ge, words, sizeof words / sizeof words[0]));
    seen found;
    memset(&found, 0, sizeof found);
    size_t count = 0;
    OK(picaflor_ge_take_trace(ge, note, &found, &count));
    CHECK(count == found.notes && vram[4 * (pixel[1] * 64 + pixel[0])] == 255);
    CHECK(picaflor_ge_take_trace(ge, note, &found, &count) == PICAFLOR_ERROR_STATE);
    OK(picaflor_ge_destroy(ge));
    OK(picaflor_engine_destroy(engine));
    return found;
}

static void ge(uint32_t mode) {
    static const vertex vertices[3] = {{0xff0000ff, 2, 2, 0, 0}, {0xff0000ff, 62, 2, 0, 0}, {0xff0000ff, 2, 62, 0, 0}};
    static const int32_t pixel[2] = {10, 12};
    const seen found = ge_draw(mode, 3 << 16 | 3, vertices, pixel);
    CHECK(found.vertices == 1 && found.fragments == 1 && found.omitted == 0);
    CHECK(found.position[0] == 62 * 16 && found.position[1] == 2 * 16 && found.colour[0] == 255 && found.colour[1] == 0);
}

/* More sprites over a pixel than fragments are traced. */
static void many_fragments(uint32_t mode) {
    enum { TRACED = 4096, MORE = 5, CORNERS = 2 * (TRACED + MORE) };
    static const int32_t pixel[2] = {10, 12};
    static vertex corners[CORNERS];
    for (int n = 0; n < CORNERS; n++)
        corners[n].colour = 0xff0000ff, corners[n].x = 10 + n % 2, corners[n].y = 12 + n % 2;
    const seen found = ge_draw(mode, 6 << 16 | CORNERS, corners, pixel);
    CHECK(found.fragments == TRACED && found.omitted == MORE);
}

int main(void) {
    static uint8_t pictures[5][4 * WIDTH * WIDTH];
    START(picaflor_engine_config, settings);
    settings.mode = PICAFLOR_MODE_INTERPRETER;
    gpu(&settings, 0, pictures[0]);
    gpu(&settings, 1, pictures[1]);
    settings.mode = PICAFLOR_MODE_BLOCKING;
    gpu(&settings, 1, pictures[2]);
    settings.effort = PICAFLOR_EFFORT_QUICK, settings.cpu = PICAFLOR_CPU_OLDEST;
    gpu(&settings, 0, pictures[3]);
    settings.effort = PICAFLOR_EFFORT_CAREFUL, settings.cpu = PICAFLOR_CPU_WITHOUT_AVX;
    gpu(&settings, 0, pictures[4]);
    for (int n = 1; n < 5; n++)
        CHECK(memcmp(pictures[0], pictures[n], sizeof pictures[0]) == 0);
    picaflor_engine *engine;
    settings.effort = 3;
    CHECK(picaflor_engine_create(&settings, &engine) == PICAFLOR_ERROR_ARGUMENT);
    settings.effort = 0, settings.cpu = 3;
    CHECK(picaflor_engine_create(&settings, &engine) == PICAFLOR_ERROR_ARGUMENT);
    geometry(PICAFLOR_MODE_INTERPRETER);
    geometry(PICAFLOR_MODE_BLOCKING);
    ge(PICAFLOR_MODE_INTERPRETER);
    ge(PICAFLOR_MODE_BLOCKING);
    many_fragments(PICAFLOR_MODE_INTERPRETER);
    many_fragments(PICAFLOR_MODE_BLOCKING);
    puts("fine");
    return 0;
}
