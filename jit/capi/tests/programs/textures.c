/* Textures that a host sees, dumps, and replaces: both machines, interpreter and compiled code. */
#include "check.h"

enum { VRAM = 0x18000000, SIZE = 0x100000, TEXTURE = VRAM + 0x40000, SIDE = 8, WIDTH = 64 };
enum { GE_VRAM = 0x04000000, RAM = 0x08800000, GE_SIZE = 0x200000 };

typedef struct host {
    uint8_t *bytes;
    uint32_t calls, replaces;
    uint32_t dump[SIDE * SIDE];
    picaflor_texture texture;
} host;

static void shown(void *user, const picaflor_texture *texture, uint32_t *texels) {
    host *self = (host *)user;
    self->calls++;
    self->texture = *texture;
    CHECK(texture->width == SIDE && texture->height == SIDE && texture->level == 0 && texture->face == 0);
    memcpy(self->dump, texels, sizeof self->dump);
    for (int n = 0; self->replaces && n < SIDE * SIDE; n++)
        texels[n] = 0xff000000u | (uint32_t)n * 0x010203u;
}

static void gpu_registers(picaflor_gpu *gpu) {
    static const uint32_t words[][2] = {
        {0x041, 0x440000}, {0x042, 0x3a000000}, {0x043, 0x440000}, {0x044, 0x3a000000}, {0x04d, 0xbf0000}, {0x06d, 1},
        {0x110, 1}, {0x11c, (VRAM + 0x80000) >> 3}, {0x11d, VRAM >> 3}, {0x11e, 0x0103f040}, {0x06e, 0x0103f040},
        {0x116, 3}, {0x112, 15}, {0x113, 15}, {0x0c0, 0x00030003}, {0x0c8, 0x000f000f}, {0x0d0, 0x000f000f},
        {0x0d8, 0x000f000f}, {0x0f0, 0x000f000f}, {0x0f8, 0x000f000f}, {0x100, 0x00e40000}, {0x101, 0x01010000},
        {0x102, 3}, {0x107, 0x0f10}, {0x080, 1}, {0x082, SIDE << 16 | SIDE}, {0x083, 0x2200}, {0x085, TEXTURE >> 3},
        {0x08e, 0}};
    for (size_t n = 0; n < sizeof words / sizeof words[0]; n++)
        OK(picaflor_gpu_write_register(gpu, words[n][0], words[n][1], 15));
}

static void gpu_triangle(picaflor_gpu *gpu) {
    static const float corners[3][4] = {{-1, -1, 0, 0}, {1, -1, 1, 0}, {-1, 1, 0, 1}};
    float vertices[3][PICAFLOR_SEMANTICS];
    memset(vertices, 0, sizeof vertices);
    for (int n = 0; n < 3; n++) {
        vertices[n][0] = corners[n][0], vertices[n][1] = corners[n][1], vertices[n][2] = -0.5f, vertices[n][3] = 1;
        vertices[n][12] = corners[n][2], vertices[n][13] = corners[n][3];
    }
    OK(picaflor_gpu_draw_vertices(gpu, (const float(*)[PICAFLOR_SEMANTICS])vertices, 3));
}

/* Draws without, with, and again without images; pictures 0 to 2 behind each other. */
static void gpu(uint32_t mode, host *self, uint8_t *pictures) {
    memset(self, 0, sizeof *self);
    self->bytes = (uint8_t *)calloc(1, SIZE);
    CHECK(self->bytes);
    for (int n = 0; n < 4 * SIDE * SIDE; n++)
        self->bytes[TEXTURE - VRAM + n] = (uint8_t)(n * 7 | 1);
    picaflor_region region;
    region.address = VRAM, region.length = SIZE, region.bytes = self->bytes;
    START(picaflor_memory, memory);
    memory.regions = &region, memory.region_count = 1;
    START(picaflor_gpu_config, config);
    config.memory = &memory;
    picaflor_engine *engine = engine_of(mode);
    picaflor_gpu *gpu;
    OK(picaflor_gpu_create(engine, &config, &gpu));
    gpu_registers(gpu);
    START(picaflor_textures, textures);
    CHECK(picaflor_gpu_set_textures(gpu, &textures) == PICAFLOR_ERROR_NULL);
    textures.user = self, textures.texture = shown;
    CHECK(picaflor_gpu_set_textures(NULL, &textures) == PICAFLOR_ERROR_NULL);
    for (uint32_t n = 0; n < 3; n++) {
        self->replaces = n == 1;
        OK(picaflor_gpu_set_textures(gpu, n < 2 ? &textures : NULL));
        OK(picaflor_gpu_set_memory(gpu, &memory)); /* textures stay */
        gpu_triangle(gpu);
        memcpy(pictures + n * 4 * WIDTH * WIDTH, self->bytes, 4 * WIDTH * WIDTH);
        CHECK(self->calls == (n < 2 ? n + 1 : 2));
    }
    OK(picaflor_gpu_destroy(gpu));
    OK(picaflor_engine_destroy(engine));
}

