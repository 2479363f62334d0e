/* The GPU level: a machine on registered memory draws a triangle, on the interpreter and on compiled code. */
#include "check.h"
#include <fenv.h>

enum { VRAM = 0x18000000, VRAM_SIZE = 0x100000, FCRAM = 0x20000000, FCRAM_SIZE = 0x10000, VERTICES = 0x8000 };
enum { SIDE = 64, PIXELS = SIDE * SIDE };

#define ALL(id) ((id) | 0xf0000u)
#define BYTE(id, n) ((id) | 0x10000u << (n))
static const uint32_t list[][2] = {
    {0, BYTE(0x229, 0)}, {0, BYTE(0x244, 0)},
    {0, ALL(0x2cb)}, {0x4c000000, ALL(0x2cc)}, {0x4c201000, ALL(0x2cc)}, {0x88000000, ALL(0x2cc)},
    {1, ALL(0x2bf)}, {0, ALL(0x2d5)}, {0x0000036f, ALL(0x2d6)},
    {0xa0000001, ALL(0x2b9)}, {0x7fff0000, ALL(0x2ba)}, {0x76543210, ALL(0x2bb)}, {0xfedcba98, ALL(0x2bc)},
    {3, ALL(0x2bd)}, {0x7fff0000, ALL(0x2b0)}, {1, ALL(0x242)},
    {2, ALL(0x04f)}, {0x03020100, ALL(0x050)}, {0x0b0a0908, ALL(0x051)},
    {0, ALL(0x064)}, {0x01030703, ALL(0x06f)}, {1, ALL(0x24a)}, {1, ALL(0x251)}, {1, BYTE(0x25e, 0)},
    {0x440000, ALL(0x041)}, {0x3a000000, ALL(0x042)}, {0x440000, ALL(0x043)}, {0x3a000000, ALL(0x044)},
    {0, ALL(0x068)}, {0, ALL(0x040)}, {0xbf0000, ALL(0x04d)}, {0, ALL(0x04e)}, {1, ALL(0x06d)},
    {1, ALL(0x110)}, {(VRAM + 0x80000) >> 3, ALL(0x11c)}, {VRAM >> 3, ALL(0x11d)}, {0x0103f040, ALL(0x11e)},
    {0x0103f040, ALL(0x06e)}, {3, ALL(0x116)}, {2, ALL(0x117)}, {0, ALL(0x11b)}, {15, ALL(0x112)}, {15, ALL(0x113)},
    {0, ALL(0x0c0)}, {0, ALL(0x0c1)}, {0, ALL(0x0c2)}, {0, ALL(0x0c4)},
    {0x000f000f, ALL(0x0c8)}, {0x000f000f, ALL(0x0d0)}, {0x000f000f, ALL(0x0d8)}, {0x000f000f, ALL(0x0f0)},
    {0x000f000f, ALL(0x0f8)}, {0, ALL(0x0e0)}, {0x00e40000, ALL(0x100)}, {3, ALL(0x102)}, {0x10, ALL(0x104)},
    {0x10, ALL(0x105)}, {0, ALL(0x106)}, {0x0f10, ALL(0x107)}, {0, ALL(0x065)}, {0, ALL(0x080)}, {0, ALL(0x08f)},
    {1, ALL(0x1c6)}, {FCRAM >> 3, ALL(0x200)}, {0xdb, ALL(0x201)}, {0x10000000, ALL(0x202)},
    {VERTICES, ALL(0x203)}, {0x10, ALL(0x204)}, {0x20100000, ALL(0x205)},
    {0, BYTE(0x25e, 1)}, {1, ALL(0x25f)}, {0x80000000, ALL(0x227)}, {3, ALL(0x228)}, {0, ALL(0x22a)},
    {1, BYTE(0x253, 0)}, {0, ALL(0x245)}, {1, ALL(0x22e)}, {1, ALL(0x245)}, {0, BYTE(0x253, 0)}, {1, ALL(0x231)},
    {1, ALL(0x111)}, {0x12345678, ALL(0x010)},
};

typedef struct vertex {
    float position[3];
    uint8_t colour[4];
} vertex;

typedef struct host {
    uint8_t *vram, *fcram;
    uint32_t written_bytes, versions;
    picaflor_gpu *gpu;
    picaflor_status inner;
} host;

