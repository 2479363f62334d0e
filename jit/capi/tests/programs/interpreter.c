/* The library where no code can be compiled, of 32 bits for instance: the interpreter draws, shades, saves and loads; the
 * other modes are refused with the reason. Runs on every host. */
#include "check.h"

#if defined(__x86_64__) || defined(__aarch64__) || defined(_M_X64) || defined(_M_ARM64)
enum { COMPILES = 1 };
#else
enum { COMPILES = 0 };
#endif

enum { VRAM = 0x18000000, SIZE = 0x100000, GE_VRAM = 0x04000000, RAM = 0x08800000, GE_SIZE = 0x200000 };
static uint8_t bytes[SIZE], vram[GE_SIZE], ram[0x1000];

static void modes(void) {
    for (uint32_t mode = PICAFLOR_MODE_BACKGROUND; mode <= PICAFLOR_MODE_BLOCKING; mode++) {
        START(picaflor_engine_config, config);
        config.mode = mode;
        picaflor_engine *engine;
        picaflor_status status = picaflor_engine_create(&config, &engine);
        CHECK(status == (COMPILES ? PICAFLOR_OK : PICAFLOR_ERROR_HOST) && (engine != NULL) == COMPILES);
        CHECK(COMPILES || strstr(picaflor_last_error(), "compile") != NULL);
        OK(picaflor_engine_destroy(engine));
    }
}

static void shades(picaflor_engine *engine) {
    static const uint32_t code[] = {0x00020000, 0x88000000}, swizzles[] = {0x0006c36f}; /* add o0, c0, v0; end */
    static const float inputs[2][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}};
    float outputs[2][4];
    START(picaflor_uniforms, uniforms);
    uniforms.floats[0][0] = 10;
    START(picaflor_float_batch, batch);
    picaflor_program *program;
    OK(picaflor_program_create(PICAFLOR_UNIT_VERTEX, code, 2, swizzles, 1, &program));
    batch.program = program, batch.uniforms = &uniforms, batch.inputs = inputs[0], batch.input_count = 1;
    batch.vertex_count = 2, batch.outputs = outputs[0], batch.output_capacity = 2, batch.output_mask = 1;
    OK(picaflor_shade_floats(engine, &batch));
    CHECK(outputs[0][0] == 11 && outputs[1][0] == 15 && outputs[1][3] == 8);
    OK(picaflor_program_destroy(program));
}

static void draws(picaflor_engine *engine) {
    static const uint32_t words[][2] = {
        {0x041, 0x440000}, {0x042, 0x3a000000}, {0x043, 0x440000}, {0x044, 0x3a000000}, {0x04d, 0xbf0000}, {0x06d, 1},
        {0x110, 1}, {0x11c, (VRAM + 0x80000) >> 3}, {0x11d, VRAM >> 3}, {0x11e, 0x0103f040}, {0x06e, 0x0103f040},
        {0x116, 3}, {0x112, 15}, {0x113, 15}, {0x0c0, 0}, {0x0c8, 0x000f000f}, {0x0d0, 0x000f000f},
        {0x0d8, 0x000f000f}, {0x0f0, 0x000f000f}, {0x0f8, 0x000f000f}, {0x100, 0x00e40000}, {0x101, 0x01010000},
        {0x102, 3}, {0x107, 0x0f10}};
    static const float corners[3][2] = {{-1, -1}, {1, -1}, {-1, 1}};
    float vertices[3][PICAFLOR_SEMANTICS];
    picaflor_region region;
    region.address = VRAM, region.length = SIZE, region.bytes = bytes;
    START(picaflor_memory, memory);
    memory.regions = &region, memory.region_count = 1, memory.tracked = 1;
    START(picaflor_gpu_config, config);
    config.memory = &memory, config.threads = 2;
    picaflor_gpu *gpu;
    OK(picaflor_gpu_create(engine, &config, &gpu));
    for (size_t n = 0; n < sizeof words / sizeof words[0]; n++)
        OK(picaflor_gpu_write_register(gpu, words[n][0], words[n][1], 15));
    memset(vertices, 0, sizeof vertices);
    for (int n = 0; n < 3; n++) {
        vertices[n][0] = corners[n][0], vertices[n][1] = corners[n][1], vertices[n][2] = -0.5f, vertices[n][3] = 1;
        vertices[n][8] = vertices[n][11] = 1; /* red, opaque */
    }
    picaflor_buffer *state;
    OK(picaflor_gpu_save(gpu, &state));
    OK(picaflor_gpu_write_register(gpu, 0x107, 0x10, 15)); /* no colours are written */
    OK(picaflor_gpu_load(gpu, picaflor_buffer_data(state), picaflor_buffer_size(state)));
    OK(picaflor_buffer_destroy(state));
    OK(picaflor_gpu_draw_vertices(gpu, (const float(*)[PICAFLOR_SEMANTICS])vertices, 3));
    int red = 0;
    for (int n = 0; n < 64 * 64; n++)
        red += bytes[4 * n] == 255 && bytes[4 * n + 1] == 0 && bytes[4 * n + 3] == 255;
    CHECK(red > 1900 && red < 2200);
    picaflor_range ranges[4];
    size_t count;
    OK(picaflor_gpu_take_written(gpu, ranges, 4, &count));
    CHECK(count == 1 && ranges[0].address == VRAM);
    OK(picaflor_gpu_destroy(gpu));
}

static void displays(picaflor_engine *engine) {
    static const uint32_t words[] = {0x9c000000, 0x9d000040, 0xd2000003, 0x15000000, 0x160fffff, 0xd4000000,
                                     0xd500fc3f, 0x1280011c, 0x10080000, 0x01800000, 0xe8000000, 0xd700ffff,
                                     0x04060002, 0x0f000000, 0x0c000000};
    static const int16_t corners[2][6] = {{255, -1, 0, 0, 0, 0}, {255, -1, 8, 8, 0, 0}};
    memcpy(ram, corners, sizeof corners);
    memcpy(ram + 0x100, words, sizeof words);
    picaflor_region regions[2];
    regions[0].address = GE_VRAM, regions[0].length = GE_SIZE, regions[0].bytes = vram;
    regions[1].address = RAM, regions[1].length = sizeof ram, regions[1].bytes = ram;
    START(picaflor_memory, memory);
    memory.regions = regions, memory.region_count = 2;
    START(picaflor_ge_config, config);
    config.memory = &memory;
    picaflor_ge *ge;
    OK(picaflor_ge_create(engine, &config, &ge));
    START(picaflor_ge_list, list);
    list.address = RAM + 0x100;
    uint32_t answer, progress;
    OK(picaflor_ge_enqueue(ge, &list, &answer));
    OK(picaflor_ge_run(ge, &progress, NULL));
    CHECK(progress == PICAFLOR_GE_IDLE && vram[0] == 255 && vram[4 * (7 * 64 + 7)] == 255 && vram[4 * 8] == 0);
    OK(picaflor_ge_destroy(ge));
}

int main(void) {
    modes();
    picaflor_engine *engine = engine_of(PICAFLOR_MODE_INTERPRETER);
    shades(engine);
    draws(engine);
    displays(engine);
    OK(picaflor_engine_destroy(engine));
    puts("fine");
    return 0;
}
