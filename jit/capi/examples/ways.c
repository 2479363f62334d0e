/* One scene through every entrance of each machine. A host picks the entrance that fits the parts it keeps:
 *
 *   lists      (a) whole lists;
 *   draws      (b) its own command processor: registers, and vertices by array, index list or attribute by attribute;
 *   vertices   (c) its own vertex pipeline: triangles of shaded vertices. Here the library shades them (d);
 *   pixels     (e) its own set-up: triangles in window space;
 *   blits      (f) fills and transfers alone.
 *
 * Each way draws into memory of its own, and the bytes are those of the lists.
 *
 *   cc ways.c $(pkg-config --cflags --libs picaflor) -o ways && ./ways
 */
#include <picaflor.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                                          \
    do {                                                                                                          \
        if (!(condition)) {                                                                                       \
            printf("%s:%d: %s; last error: %s\n", __FILE__, __LINE__, #condition, picaflor_last_error());         \
            exit(1);                                                                                              \
        }                                                                                                         \
    } while (0)
#define OK(call) CHECK((call) == PICAFLOR_OK)
#define START(type, name)                                                                                         \
    type name;                                                                                                    \
    memset(&name, 0, sizeof name);                                                                                \
    name.size = sizeof name

/* ---------------------------------------------------------------- PICA200 */

enum { VRAM = 0x18000000, VRAM_SIZE = 0x100000, FCRAM = 0x20000000, FCRAM_SIZE = 0x10000 };
enum { VERTICES = 0x8000, INDICES = 0xa000, SIDE = 64, COUNT = 12, STRIDE = 16 };

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
    {15, ALL(0x114)}, {15, ALL(0x115)}, {0x0f51, ALL(0x107)},
    {0, ALL(0x0c0)}, {0, ALL(0x0c1)}, {0, ALL(0x0c2)}, {0, ALL(0x0c4)},
    {0x000f000f, ALL(0x0c8)}, {0x000f000f, ALL(0x0d0)}, {0x000f000f, ALL(0x0d8)}, {0x000f000f, ALL(0x0f0)},
    {0x000f000f, ALL(0x0f8)}, {0, ALL(0x0e0)}, {0x00e40000, ALL(0x100)}, {3, ALL(0x102)}, {0x10, ALL(0x104)},
    {0x10, ALL(0x105)}, {0, ALL(0x106)}, {0, ALL(0x065)}, {0, ALL(0x080)}, {0, ALL(0x08f)},
    {1, ALL(0x1c6)}, {FCRAM >> 3, ALL(0x200)}, {0xdb, ALL(0x201)}, {0x10000000, ALL(0x202)},
    {VERTICES, ALL(0x203)}, {0x10, ALL(0x204)}, {0x20100000, ALL(0x205)},
    {0, BYTE(0x25e, 1)}, {1, ALL(0x25f)}, {0x80000000 | INDICES, ALL(0x227)}, {COUNT, ALL(0x228)}, {0, ALL(0x22a)},
    {1, BYTE(0x253, 0)}, {1, ALL(0x245)},
};
static const uint32_t end[][2] = {{0, BYTE(0x253, 0)}, {1, ALL(0x22e)}, {1, ALL(0x111)}, {0x12345678, ALL(0x010)}};

/* Four triangles; two of them cross each other, one reaches behind the eye and out of the target. */
static const float positions[COUNT][3] = {
    {-0.9f, -0.9f, -0.2f}, {0.9f, -0.9f, -0.8f}, {0.0f, 0.9f, -0.5f}, {-0.9f, 0.8f, -0.7f}, {0.8f, -0.7f, -0.1f},
    {0.9f, 0.9f, -0.6f},   {-2.5f, 0.1f, -0.4f}, {0.2f, -0.2f, -0.3f}, {0.3f, 3.0f, -1.7f}, {-0.4f, -0.5f, -0.9f},
    {-0.1f, -0.5f, -0.9f}, {-0.2f, -0.1f, -0.05f},
};

typedef struct pica {
    uint8_t *vram, *fcram;
    picaflor_engine *engine;
    picaflor_gpu *gpu;
} pica;

