/* A process that forks, as embedding.md has it: with PICAFLOR_MAPPING_PROTECT the child goes on with the engine and the
 * machines of its parent, with PICAFLOR_MAPPING_DUAL_VIEW it makes its own. In the first case the budget is small: the parent
 * puts other routines where those from before the fork were, and a child that shared these pages would run them. */
#define _POSIX_C_SOURCE 200809L
#include "draws.h"

#if defined(__linux__)
#include <dirent.h>
#include <sys/wait.h>
#include <unistd.h>

static uint8_t gpu_bytes[GPU_SIZE], vram[GE_SIZE], ram[GE_RAM_SIZE];
enum { BUDGET = 32 << 10 }; /* two routines with pages of their own */
static uint8_t pictures[STATES][2][PICTURE];

/* Engine and machines, with threads that draw. */
typedef struct host {
    picaflor_engine *engine;
    picaflor_gpu *gpu;
    picaflor_ge *ge;
} host;

static host create(uint32_t mode, uint32_t mapping) {
    host self;
    START(picaflor_engine_config, settings);
    settings.mode = mode, settings.mapping = mapping, settings.code_budget = mapping == PICAFLOR_MAPPING_PROTECT ? BUDGET : 0;
    OK(picaflor_engine_create(&settings, &self.engine));
    picaflor_region regions[3];
    regions[0] = region_at(GPU_VRAM, gpu_bytes, GPU_SIZE);
    regions[1] = region_at(GE_VRAM, vram, GE_SIZE);
    regions[2] = region_at(GE_RAM, ram, GE_RAM_SIZE);
    const picaflor_memory memory = memory_in(regions, 3);
    START(picaflor_gpu_config, gpu);
    gpu.memory = &memory, gpu.threads = 3;
    OK(picaflor_gpu_create(self.engine, &gpu, &self.gpu));
    START(picaflor_ge_config, ge);
    ge.memory = &memory, ge.threads = 3;
    OK(picaflor_ge_create(self.engine, &ge, &self.ge));
    return self;
}

static void destroy(host *self) {
    OK(picaflor_gpu_destroy(self->gpu));
    OK(picaflor_ge_destroy(self->ge));
    OK(picaflor_engine_destroy(self->engine));
}

/* Shades with `state + 1` times the addition of c0 to v0. */
static void shade(host *self, uint32_t state) {
    static const uint32_t swizzles[] = {0x0006c36f};
    static const float inputs[8][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}};
    uint32_t code[STATES + 1];
    float outputs[8 * STATES][4];
    for (uint32_t n = 0; n <= state; n++)
        code[n] = 0x00020000 | n << 21; /* add o[n], c0, v0 */
    code[state + 1] = 0x88000000;       /* end */
    START(picaflor_uniforms, uniforms);
    uniforms.floats[0][0] = (float)(10 * state);
    picaflor_program *program;
    OK(picaflor_program_create(PICAFLOR_UNIT_VERTEX, code, state + 2, swizzles, 1, &program));
    START(picaflor_float_batch, batch);
    batch.program = program, batch.uniforms = &uniforms, batch.inputs = inputs[0], batch.input_count = 1;
    batch.vertex_count = 8, batch.outputs = outputs[0], batch.output_capacity = 8 * STATES;
    batch.output_mask = (2u << state) - 1;
    OK(picaflor_shade_floats(self->engine, &batch));
    for (uint32_t n = 0; n <= state; n++) {
        CHECK(outputs[n][0] == 1 + 10.0f * (float)state && outputs[n][3] == 4);
        CHECK(outputs[state + 1 + n][0] == 5 + 10.0f * (float)state && outputs[state + 1 + n][3] == 8);
    }
    OK(picaflor_program_destroy(program));
}

static void work(host *self, uint32_t state) {
    shade(self, state);
    gpu_draw(self->gpu, gpu_bytes, state, MOST);
    ge_draw(self->ge, vram, ram, state, MOST);
    CHECK(memcmp(gpu_bytes, pictures[state][0], PICTURE) == 0);
    CHECK(memcmp(vram, pictures[state][1], PICTURE) == 0);
}

