// A run ends when another thread wants so, and after its time.
#include "check.h"
#include <chrono>
#include <thread>

enum { RAM = 0x08800000, RAM_SIZE = 0x1000 };
static uint8_t ram[RAM_SIZE];

static uint8_t *region(void *, uint32_t address, uint32_t length) {
    return address >= RAM && address - RAM + length <= RAM_SIZE ? ram + (address - RAM) : NULL;
}

typedef std::chrono::steady_clock watch;

static double milliseconds(watch::time_point from, watch::time_point to) {
    return std::chrono::duration<double, std::milli>(to - from).count();
}

int main() {
    picaflor_engine *engine = engine_of(PICAFLOR_MODE_BACKGROUND);
    START(picaflor_memory, memory);
    memory.region = region;
    START(picaflor_ge_limits, limits);
    limits.commands = 0xffffffff;
    limits.work = UINT64_MAX;
    START(picaflor_ge_config, config);
    config.memory = &memory;
    config.limits = &limits;
    picaflor_ge *ge;
    OK(picaflor_ge_create(engine, &config, &ge));
    const uint32_t endless[] = {0x10080000, 0x08800000}; // BASE, JUMP to the start
    memcpy(ram, endless, sizeof endless);
    uint32_t id, progress, list;
    START(picaflor_ge_list, first);
    first.address = RAM;
    OK(picaflor_ge_enqueue(ge, &first, &id));
    watch::time_point asked;
    std::thread asks([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        asked = watch::now();
        OK(picaflor_ge_stop(ge, 1));
    });
    CHECK(picaflor_ge_run(ge, &progress, &list) == PICAFLOR_ERROR_STOPPED);
    watch::time_point ended = watch::now();
    asks.join();
    CHECK(strstr(picaflor_last_error(), "0x0880000") != NULL);
    CHECK(milliseconds(asked, ended) < 1000);
    printf("fine: noticed after %.3f ms\n", milliseconds(asked, ended));
    CHECK(picaflor_ge_stop(NULL, 1) == PICAFLOR_ERROR_NULL);
    CHECK(picaflor_ge_set_time_limit(NULL, 1) == PICAFLOR_ERROR_NULL);
    CHECK(picaflor_gpu_stop(NULL, 1) == PICAFLOR_ERROR_NULL);
    CHECK(picaflor_gpu_set_time_limit(NULL, 1) == PICAFLOR_ERROR_NULL);
    OK(picaflor_ge_destroy(ge));
    OK(picaflor_engine_destroy(engine));
    return 0;
}