static pica pica_host(void) {
    pica self;
    self.vram = (uint8_t *)calloc(1, VRAM_SIZE);
    self.fcram = (uint8_t *)calloc(1, FCRAM_SIZE);
    CHECK(self.vram && self.fcram);
    for (int n = 0; n < COUNT; n++) {
        const float colour[4] = {n / 12.0f, 1.0f - n / 12.0f, (float)(n % 3) / 2, 1.0f};
        uint8_t *vertex = self.fcram + VERTICES + n * STRIDE;
        memcpy(vertex, positions[n], 12);
        for (int i = 0; i < 4; i++)
            vertex[12 + i] = (uint8_t)(colour[i] + 0.5f);
        self.fcram[INDICES + n] = (uint8_t)n;
    }
    START(picaflor_engine_config, engine);
    engine.mode = PICAFLOR_MODE_BLOCKING;
    OK(picaflor_engine_create(&engine, &self.engine));
    picaflor_region regions[2];
    regions[0].address = VRAM, regions[0].length = VRAM_SIZE, regions[0].bytes = self.vram;
    regions[1].address = FCRAM, regions[1].length = FCRAM_SIZE, regions[1].bytes = self.fcram;
    START(picaflor_memory, memory);
    memory.regions = regions, memory.region_count = 2;
    START(picaflor_gpu_config, config);
    config.memory = &memory;
    OK(picaflor_gpu_create(self.engine, &config, &self.gpu));
    return self;
}

static void pica_free(pica *self) {
    OK(picaflor_gpu_destroy(self->gpu));
    OK(picaflor_engine_destroy(self->engine));
    free(self->vram), free(self->fcram);
}

/* (a) The whole list; buffers are cleared and the result is copied by register writes. */
static void by_list(pica *self) {
    static const uint32_t fill[][2] = {{0x10, VRAM >> 3}, {0x14, (VRAM + 0x4000) >> 3}, {0x18, 0x302010ff}, {0x1c, 0x201},
                                       {0x20, (VRAM + 0x80000) >> 3}, {0x24, (VRAM + 0x83000) >> 3}, {0x28, 0xffffff},
                                       {0x2c, 0x101}};
    static const uint32_t transfer[][2] = {{0xc00, VRAM >> 3}, {0xc04, (VRAM + 0x40000) >> 3}, {0xc08, SIDE << 16 | SIDE},
                                           {0xc0c, SIDE << 16 | SIDE}, {0xc10, 1 << 12}, {0xc18, 1}};
    for (int n = 0; n < 8; n++)
        OK(picaflor_gpu_write(self->gpu, 0x10400000 + fill[n][0], fill[n][1]));
    memcpy(self->fcram, setup, sizeof setup);
    memcpy(self->fcram + sizeof setup, end, sizeof end);
    OK(picaflor_gpu_run_list(self->gpu, FCRAM, (sizeof setup + sizeof end) & ~15u, NULL));
    for (int n = 0; n < 6; n++)
        OK(picaflor_gpu_write(self->gpu, 0x10400000 + transfer[n][0], transfer[n][1]));
    memset(self->fcram, 0, sizeof setup + sizeof end);
}

/* (f) The same fills and transfer by plain parameters. */
static void clear(pica *self) {
    OK(picaflor_gpu_fill(self->gpu, 0, VRAM, VRAM + 0x4000, 0x302010ff, 4));
    OK(picaflor_gpu_fill(self->gpu, 1, VRAM + 0x80000, VRAM + 0x83000, 0xffffff, 3));
}

static void copy(pica *self) {
    START(picaflor_transfer, transfer);
    transfer.input = VRAM;
    transfer.output = VRAM + 0x40000;
    transfer.output_size = transfer.input_size = SIDE << 16 | SIDE;
    transfer.flags = 1 << 12;
    OK(picaflor_gpu_transfer(self->gpu, &transfer));
}

/* The host's own command processor: registers go to its array, uploads to the machine. */
static void process(pica *self, uint32_t registers[0x300]) {
    uint32_t code = 0, descriptor = 0;
    for (size_t n = 0; n < sizeof setup / sizeof *setup; n++) {
        uint32_t word = setup[n][0], id = setup[n][1] & 0x3ff, bytes = 0;
        for (int byte = 0; byte < 4; byte++)
            bytes |= (setup[n][1] >> (16 + byte) & 1) * (0xffu << 8 * byte);
        if (id == 0x2cb)
            code = word;
        else if (id == 0x2d5)
            descriptor = word;
        else if (id == 0x2cc)
            OK(picaflor_gpu_write_field(self->gpu, PICAFLOR_FIELD_VERTEX_CODE, code++, &word, 1));
        else if (id == 0x2d6)
            OK(picaflor_gpu_write_field(self->gpu, PICAFLOR_FIELD_VERTEX_DESCRIPTORS, descriptor++, &word, 1));
        else
            registers[id] = (registers[id] & ~bytes) | (word & bytes);
    }
}

