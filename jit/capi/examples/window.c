/* A host with a window: plays captures of both machines as an emulator shows frames, with SDL 2.
 *
 *   cc window.c $(pkg-config --cflags --libs picaflor sdl2) -o window
 *   ./window frame.cap
 *
 *   space        pauses and goes on          + -    faster, slower
 *   . or right   one frame, while paused     0      as fast as it goes, and back
 *   q, escape    ends
 *
 *   -s SPEED     1: that of the console (the default); 0: as fast as it goes
 *   -t SCREEN    of the 3DS: 0 upper, 1 upper for the right eye, 2 lower
 *   -x SCALE     of the window, 2 if it is not given
 *   -n FRAMES    ends after so many
 *   -k KEYS      presses these keys, one each time that it looks for events: for tests
 *
 * Without a screen: SDL_VIDEODRIVER=dummy. Each frame that is shown is a line of text with a hash of the window's
 * pixels, so that a test sees what a user would.
 */
#include <SDL.h>
#include <picaflor.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct host {
    SDL_Window *window;
    SDL_Renderer *renderer;
    SDL_Texture *texture;
    const char *keys;      /* still to be pressed */
    double speed, saved;   /* 0: as fast as it goes */
    uint64_t due;          /* of the next frame, in ticks of SDL's counter */
    uint32_t shown, last;  /* frames; 0: all */
    int width, height, scale;
    int is_paused, is_ended;
    int failed;            /* SDL refused something */
} host;

static void fail(host *self, const char *what) {
    fprintf(stderr, "window: %s: %s\n", what, SDL_GetError());
    self->failed = self->is_ended = 1;
}

static void title(host *self) {
    char text[64];
    if (self->speed > 0)
        snprintf(text, sizeof text, "%.0f %%%s", 100 * self->speed, self->is_paused ? ", paused" : "");
    else
        snprintf(text, sizeof text, "unlimited%s", self->is_paused ? ", paused" : "");
    if (self->window)
        SDL_SetWindowTitle(self->window, text);
}

/* One key; returns 1 if a paused host shows another frame. */
static int key(host *self, SDL_Keycode code) {
    switch (code) {
    case SDLK_SPACE:
        self->is_paused = !self->is_paused;
        break;
    case SDLK_PERIOD:
    case SDLK_RIGHT:
        return self->is_paused;
    case SDLK_PLUS:
    case SDLK_EQUALS:
        self->speed = self->speed < 16 ? self->speed * 2 : self->speed;
        break;
    case SDLK_MINUS:
        self->speed = self->speed > 1.0 / 16 ? self->speed / 2 : self->speed;
        break;
    case SDLK_0: {
        double speed = self->speed;
        self->speed = speed > 0 ? 0 : self->saved;
        self->saved = speed > 0 ? speed : self->saved;
        break;
    }
    case SDLK_q:
    case SDLK_ESCAPE:
        self->is_ended = 1;
        break;
    default:
        return 0;
    }
    printf("%s, speed %g\n", self->is_ended ? "ended" : self->is_paused ? "paused" : "playing", self->speed);
    title(self);
    return 0;
}

/* Looks for events; returns 1 if a paused host shows another frame. */
static int events(host *self) {
    SDL_Event event;
    int steps = 0;
    if (self->keys && *self->keys) {
        memset(&event, 0, sizeof event);
        event.type = SDL_KEYDOWN;
        event.key.keysym.sym = (SDL_Keycode)*self->keys++;
        SDL_PushEvent(&event);
    }
    while (!steps && SDL_PollEvent(&event)) {
        if (event.type == SDL_QUIT)
            self->is_ended = 1;
        else if (event.type == SDL_KEYDOWN)
            steps = key(self, event.key.keysym.sym);
    }
    return steps;
}

/* A window for pictures of this size: the screens of the 3DS differ, and wide mode comes and goes. */
static void fit(host *self, int width, int height) {
    if (self->width == width && self->height == height)
        return;
    self->width = width, self->height = height;
    if (!self->window) {
        self->window = SDL_CreateWindow("picaflor", SDL_WINDOWPOS_CENTERED, SDL_WINDOWPOS_CENTERED,
                                        width * self->scale, height * self->scale, 0);
        self->renderer = self->window ? SDL_CreateRenderer(self->window, -1, 0) : NULL;
        title(self);
    } else {
        SDL_SetWindowSize(self->window, width * self->scale, height * self->scale);
    }
    SDL_DestroyTexture(self->texture);
    self->texture = NULL;
    if (self->renderer)
        self->texture = SDL_CreateTexture(self->renderer, SDL_PIXELFORMAT_RGB24, SDL_TEXTUREACCESS_STREAMING, width,
                                          height);
    if (!self->texture)
        fail(self, "no window");
}