static void gpus(void) {
    static uint8_t pictures[2][3 * 4 * WIDTH * WIDTH];
    host hosts[2];
    for (uint32_t n = 0; n < 2; n++)
        gpu(n ? PICAFLOR_MODE_BLOCKING : PICAFLOR_MODE_INTERPRETER, &hosts[n], pictures[n]);
    const uint8_t *first = pictures[0];
    CHECK(memcmp(pictures[0], pictures[1], sizeof pictures[0]) == 0);
    CHECK(memcmp(first, first + 4 * WIDTH * WIDTH, 4 * WIDTH * WIDTH) != 0);
    CHECK(memcmp(first, first + 2 * 4 * WIDTH * WIDTH, 4 * WIDTH * WIDTH) == 0);
    CHECK(memcmp(&hosts[0].texture, &hosts[1].texture, sizeof hosts[0].texture) == 0);
    CHECK(memcmp(hosts[0].dump, hosts[1].dump, sizeof hosts[0].dump) == 0);
    /* The bytes of the first texel are alpha, blue, green, red. */
    CHECK(hosts[0].dump[0] == 0x01070f15 && hosts[0].texture.address == TEXTURE && hosts[0].texture.hash != 0);
    for (int n = 0; n < 2; n++)
        free(hosts[n].bytes);
}

#define WORD(command, argument) ((uint32_t)(command) << 24 | (argument))

/* A rectangle of 8 by 8 pixels with a texture of indices of 4 bits, in through mode. */
static void ge(uint32_t mode, host *self, uint32_t *pictures) {
    static const uint32_t words[] = {
        WORD(0x9c, 0), WORD(0x9d, 64), WORD(0xd2, 3), WORD(0x15, 0), WORD(0x16, 0xfffff), WORD(0xd4, 0),
        WORD(0xd5, 63 << 10 | 63), WORD(0x12, 0x800102), WORD(0x10, 0x080000), WORD(0x01, 0x800000), WORD(0x1e, 1),
        WORD(0xa0, 0x801000), WORD(0xa8, 0x080020), WORD(0xb8, 0x0303), WORD(0xc2, 0), WORD(0xc3, 4),
        WORD(0xc5, 0x00ff03), WORD(0xc6, 0), WORD(0xc7, 0x0101), WORD(0xc9, 3), WORD(0xb0, 0x802000),
        WORD(0xb1, 0x080000), WORD(0xc4, 2), WORD(0xe8, 0), WORD(0xd7, 0xffff), WORD(0x04, 6 << 16 | 2)};
    static const int16_t vertices[2][6] = {{0, 0, 0, 0, 0, 0}, {SIDE, SIDE, SIDE, SIDE, 0, 0}};
    memset(self, 0, sizeof *self);
    uint8_t *vram = (uint8_t *)calloc(1, GE_SIZE), *ram = self->bytes = (uint8_t *)calloc(1, 0x10000);
    CHECK(vram && ram);
    for (int n = 0; n < 2; n++)
        memcpy(ram + 10 * n, vertices[n], 10);
    for (int n = 0; n < 16 * SIDE; n++)
        ram[0x1000 + n] = (uint8_t)(n * 5);
    for (int n = 0; n < 64; n++)
        ram[0x2000 + n] = (uint8_t)(n * 3 + 1);
    picaflor_region regions[2];
    regions[0].address = GE_VRAM, regions[0].length = GE_SIZE, regions[0].bytes = vram;
    regions[1].address = RAM, regions[1].length = 0x10000, regions[1].bytes = ram;
    START(picaflor_memory, memory);
    memory.regions = regions, memory.region_count = 2;
    START(picaflor_ge_config, config);
    config.memory = &memory;
    picaflor_engine *engine = engine_of(mode);
    picaflor_ge *ge;
    OK(picaflor_ge_create(engine, &config, &ge));
    START(picaflor_textures, textures);
    textures.user = self, textures.texture = shown;
    for (uint32_t n = 0; n < 3; n++) {
        self->replaces = n == 1;
        OK(picaflor_ge_set_textures(ge, n < 2 ? &textures : NULL));
        OK(picaflor_ge_execute(ge, words, sizeof words / sizeof words[0]));
        for (int y = 0; y < SIDE; y++)
            memcpy(pictures + (n * SIDE + (uint32_t)y) * SIDE, vram + 4 * 64 * y, 4 * SIDE);
        CHECK(self->calls == (n < 2 ? n + 1 : 2));
    }
    OK(picaflor_ge_destroy(ge));
    OK(picaflor_engine_destroy(engine));
    free(vram);
}

static void ges(void) {
    uint32_t pictures[2][3][SIDE * SIDE];
    host hosts[2];
    for (uint32_t n = 0; n < 2; n++)
        ge(n ? PICAFLOR_MODE_BLOCKING : PICAFLOR_MODE_INTERPRETER, &hosts[n], pictures[n][0]);
    CHECK(memcmp(pictures[0], pictures[1], sizeof pictures[0]) == 0);
    for (int n = 0; n < SIDE * SIDE; n++) {
        CHECK((pictures[0][0][n] & 0xffffff) == (hosts[0].dump[n] & 0xffffff));
        CHECK((pictures[0][1][n] & 0xffffff) == (uint32_t)n * 0x010203u);
        CHECK(pictures[0][2][n] == pictures[0][0][n]);
    }
    CHECK(memcmp(&hosts[0].texture, &hosts[1].texture, sizeof hosts[0].texture) == 0);
    CHECK(hosts[0].texture.palette != 0 && hosts[0].texture.stride == 32 && hosts[0].texture.format == 4);
    for (int n = 0; n < 2; n++)
        free(hosts[n].bytes);
}

int main(void) {
    gpus();
    ges();
    puts("fine");
    return 0;
}
