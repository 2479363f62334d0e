/* The loop of a small emulator around the GPU. A real one runs the console's CPU here; this one has a "game" written in
 * C that moves a triangle, and does what the console's system software would do for it.
 *
 *   cc emulator.c $(pkg-config --cflags --libs picaflor) -o emulator && ./emulator picture.ppm [recording.cap]
 */
#include <picaflor.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VRAM = 0x18000000, VRAM_SIZE = 6 << 20, FCRAM = 0x20000000, FCRAM_SIZE = 16 << 20 };
enum { COLOUR = VRAM, DEPTH = VRAM + 0x80000, FRAME = VRAM + 0x100000, LIST = FCRAM, VERTICES = FCRAM + 0x10000 };
enum { WIDTH = 240, HEIGHT = 400, FRAMES = 3 }; /* the panel is mounted on its side */

/* The memory of the console. An emulator has page tables here. */
struct console {
    uint8_t *vram, *fcram;
    picaflor_gpu *gpu;
};

static void must(picaflor_status status, const char *what) {
    if (status != PICAFLOR_OK) {
        fprintf(stderr, "%s: %s\n", what, picaflor_last_error());
        exit(1);
    }
}

/* Where guest memory lies in the host. Only physical addresses arrive here. */
static uint8_t *region(void *user, uint32_t address, uint32_t length) {
    struct console *console = user;
    if (address >= VRAM && (uint64_t)address + length <= (uint64_t)VRAM + VRAM_SIZE)
        return console->vram + (address - VRAM);
    if (address >= FCRAM && (uint64_t)address + length <= (uint64_t)FCRAM + FCRAM_SIZE)
        return console->fcram + (address - FCRAM);
    return NULL;
}

/* An emulator that caches what it derives from memory (recompiled CPU code, say) drops it here. */
static void written(void *user, uint32_t address, uint32_t length) {
    (void)user, (void)address, (void)length;
}

/* The game: vertices of position (3 floats) and colour (4 bytes), and a vertex program: o0 = c0 + v0, o1 = v1. */
static const struct {
    float position[3];
    uint8_t colour[4];
} triangle[3] = {{{-0.6f, -0.7f, -0.5f}, {1, 0, 0, 1}}, {{-0.6f, 0.7f, -0.5f}, {0, 1, 0, 1}},
                 {{0.7f, 0.0f, -0.5f}, {0, 0, 1, 1}}};

