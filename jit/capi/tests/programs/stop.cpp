// A run that would never end is ended by another thread and by its time limit, and its machine is used again.
#include "draws.h"
#include <chrono>
#include <thread>

static uint8_t gpu_bytes[GPU_SIZE], vram[GE_SIZE], ram[GE_RAM_SIZE];
enum { LOOP = 0xc000, LIMIT_MS = 20 };

typedef std::chrono::steady_clock watch;

static double milliseconds(watch::time_point from, watch::time_point to) {
    return std::chrono::duration<double, std::milli>(to - from).count();
}

// The functions of a machine that a list which jumps to itself needs. `run` has the status and the error of a run of it.
template <class M> struct Machine {
    M *machine;
    picaflor_status (*run)(M *);
    picaflor_status (*submit)(M *, uint64_t *);
    picaflor_status (*wait)(M *, uint64_t);
    picaflor_status (*stop)(M *, uint32_t);
    picaflor_status (*limit)(M *, uint64_t);
    picaflor_status (*destroy)(M *);
    void (*draws_right)(M *);
    const char *address; // of the list, but for its last digit

    void failed(const char *why) const {
        CHECK(strstr(picaflor_last_error(), why) != NULL && strstr(picaflor_last_error(), address) != NULL);
    }

    // Milliseconds from the request to the end.
    double by_another_thread() const {
        watch::time_point asked;
        std::thread asks([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            asked = watch::now();
            OK(stop(machine, 1));
        });
        CHECK(run(machine) == PICAFLOR_ERROR_STOPPED);
        const watch::time_point ended = watch::now();
        failed("as requested");
        asks.join();
        CHECK(milliseconds(asked, ended) < 1000);
        // Later runs end at their first command, until the machine may go on.
        CHECK(run(machine) == PICAFLOR_ERROR_STOPPED);
        OK(stop(machine, 0));
        draws_right(machine);
        return milliseconds(asked, ended);
    }

    void by_time() const {
        OK(limit(machine, 1000 * LIMIT_MS));
        for (int n = 0; n < 2; n++) { // the limit is that of each run
            const watch::time_point begun = watch::now();
            CHECK(run(machine) == PICAFLOR_ERROR_STOPPED);
            const double took = milliseconds(begun, watch::now());
            failed("by its time limit");
            CHECK(took >= LIMIT_MS && took < 1000);
        }
        // A limit that is not reached changes nothing.
        OK(limit(machine, 60000000));
        draws_right(machine);
        OK(limit(machine, 0));
        draws_right(machine);
    }

    // On the machine's own thread: it cannot be destroyed before.
    void submitted() const {
        uint64_t fence;
        OK(submit(machine, &fence));
        CHECK(destroy(machine) == PICAFLOR_ERROR_BUSY);
        OK(stop(machine, 1));
        CHECK(wait(machine, fence) == PICAFLOR_ERROR_STOPPED);
        failed("as requested");
        OK(stop(machine, 0));
        OK(limit(machine, 1000 * LIMIT_MS));
        OK(submit(machine, &fence));
        CHECK(wait(machine, fence) == PICAFLOR_ERROR_STOPPED);
        failed("by its time limit");
        OK(limit(machine, 0));
    }
};

// ---------------------------------------------------------------- GE

static void empty_queue(picaflor_ge *ge) {
    uint32_t answer;
    OK(picaflor_ge_break(ge, 1, &answer));
}

static void enqueue(picaflor_ge *ge) {
    const uint32_t endless[] = {0x10080000, 0x08800000 + LOOP}; // BASE, JUMP to the start
    memcpy(ram + LOOP, endless, sizeof endless);
    uint32_t id;
    START(picaflor_ge_list, first);
    first.address = GE_RAM + LOOP;
    OK(picaflor_ge_enqueue(ge, &first, &id));
}

static picaflor_status ge_run(picaflor_ge *ge) {
    uint32_t progress, list;
    enqueue(ge);
    const picaflor_status status = picaflor_ge_run(ge, &progress, &list);
    empty_queue(ge);
    return status;
}

static picaflor_status ge_submit(picaflor_ge *ge, uint64_t *fence) {
    enqueue(ge);
    return picaflor_ge_submit_run(ge, NULL, NULL, fence);
}

static picaflor_status ge_wait(picaflor_ge *ge, uint64_t fence) {
    const picaflor_status status = picaflor_ge_wait(ge, fence);
    empty_queue(ge);
    return status;
}