/* (b) Registers, and vertices in three ways. */
static void by_draw(pica *self, uint32_t input) {
    static uint32_t registers[0x300];
    static float attributes[2 * COUNT][4];
    OK(picaflor_gpu_read_field(self->gpu, PICAFLOR_FIELD_REGISTERS, 0, registers, 0x300)); /* as after reset */
    process(self, registers);
    START(picaflor_draw, draw);
    draw.registers = registers, draw.register_count = 0x300;
    draw.input = input;
    if (input == PICAFLOR_INPUT_ELEMENTS)
        registers[0x253] = 0, registers[0x227] = INDICES; /* indices of a byte */
    if (input == PICAFLOR_INPUT_IMMEDIATE) {
        registers[0x253] = 0;
        for (int n = 0; n < COUNT; n++) {
            const uint8_t *colour = self->fcram + VERTICES + n * STRIDE + 12;
            float position[4] = {positions[n][0], positions[n][1], positions[n][2], 1};
            memcpy(attributes[2 * n], position, sizeof position);
            for (int i = 0; i < 4; i++)
                attributes[2 * n + 1][i] = colour[i];
        }
        draw.attributes = (const float(*)[4])attributes, draw.attribute_count = 2 * COUNT;
    }
    /* Only what the guest wrote since the draw before; here, everything below 0x2E0. */
    static const picaflor_register_range changed[] = {{0x040, 0x1c0}, {0x200, 0x0e0}};
    draw.changed = changed, draw.changed_count = 2;
    clear(self);
    OK(picaflor_gpu_draw(self->gpu, &draw));
    copy(self);
}

/* (d) Shaded vertices, as records of 24 semantics. */
static void shade(pica *self, float vertices[COUNT][PICAFLOR_SEMANTICS]) {
    static const uint32_t code[] = {0x4c000000, 0x4c201000, 0x88000000}, descriptor = 0x36f;
    picaflor_program *program;
    OK(picaflor_program_create(PICAFLOR_UNIT_VERTEX, code, 3, &descriptor, 1, &program));
    picaflor_attribute attributes[2];
    memset(attributes, 0, sizeof attributes);
    attributes[0].bytes = self->fcram + VERTICES, attributes[0].length = COUNT * STRIDE;
    attributes[0].stride = STRIDE, attributes[0].element = PICAFLOR_ELEMENT_F32, attributes[0].components = 3;
    attributes[1] = attributes[0];
    attributes[1].bytes = self->fcram + VERTICES + 12, attributes[1].length -= 12;
    attributes[1].element = PICAFLOR_ELEMENT_U8, attributes[1].components = 4;
    START(picaflor_batch, batch);
    batch.program = program, batch.attributes = attributes, batch.attribute_count = 2, batch.vertex_count = COUNT;
    batch.output_mask = 3, batch.output_form = PICAFLOR_OUTPUT_SEMANTICS, batch.output_total = 2;
    batch.output_map[0] = 0x03020100, batch.output_map[1] = 0x0b0a0908;
    CHECK(picaflor_shade_vertices(self->engine, &batch, vertices, COUNT - 1) == PICAFLOR_ERROR_SIZE);
    OK(picaflor_shade_vertices(self->engine, &batch, vertices, COUNT));
    START(picaflor_shaded, shaded); /* the same as rows, one for each semantic */
    OK(picaflor_shade(self->engine, &batch, &shaded));
    CHECK(shaded.components == PICAFLOR_SEMANTICS && shaded.vertices == COUNT);
    for (int n = 0; n < COUNT; n++)
        for (int k = 0; k < PICAFLOR_SEMANTICS; k++)
            CHECK(vertices[n][k] == shaded.values[k * shaded.stride + n]);
    OK(picaflor_program_destroy(program));
}

