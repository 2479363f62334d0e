/* A textured triangle on the PICA200 and a textured rectangle on the GE, for programs that draw them more than once. Their
 * numbers choose states for which other code is compiled. */
#ifndef DRAWS_H
#define DRAWS_H

#include "check.h"

enum { GPU_VRAM = 0x18000000, GPU_SIZE = 0x100000, GPU_TEXTURE = GPU_VRAM + 0x40000 };
enum { GE_VRAM = 0x04000000, GE_SIZE = 0x200000, GE_RAM = 0x08800000, GE_RAM_SIZE = 0x10000 };
enum { GE_LIST = GE_RAM, GE_VERTICES = GE_RAM + 0x8000, GE_TEXTURE = GE_RAM + 0x9000 };
/* `times`, the number of equal primitives in a draw, is at most MOST, which are worth threads. */
enum { STATES = 4, PICTURE = 4 * 64 * 64, MOST = 128 };

static inline picaflor_memory memory_in(const picaflor_region *regions, size_t count) {
    START(picaflor_memory, memory);
    memory.regions = regions, memory.region_count = count;
    return memory;
}

static inline picaflor_region region_at(uint32_t address, uint8_t *bytes, uint32_t length) {
    picaflor_region region;
    region.address = address, region.length = length, region.bytes = bytes;
    return region;
}

/* Draws with one of the first STATES functions of the alpha test, on 64 by 64 pixels at GPU_VRAM; `bytes` are GPU_SIZE
 * bytes from there on. */
static inline void gpu_draw(picaflor_gpu *gpu, uint8_t *bytes, uint32_t state, uint32_t times) {
    static const uint32_t words[][2] = {
        {0x041, 0x440000}, {0x042, 0x3a000000}, {0x043, 0x440000}, {0x044, 0x3a000000}, {0x04d, 0xbf0000}, {0x06d, 1},
        {0x110, 1}, {0x11c, (GPU_VRAM + 0x80000) >> 3}, {0x11d, GPU_VRAM >> 3}, {0x11e, 0x0103f040},
        {0x06e, 0x0103f040}, {0x116, 3}, {0x112, 15}, {0x113, 15}, {0x0c0, 0x00030003}, {0x0c8, 0x000f000f},
        {0x0d0, 0x000f000f}, {0x0d8, 0x000f000f}, {0x0f0, 0x000f000f}, {0x0f8, 0x000f000f}, {0x100, 0x00e40000},
        {0x101, 0x01010000}, {0x102, 3}, {0x107, 0x0f10}, {0x080, 1}, {0x082, 8 << 16 | 8}, {0x083, 0x2200},
        {0x085, GPU_TEXTURE >> 3}, {0x08e, 0}};
    static const uint32_t tests[STATES] = {0x11, 0x8041, 0x8061, 0x4051};
    static const float corners[3][4] = {{-1, -1, 0, 0}, {1, -1, 1, 0}, {-1, 1, 0, 1}};
    static float vertices[3 * MOST][PICAFLOR_SEMANTICS];
    for (int n = 0; n < 4 * 8 * 8; n++)
        bytes[GPU_TEXTURE - GPU_VRAM + n] = (uint8_t)(n * 7 | 1);
    memset(bytes, 0, PICTURE);
    for (size_t n = 0; n < sizeof words / sizeof words[0]; n++)
        OK(picaflor_gpu_write_register(gpu, words[n][0], words[n][1], 15));
    OK(picaflor_gpu_write_register(gpu, 0x104, tests[state], 15));
    for (uint32_t n = 0; n < 3 * times; n++) {
        const float *corner = corners[n % 3];
        vertices[n][0] = corner[0], vertices[n][1] = corner[1], vertices[n][2] = -0.5f, vertices[n][3] = 1;
        vertices[n][12] = corner[2], vertices[n][13] = corner[3];
    }
    OK(picaflor_gpu_draw_vertices(gpu, (const float(*)[PICAFLOR_SEMANTICS])vertices, 3 * times));
}

/* Writes a list to GE_LIST that draws with one of the first STATES functions of the alpha test, on 64 by 64 pixels at
 * GE_VRAM; `vram` and `ram` are the bytes from GE_VRAM and GE_RAM on. */
static inline void ge_write_list(uint8_t *vram, uint8_t *ram, uint32_t state, uint32_t times) {
#define GE_WORD(command, argument) ((uint32_t)(command) << 24 | (argument))
    static const uint32_t tests[STATES] = {0xff0001, 0xff8004, 0xff8006, 0xff4005};
    const uint32_t words[] = {
        GE_WORD(0x9c, 0), GE_WORD(0x9d, 64), GE_WORD(0xd2, 3), GE_WORD(0x15, 0), GE_WORD(0x16, 0xfffff),
        GE_WORD(0xd4, 0), GE_WORD(0xd5, 63 << 10 | 63), GE_WORD(0x1e, 1), GE_WORD(0xa0, GE_TEXTURE & 0xffffff),
        GE_WORD(0xa8, 0x080008), GE_WORD(0xb8, 0x0303), GE_WORD(0xc3, 3), GE_WORD(0xc9, 0x103), GE_WORD(0xc6, 0),
        GE_WORD(0x22, 1), GE_WORD(0xdb, tests[state]), GE_WORD(0x12, 0x800102), GE_WORD(0x10, 0x080000),
        GE_WORD(0x01, GE_VERTICES & 0xffffff), GE_WORD(0xe8, 0), GE_WORD(0xd7, 0xffff), GE_WORD(0x04, 6 << 16 | 2 * times),
        GE_WORD(0x0f, 9), GE_WORD(0x0c, 0)};
    static const int16_t vertices[2][5] = {{0, 0, 0, 0, 0}, {8, 8, 64, 64, 0}};
    memset(vram, 0, PICTURE);
    memcpy(ram, words, sizeof words);
    for (uint32_t n = 0; n < times; n++)
        memcpy(ram + (GE_VERTICES - GE_RAM) + n * sizeof vertices, vertices, sizeof vertices);
    for (int n = 0; n < 4 * 8 * 8; n++)
        ram[GE_TEXTURE - GE_RAM + n] = (uint8_t)(n * 7 | 1);
}

/* Runs that list from the queue, to the end. */
static inline void ge_draw(picaflor_ge *ge, uint8_t *vram, uint8_t *ram, uint32_t state, uint32_t times) {
    uint32_t answer, progress;
    picaflor_ge_interrupt interrupt;
    START(picaflor_ge_list, list);
    ge_write_list(vram, ram, state, times);
    list.address = GE_LIST, list.callback = 1;
    OK(picaflor_ge_enqueue(ge, &list, &answer));
    OK(picaflor_ge_run(ge, &progress, NULL));
    OK(picaflor_ge_next_interrupt(ge, &interrupt));
    CHECK(interrupt.kind == PICAFLOR_GE_INTERRUPT_FINISH && interrupt.token == 9);
    OK(picaflor_ge_acknowledge(ge, interrupt.kind, interrupt.list));
    OK(picaflor_ge_run(ge, &progress, NULL));
    CHECK(progress == PICAFLOR_GE_IDLE);
}

#endif
