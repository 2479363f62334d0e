/* The PSP's machine: lists with a stall, a signal and a context draw a triangle, on the interpreter and on compiled
 * code. */
#include "check.h"
#include <fenv.h>

enum { VRAM = 0x04000000, VRAM_SIZE = 0x200000, RAM = 0x08800000, RAM_SIZE = 0x10000 };
enum { VERTICES = RAM + 0x8000, CONTEXT = RAM + 0x9000, PICTURE = RAM + 0xa000, SIDE = 64 };
enum { PRIM = 0x04, END = 0x0c, SIGNAL = 0x0e, FINISH = 0x0f, BASE = 0x10, ATE = 0x22, CLOAD = 0xc4, TRXKICK = 0xea };

#define WORD(command, argument) ((uint32_t)(command) << 24 | (argument))
static const uint32_t list[] = {
    WORD(0x9c, 0), WORD(0x9d, 512), WORD(0xd2, 3), /* to VRAM, 512 to the row, 8888 */
    WORD(0x15, 0), WORD(0x16, 0xfffff), WORD(0xd4, 0), WORD(0xd5, (SIDE - 1) << 10 | (SIDE - 1)),
    WORD(0x12, 0x80011c), WORD(BASE, 0x080000), WORD(0x01, VERTICES & 0xffffff), /* through mode: colour, 16-bit place */
    WORD(0x3a, 0), WORD(0x3b, 0x3f8000), WORD(0xb0, PICTURE & 0xffffff), WORD(0xb1, 0x080000), WORD(CLOAD, 1),
    WORD(PRIM, 3 << 16 | 3), WORD(SIGNAL, 0x010007), WORD(END, 0), /* the list waits for the handler */
    WORD(0xb2, PICTURE & 0xffffff), WORD(0xb3, 0x080010), WORD(0xb4, 0x1000), WORD(0xb5, 0x040010),
    WORD(0xeb, 0), WORD(0xec, 0), WORD(0xee, 15), WORD(TRXKICK, 1), /* 64 bytes from RAM to VRAM */
    WORD(ATE, 1), WORD(FINISH, 9), WORD(END, 0),
};
enum { SIGNALLED = 18, STALL = 4 };

typedef struct host {
    uint8_t *vram, *ram;
    uint32_t written_bytes;
    picaflor_ge *ge;
    picaflor_status inner;
} host;

static void written(void *user, uint32_t address, uint32_t length) {
    host *self = (host *)user;
    CHECK(address >= VRAM && address < RAM + RAM_SIZE);
    self->written_bytes += length;
    self->inner = picaflor_ge_forget_completed(self->ge);
}

static void game(host *self) {
    static const struct {
        uint32_t colour;
        int16_t x, y, z, pad;
    } vertices[3] = {{0xff0000ff, 2, 2, 0, 0}, {0xff00ff00, 62, 2, 0, 0}, {0xffff0000, 2, 62, 0, 0}};
    self->vram = (uint8_t *)calloc(1, VRAM_SIZE);
    self->ram = (uint8_t *)calloc(1, RAM_SIZE);
    CHECK(self->vram && self->ram);
    memcpy(self->ram, list, sizeof list);
    memcpy(self->ram + (VERTICES - RAM), vertices, sizeof vertices);
    for (int n = 0; n < 64; n++)
        self->ram[PICTURE - RAM + n] = (uint8_t)(n + 1);
}

static void create(host *self, uint32_t mode, uint32_t threads) {
    game(self);
    picaflor_engine *engine = engine_of(mode);
    picaflor_region regions[2];
    regions[0].address = VRAM, regions[0].length = VRAM_SIZE, regions[0].bytes = self->vram;
    regions[1].address = RAM, regions[1].length = RAM_SIZE, regions[1].bytes = self->ram;
    START(picaflor_memory, memory);
    memory.user = self, memory.written = written;
    memory.regions = regions, memory.region_count = 2;
    START(picaflor_ge_config, config);
    config.memory = &memory;
    OK(picaflor_ge_create(engine, &config, &self->ge));
    OK(picaflor_ge_set_memory(self->ge, &memory));
    OK(picaflor_ge_set_engine(self->ge, engine));
    OK(picaflor_ge_set_threads(self->ge, threads));
    OK(picaflor_ge_set_sdk(self->ge, 0x06060010));
    OK(picaflor_engine_destroy(engine)); /* the machine keeps it */
}

/* Runs, and gives why lists do not go on. */
static uint32_t progress(picaflor_ge *ge) {
    uint32_t progress = 9, first = 9;
    OK(picaflor_ge_run(ge, &progress, &first));
    CHECK(first == 0);
    return progress;
}

/* What list 0 is doing, and all together. */
static int are(picaflor_ge *ge, uint32_t list, uint32_t all) {
    uint32_t one, together;
    OK(picaflor_ge_list_sync(ge, 0, &one));
    OK(picaflor_ge_draw_sync(ge, &together));
    return one == list && together == all;
}