static picaflor_ge *new_ge(picaflor_engine *engine) {
    const picaflor_region regions[] = {region_at(GE_VRAM, vram, GE_SIZE), region_at(GE_RAM, ram, GE_RAM_SIZE)};
    const picaflor_memory memory = memory_in(regions, 2);
    START(picaflor_ge_limits, limits);
    limits.commands = UINT32_MAX, limits.work = UINT64_MAX;
    START(picaflor_ge_config, config);
    config.memory = &memory, config.limits = &limits;
    picaflor_ge *ge;
    OK(picaflor_ge_create(engine, &config, &ge));
    return ge;
}

static uint8_t ge_expected[PICTURE];

static void ge_draws_right(picaflor_ge *ge) {
    ge_draw(ge, vram, ram, 1, 1);
    CHECK(memcmp(vram, ge_expected, PICTURE) == 0);
}

// ---------------------------------------------------------------- PICA200

// A list that writes the registers of a jump to itself.
static void write_loop() {
    const uint32_t endless[] = {32 >> 3, 0xf0238, (GPU_VRAM + LOOP) >> 3, 0xf023a, 1, 0xf023c, 0, 0};
    memcpy(gpu_bytes + LOOP, endless, sizeof endless);
}

static picaflor_status gpu_run(picaflor_gpu *gpu) {
    write_loop();
    return picaflor_gpu_run_list(gpu, GPU_VRAM + LOOP, 32, NULL);
}

static picaflor_status gpu_submit(picaflor_gpu *gpu, uint64_t *fence) {
    write_loop();
    return picaflor_gpu_submit_list(gpu, GPU_VRAM + LOOP, 32, NULL, NULL, fence);
}

static picaflor_gpu *new_gpu(picaflor_engine *engine) {
    const picaflor_region region = region_at(GPU_VRAM, gpu_bytes, GPU_SIZE);
    const picaflor_memory memory = memory_in(&region, 1);
    START(picaflor_limits, limits);
    limits.commands = limits.jumps = UINT32_MAX, limits.work = UINT64_MAX;
    START(picaflor_gpu_config, config);
    config.memory = &memory, config.limits = &limits;
    picaflor_gpu *gpu;
    OK(picaflor_gpu_create(engine, &config, &gpu));
    return gpu;
}

static uint8_t gpu_expected[PICTURE];

static void gpu_draws_right(picaflor_gpu *gpu) {
    gpu_draw(gpu, gpu_bytes, 1, 1);
    CHECK(memcmp(gpu_bytes, gpu_expected, PICTURE) == 0);
}

// ----------------------------------------------------------------

// The pictures of machines that nothing stops.
static void expect(picaflor_engine *engine) {
    static const uint8_t nothing[PICTURE] = {};
    picaflor_gpu *gpu = new_gpu(engine);
    picaflor_ge *ge = new_ge(engine);
    gpu_draw(gpu, gpu_bytes, 1, 1);
    ge_draw(ge, vram, ram, 1, 1);
    memcpy(gpu_expected, gpu_bytes, PICTURE);
    memcpy(ge_expected, vram, PICTURE);
    CHECK(memcmp(gpu_expected, nothing, PICTURE) != 0 && memcmp(ge_expected, nothing, PICTURE) != 0);
    OK(picaflor_gpu_destroy(gpu));
    OK(picaflor_ge_destroy(ge));
}

template <class M> static double ends(const Machine<M> &machine) {
    const double after = machine.by_another_thread();
    machine.by_time();
    machine.submitted();
    machine.draws_right(machine.machine);
    OK(machine.destroy(machine.machine));
    return after;
}

int main() {
    picaflor_engine *engine = engine_of(PICAFLOR_MODE_BACKGROUND);
    expect(engine);
    const Machine<picaflor_ge> ge = {new_ge(engine), ge_run, ge_submit, ge_wait, picaflor_ge_stop,
                                     picaflor_ge_set_time_limit, picaflor_ge_destroy, ge_draws_right, "0x0880c00"};
    const Machine<picaflor_gpu> gpu = {new_gpu(engine), gpu_run, gpu_submit, picaflor_gpu_wait, picaflor_gpu_stop,
                                       picaflor_gpu_set_time_limit, picaflor_gpu_destroy, gpu_draws_right,
                                       "0x1800c0"};
    const double psp = ends(ge), pica = ends(gpu);
    printf("fine: noticed after %.3f ms, on the PICA200 %.3f ms\n", psp, pica);
    CHECK(picaflor_ge_stop(NULL, 1) == PICAFLOR_ERROR_NULL);
    CHECK(picaflor_ge_set_time_limit(NULL, 1) == PICAFLOR_ERROR_NULL);
    CHECK(picaflor_gpu_stop(NULL, 1) == PICAFLOR_ERROR_NULL);
    CHECK(picaflor_gpu_set_time_limit(NULL, 1) == PICAFLOR_ERROR_NULL);
    OK(picaflor_engine_destroy(engine));
    return 0;
}