/* (c) Shaded vertices, or (e) triangles in window space. */
static void by_vertices(pica *self, int are_triangles) {
    static uint32_t registers[0x300];
    static float vertices[COUNT][PICAFLOR_SEMANTICS];
    OK(picaflor_gpu_read_field(self->gpu, PICAFLOR_FIELD_REGISTERS, 0, registers, 0x300));
    process(self, registers);
    OK(picaflor_gpu_write_field(self->gpu, PICAFLOR_FIELD_REGISTERS, 0x040, registers + 0x040, 0x2a0));
    shade(self, vertices);
    clear(self);
    if (are_triangles) {
        picaflor_triangle triangles[4 * COUNT];
        size_t count = 0;
        const float(*first)[PICAFLOR_SEMANTICS] = (const float(*)[PICAFLOR_SEMANTICS])vertices;
        CHECK(picaflor_gpu_set_up(self->gpu, first, COUNT, triangles, 1, &count) == PICAFLOR_ERROR_SIZE && count > 1);
        OK(picaflor_gpu_set_up(self->gpu, first, COUNT, triangles, 4 * COUNT, &count));
        OK(picaflor_gpu_draw_triangles(self->gpu, triangles, count));
    } else {
        OK(picaflor_gpu_draw_vertices(self->gpu, (const float(*)[PICAFLOR_SEMANTICS])vertices, COUNT));
    }
    copy(self);
}

static void pica_ways(void) {
    pica expected = pica_host();
    by_list(&expected);
    size_t drawn = 0;
    for (size_t n = 0; n < 0x4000; n += 4)
        drawn += memcmp(expected.vram + n, "\xff\x10\x20\x30", 4) != 0;
    CHECK(drawn > 1000);
    for (int way = 0; way < 5; way++) {
        pica host = pica_host();
        if (way < 3)
            by_draw(&host, (uint32_t)way);
        else
            by_vertices(&host, way == 4);
        CHECK(memcmp(host.vram, expected.vram, VRAM_SIZE) == 0);
        pica_free(&host);
    }
    pica_free(&expected);
    printf("PICA200: %zu pixels, the same in six ways\n", drawn);
}

/* ---------------------------------------------------------------- GE */

enum { GE_VRAM = 0x04000000, GE_VRAM_SIZE = 0x200000, RAM = 0x08800000, RAM_SIZE = 0x10000, RECORDS = RAM + 0x8000 };
enum { PRIM = 0x04, END = 0x0c, FINISH = 0x0f };

#define WORD(command, argument) ((uint32_t)(command) << 24 | (argument))
static const uint32_t state[] = {
    WORD(0x9c, 0), WORD(0x9d, 512), WORD(0xd2, 3), /* to VRAM, 512 to the row, 8888 */
    WORD(0x15, 0), WORD(0x16, 0xfffff), WORD(0xd4, 0), WORD(0xd5, (SIDE - 1) << 10 | (SIDE - 1)),
    WORD(0x12, 0x80011c), WORD(0x10, 0x080000), /* through mode: colour, 16-bit place */
};
enum { STATES = sizeof state / sizeof *state, TRIANGLES = 6 };

typedef struct record {
    uint32_t colour;
    int16_t x, y, z, pad;
} record;
static const record records[TRIANGLES] = {{0xff0000ff, 2, 2, 0, 0},   {0xff00ff00, 62, 4, 9, 0},
                                          {0xffff0000, 5, 62, 0, 0},  {0x80ffffff, 60, 60, 0, 0},
                                          {0xff808000, -9, 33, 0, 0}, {0xff00ffff, 40, 80, 0, 0}};

typedef struct psp {
    uint8_t *vram, *ram;
    picaflor_engine *engine;
    picaflor_ge *ge;
} psp;

static psp psp_host(void) {
    psp self;
    self.vram = (uint8_t *)calloc(1, GE_VRAM_SIZE);
    self.ram = (uint8_t *)calloc(1, RAM_SIZE);
    CHECK(self.vram && self.ram);
    memcpy(self.ram + (RECORDS - RAM), records, sizeof records);
    START(picaflor_engine_config, engine);
    engine.mode = PICAFLOR_MODE_BLOCKING;
    OK(picaflor_engine_create(&engine, &self.engine));
    picaflor_region regions[2];
    regions[0].address = GE_VRAM, regions[0].length = GE_VRAM_SIZE, regions[0].bytes = self.vram;
    regions[1].address = RAM, regions[1].length = RAM_SIZE, regions[1].bytes = self.ram;
    START(picaflor_memory, memory);
    memory.regions = regions, memory.region_count = 2;
    START(picaflor_ge_config, config);
    config.memory = &memory;
    OK(picaflor_ge_create(self.engine, &config, &self.ge));
    return self;
}