static void written(void *user, uint32_t address, uint32_t length) {
    host *self = (host *)user;
    uint32_t interrupts = 7;
    CHECK(address >= VRAM && address + length <= VRAM + VRAM_SIZE);
    self->written_bytes += length;
    /* A call from inside a callback is refused, and does no harm. */
    self->inner = picaflor_gpu_interrupts(self->gpu, &interrupts);
    CHECK(interrupts == 0);
    CHECK(picaflor_gpu_destroy(self->gpu) == PICAFLOR_ERROR_BUSY);
}

static int32_t version(void *user, uint32_t address, uint32_t length, uint64_t *number) {
    (void)address, (void)length;
    ((host *)user)->versions++;
    *number = 1;
    return 0;
}

static uint8_t *region(void *user, uint32_t address, uint32_t length) {
    host *self = (host *)user;
    if (address >= VRAM && (uint64_t)address + length <= VRAM + VRAM_SIZE)
        return self->vram + (address - VRAM);
    if (address >= FCRAM && (uint64_t)address + length <= FCRAM + FCRAM_SIZE)
        return self->fcram + (address - FCRAM);
    return NULL;
}

static void game(host *self) {
    static const vertex vertices[3] = {{{-0.9f, -0.9f, -0.5f}, {1, 0, 0, 1}},
                                       {{0.9f, -0.9f, -0.5f}, {0, 1, 0, 1}},
                                       {{0.0f, 0.9f, -0.5f}, {0, 0, 1, 1}}};
    self->vram = (uint8_t *)calloc(1, VRAM_SIZE);
    self->fcram = (uint8_t *)calloc(1, FCRAM_SIZE);
    CHECK(self->vram && self->fcram);
    memcpy(self->fcram, list, sizeof list);
    memcpy(self->fcram + VERTICES, vertices, sizeof vertices);
}

/* Draws with one engine; the picture is in video memory afterwards. */
static void draw(host *self, uint32_t mode, int by_callback, uint32_t threads) {
    game(self);
    picaflor_engine *engine = engine_of(mode);
    picaflor_region regions[2];
    regions[0].address = VRAM, regions[0].length = VRAM_SIZE, regions[0].bytes = self->vram;
    regions[1].address = FCRAM, regions[1].length = FCRAM_SIZE, regions[1].bytes = self->fcram;
    START(picaflor_memory, memory);
    memory.user = self;
    memory.written = written;
    memory.version = version;
    if (by_callback)
        memory.region = region;
    else
        memory.regions = regions, memory.region_count = 2;
    START(picaflor_gpu_config, config);
    config.memory = &memory;
    config.threads = threads;
    OK(picaflor_gpu_create(engine, &config, &self->gpu));
    memset(regions, 0xff, sizeof regions); /* they were copied */
    OK(picaflor_engine_destroy(engine)); /* the machine keeps it */

    uint32_t finished = 9, interrupts = 0, value = 0;
    OK(picaflor_gpu_fill(self->gpu, 1, VRAM, VRAM + 4 * PIXELS, 0x102030ff, 4));
    OK(picaflor_gpu_run_list(self->gpu, FCRAM, sizeof list, &finished));
    CHECK(finished == PICAFLOR_FINISHED_INTERRUPT && self->inner == PICAFLOR_ERROR_BUSY);
    OK(picaflor_gpu_interrupts(self->gpu, &interrupts));
    CHECK(interrupts == (PICAFLOR_INTERRUPT_PSC1 | PICAFLOR_INTERRUPT_P3D));
    OK(picaflor_gpu_acknowledge(self->gpu, PICAFLOR_INTERRUPT_P3D));
    OK(picaflor_gpu_interrupts(self->gpu, &interrupts));
    CHECK(interrupts == PICAFLOR_INTERRUPT_PSC1);
    OK(picaflor_gpu_read(self->gpu, 0x1040002c, &value));
    CHECK(value == 0x202);
    OK(picaflor_gpu_read_register(self->gpu, 0x11d, &value));
    CHECK(value == VRAM >> 3);
    START(picaflor_gpu_stats, stats);
    OK(picaflor_gpu_get_stats(self->gpu, &stats));
    CHECK(stats.draws == 1 && stats.triangles == 1 && stats.fills == 1 && stats.fragments > 1000);
    picaflor_fault fault;
    size_t faults = 9;
    OK(picaflor_gpu_take_faults(self->gpu, &fault, 1, &faults));
    CHECK(faults == 0 && self->written_bytes > 4 * PIXELS);
}

