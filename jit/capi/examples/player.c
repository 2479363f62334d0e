/* A player of captures, as a whole program: both machines, speed, single frames, pictures. It has no window: where one would
 * draw the picture into its texture, this prints a line, or writes a file.
 *
 *   cc player.c $(pkg-config --cflags --libs picaflor) -o player
 *   ./player frame.cap                  every frame: its number, draws, and a hash of its picture
 *   ./player -s 1 frame.cap             at the speed of the console; 2: twice as fast
 *   ./player -o picture frame.cap       picture-0.ppm and so on
 *   ./player -i frame.cap               waits for a line before each frame: empty: play it; a number: play so many;
 *                                       `d`: play it, and print its draws; `q`: end
 *   ./player -t 2 frame.cap             the lower screen of the 3DS; 1: the upper one for the right eye
 */
#if !defined(__cplusplus)
#define _POSIX_C_SOURCE 199309L
#endif
#include <picaflor.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct player {
    double speed, due;      /* of the next frame, in seconds */
    const char *pictures;   /* start of their names, or NULL */
    int is_stepped, left;   /* frames to play before the next line */
    int prints_draws, is_ended;
} player;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Waits until the time of the frame. A console has 59.83 of them in a second, a PSP 59.94. */
static void pace(player *self) {
    if (self->speed <= 0)
        return;
    double late = now() - self->due;
    if (late < 0) {
        struct timespec wait;
        wait.tv_sec = (time_t)-late, wait.tv_nsec = (long)((-late - (double)wait.tv_sec) * 1e9);
        nanosleep(&wait, NULL);
    } else if (late > 0.1) {
        self->due = now(); /* too slow: do not hurry later */
    }
    self->due += 1 / (59.83 * self->speed);
}

/* What to do before the next frame; 0 to end. */
static int ask(player *self) {
    char line[64];
    self->prints_draws = 0;
    if (!self->is_stepped || self->left-- > 0)
        return 1;
    if (!fgets(line, sizeof line, stdin) || line[0] == 'q')
        return 0;
    self->prints_draws = line[0] == 'd';
    self->left = atoi(line) > 0 ? atoi(line) - 1 : 0;
    return 1;
}

static uint64_t hash(const uint8_t *bytes, size_t length) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t n = 0; n < length; n++)
        hash = (hash ^ bytes[n]) * 0x100000001b3u;
    return hash;
}

static void write_picture(const player *self, const picaflor_frame *frame) {
    char name[512];
    snprintf(name, sizeof name, "%s-%u.ppm", self->pictures, frame->frame);
    FILE *file = fopen(name, "wb");
    if (!file) {
        perror(name);
        return;
    }
    fprintf(file, "P6\n%u %u\n255\n", frame->width, frame->height);
    fwrite(frame->rgb, 3, (size_t)frame->width * frame->height, file);
    fclose(file);
}

static int32_t show(void *user, const picaflor_frame *frame) {
    player *self = (player *)user;
    size_t size = (size_t)3 * frame->width * frame->height;
    pace(self);
    printf("frame %u: %u x %u, %llu draws, %u errors, %016llx\n", frame->frame, frame->width, frame->height,
           (unsigned long long)frame->draws, frame->errors,
           frame->rgb ? (unsigned long long)hash(frame->rgb, size) : 0);
    if (self->pictures && frame->rgb)
        write_picture(self, frame);
    self->is_ended = !ask(self);
    return self->is_ended;
}

static void draw(void *user, const picaflor_event *event) {
    if (((player *)user)->prints_draws)
        printf("  draw %u\n", event->draw);
}

static uint8_t *read_file(const char *name, size_t *length) {
    FILE *file = fopen(name, "rb");
    if (!file || fseek(file, 0, SEEK_END)) {
        perror(name);
        exit(1);
    }
    *length = (size_t)ftell(file);
    uint8_t *bytes = (uint8_t *)malloc(*length + 1);
    rewind(file);
    if (!bytes || fread(bytes, 1, *length, file) != *length) {
        perror(name);
        exit(1);
    }
    fclose(file);
    return bytes;
}

int main(int argc, char **argv) {
    player self;
    memset(&self, 0, sizeof self);
    uint32_t screen = PICAFLOR_SCREEN_TOP;
    int at = 1;
    for (; at < argc && argv[at][0] == '-'; at++) {
        if (!strcmp(argv[at], "-i"))
            self.is_stepped = 1;
        else if (!strcmp(argv[at], "-s") && at + 1 < argc)
            self.speed = atof(argv[++at]);
        else if (!strcmp(argv[at], "-o") && at + 1 < argc)
            self.pictures = argv[++at];
        else if (!strcmp(argv[at], "-t") && at + 1 < argc)
            screen = (uint32_t)atoi(argv[++at]);
        else
            break;
    }
    if (at + 1 != argc) {
        fprintf(stderr, "usage: player [-i] [-s SPEED] [-o PICTURES] [-t SCREEN] CAPTURE\n");
        return 2;
    }
    size_t length;
    uint8_t *bytes = read_file(argv[at], &length);
    picaflor_engine *engine;
    picaflor_hooks hooks;
    memset(&hooks, 0, sizeof hooks);
    hooks.size = sizeof hooks, hooks.user = &self, hooks.event = draw, hooks.events = PICAFLOR_EVENT_DRAW_END;
    const picaflor_hooks *wanted = self.is_stepped ? &hooks : NULL; /* hooks cost threads their overlap */
    picaflor_status status = picaflor_engine_create(NULL, &engine);
    self.due = now();
    if (status == PICAFLOR_OK && ask(&self)) {
        status = picaflor_gpu_replay(engine, bytes, length, screen, wanted, show, &self);
        if (status == PICAFLOR_ERROR_FORMAT)
            status = picaflor_ge_replay(engine, bytes, length, wanted, show, &self);
    }
    if (status != PICAFLOR_OK)
        fprintf(stderr, "player: %s\n", picaflor_last_error());
    picaflor_engine_destroy(engine);
    free(bytes);
    return status == PICAFLOR_OK ? 0 : 1;
}
