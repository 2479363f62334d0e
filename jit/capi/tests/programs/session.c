/* A session of the PSP's machine: runs whose draws stay pending, with memory that the host reads and writes between them. */
#include "check.h"

enum { VRAM = 0x04000000, VRAM_SIZE = 0x200000, RAM = 0x08800000, RAM_SIZE = 0x10000 };
enum { VERTICES = RAM + 0x8000, TEXTURE = RAM + 0x9000, COPY = RAM + 0xa000, SIDE = 256, ROW = 512 };
#define WORD(command, argument) ((uint32_t)(command) << 24 | (argument))

/* A rectangle over 256 by 256 pixels, with a texture of 8 by 8 texels of 8888. */
static const uint32_t list[] = {
    WORD(0x9c, 0), WORD(0x9d, ROW), WORD(0xd2, 3), WORD(0x15, 0), WORD(0x16, 0xfffff),
    WORD(0xd4, 0), WORD(0xd5, (SIDE - 1) << 10 | (SIDE - 1)), WORD(0x1e, 1), WORD(0xa0, TEXTURE & 0xffffff),
    WORD(0xa8, 0x080008), WORD(0xb8, 0x0303), WORD(0xc3, 3), WORD(0xc9, 3), WORD(0xc6, 0),
    WORD(0x12, 0x800102), WORD(0x10, 0x080000), WORD(0x01, VERTICES & 0xffffff), WORD(0x04, 6 << 16 | 2),
    WORD(0x0f, 9), WORD(0x0c, 0),
};

typedef struct host {
    uint8_t *vram, *ram;
    picaflor_ge *ge, *other;
    int runs, is_session;
    uint64_t cycles;
} host;

static void texture(host *self, uint8_t value) {
    OK(picaflor_ge_before_write(self->ge, TEXTURE, 256));
    memset(self->ram + (TEXTURE - RAM), value, 256);
}

static void draw(host *self) {
    START(picaflor_ge_list, first);
    uint32_t answer, progress;
    picaflor_ge_interrupt interrupt;
    first.address = RAM, first.callback = 1;
    OK(picaflor_ge_enqueue(self->ge, &first, &answer));
    OK(picaflor_ge_run(self->ge, &progress, NULL));
    OK(picaflor_ge_next_interrupt(self->ge, &interrupt));
    CHECK(interrupt.kind == PICAFLOR_GE_INTERRUPT_FINISH && interrupt.token == 9);
    OK(picaflor_ge_interrupt_cycles(self->ge, &self->cycles));
    OK(picaflor_ge_acknowledge(self->ge, interrupt.kind, interrupt.list));
    OK(picaflor_ge_list_sync(self->ge, answer, &answer));
    OK(picaflor_ge_forget_completed(self->ge));
    self->runs++;
}

static void frame(void *user) {
    host *self = (host *)user;
    for (int n = 0; n < 8; n++) {
        texture(self, (uint8_t)(0x10 + n));
        draw(self);
    }
    OK(picaflor_ge_before_read(self->ge, VRAM + 4 * ROW, 4));
    CHECK(self->vram[4 * ROW] == 0x17);
    uint64_t cycles;
    OK(picaflor_ge_cycles(self->ge, &cycles));
    CHECK(cycles == self->cycles);
    texture(self, 0x33);
    draw(self);
    /* Without lists: the same rectangle, with another texture, and a transfer of what it drew. */
    uint32_t pointers[3] = {VERTICES, 0, 0};
    const uint32_t primitive = WORD(0x04, 6 << 16 | 2);
    OK(picaflor_ge_write_field(self->ge, PICAFLOR_GE_FIELD_POINTERS, 0, pointers, 3));
    texture(self, 0x44);
    OK(picaflor_ge_execute(self->ge, &primitive, 1));
    OK(picaflor_ge_read_field(self->ge, PICAFLOR_GE_FIELD_POINTERS, 0, pointers, 3));
    CHECK(pointers[0] == VERTICES + 20);
    START(picaflor_ge_transfer, transfer);
    transfer.source = VRAM, transfer.destination = COPY, transfer.source_stride = transfer.destination_stride = ROW;
    transfer.width = 16, transfer.height = 1, transfer.pixel_bytes = 4;
    OK(picaflor_ge_run_transfer(self->ge, &transfer));
    CHECK(self->ram[COPY - RAM] == 0x44 && self->ram[COPY - RAM + 62] == 0x44 && self->ram[COPY - RAM + 64] == 0);
    CHECK(picaflor_ge_read_field(self->ge, 99, 0, pointers, 3) == PICAFLOR_ERROR_ARGUMENT);
    transfer.reserved = 1;
    CHECK(picaflor_ge_run_transfer(self->ge, &transfer) == PICAFLOR_ERROR_ARGUMENT);
    OK(picaflor_ge_draw_vertices(self->ge, 6, NULL, 0));
    OK(picaflor_ge_draw_primitives(self->ge, NULL, 0));
    if (!self->is_session)
        return;
    START(picaflor_ge_stats, stats);
    CHECK(picaflor_ge_get_stats(self->ge, &stats) == PICAFLOR_ERROR_BUSY);
    CHECK(picaflor_ge_read_field(self->ge, PICAFLOR_GE_FIELD_LISTS, 0, pointers, 1) == PICAFLOR_ERROR_BUSY);
    CHECK(picaflor_ge_write_field(self->ge, PICAFLOR_GE_FIELD_LISTS, 0, pointers, 1) == PICAFLOR_ERROR_BUSY);
    CHECK(picaflor_ge_set_threads(self->ge, 1) == PICAFLOR_ERROR_BUSY);
    CHECK(picaflor_ge_session(self->ge, frame, self) == PICAFLOR_ERROR_BUSY);
    CHECK(picaflor_ge_destroy(self->ge) == PICAFLOR_ERROR_BUSY);
    /* The machine of the same engine has no session, and cannot run. */
    uint32_t answer;
    START(picaflor_ge_list, first);
    first.address = RAM;
    OK(picaflor_ge_enqueue(self->other, &first, &answer));
    CHECK(picaflor_ge_run(self->other, NULL, NULL) == PICAFLOR_ERROR_BUSY);
}