static void finish(host *self) {
    OK(picaflor_gpu_destroy(self->gpu));
    free(self->vram);
    free(self->fcram);
}

/* The state of the machine and the picture, from one machine to another. */
static void snapshots(host *self) {
    picaflor_buffer *before, *after;
    OK(picaflor_gpu_save(self->gpu, &before));
    OK(picaflor_gpu_write_register(self->gpu, 0x040, 2, 15));
    uint32_t value = 0;
    OK(picaflor_gpu_load(self->gpu, picaflor_buffer_data(before), picaflor_buffer_size(before)));
    OK(picaflor_gpu_read_register(self->gpu, 0x040, &value));
    CHECK(value == 0);
    OK(picaflor_gpu_save(self->gpu, &after));
    CHECK(picaflor_buffer_size(before) == picaflor_buffer_size(after));
    CHECK(memcmp(picaflor_buffer_data(before), picaflor_buffer_data(after), picaflor_buffer_size(after)) == 0);
    OK(picaflor_buffer_destroy(before));
    OK(picaflor_buffer_destroy(after));
}

/* The same picture with other formats, with gaps between its rows. */
static void formats(host *self, const uint8_t *rgb) {
    enum { STRIDE = 4 * SIDE + 12 };
    static uint8_t bytes[STRIDE * SIDE];
    uint32_t width = 0, height = 0;
    START(picaflor_picture_buffer, buffer);
    buffer.format = PICAFLOR_PICTURE_BGRA;
    CHECK(picaflor_gpu_picture_into(self->gpu, PICAFLOR_SCREEN_BOTTOM, &buffer, &width, &height) ==
          PICAFLOR_ERROR_SIZE);
    CHECK(width == SIDE && height == SIDE);
    memset(bytes, 7, sizeof bytes);
    buffer.bytes = bytes;
    buffer.capacity = sizeof bytes - 12;
    buffer.stride = STRIDE;
    OK(picaflor_gpu_picture_into(self->gpu, PICAFLOR_SCREEN_BOTTOM, &buffer, &width, &height));
    for (int y = 0; y < SIDE; y++) {
        for (int x = 0; x < SIDE; x++) {
            const uint8_t *a = rgb + 3 * (SIDE * y + x), *b = bytes + STRIDE * y + 4 * x;
            CHECK(a[0] == b[2] && a[1] == b[1] && a[2] == b[0] && b[3] == 255);
        }
        CHECK(bytes[STRIDE * y + 4 * SIDE] == 7);
    }
    buffer.format = PICAFLOR_PICTURE_RGB;
    buffer.stride = 0;
    OK(picaflor_gpu_picture_into(self->gpu, PICAFLOR_SCREEN_BOTTOM, &buffer, &width, &height));
    CHECK(memcmp(bytes, rgb, 3 * PIXELS) == 0);
}

/* A transfer to linear RGB8 and what the lower screen shows. */
static void screen(host *self) {
    START(picaflor_transfer, transfer);
    transfer.input = VRAM;
    transfer.output = VRAM + 0x40000;
    transfer.output_size = transfer.input_size = SIDE << 16 | SIDE;
    transfer.flags = 1 << 12;
    OK(picaflor_gpu_transfer(self->gpu, &transfer));
    static const uint32_t words[][2] = {
        {0x5c, SIDE << 16 | SIDE}, {0x68, VRAM + 0x40000}, {0x70, 1}, {0x78, 0}, {0x90, SIDE * 3}};
    for (int i = 0; i < 5; i++)
        OK(picaflor_gpu_write(self->gpu, 0x10400500 + words[i][0], words[i][1]));
    uint8_t rgb[PIXELS * 3];
    uint32_t width = 0, height = 0;
    CHECK(picaflor_gpu_picture(self->gpu, 2, rgb, 5, &width, &height) == PICAFLOR_ERROR_SIZE && width == SIDE);
    OK(picaflor_gpu_picture(self->gpu, PICAFLOR_SCREEN_BOTTOM, rgb, sizeof rgb, &width, &height));
    CHECK(width == SIDE && height == SIDE && rgb[0] == 0x10 && rgb[1] == 0x20 && rgb[2] == 0x30);
    const uint8_t *middle = rgb + 3 * (SIDE / 2 * SIDE + SIDE / 2);
    CHECK(middle[0] + middle[1] + middle[2] > 200 && middle[2] > 60);
    formats(self, rgb);
}