/* States `first` to `last`, in this order, all by compiled code. */
static void works(host *self, uint32_t first, uint32_t last) {
    const uint32_t count = first < last ? last - first + 1 : first - last + 1;
    for (int round = 0; round < 3; round++)
        for (uint32_t n = 0; n < count; n++)
            work(self, first < last ? first + n : first - n);
    START(picaflor_engine_stats, stats);
    OK(picaflor_engine_get_stats(self->engine, &stats));
    CHECK(stats.compiles >= 3 * count && stats.refusals == 0);
    CHECK(stats.interpreter_batches == 0 && stats.interpreted_tiles == 0);
}

/* Threads of this process. */
static int threads(void) {
    int count = -2; /* the folder and its parent */
    DIR *folder = opendir("/proc/self/task");
    CHECK(folder);
    while (readdir(folder))
        count++;
    CHECK(closedir(folder) == 0);
    return count;
}

static void expect(void) {
    host self = create(PICAFLOR_MODE_INTERPRETER, PICAFLOR_MAPPING_DEFAULT);
    for (uint32_t state = 0; state < STATES; state++) {
        gpu_draw(self.gpu, gpu_bytes, state, MOST);
        ge_draw(self.ge, vram, ram, state, MOST);
        memcpy(pictures[state][0], gpu_bytes, PICTURE);
        memcpy(pictures[state][1], vram, PICTURE);
        for (int which = 0; state && which < 2; which++)
            CHECK(memcmp(pictures[state][which], pictures[state - 1][which], PICTURE) != 0);
    }
    destroy(&self);
}

static uint64_t evictions(host *self) {
    START(picaflor_engine_stats, stats);
    OK(picaflor_engine_get_stats(self->engine, &stats));
    return stats.evictions;
}

/* The child uses `inherited`, or, where that is NULL, objects of its own. */
static void child(host *inherited, uint32_t mapping, const int *goes) {
    host own;
    char byte;
    alarm(120); /* what waits for a thread of the parent would wait for ever */
    CHECK(close(goes[1]) == 0 && read(goes[0], &byte, 1) == 1);
    if (!inherited)
        own = create(PICAFLOR_MODE_BLOCKING, mapping);
    CHECK(threads() == 1);
    works(inherited ? inherited : &own, 0, STATES - 1);
    CHECK(threads() > 1);
    destroy(inherited ? inherited : &own);
    fflush(stdout);
    _exit(0);
}

static void forks(uint32_t mapping) {
    int goes[2], status = -1;
    host self = create(PICAFLOR_MODE_BLOCKING, mapping);
    works(&self, 0, 1);
    CHECK(threads() > 1); /* the child has none of them */
    CHECK(pipe(goes) == 0);
    const uint64_t before = evictions(&self);
    fflush(stdout);
    const pid_t process = fork();
    CHECK(process >= 0);
    if (process == 0)
        child(mapping == PICAFLOR_MAPPING_PROTECT ? &self : NULL, mapping, goes);
    works(&self, STATES - 1, 1);
    CHECK(mapping != PICAFLOR_MAPPING_PROTECT || evictions(&self) > before);
    CHECK(write(goes[1], "", 1) == 1);
    works(&self, STATES - 1, 0); /* while the child compiles too */
    CHECK(waitpid(process, &status, 0) == process);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    works(&self, 0, STATES - 1); /* the child's code did not get into that of its parent */
    CHECK(close(goes[0]) == 0 && close(goes[1]) == 0);
    destroy(&self);
}

int main(void) {
    expect();
    for (int round = 0; round < 3; round++) {
        forks(PICAFLOR_MAPPING_PROTECT);
        forks(PICAFLOR_MAPPING_DUAL_VIEW);
    }
    puts("fine");
    return 0;
}
#else
int main(void) {
    puts("fine: forks on Linux alone");
    return 0;
}
#endif