#define ALL(id) ((id) | 0xf0000u)            /* a write to all bytes of a register */
#define BYTE(id, n) ((id) | 0x10000u << (n)) /* to byte n */
static const uint32_t state[][2] = {
    {0, BYTE(0x229, 0)}, {0, BYTE(0x244, 0)},                                /* no geometry program */
    {0, ALL(0x2cb)}, {0x00020000, ALL(0x2cc)}, {0x4c201001, ALL(0x2cc)}, {0x88000000, ALL(0x2cc)}, /* code */
    {1, ALL(0x2bf)}, {0, ALL(0x2d5)}, {0x0006c36f, ALL(0x2d6)}, {0x0000036f, ALL(0x2d6)}, /* operand descriptors */
    {0xa0000001, ALL(0x2b9)}, {0x7fff0000, ALL(0x2ba)}, {0x76543210, ALL(0x2bb)}, {0xfedcba98, ALL(0x2bc)},
    {3, ALL(0x2bd)}, {0x7fff0000, ALL(0x2b0)}, {1, ALL(0x242)},              /* two inputs, two outputs */
    {2, ALL(0x04f)}, {0x03020100, ALL(0x050)}, {0x0b0a0908, ALL(0x051)},     /* o0 position, o1 colour */
    {0, ALL(0x064)}, {0x01030703, ALL(0x06f)}, {1, ALL(0x24a)}, {1, ALL(0x251)}, {1, BYTE(0x25e, 0)},
    {0x45e000, ALL(0x041)}, {0x38111112, ALL(0x042)}, {0x469000, ALL(0x043)}, {0x3747ae14, ALL(0x044)},
    {0, ALL(0x068)}, {0, ALL(0x040)}, {0xbf0000, ALL(0x04d)}, {0, ALL(0x04e)}, {1, ALL(0x06d)}, /* viewport, depth */
    {1, ALL(0x110)}, {DEPTH >> 3, ALL(0x11c)}, {COLOUR >> 3, ALL(0x11d)}, {0x0118f0f0, ALL(0x11e)},
    {0x0118f0f0, ALL(0x06e)}, {3, ALL(0x116)}, {2, ALL(0x117)}, {0, ALL(0x11b)}, {15, ALL(0x112)}, {15, ALL(0x113)},
    {0, ALL(0x114)}, {0, ALL(0x115)},                                        /* RGBA8, 240x400, no depth */
    {0, ALL(0x0c0)}, {0, ALL(0x0c1)}, {0, ALL(0x0c2)}, {0, ALL(0x0c4)},      /* the first stage: vertex colour */
    {0x000f000f, ALL(0x0c8)}, {0x000f000f, ALL(0x0d0)}, {0x000f000f, ALL(0x0d8)}, {0x000f000f, ALL(0x0f0)},
    {0x000f000f, ALL(0x0f8)}, {0, ALL(0x0e0)},                               /* the others hand on; no fog */
    {0x00e40000, ALL(0x100)}, {3, ALL(0x102)}, {0x10, ALL(0x104)}, {0x10, ALL(0x105)}, {0, ALL(0x106)},
    {0x0f10, ALL(0x107)}, {0, ALL(0x065)}, {0, ALL(0x080)}, {0, ALL(0x08f)}, {1, ALL(0x1c6)},  /* copy; no tests */
    {FCRAM >> 3, ALL(0x200)}, {0xdb, ALL(0x201)}, {0x10000000, ALL(0x202)}, /* 3 floats and 4 bytes, ... */
    {VERTICES - FCRAM, ALL(0x203)}, {0x10, ALL(0x204)}, {0x20100000, ALL(0x205)}, /* ... 16 bytes from one to the next */
};
static const uint32_t draw[][2] = {
    {0, BYTE(0x25e, 1)}, {1, ALL(0x25f)}, {0x80000000, ALL(0x227)}, {3, ALL(0x228)}, {0, ALL(0x22a)},
    {1, BYTE(0x253, 0)}, {0, ALL(0x245)}, {1, ALL(0x22e)}, {1, ALL(0x245)}, {0, BYTE(0x253, 0)}, {1, ALL(0x231)},
    {1, ALL(0x111)}, {0x12345678, ALL(0x010)},                               /* flush; the end and its interrupt */
};

/* Writes this frame's command list into guest memory, as the game's code would; gives its size. */
static uint32_t game(struct console *console, int frame) {
    uint32_t *list = (uint32_t *)console->fcram, *start = list, uniform[4] = {0, 0, 0, 0};
    float x = 0.1f * (float)frame;
    memcpy(console->fcram + (VERTICES - FCRAM), triangle, sizeof triangle);
    memcpy(list, state, sizeof state), list += sizeof state / 4;
    memcpy(&uniform[3], &x, 4); /* c0 = (x, 0, 0, 0), uploaded w first */
    *list++ = 0x80000000, *list++ = ALL(0x2c0);
    for (int i = 0; i < 4; i++)
        *list++ = uniform[i], *list++ = ALL(0x2c1);
    memcpy(list, draw, sizeof draw), list += sizeof draw / 4;
    while ((list - start) % 4 != 0)
        *list++ = 0;
    return (uint32_t)(list - start) * 4;
}