/* Blanks of the lower screen: interrupt, status, buffers that change. */
static void blanks(host *self) {
    uint32_t interrupts = 0, value = 0, width, height;
    uint8_t rgb[PIXELS * 3];
    OK(picaflor_gpu_acknowledge(self->gpu, 0xffffffff));
    OK(picaflor_gpu_vblank(self->gpu, PICAFLOR_SCREEN_BOTTOM));
    OK(picaflor_gpu_interrupts(self->gpu, &interrupts));
    CHECK(interrupts == PICAFLOR_INTERRUPT_PDC1);
    OK(picaflor_gpu_acknowledge(self->gpu, PICAFLOR_INTERRUPT_PDC1));
    OK(picaflor_gpu_read(self->gpu, 0x10400034, &value));
    CHECK((value & (3u << 28)) == 1u << 29);
    /* An empty buffer is selected, and shown after the next blank. */
    OK(picaflor_gpu_write(self->gpu, 0x1040056c, VRAM + 0x80000));
    OK(picaflor_gpu_write(self->gpu, 0x10400578, 1));
    OK(picaflor_gpu_write(self->gpu, 0x10400574, 1 << 9));
    OK(picaflor_gpu_picture(self->gpu, PICAFLOR_SCREEN_BOTTOM, rgb, sizeof rgb, &width, &height));
    CHECK(rgb[0] == 0x10);
    OK(picaflor_gpu_vblank(self->gpu, PICAFLOR_SCREEN_BOTTOM));
    OK(picaflor_gpu_interrupts(self->gpu, &interrupts));
    CHECK(interrupts == 0);
    OK(picaflor_gpu_picture(self->gpu, PICAFLOR_SCREEN_BOTTOM, rgb, sizeof rgb, &width, &height));
    CHECK(rgb[0] == 0);
    /* A fill that ends before its start is a fault that names its register. */
    OK(picaflor_gpu_fill(self->gpu, 0, VRAM + 64, VRAM + 32, 0, 4));
    picaflor_fault fault;
    size_t faults = 0;
    OK(picaflor_gpu_take_faults(self->gpu, &fault, 1, &faults));
    CHECK(faults == 1 && fault.kind == PICAFLOR_FAULT_BAD_SETTING && fault.at == 0x8014);
}

static void recording(host *self) {
    picaflor_buffer *capture;
    OK(picaflor_gpu_start_recording(self->gpu, NULL, 0));
    OK(picaflor_gpu_run_list(self->gpu, FCRAM, sizeof list, NULL));
    OK(picaflor_gpu_frame_end(self->gpu));
    OK(picaflor_gpu_stop_recording(self->gpu, &capture));
    CHECK(picaflor_buffer_size(capture) > 500 && memcmp(picaflor_buffer_data(capture), "PicaCap\n", 8) == 0);
    OK(picaflor_buffer_destroy(capture));
}

int main(void) {
    host expected, actual;
    memset(&expected, 0, sizeof expected);
    draw(&expected, PICAFLOR_MODE_INTERPRETER, 0, 1);
    /* The caller's floating-point mode neither matters nor changes. */
    CHECK(fesetround(FE_UPWARD) == 0);
    for (int by_callback = 0; by_callback < 2; by_callback++) {
        memset(&actual, 0, sizeof actual);
        draw(&actual, PICAFLOR_MODE_BLOCKING, by_callback, 1 + (uint32_t)by_callback);
        CHECK(memcmp(expected.vram, actual.vram, VRAM_SIZE) == 0);
        picaflor_engine *engine = engine_of(PICAFLOR_MODE_BLOCKING);
        OK(picaflor_gpu_set_engine(actual.gpu, engine));
        OK(picaflor_gpu_run_list(actual.gpu, FCRAM, sizeof list, NULL));
        START(picaflor_engine_stats, stats);
        OK(picaflor_engine_get_stats(engine, &stats));
        CHECK(stats.fragment_draws == 1 && stats.interpreted_tiles == 0 && stats.interpreter_batches == 0);
        CHECK(memcmp(expected.vram, actual.vram, VRAM_SIZE) == 0);
        OK(picaflor_engine_destroy(engine));
        if (!by_callback)
            snapshots(&actual), screen(&actual), blanks(&actual), recording(&actual);
        finish(&actual);
    }
    CHECK(fegetround() == FE_UPWARD);
    finish(&expected);
    puts("fine");
    return 0;
}