/* From the first call to the interrupt of the signal. */
static void draw(host *self) {
    picaflor_ge *ge = self->ge;
    uint32_t answer = 5;
    START(picaflor_ge_list, request);
    request.address = RAM, request.stall = RAM + STALL, request.context = CONTEXT;
    OK(picaflor_ge_enqueue(ge, &request, &answer));
    CHECK(answer == 0 && progress(ge) == PICAFLOR_GE_STALLED);
    CHECK(are(ge, PICAFLOR_GE_LIST_STALLING, PICAFLOR_GE_LIST_STALLING));
    OK(picaflor_ge_save_context(ge, CONTEXT, &answer));
    CHECK(answer == 0xffffffff); /* there is a list */
    OK(picaflor_ge_break(ge, 0, &answer));
    CHECK(answer == 0 && progress(ge) == PICAFLOR_GE_PAUSED);
    CHECK(are(ge, PICAFLOR_GE_LIST_PAUSED, PICAFLOR_GE_LIST_DRAWING));
    OK(picaflor_ge_continue(ge, &answer));
    CHECK(answer == 0);
    OK(picaflor_ge_update_stall(ge, 0, 0, &answer));
    CHECK(answer == 0 && progress(ge) == PICAFLOR_GE_INTERRUPT);
    CHECK(are(ge, PICAFLOR_GE_LIST_DRAWING, PICAFLOR_GE_LIST_DRAWING));
    CHECK(self->inner == PICAFLOR_ERROR_BUSY && self->written_bytes > 0);
}

/* What the guest's handler may read. */
static void read_back(picaflor_ge *ge) {
    uint32_t word, elements[16];
    uint8_t clut[PICAFLOR_GE_CLUT_BYTES];
    OK(picaflor_ge_read_command(ge, 0x9d, &word));
    CHECK(word == WORD(0x9d, 512));
    OK(picaflor_ge_read_matrix(ge, 8, elements, 12));
    CHECK(elements[0] == 0x3f8000 && elements[1] == 0);
    OK(picaflor_ge_read_matrix(ge, 10, elements, 16));
    OK(picaflor_ge_read_clut(ge, clut, sizeof clut));
    CHECK(clut[0] == 1 && clut[31] == 32 && clut[32] == 0);
}

/* From the interrupt of the signal to the end. */
static void finish(host *self) {
    picaflor_ge *ge = self->ge;
    picaflor_ge_interrupt interrupt;
    uint32_t answer;
    OK(picaflor_ge_next_interrupt(ge, &interrupt));
    CHECK(interrupt.kind == PICAFLOR_GE_INTERRUPT_SIGNAL && interrupt.token == 7 && interrupt.list == 0);
    CHECK(interrupt.pc == RAM + 4 * SIGNALLED);
    OK(picaflor_ge_acknowledge(ge, interrupt.kind, interrupt.list));
    CHECK(progress(ge) == PICAFLOR_GE_IDLE && are(ge, PICAFLOR_GE_LIST_COMPLETED, PICAFLOR_GE_LIST_COMPLETED));
    OK(picaflor_ge_next_interrupt(ge, &interrupt));
    CHECK(interrupt.kind == PICAFLOR_GE_INTERRUPT_FINISH && interrupt.token == 9);
    OK(picaflor_ge_acknowledge(ge, interrupt.kind, interrupt.list));
    OK(picaflor_ge_next_interrupt(ge, &interrupt));
    CHECK(interrupt.kind == PICAFLOR_GE_INTERRUPT_NONE);
    OK(picaflor_ge_forget_completed(ge));
    OK(picaflor_ge_list_sync(ge, 0, &answer));
    CHECK(answer == 0x80000100);
    OK(picaflor_ge_read_command(ge, ATE, &answer));
    CHECK(answer == WORD(ATE, 0)); /* as in the context */
    CHECK(memcmp(self->vram + 0x1000, self->ram + (PICTURE - RAM), 64) == 0);
    picaflor_fault fault;
    size_t faults = 9;
    OK(picaflor_ge_take_faults(ge, &fault, 1, &faults));
    CHECK(faults == 0);
    START(picaflor_ge_stats, stats);
    OK(picaflor_ge_get_stats(ge, &stats));
    CHECK(stats.draws == 1 && stats.primitives == 1 && stats.covered > 1700 && stats.transferred == 64);
}