/* What the system software does for a frame: clear, run the list, bring the picture to the screen. */
static void frame(struct console *console, int number) {
    picaflor_gpu *gpu = console->gpu;
    must(picaflor_gpu_fill(gpu, 0, COLOUR, COLOUR + WIDTH * HEIGHT * 4, 0x202840ff, 4), "fill");
    must(picaflor_gpu_run_list(gpu, LIST, game(console, number), NULL), "list");
    picaflor_transfer transfer = {.size = sizeof transfer, .input = COLOUR, .output = FRAME};
    transfer.output_size = transfer.input_size = HEIGHT << 16 | WIDTH;
    transfer.flags = 1 << 12; /* tiled RGBA8 to linear RGB8 */
    must(picaflor_gpu_transfer(gpu, &transfer), "transfer");
    const uint32_t screen[][2] = {{0x5c, HEIGHT << 16 | WIDTH}, {0x68, FRAME}, {0x70, 1}, {0x78, 0}, {0x90, WIDTH * 3}};
    for (size_t i = 0; i < sizeof screen / sizeof *screen; i++)
        must(picaflor_gpu_write(gpu, 0x10400400 + screen[i][0], screen[i][1]), "screen");
    must(picaflor_gpu_frame_end(gpu), "frame end");

    uint32_t interrupts; /* an emulator hands them to its interrupt controller */
    must(picaflor_gpu_interrupts(gpu, &interrupts), "interrupts");
    must(picaflor_gpu_acknowledge(gpu, interrupts), "acknowledge");
    printf("frame %d: interrupts %#x\n", number, interrupts);
    picaflor_fault faults[8];
    size_t count;
    must(picaflor_gpu_take_faults(gpu, faults, 8, &count), "faults");
    for (size_t i = 0; i < count && i < 8; i++)
        printf("the guest did something wrong: %s\n", faults[i].text);
}

static void save_picture(picaflor_gpu *gpu, const char *path) {
    uint32_t width, height;
    must(picaflor_gpu_picture(gpu, PICAFLOR_SCREEN_TOP, NULL, 0, &width, &height), "picture");
    size_t size = (size_t)width * height * 3;
    uint8_t *rgb = malloc(size + 1);
    must(picaflor_gpu_picture(gpu, PICAFLOR_SCREEN_TOP, rgb, size, &width, &height), "picture");
    FILE *file = fopen(path, "wb");
    if (!file || fprintf(file, "P6\n%u %u\n255\n", width, height) < 0 || fwrite(rgb, 1, size, file) != size ||
        fclose(file) != 0) {
        perror(path);
        exit(1);
    }
    free(rgb);
}

int main(int argc, char **argv) {
    if (argc < 2 || picaflor_abi_version() != PICAFLOR_ABI)
        return fprintf(stderr, "usage: emulator PICTURE.ppm [RECORDING.cap]\n"), 2;
    struct console console = {calloc(1, VRAM_SIZE), calloc(1, FCRAM_SIZE), NULL};
    picaflor_memory memory = {.size = sizeof memory, .user = &console, .region = region, .written = written};
    picaflor_gpu_config config = {.size = sizeof config, .memory = &memory, .threads = 2};
    picaflor_engine *engine;
    must(picaflor_engine_create(NULL, &engine), "engine");
    must(picaflor_gpu_create(engine, &config, &console.gpu), "machine");
    const picaflor_range ranges[] = {{VRAM, VRAM_SIZE}, {FCRAM, FCRAM_SIZE}};
    if (argc > 2)
        must(picaflor_gpu_start_recording(console.gpu, ranges, 2), "recording");

    for (int number = 0; number < FRAMES; number++)
        frame(&console, number);

    save_picture(console.gpu, argv[1]);
    if (argc > 2)
        must(picaflor_gpu_stop_recording_to(console.gpu, argv[2]), "recording");
    must(picaflor_gpu_destroy(console.gpu), "machine");
    must(picaflor_engine_destroy(engine), "engine");
    free(console.vram);
    free(console.fcram);
    return 0;
}
