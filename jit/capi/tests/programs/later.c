/* Runs on the machine's own thread: order, fences, callbacks, failures, what is busy meanwhile. */
#include "check.h"

enum { VRAM = 0x18000000, GE_VRAM = 0x04000000, SIZE = 0x200000, LISTS = 50 };
static uint8_t bytes[SIZE];

typedef struct seen {
    uint64_t last;
    volatile uint64_t calls;
    picaflor_status status;
    picaflor_gpu *gpu;
    uint32_t scale;
} seen;

static void done(void *user, uint64_t fence, picaflor_status status) {
    seen *self = (seen *)user;
    CHECK(fence == self->last + 1);
    self->last = fence, self->status = status;
    /* Nothing else is submitted after the last one. */
    if (self->gpu)
        OK(picaflor_gpu_read_register(self->gpu, 0x041, &self->scale));
    self->calls = self->calls + 1;
}

static void pica(picaflor_engine *engine) {
    picaflor_region region;
    region.address = VRAM, region.length = SIZE, region.bytes = bytes;
    START(picaflor_memory, memory);
    memory.regions = &region, memory.region_count = 1;
    START(picaflor_gpu_config, config);
    config.memory = &memory, config.threads = 2;
    picaflor_gpu *gpu;
    OK(picaflor_gpu_create(engine, &config, &gpu));
    uint64_t fence = 9, complete = 9;
    OK(picaflor_gpu_complete(gpu, &complete));
    CHECK(complete == 0 && picaflor_gpu_wait(gpu, 1) == PICAFLOR_ERROR_ARGUMENT);
    seen events;
    memset(&events, 0, sizeof events);
    for (uint32_t n = 0; n < LISTS; n++) {
        /* 0x041 is n after list n; each list lies elsewhere. */
        const uint32_t list[4] = {n, 0xf0041, 0x12345678, 0xf0010};
        memcpy(bytes + 16 * n, list, sizeof list);
        OK(picaflor_gpu_submit_list(gpu, VRAM + 16 * n, 16, done, &events, &fence));
        CHECK(fence == n + 1);
    }
    OK(picaflor_gpu_wait(gpu, fence));
    OK(picaflor_gpu_wait(gpu, 1));
    /* The callback of the last one may still be on its way; one more is complete after it. */
    OK(picaflor_gpu_submit_list(gpu, VRAM, 0, NULL, NULL, NULL));
    OK(picaflor_gpu_wait(gpu, LISTS + 1));
    OK(picaflor_gpu_complete(gpu, &complete));
    uint32_t value = 0;
    OK(picaflor_gpu_read_register(gpu, 0x041, &value));
    CHECK(complete == LISTS + 1 && value == LISTS - 1 && events.calls == LISTS);

    /* A list that is not mapped: the failure is that of its fence, and later lists run. */
    CHECK(picaflor_gpu_submit_list(gpu, 8, 16, NULL, NULL, &fence) == PICAFLOR_ERROR_ARGUMENT);
    OK(picaflor_gpu_submit_list(gpu, 0x10, 16, NULL, NULL, &fence));
    CHECK(picaflor_gpu_wait(gpu, fence) == PICAFLOR_ERROR_LIST && strstr(picaflor_last_error(), "not mapped"));
    events.last = fence, events.gpu = gpu;
    OK(picaflor_gpu_submit_list(gpu, VRAM + 16, 16, done, &events, &fence));
    OK(picaflor_gpu_wait(gpu, fence));
    while (events.calls == LISTS) {
        /* the callback reads a register */
    }
    OK(picaflor_gpu_destroy(gpu));
    CHECK(events.status == PICAFLOR_OK && events.scale == 1);
}

static void psp(picaflor_engine *engine) {
    static const uint32_t list[] = {0xcf000007, 0x0f000003, 0x0c000000};
    picaflor_region region;
    region.address = GE_VRAM, region.length = SIZE, region.bytes = bytes;
    START(picaflor_memory, memory);
    memory.regions = &region, memory.region_count = 1;
    START(picaflor_ge_config, config);
    config.memory = &memory;
    picaflor_ge *ge;
    OK(picaflor_ge_create(engine, &config, &ge));
    memcpy(bytes, list, sizeof list);
    START(picaflor_ge_list, request);
    request.address = GE_VRAM;
    uint32_t answer, word;
    uint64_t fence, complete;
    OK(picaflor_ge_enqueue(ge, &request, &answer));
    OK(picaflor_ge_submit_run(ge, NULL, NULL, &fence));
    OK(picaflor_ge_wait(ge, fence));
    OK(picaflor_ge_complete(ge, &complete));
    OK(picaflor_ge_read_command(ge, 0xcf, &word));
    picaflor_ge_interrupt interrupt;
    OK(picaflor_ge_next_interrupt(ge, &interrupt));
    CHECK(fence == 1 && complete == 1 && word == 0xcf000007 && interrupt.kind == PICAFLOR_GE_INTERRUPT_FINISH);
    CHECK(picaflor_ge_wait(ge, 2) == PICAFLOR_ERROR_ARGUMENT);
    CHECK(picaflor_ge_complete(ge, NULL) == PICAFLOR_ERROR_NULL);
    OK(picaflor_ge_destroy(ge));
}

int main(void) {
    picaflor_engine *engine = engine_of(PICAFLOR_MODE_BLOCKING);
    pica(engine);
    psp(engine);
    CHECK(picaflor_gpu_submit_list(NULL, 0, 0, NULL, NULL, NULL) == PICAFLOR_ERROR_NULL);
    CHECK(picaflor_ge_submit_run(NULL, NULL, NULL, NULL) == PICAFLOR_ERROR_NULL);
    CHECK(picaflor_gpu_wait(NULL, 0) == PICAFLOR_ERROR_NULL);
    CHECK(picaflor_gpu_complete(NULL, NULL) == PICAFLOR_ERROR_NULL);
    OK(picaflor_engine_destroy(engine));
    puts("fine");
    return 0;
}
