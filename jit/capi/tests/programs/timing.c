/* Estimates of time: off, with the constants of the library, and with rates of the host; the same on every engine. */
#include "check.h"

enum { VRAM = 0x18000000, SIZE = 0x100000, GE_VRAM = 0x04000000, RAM = 0x08800000, GE_SIZE = 0x200000 };
static uint8_t bytes[SIZE], vram[GE_SIZE], ram[0x1000];

static picaflor_delay one(picaflor_gpu *gpu) {
    picaflor_delay delays[4];
    size_t count = 9;
    OK(picaflor_gpu_take_delays(gpu, delays, 4, &count));
    CHECK(count == 1);
    return delays[0];
}

static void gpu(uint32_t mode, uint32_t threads) {
    static const uint32_t list[] = {1, 0xf0040, 2, 0xf0041, 0x12345678, 0xf0010, 0, 0};
    picaflor_region region;
    region.address = VRAM, region.length = SIZE, region.bytes = bytes;
    START(picaflor_memory, memory);
    memory.regions = &region, memory.region_count = 1;
    START(picaflor_gpu_config, config);
    config.memory = &memory, config.threads = threads;
    picaflor_engine *engine = engine_of(mode);
    picaflor_gpu *gpu;
    OK(picaflor_gpu_create(engine, &config, &gpu));
    memcpy(bytes, list, sizeof list);
    size_t count = 9;
    uint64_t cycles = 9;
    OK(picaflor_gpu_run_list(gpu, VRAM, sizeof list, NULL));
    OK(picaflor_gpu_take_delays(gpu, NULL, 0, &count));
    OK(picaflor_gpu_run_cycles(gpu, &cycles));
    CHECK(count == 0 && cycles == 0);
    START(picaflor_gpu_rates, rates);
    OK(picaflor_gpu_set_timing(gpu, &rates));
    OK(picaflor_gpu_run_list(gpu, VRAM, sizeof list, NULL));
    picaflor_delay delay = one(gpu);
    CHECK(delay.interrupt == PICAFLOR_INTERRUPT_P3D && delay.cycles == 18);
    OK(picaflor_gpu_run_cycles(gpu, &cycles));
    CHECK(cycles >= 18);
    OK(picaflor_gpu_fill(gpu, 1, VRAM + 0x1000, VRAM + 0x2000, 0, 4));
    delay = one(gpu);
    CHECK(delay.interrupt == PICAFLOR_INTERRUPT_PSC1 && delay.cycles == 0x1000 / 16);
    rates.command = 1024, rates.fill_byte = PICAFLOR_RATE_NONE;
    OK(picaflor_gpu_set_timing(gpu, &rates));
    OK(picaflor_gpu_run_list(gpu, VRAM, sizeof list, NULL));
    CHECK(one(gpu).cycles == 12);
    OK(picaflor_gpu_fill(gpu, 1, VRAM + 0x1000, VRAM + 0x2000, 0, 4));
    CHECK(one(gpu).cycles == 0);
    CHECK(picaflor_gpu_take_delays(gpu, NULL, 1, &count) == PICAFLOR_ERROR_NULL);
    CHECK(picaflor_gpu_run_cycles(gpu, NULL) == PICAFLOR_ERROR_NULL);
    uint64_t units = 0, after = 0;
    OK(picaflor_gpu_run_list(gpu, VRAM, sizeof list, NULL));
    OK(picaflor_gpu_work(gpu, &units));
    OK(picaflor_gpu_run_list(gpu, VRAM, sizeof list / 2, NULL));
    OK(picaflor_gpu_work(gpu, &after));
    CHECK(units > after && after > 0);
    CHECK(picaflor_gpu_work(gpu, NULL) == PICAFLOR_ERROR_NULL);
    OK(picaflor_gpu_set_timing(gpu, NULL));
    OK(picaflor_gpu_run_list(gpu, VRAM, sizeof list, NULL));
    OK(picaflor_gpu_take_delays(gpu, NULL, 0, &count));
    CHECK(count == 0);
    OK(picaflor_gpu_destroy(gpu));
    OK(picaflor_engine_destroy(engine));
}

#define WORD(command, argument) ((uint32_t)(command) << 24 | (argument))

/* Commands up to a signal that does not wait, and up to the end. */
static void ge(uint32_t mode) {
    static const uint32_t list[] = {WORD(0x22, 0), WORD(0x0e, 0x020007), WORD(0x0c, 0), WORD(0x22, 1), WORD(0x22, 0),
                                    WORD(0x0f, 9), WORD(0x0c, 0)};
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
    memcpy(ram, list, sizeof list);
    START(picaflor_ge_rates, rates);
    rates.command = 256;
    OK(picaflor_ge_set_timing(ge, &rates));
    uint64_t cycles = 9;
    CHECK(picaflor_ge_interrupt_cycles(ge, &cycles) == PICAFLOR_ERROR_STATE && cycles == 0);
    START(picaflor_ge_list, request);
    request.address = RAM;
    uint32_t answer;
    OK(picaflor_ge_enqueue(ge, &request, &answer));
    OK(picaflor_ge_run(ge, NULL, NULL));
    OK(picaflor_ge_cycles(ge, &cycles));
    CHECK(cycles == 7);
    picaflor_ge_interrupt interrupt;
    OK(picaflor_ge_next_interrupt(ge, &interrupt));
    OK(picaflor_ge_interrupt_cycles(ge, &cycles));
    CHECK(interrupt.kind == PICAFLOR_GE_INTERRUPT_SIGNAL && cycles == 3);
    OK(picaflor_ge_acknowledge(ge, interrupt.kind, interrupt.list));
    OK(picaflor_ge_next_interrupt(ge, &interrupt));
    OK(picaflor_ge_interrupt_cycles(ge, &cycles));
    CHECK(interrupt.kind == PICAFLOR_GE_INTERRUPT_FINISH && cycles == 7);
    OK(picaflor_ge_set_timing(ge, NULL));
    OK(picaflor_ge_cycles(ge, &cycles));
    CHECK(cycles == 14);
    uint64_t units = 0;
    OK(picaflor_ge_work(ge, &units));
    CHECK(units > 0 && picaflor_ge_work(ge, NULL) == PICAFLOR_ERROR_NULL);
    OK(picaflor_ge_destroy(ge));
    OK(picaflor_engine_destroy(engine));
}

int main(void) {
    gpu(PICAFLOR_MODE_INTERPRETER, 1);
    gpu(PICAFLOR_MODE_BLOCKING, 3);
    ge(PICAFLOR_MODE_INTERPRETER);
    ge(PICAFLOR_MODE_BLOCKING);
    puts("fine");
    return 0;
}