/* Waits until the time of the frame. */
static void pace(host *self) {
    if (self->speed <= 0)
        return;
    uint64_t second = SDL_GetPerformanceFrequency(), now = SDL_GetPerformanceCounter();
    if (now < self->due)
        SDL_Delay((uint32_t)((self->due - now) * 1000 / second));
    else if (now - self->due > second / 10)
        self->due = now; /* too slow: do not hurry later */
    self->due += (uint64_t)((double)second / (59.83 * self->speed));
}

/* The pixels of the window, as SDL has them. */
static uint64_t seen(host *self) {
    size_t pitch = (size_t)4 * (size_t)(self->width * self->scale), size = pitch * (size_t)(self->height * self->scale);
    uint8_t *pixels = (uint8_t *)malloc(size);
    uint64_t hash = 0xcbf29ce484222325u;
    if (!pixels || SDL_RenderReadPixels(self->renderer, NULL, SDL_PIXELFORMAT_ARGB8888, pixels, (int)pitch))
        fail(self, "no pixels");
    else
        for (size_t n = 0; n < size; n++)
            hash = (hash ^ pixels[n]) * 0x100000001b3u;
    free(pixels);
    return hash;
}

/* What an emulator does at the end of a frame: show it, look at the keyboard, wait. */
static int32_t show(void *user, const picaflor_frame *frame) {
    host *self = (host *)user;
    if (frame->rgb) {
        fit(self, (int)frame->width, (int)frame->height);
        if (self->is_ended)
            return 1;
        SDL_UpdateTexture(self->texture, NULL, frame->rgb, 3 * (int)frame->width);
        SDL_RenderCopy(self->renderer, self->texture, NULL, NULL);
        uint64_t hash = seen(self); /* before it is presented, and its buffer another */
        SDL_RenderPresent(self->renderer);
        printf("frame %u: %u x %u, %016llx\n", frame->frame, frame->width, frame->height, (unsigned long long)hash);
    }
    pace(self);
    int steps = events(self);
    while (self->is_paused && !steps && !self->is_ended) {
        SDL_Delay(10);
        steps = events(self);
    }
    self->shown++;
    return self->is_ended || (self->last && self->shown == self->last);
}

static uint8_t *read_file(const char *name, size_t *length) {
    SDL_RWops *file = SDL_RWFromFile(name, "rb");
    Sint64 size = file ? SDL_RWsize(file) : -1;
    uint8_t *bytes = size >= 0 ? (uint8_t *)malloc((size_t)size + 1) : NULL;
    if (!bytes || (size && SDL_RWread(file, bytes, (size_t)size, 1) != 1)) {
        fprintf(stderr, "window: %s: %s\n", name, SDL_GetError());
        exit(1);
    }
    SDL_RWclose(file);
    *length = (size_t)size;
    return bytes;
}

int main(int argc, char **argv) {
    host self;
    memset(&self, 0, sizeof self);
    self.speed = self.saved = 1, self.scale = 2;
    uint32_t screen = PICAFLOR_SCREEN_TOP;
    int at = 1;
    for (; at + 1 < argc && argv[at][0] == '-'; at += 2) {
        const char *value = argv[at + 1];
        if (!strcmp(argv[at], "-s"))
            self.speed = atof(value);
        else if (!strcmp(argv[at], "-t"))
            screen = (uint32_t)atoi(value);
        else if (!strcmp(argv[at], "-x"))
            self.scale = atoi(value) > 0 && atoi(value) < 16 ? atoi(value) : 1;
        else if (!strcmp(argv[at], "-n"))
            self.last = (uint32_t)atoi(value);
        else if (!strcmp(argv[at], "-k"))
            self.keys = value;
        else
            break;
    }
    if (at + 1 != argc) {
        fprintf(stderr, "usage: window [-s SPEED] [-t SCREEN] [-x SCALE] [-n FRAMES] [-k KEYS] CAPTURE\n");
        return 2;
    }
    if (SDL_Init(SDL_INIT_VIDEO)) {
        fprintf(stderr, "window: %s\n", SDL_GetError());
        return 1;
    }
    size_t length;
    uint8_t *bytes = read_file(argv[at], &length);
    picaflor_engine *engine = NULL;
    picaflor_status status = picaflor_engine_create(NULL, &engine);
    self.due = SDL_GetPerformanceCounter();
    if (status == PICAFLOR_OK) {
        status = picaflor_gpu_replay(engine, bytes, length, screen, NULL, show, &self);
        if (status == PICAFLOR_ERROR_FORMAT)
            status = picaflor_ge_replay(engine, bytes, length, NULL, show, &self);
    }
    if (status != PICAFLOR_OK)
        fprintf(stderr, "window: %s\n", picaflor_last_error());
    picaflor_engine_destroy(engine);
    free(bytes);
    SDL_DestroyTexture(self.texture);
    SDL_DestroyRenderer(self.renderer);
    SDL_DestroyWindow(self.window);
    SDL_Quit();
    return status != PICAFLOR_OK || self.failed;
}