static void psp_free(psp *self) {
    OK(picaflor_ge_destroy(self->ge));
    OK(picaflor_engine_destroy(self->engine));
    free(self->vram), free(self->ram);
}

/* (a) A list: triangles, and a copy of the picture. */
static void by_display_list(psp *self) {
    const uint32_t rest[] = {
        WORD(0x01, RECORDS & 0xffffff), WORD(PRIM, 3 << 16 | TRIANGLES),
        WORD(0xb2, 0), WORD(0xb3, 0x040200), WORD(0xb4, 0x100000), WORD(0xb5, 0x040040),
        WORD(0xeb, 0), WORD(0xec, 0), WORD(0xee, (SIDE - 1) << 10 | (SIDE - 1)), WORD(0xea, 1),
        WORD(FINISH, 0), WORD(END, 0)};
    memcpy(self->ram, state, sizeof state);
    memcpy(self->ram + sizeof state, rest, sizeof rest);
    START(picaflor_ge_list, list);
    list.address = RAM, list.callback = -1;
    uint32_t answer;
    OK(picaflor_ge_enqueue(self->ge, &list, &answer));
    OK(picaflor_ge_run(self->ge, NULL, NULL));
}

/* (f) The copy by plain parameters. */
static void block(psp *self) {
    START(picaflor_ge_transfer, transfer);
    transfer.source = GE_VRAM, transfer.source_stride = 512;
    transfer.destination = GE_VRAM + 0x100000, transfer.destination_stride = SIDE;
    transfer.width = transfer.height = SIDE, transfer.pixel_bytes = 4;
    OK(picaflor_ge_run_transfer(self->ge, &transfer));
}

/* (b), (c), (e): the host's command processor keeps the last word of each command. */
static void by_commands(psp *self, int way) {
    uint32_t commands[256];
    OK(picaflor_ge_read_field(self->ge, PICAFLOR_GE_FIELD_COMMANDS, 0, commands, 256));
    for (int n = 0; n < STATES; n++)
        commands[state[n] >> 24] = state[n];
    OK(picaflor_ge_write_field(self->ge, PICAFLOR_GE_FIELD_COMMANDS, 0, commands, 256));
    if (way == 0) {
        uint32_t pointers[3] = {RECORDS, 0, 0}, prim = WORD(PRIM, 3 << 16 | TRIANGLES);
        OK(picaflor_ge_write_field(self->ge, PICAFLOR_GE_FIELD_POINTERS, 0, pointers, 3));
        OK(picaflor_ge_execute(self->ge, &prim, 1));
    } else {
        static const uint32_t indices[TRIANGLES] = {0, 1, 2, 3, 4, 5};
        picaflor_ge_vertex vertices[TRIANGLES];
        OK(picaflor_ge_transform(self->ge, (const uint8_t *)records, sizeof records, indices, TRIANGLES, vertices));
        if (way == 1) {
            OK(picaflor_ge_draw_vertices(self->ge, 3, vertices, TRIANGLES));
        } else {
            picaflor_ge_primitive primitives[TRIANGLES];
            size_t count = 0;
            OK(picaflor_ge_set_up(self->ge, 3, vertices, TRIANGLES, primitives, TRIANGLES, &count));
            CHECK(count > 0 && primitives[0].shape == PICAFLOR_GE_SHAPE_TRIANGLE);
            OK(picaflor_ge_draw_primitives(self->ge, primitives, count));
        }
    }
    block(self);
}

static void psp_ways(void) {
    psp expected = psp_host();
    by_display_list(&expected);
    size_t drawn = 0;
    for (size_t n = 0; n < GE_VRAM_SIZE; n += 4)
        drawn += memcmp(expected.vram + n, "\0\0\0\0", 4) != 0;
    CHECK(drawn > 1000);
    for (int way = 0; way < 3; way++) {
        psp host = psp_host();
        by_commands(&host, way);
        CHECK(memcmp(host.vram, expected.vram, GE_VRAM_SIZE) == 0);
        psp_free(&host);
    }
    psp_free(&expected);
    printf("GE: %zu pixels, the same in four ways\n", drawn);
}

int main(void) {
    pica_ways();
    psp_ways();
    return 0;
}