static void screen(picaflor_ge *ge) {
    static uint8_t rgb[PICAFLOR_GE_PICTURE_BYTES];
    OK(picaflor_ge_picture(ge, VRAM, 512, 3, rgb, sizeof rgb));
    const uint8_t *inside = rgb + 3 * (PICAFLOR_GE_WIDTH * 20 + 20), *outside = rgb + 3 * (PICAFLOR_GE_WIDTH * 70 + 5);
    CHECK(inside[0] + inside[1] + inside[2] > 200 && outside[0] + outside[1] + outside[2] == 0);
    static uint8_t rgba[4 * PICAFLOR_GE_WIDTH * PICAFLOR_GE_HEIGHT];
    START(picaflor_picture_buffer, buffer);
    buffer.bytes = rgba;
    buffer.capacity = sizeof rgba;
    buffer.format = PICAFLOR_PICTURE_RGBA;
    OK(picaflor_ge_picture_into(ge, VRAM, 512, 3, &buffer));
    for (size_t n = 0; n < sizeof rgba / 4; n++)
        CHECK(memcmp(rgba + 4 * n, rgb + 3 * n, 3) == 0 && rgba[4 * n + 3] == 255);
}

/* Contexts, mirrors, and lists that go away. */
static void calls(host *self) {
    picaflor_ge *ge = self->ge;
    uint32_t answer = 5;
    OK(picaflor_ge_save_context(ge, CONTEXT, &answer));
    CHECK(answer == 0);
    OK(picaflor_ge_restore_context(ge, CONTEXT, &answer));
    CHECK(answer == 0);
    OK(picaflor_ge_set_translation(ge, 0x800, &answer));
    CHECK(answer == 0x400);
    OK(picaflor_ge_set_translation(ge, 0x401, &answer));
    CHECK(answer == 0x800001fe);
    START(picaflor_ge_list, request);
    request.address = request.stall = RAM, request.callback = -1;
    uint32_t id;
    OK(picaflor_ge_enqueue(ge, &request, &id));
    request.at_head = 1;
    OK(picaflor_ge_enqueue(ge, &request, &answer));
    CHECK(answer == 0x800001fe); /* the first one is not paused */
    OK(picaflor_ge_dequeue(ge, id, &answer));
    CHECK(answer == 0);
    OK(picaflor_ge_dequeue(ge, id, &answer));
    CHECK(answer == 0x80000100);
}

/* The machine as it was when its list had signalled, which then ends again. */
static void snapshots(host *self, picaflor_buffer *signalled) {
    picaflor_buffer *again;
    OK(picaflor_ge_load(self->ge, picaflor_buffer_data(signalled), picaflor_buffer_size(signalled)));
    OK(picaflor_ge_save(self->ge, &again));
    CHECK(picaflor_buffer_size(again) == picaflor_buffer_size(signalled));
    CHECK(memcmp(picaflor_buffer_data(again), picaflor_buffer_data(signalled), picaflor_buffer_size(again)) == 0);
    OK(picaflor_buffer_destroy(again));
    OK(picaflor_buffer_destroy(signalled));
    memset(self->vram + 0x1000, 0, 64);
    finish(self);
}

/* Ends the recording; into a file, where a name is given. */
static void stop(host *self, const char *path) {
    picaflor_buffer *capture;
    OK(picaflor_ge_frame_end(self->ge, VRAM, 512, 3));
    if (path) {
        OK(picaflor_ge_stop_recording_to(self->ge, path));
        return;
    }
    OK(picaflor_ge_stop_recording(self->ge, &capture));
    CHECK(picaflor_buffer_size(capture) > 500 && memcmp(picaflor_buffer_data(capture), "PicaCap\n", 8) == 0);
    CHECK(memcmp(picaflor_buffer_data(capture) + 12, "GEHD", 4) == 0);
    OK(picaflor_buffer_destroy(capture));
    CHECK(picaflor_ge_stop_recording_to(self->ge, "x") == PICAFLOR_ERROR_STATE);
}

static void play(host *self, uint32_t mode, uint32_t threads, const char *path) {
    picaflor_buffer *signalled;
    memset(self, 0, sizeof *self);
    create(self, mode, threads);
    if (threads > 1)
        OK(picaflor_ge_start_recording(self->ge, NULL, 0));
    draw(self);
    read_back(self->ge);
    OK(picaflor_ge_save(self->ge, &signalled));
    finish(self);
    screen(self->ge);
    calls(self);
    snapshots(self, signalled);
    if (threads > 1)
        stop(self, path);
}

int main(int argc, char **argv) {
    host expected, actual;
    play(&expected, PICAFLOR_MODE_INTERPRETER, 1, NULL);
    CHECK(fesetround(FE_UPWARD) == 0);
    for (uint32_t threads = 1; threads < 3; threads++) {
        play(&actual, PICAFLOR_MODE_BLOCKING, threads, argc > 1 ? argv[1] : NULL);
        CHECK(memcmp(expected.vram, actual.vram, VRAM_SIZE) == 0);
        CHECK(memcmp(expected.ram, actual.ram, RAM_SIZE) == 0);
        OK(picaflor_ge_destroy(actual.ge));
        free(actual.vram), free(actual.ram);
    }
    CHECK(fegetround() == FE_UPWARD);
    OK(picaflor_ge_destroy(expected.ge));
    free(expected.vram), free(expected.ram);
    puts("fine");
    return 0;
}