static void stopped(void *user) {
    host *self = (host *)user;
    uint32_t answer;
    START(picaflor_ge_list, first);
    first.address = RAM;
    OK(picaflor_ge_stop(self->ge, 1));
    OK(picaflor_ge_enqueue(self->ge, &first, &answer));
    CHECK(picaflor_ge_run(self->ge, NULL, NULL) == PICAFLOR_ERROR_STOPPED);
    CHECK(picaflor_ge_draw_vertices(self->ge, 6, NULL, 0) == PICAFLOR_ERROR_STOPPED);
    CHECK(picaflor_ge_draw_primitives(self->ge, NULL, 0) == PICAFLOR_ERROR_STOPPED);
    OK(picaflor_ge_stop(self->ge, 0));
    OK(picaflor_ge_break(self->ge, 1, &answer));
}

static int calls;

/* A function of the host inside of a run: the session is in use. */
static void from_inside(void *user, const picaflor_event *event) {
    host *self = (host *)user;
    (void)event;
    CHECK(picaflor_ge_before_read(self->ge, VRAM, 4) == PICAFLOR_ERROR_BUSY);
    CHECK(picaflor_ge_before_write(self->ge, VRAM, 4) == PICAFLOR_ERROR_BUSY);
    calls++;
}

static void watched(void *user) {
    draw((host *)user);
    CHECK(calls > 0);
}

static picaflor_ge *create(host *self, picaflor_engine *engine, uint32_t threads) {
    static const int16_t vertices[2][5] = {{0, 0, 0, 0, 0}, {8, 8, SIDE, SIDE, 0}};
    self->vram = (uint8_t *)calloc(1, VRAM_SIZE);
    self->ram = (uint8_t *)calloc(1, RAM_SIZE);
    CHECK(self->vram && self->ram);
    memcpy(self->ram, list, sizeof list);
    memcpy(self->ram + (VERTICES - RAM), vertices, sizeof vertices);
    picaflor_region regions[2];
    regions[0].address = VRAM, regions[0].length = VRAM_SIZE, regions[0].bytes = self->vram;
    regions[1].address = RAM, regions[1].length = RAM_SIZE, regions[1].bytes = self->ram;
    START(picaflor_memory, memory);
    memory.regions = regions, memory.region_count = 2;
    START(picaflor_ge_config, config);
    config.memory = &memory, config.threads = threads;
    picaflor_ge *ge;
    OK(picaflor_ge_create(engine, &config, &ge));
    return ge;
}

int main(void) {
    picaflor_engine *engine = engine_of(PICAFLOR_MODE_BLOCKING);
    host alone, joint;
    memset(&alone, 0, sizeof alone), memset(&joint, 0, sizeof joint);
    alone.ge = create(&alone, engine, 1);
    frame(&alone);
    joint.ge = create(&joint, engine, 3), joint.other = alone.ge, joint.is_session = 1;
    OK(picaflor_ge_session(joint.ge, frame, &joint));
    CHECK(joint.runs == 9 && alone.runs == 9 && joint.cycles == alone.cycles && joint.cycles > 0);
    CHECK(memcmp(joint.vram, alone.vram, VRAM_SIZE) == 0 && joint.vram[0] == 0x44);
    START(picaflor_ge_stats, first);
    START(picaflor_ge_stats, second);
    OK(picaflor_ge_get_stats(alone.ge, &first));
    OK(picaflor_ge_get_stats(joint.ge, &second));
    CHECK(memcmp(&first, &second, sizeof first) == 0);
    OK(picaflor_ge_session(joint.ge, stopped, &joint));
    START(picaflor_hooks, hooks);
    hooks.user = &joint, hooks.event = from_inside, hooks.events = PICAFLOR_EVENT_COMMAND;
    OK(picaflor_ge_set_hooks(joint.ge, &hooks));
    OK(picaflor_ge_session(joint.ge, watched, &joint));
    OK(picaflor_ge_set_hooks(joint.ge, NULL));
    CHECK(picaflor_ge_session(joint.ge, NULL, NULL) == PICAFLOR_ERROR_NULL);
    CHECK(picaflor_ge_session(NULL, stopped, NULL) == PICAFLOR_ERROR_NULL);
    CHECK(picaflor_ge_before_read(NULL, 0, 0) == PICAFLOR_ERROR_NULL);
    CHECK(picaflor_ge_before_write(NULL, 0, 0) == PICAFLOR_ERROR_NULL);
    OK(picaflor_ge_destroy(alone.ge));
    OK(picaflor_ge_destroy(joint.ge));
    OK(picaflor_engine_destroy(engine));
    free(alone.vram), free(alone.ram), free(joint.vram), free(joint.ram);
    printf("fine: %d runs\n", joint.runs);
    return 0;
}
