/*
 * Calls of the C library, chosen by bytes: through the header, as a host would, with what the header says about NULL,
 * sizes and ranges put to the test. Structures and arrays lie in blocks of exactly their length, so that the address
 * sanitiser sees every byte too many.
 */
#include "picaflor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CALLS = 48, ENGINES = 2, PROGRAMS = 3, UNITS = 2, GPUS = 2, GES = 2, BLOCKS = 64, MEMORY = 16384 };
enum { MEMORIES = 4, VRAM = 2, RAM = 3 }; /* two of the PICA200, two of the GE */

static const uint32_t BASES[MEMORIES] = {0x18000000, 0x20000000, 0x04000000, 0x08800000};
static const uint32_t SIZES[MEMORIES] = {MEMORY, MEMORY, 2 << 20, MEMORY};

/* What one case has. */
struct host {
    const uint8_t *at, *end;
    picaflor_engine *engines[ENGINES];
    picaflor_program *programs[PROGRAMS];
    picaflor_geometry_unit *units[UNITS];
    picaflor_gpu *gpus[GPUS];
    picaflor_ge *ges[GES];
    picaflor_buffer *buffer;
    uint8_t *memory[MEMORIES];
    void *blocks[BLOCKS]; /* freed after each call */
    size_t block_count;
};

static uint32_t byte(struct host *host) { return host->at < host->end ? *host->at++ : 0; }

static uint32_t word(struct host *host) {
    uint32_t word = 0;
    for (int n = 0; n < 4; n++) word |= byte(host) << 8 * n;
    return word;
}

/* One in eight is true. */
static int odd(struct host *host) { return (byte(host) & 7) == 7; }

/* A block of exactly this length, filled from the input; NULL for one in 32. */
static void *block(struct host *host, size_t length) {
    if (byte(host) >= 248 || host->block_count == BLOCKS) return NULL;
    uint8_t *bytes = malloc(length ? length : 1);
    if (!bytes) abort();
    for (size_t n = 0; n < length; n++) bytes[n] = host->at < host->end ? *host->at++ : 0;
    host->blocks[host->block_count++] = bytes;
    return bytes;
}

static void free_blocks(struct host *host) {
    while (host->block_count) free(host->blocks[--host->block_count]);
}

/* A structure that begins with its size, in a block of that size; mostly the right one, sometimes that of an older or
 * a newer header, or nonsense. */
static void *sized(struct host *host, const void *structure, size_t size) {
    size_t told = size, room;
    switch (byte(host)) {
    case 255: return NULL;
    case 254: told = 8 * (byte(host) % (size / 8)); break;
    case 253: told = size + 8 * (byte(host) & 15); break;
    case 252: told = 4096; break;
    case 251: told = (size_t)4097 + word(host); break;
    case 250: told = byte(host) & 7; break;
    case 249: told = SIZE_MAX; break;
    default: break;
    }
    room = told < sizeof told ? sizeof told : told > 4096 ? sizeof told : told;
    uint8_t *bytes = calloc(1, room);
    if (!bytes || host->block_count == BLOCKS) abort();
    memcpy(bytes, structure, room < size ? room : size);
    if (room > size && odd(host)) bytes[size + byte(host) % (room - size)] = 1;
    memcpy(bytes, &told, sizeof told);
    host->blocks[host->block_count++] = bytes;
    return bytes;
}
#define SIZED(host, structure) sized(host, &(structure), sizeof(structure))

/* What no call may say, however it is called from one thread. */
static picaflor_status checked(picaflor_status status) {
    int bad = status < PICAFLOR_OK || status > PICAFLOR_ERROR_REFUSED || status == PICAFLOR_ERROR_INTERNAL ||
              status == PICAFLOR_ERROR_POISONED || status == PICAFLOR_ERROR_BUSY;
    if (bad || !picaflor_status_text(status) || (status && !*picaflor_last_error())) {
        fprintf(stderr, "status %d: %s\n", (int)status, picaflor_last_error());
        abort();
    }
    return status;
}

#define PICK(host, array) ((array)[byte(host) % (sizeof(array) / sizeof(*(array)))])

/* Text that names no folder that could be made. */
static const char *folder(struct host *host) {
    switch (byte(host)) {
    case 1: return "/dev/null/none";
    case 2: return "\xff";
    default: return NULL;
    }
}

static void make_engine(struct host *host, picaflor_engine **engine, int tame) {
    picaflor_engine_config config = {.size = sizeof config, .mode = PICAFLOR_MODE_INTERPRETER};
    if (!tame) {
        config.mode = byte(host) & 3;
        config.variant = byte(host) & 3;
        config.compile_threads = odd(host) ? word(host) : byte(host) & 1;
        config.code_budget = odd(host) ? word(host) : 0;
        config.texture_budget = odd(host) ? word(host) : 0;
        config.disk_budget = odd(host) ? word(host) : 0;
        config.disk_cache = folder(host);
        config.jitdump = folder(host);
        config.dumps = folder(host);
    }
    checked(picaflor_engine_destroy(*engine));
    *engine = NULL;
    picaflor_status status = checked(picaflor_engine_create(tame ? &config : SIZED(host, config), engine));
    if (status != PICAFLOR_OK && *engine) abort();
}

static uint8_t *region(void *user, uint32_t address, uint32_t length) {
    struct host *host = user;
    for (int n = 0; n < MEMORIES; n++) {
        uint32_t offset = address - BASES[n];
        if (offset < SIZES[n] && length <= SIZES[n] - offset) return host->memory[n] + offset;
    }
    return NULL;
}

static void written(void *user, uint32_t address, uint32_t length) {
    /* Gaps between lines belong to the range, and need not be mapped. */
    if (length == 0 || (!region(user, address, 1) && !region(user, address + length - 1, 1))) abort();
}

static int32_t version(void *user, uint32_t address, uint32_t length, uint64_t *version) {
    (void)user, (void)address, (void)length, (void)version;
    return 0;
}

/* Guest memory: blocks or the callback; sometimes both, too many, or overlapping. */
static const picaflor_memory *memory(struct host *host) {
    picaflor_memory memory = {.size = sizeof memory, .user = host, .region = region, .written = written};
    uint32_t kind = byte(host);
    if (kind & 1) memory.version = version;
    if (kind & 8) memory.tracked = 1;
    if (kind & 2) {
        picaflor_region *regions = calloc(MEMORIES, sizeof *regions);
        for (int n = 0; n < MEMORIES; n++) {
            regions[n] = (picaflor_region){.address = BASES[n], .length = SIZES[n], .bytes = host->memory[n]};
            if (odd(host)) regions[n].address = word(host);
            if (odd(host)) regions[n].length = word(host) % (SIZES[n] + 1);
            if (odd(host)) regions[n].bytes = NULL;
        }
        host->blocks[host->block_count++] = regions;
        memory.regions = regions;
        memory.region_count = odd(host) ? (size_t)65 + word(host) : MEMORIES;
        /* A count that is too large is refused before anything is read. */
        if (!(kind & 4)) memory.region = NULL;
        memory.written = NULL;
    }
    return SIZED(host, memory);
}

static void make_gpu(struct host *host, picaflor_gpu **gpu) {
    picaflor_limits limits = {.size = sizeof limits,
                              .instructions = 256,
                              .vertices = 32,
                              .triangles = 32,
                              .commands = 512,
                              .jumps = 4,
                              .pixels = 1024,
                              .run_vertices = 64,
                              .run_pixels = 2048};
    limits.reserved = odd(host);
    picaflor_gpu_config config = {.size = sizeof config, .memory = memory(host), .limits = &limits};
    config.precision = byte(host) & 3;
    config.threads = odd(host) ? word(host) % 3 * 64 : byte(host) & 1;
    checked(picaflor_gpu_destroy(*gpu));
    *gpu = NULL;
    picaflor_engine *engine = odd(host) ? NULL : PICK(host, host->engines);
    picaflor_status status = checked(picaflor_gpu_create(engine, SIZED(host, config), gpu));
    if (status != PICAFLOR_OK && *gpu) abort();
    /* A structure that was cut has no limits; such a machine is too slow for a fuzzer. */
    if (*gpu && host->blocks[host->block_count - 1] && *(size_t *)host->blocks[host->block_count - 1] < 24) {
        checked(picaflor_gpu_destroy(*gpu));
        *gpu = NULL;
    }
}

static void make_ge(struct host *host, picaflor_ge **ge) {
    picaflor_ge_limits limits = {.size = sizeof limits,
                                 .vertices = 32,
                                 .commands = 512,
                                 .pixels = 1024,
                                 .run_vertices = 64,
                                 .run_pixels = 2048,
                                 .run_bytes = 4096};
    picaflor_ge_config config = {.size = sizeof config, .memory = memory(host), .limits = &limits};
    config.sdk = odd(host) ? 0x06060010 : 0;
    config.threads = odd(host) ? word(host) % 3 * 64 : byte(host) & 1;
    checked(picaflor_ge_destroy(*ge));
    *ge = NULL;
    picaflor_engine *engine = odd(host) ? NULL : PICK(host, host->engines);
    picaflor_status status = checked(picaflor_ge_create(engine, SIZED(host, config), ge));
    if (status != PICAFLOR_OK && *ge) abort();
    /* As above. */
    if (*ge && host->blocks[host->block_count - 1] && *(size_t *)host->blocks[host->block_count - 1] < 24) {
        checked(picaflor_ge_destroy(*ge));
        *ge = NULL;
    }
}

static void make_program(struct host *host, picaflor_program **program) {
    uint32_t kind = byte(host);
    checked(picaflor_program_destroy(*program));
    *program = NULL;
    picaflor_status status;
    if (kind & 4) {
        size_t length = word(host) % 512;
        status = picaflor_program_from_shbin(kind & 3, block(host, length), length, program);
    } else {
        size_t code = byte(host) & 31, descriptors = byte(host) & 15;
        const uint32_t *words = block(host, code * 4), *operands = block(host, descriptors * 4);
        /* More than fits is refused before it is read. */
        size_t told = odd(host) ? (size_t)4097 + word(host) : code;
        status = picaflor_program_create(kind & 3, words, told, operands, descriptors, program);
    }
    if (checked(status) != PICAFLOR_OK && *program) abort();
    uint32_t entry;
    checked(picaflor_program_entry(*program, byte(host) & 3, odd(host) ? NULL : &entry));
}

static picaflor_uniforms *uniforms(struct host *host) {
    picaflor_uniforms uniforms = {.size = sizeof uniforms};
    for (int n = 0; n < 4; n++) uniforms.ints[n][0] = byte(host) & 3, uniforms.ints[n][2] = byte(host) & 3;
    uniforms.bools = byte(host);
    for (int n = 0; n < 8; n++) {
        uint32_t bits = word(host);
        memcpy(&uniforms.floats[n / 4][n & 3], &bits, 4);
    }
    return SIZED(host, uniforms);
}

static uint32_t budget(struct host *host) { return 1 + (byte(host) << 1); }

static void shade(struct host *host, picaflor_engine *engine) {
    picaflor_attribute attributes[2] = {0};
    for (int n = 0; n < 2; n++) {
        attributes[n].length = byte(host);
        attributes[n].bytes = block(host, attributes[n].length);
        attributes[n].stride = odd(host) ? word(host) : byte(host) & 31;
        attributes[n].element = byte(host) & 7;
        attributes[n].components = byte(host) & 7;
        if (odd(host)) attributes[n].length = (size_t)PICAFLOR_MAX_ARRAY + 1;
    }
    picaflor_batch batch = {.size = sizeof batch, .program = PICK(host, host->programs)};
    batch.uniforms = uniforms(host);
    batch.attributes = odd(host) ? NULL : attributes;
    batch.attribute_count = odd(host) ? (size_t)17 + word(host) : byte(host) % 3;
    batch.vertex_count = byte(host) & 15;
    batch.indices = block(host, batch.vertex_count * 4);
    if (odd(host)) batch.vertex_count = (size_t)PICAFLOR_MAX_VERTICES + 1 + word(host);
    batch.permutation = word(host);
    batch.entry = odd(host) ? word(host) : byte(host) & 7;
    batch.precision = byte(host) & 3;
    batch.output_mask = odd(host) ? word(host) : byte(host);
    batch.output_form = byte(host) & 3;
    batch.output_total = byte(host) & 15;
    for (int n = 0; n < 7; n++) batch.output_map[n] = byte(host) & 1 ? word(host) : 0x03020100;
    batch.instruction_budget = budget(host);
    if (odd(host)) {
        picaflor_compiled compiled = {.size = sizeof compiled};
        checked(picaflor_compile(engine, SIZED(host, batch), SIZED(host, compiled)));
        return;
    }
    picaflor_shaded shaded = {.size = sizeof shaded}, *out = SIZED(host, shaded);
    const picaflor_batch *in = SIZED(host, batch);
    if (checked(picaflor_shade(engine, in, out)) == PICAFLOR_OK && out->size == sizeof shaded) {
        volatile float sum = 0;
        for (uint32_t k = 0; k < out->components; k++)
            for (uint32_t n = 0; n < out->vertices; n++) sum += out->values[k * out->stride + n];
    }
    picaflor_fault faults[2];
    size_t count;
    checked(picaflor_engine_faults(engine, odd(host) ? NULL : faults, byte(host) % 3, &count));
}

static void shade_floats(struct host *host, picaflor_engine *engine) {
    picaflor_float_batch batch = {.size = sizeof batch, .program = PICK(host, host->programs)};
    batch.uniforms = uniforms(host);
    batch.input_count = byte(host) & 3;
    batch.vertex_count = byte(host) & 7;
    batch.inputs = block(host, batch.input_count * batch.vertex_count * 16);
    batch.output_capacity = byte(host);
    batch.outputs = block(host, batch.output_capacity * 16);
    if (odd(host)) batch.vertex_count = (size_t)PICAFLOR_MAX_VERTICES + 1 + word(host);
    if (odd(host)) batch.input_count = (size_t)17 + word(host);
    batch.entry = odd(host) ? word(host) : 0;
    batch.precision = byte(host) & 3;
    batch.output_mask = odd(host) ? word(host) : byte(host);
    batch.instruction_budget = budget(host);
    checked(picaflor_shade_floats(engine, SIZED(host, batch)));
}

static void run_geometry(struct host *host, picaflor_engine *engine) {
    picaflor_geometry_run run = {.size = sizeof run, .program = PICK(host, host->programs)};
    run.uniforms = uniforms(host);
    run.input_count = byte(host) & 15;
    run.inputs = block(host, run.input_count * 16);
    if (odd(host)) run.input_count = (size_t)17 + word(host);
    run.entry = odd(host) ? word(host) : 0;
    run.precision = byte(host) & 3;
    run.output_mask = byte(host);
    run.instruction_budget = budget(host);
    size_t capacity = byte(host) & 3, count;
    picaflor_emission *emissions = block(host, capacity * sizeof *emissions);
    picaflor_geometry_unit *unit = PICK(host, host->units);
    checked(picaflor_run_geometry(engine, unit, SIZED(host, run), emissions, capacity, odd(host) ? NULL : &count));
}

static void picture(struct host *host, picaflor_gpu *gpu) {
    uint32_t width = 0, height = 0;
    size_t capacity = word(host) & 0xffff;
    uint8_t *rgb = block(host, capacity);
    checked(picaflor_gpu_picture(gpu, byte(host) & 3, rgb, capacity, odd(host) ? NULL : &width, &height));
}

static void transfer(struct host *host, picaflor_gpu *gpu) {
    picaflor_transfer transfer = {.size = sizeof transfer};
    transfer.input = BASES[byte(host) & 1] + (word(host) & 0x3fff);
    transfer.output = BASES[byte(host) & 1] + (word(host) & 0x3ff0);
    transfer.output_size = word(host) & 0x00ff00ff;
    transfer.input_size = word(host) & 0x00ff00ff;
    transfer.flags = word(host);
    transfer.copy_size = word(host) & 0x3fff;
    transfer.copy_input = word(host);
    transfer.copy_output = word(host);
    checked(picaflor_gpu_transfer(gpu, SIZED(host, transfer)));
}

static void buffers(struct host *host, picaflor_gpu *gpu) {
    picaflor_status status = PICAFLOR_OK;
    switch (byte(host) & 7) {
    case 0:
    case 1: {
        checked(picaflor_buffer_destroy(host->buffer));
        host->buffer = NULL;
        status = odd(host) ? picaflor_gpu_stop_recording(gpu, &host->buffer) : picaflor_gpu_save(gpu, &host->buffer);
        if (status != PICAFLOR_OK && host->buffer) abort();
        break;
    }
    case 2: {
        size_t length = picaflor_buffer_size(host->buffer);
        uint8_t *copy = malloc(length + 1);
        if (length) memcpy(copy, picaflor_buffer_data(host->buffer), length);
        if (length && odd(host)) copy[word(host) % length] ^= (uint8_t)byte(host);
        if (odd(host)) length = length ? word(host) % length : 0;
        status = picaflor_gpu_load(gpu, odd(host) ? NULL : copy, length);
        free(copy);
        break;
    }
    case 3: {
        size_t length = word(host) & 1023;
        status = picaflor_gpu_load(gpu, block(host, length), length);
        break;
    }
    case 4: {
        size_t count = byte(host) & 3;
        picaflor_range *ranges = block(host, count * sizeof *ranges);
        for (size_t n = 0; ranges && n < count; n++) {
            if (!(ranges[n].address & 3)) ranges[n].address = BASES[n & 1];
            ranges[n].length &= 0x7fff;
        }
        status = picaflor_gpu_start_recording(gpu, ranges, odd(host) ? (size_t)65 + word(host) : count);
        break;
    }
    case 5: status = picaflor_gpu_stop_recording_to(gpu, folder(host)); break;
    case 6: status = picaflor_gpu_stop_recording(gpu, NULL); break;
    default: status = picaflor_gpu_save(gpu, NULL); break;
    }
    checked(status);
}

static void use_gpu(struct host *host, picaflor_gpu *gpu) {
    uint32_t value = 0, kind = byte(host);
    size_t count = 0;
    picaflor_fault faults[2];
    picaflor_gpu_stats stats = {.size = sizeof stats};
    switch (kind % 16) {
    case 0: checked(picaflor_gpu_set_engine(gpu, odd(host) ? NULL : PICK(host, host->engines))); break;
    case 1: checked(picaflor_gpu_set_threads(gpu, odd(host) ? word(host) % 4 * 33 : byte(host) & 1)); break;
    case 2:
    case 3: {
        uint32_t length = byte(host) * 16 % 1024, at = byte(host) * 16;
        for (uint32_t n = 0; n < length && host->at < host->end; n++) host->memory[1][at + n] = (uint8_t)byte(host);
        if (odd(host)) length = word(host);
        checked(picaflor_gpu_run_list(gpu, BASES[1] + at + odd(host), length, &value));
        break;
    }
    case 4: checked(picaflor_gpu_write(gpu, 0x10400000 | (word(host) & 0x1fff), word(host))); break;
    case 5: checked(picaflor_gpu_write(gpu, word(host), word(host))); break;
    case 6: checked(picaflor_gpu_read(gpu, 0x10400000 | (word(host) & 0x1fff), odd(host) ? NULL : &value)); break;
    case 7: checked(picaflor_gpu_write_register(gpu, word(host) & 0x7ff, word(host), byte(host) & 31)); break;
    case 8: checked(picaflor_gpu_read_register(gpu, word(host) & 0x7ff, &value)); break;
    case 9: {
        uint32_t start = BASES[byte(host) & 1] + (word(host) & 0x3ff0), length = word(host) & 0x7ff0;
        checked(picaflor_gpu_fill(gpu, byte(host) & 3, start, start + length, word(host), byte(host) & 7));
        break;
    }
    case 10: transfer(host, gpu); break;
    case 11:
        checked(picaflor_gpu_interrupts(gpu, odd(host) ? NULL : &value));
        checked(picaflor_gpu_acknowledge(gpu, word(host)));
        checked(picaflor_gpu_frame_end(gpu));
        break;
    case 12: picture(host, gpu); break;
    case 13:
        checked(picaflor_gpu_take_faults(gpu, odd(host) ? NULL : faults, byte(host) % 3, odd(host) ? NULL : &count));
        checked(picaflor_gpu_get_stats(gpu, SIZED(host, stats)));
        break;
    case 14: checked(picaflor_gpu_set_memory(gpu, memory(host))); break;
    default: buffers(host, gpu); break;
    }
}

/* An address of the GE's main memory, mostly. */
static uint32_t place(struct host *host) { return odd(host) ? word(host) : BASES[RAM] + (word(host) & 0x3ffc); }

static void enqueue(struct host *host, picaflor_ge *ge) {
    uint32_t answer, at = byte(host) * 16, length = byte(host) * 4;
    for (uint32_t n = 0; n < length && host->at < host->end; n++) host->memory[RAM][at + n] = (uint8_t)byte(host);
    picaflor_ge_list list = {.size = sizeof list, .address = BASES[RAM] + at, .stall = odd(host) ? place(host) : 0};
    list.callback = odd(host) ? -1 : 0;
    list.at_head = odd(host);
    list.arguments_size = byte(host) & 31;
    list.context = odd(host) ? place(host) : 0;
    list.stack_depth = odd(host) ? word(host) : 0;
    checked(picaflor_ge_enqueue(ge, SIZED(host, list), odd(host) ? NULL : &answer));
}

static void ge_buffers(struct host *host, picaflor_ge *ge) {
    switch (byte(host) & 3) {
    case 0: {
        checked(picaflor_buffer_destroy(host->buffer));
        host->buffer = NULL;
        picaflor_status status =
            odd(host) ? picaflor_ge_stop_recording(ge, &host->buffer) : picaflor_ge_save(ge, &host->buffer);
        if (checked(status) != PICAFLOR_OK && host->buffer) abort();
        break;
    }
    case 1: {
        size_t length = picaflor_buffer_size(host->buffer);
        uint8_t *copy = malloc(length + 1);
        if (length) memcpy(copy, picaflor_buffer_data(host->buffer), length);
        if (length && odd(host)) copy[word(host) % length] ^= (uint8_t)byte(host);
        if (odd(host)) length = length ? word(host) % length : 0;
        checked(picaflor_ge_load(ge, odd(host) ? NULL : copy, length));
        free(copy);
        break;
    }
    case 2: checked(picaflor_ge_start_recording(ge, NULL, 0)); break;
    default: checked(picaflor_ge_stop_recording_to(ge, folder(host))); break;
    }
}

static void use_ge(struct host *host, picaflor_ge *ge) {
    uint32_t answer = 0, elements[16], kind = byte(host), *where = odd(host) ? NULL : &answer;
    size_t count = 0;
    picaflor_fault faults[2];
    picaflor_ge_interrupt interrupt;
    picaflor_ge_stats stats = {.size = sizeof stats};
    switch (kind % 20) {
    case 0:
    case 1:
    case 2: enqueue(host, ge); break;
    case 3:
    case 4:
    case 5: checked(picaflor_ge_run(ge, where, &answer)); break;
    case 6:
        checked(picaflor_ge_next_interrupt(ge, odd(host) ? NULL : &interrupt));
        checked(picaflor_ge_acknowledge(ge, byte(host) & 3, byte(host)));
        break;
    case 7: checked(picaflor_ge_update_stall(ge, byte(host), odd(host) ? place(host) : 0, where)); break;
    case 8: checked(picaflor_ge_list_sync(ge, byte(host), where)); break;
    case 9:
        checked(picaflor_ge_draw_sync(ge, where));
        checked(picaflor_ge_forget_completed(ge));
        break;
    case 10: checked(picaflor_ge_dequeue(ge, byte(host), where)); break;
    case 11: checked(picaflor_ge_break(ge, byte(host) & 3, where)); break;
    case 12: checked(picaflor_ge_continue(ge, where)); break;
    case 13: checked(picaflor_ge_save_context(ge, place(host), where)); break;
    case 14: checked(picaflor_ge_restore_context(ge, place(host), where)); break;
    case 15: checked(picaflor_ge_set_translation(ge, byte(host) << 5, where)); break;
    case 16:
        checked(picaflor_ge_read_command(ge, odd(host) ? word(host) : byte(host), where));
        checked(picaflor_ge_read_matrix(ge, byte(host) & 15, elements, byte(host) % 17));
        checked(picaflor_ge_take_faults(ge, faults, byte(host) % 3, odd(host) ? NULL : &count));
        checked(picaflor_ge_get_stats(ge, SIZED(host, stats)));
        break;
    case 17:
        checked(picaflor_ge_frame_end(ge, place(host), word(host), byte(host) & 7));
        checked(picaflor_ge_set_threads(ge, byte(host)));
        checked(picaflor_ge_set_sdk(ge, word(host)));
        break;
    case 18:
        checked(picaflor_ge_set_memory(ge, memory(host)));
        checked(picaflor_ge_set_engine(ge, odd(host) ? NULL : PICK(host, host->engines)));
        break;
    default: ge_buffers(host, ge); break;
    }
}

/* Fields of the state, read and written, whole states, announcements, and what was written. */
static void gpu_state(struct host *host, picaflor_gpu *gpu) {
    uint32_t field = odd(host) ? word(host) : byte(host) % 70, count = byte(host);
    size_t size = 0, first = odd(host) ? word(host) : byte(host) * 4u;
    switch (byte(host) & 7) {
    case 0: checked(picaflor_gpu_field_size(gpu, field, odd(host) ? NULL : &size)); break;
    case 1: checked(picaflor_gpu_read_field(gpu, field, first, block(host, 4 * count), count)); break;
    case 2:
    case 3: checked(picaflor_gpu_write_field(gpu, field, first, block(host, 4 * count), count)); break;
    case 4: {
        checked(picaflor_buffer_destroy(host->buffer));
        host->buffer = NULL;
        if (checked(picaflor_gpu_export(gpu, &host->buffer)) != PICAFLOR_OK && host->buffer) abort();
        break;
    }
    case 5: {
        size_t length = picaflor_buffer_size(host->buffer);
        uint8_t *copy = malloc(length + 1);
        if (length) memcpy(copy, picaflor_buffer_data(host->buffer), length);
        for (int n = 0; length && n < 4; n++) copy[word(host) % length] ^= (uint8_t)byte(host);
        checked(picaflor_gpu_import(gpu, copy, length));
        free(copy);
        break;
    }
    case 6: checked(picaflor_gpu_invalidate(gpu, place(host), word(host))); break;
    default: {
        picaflor_range *ranges = block(host, 8 * sizeof *ranges);
        checked(picaflor_gpu_take_written(gpu, ranges, byte(host) & 7, odd(host) ? NULL : &size));
        break;
    }
    }
}

/* Draws by registers, vertices and triangles, of any bits. */
static void gpu_draws(struct host *host, picaflor_gpu *gpu) {
    size_t count = byte(host) % 16, drawn = 0;
    switch (byte(host) & 3) {
    case 0: {
        picaflor_draw draw = {.size = sizeof draw, .input = byte(host) & 3};
        draw.register_count = byte(host) * 4u, draw.registers = block(host, 4 * draw.register_count);
        draw.changed_count = byte(host) & 3;
        draw.changed = odd(host) ? NULL : block(host, 8 * draw.changed_count);
        draw.attribute_count = byte(host) & 31, draw.attributes = block(host, 16 * draw.attribute_count);
        checked(picaflor_gpu_draw(gpu, SIZED(host, draw)));
        break;
    }
    case 1: checked(picaflor_gpu_draw_vertices(gpu, block(host, count * 96), count)); break;
    case 2: {
        picaflor_triangle *triangles = block(host, count * sizeof *triangles);
        checked(picaflor_gpu_set_up(gpu, block(host, 16 * 96), 16, triangles, count, odd(host) ? NULL : &drawn));
        break;
    }
    default: checked(picaflor_gpu_draw_triangles(gpu, block(host, count * sizeof(picaflor_triangle)), count)); break;
    }
}

static void ge_state(struct host *host, picaflor_ge *ge) {
    uint32_t field = odd(host) ? word(host) : odd(host) ? 64 : byte(host) % 12, count = byte(host);
    size_t size = 0, first = odd(host) ? word(host) : byte(host) & 63;
    switch (byte(host) & 7) {
    case 0: checked(picaflor_ge_field_size(ge, field, odd(host) ? NULL : &size)); break;
    case 1: checked(picaflor_ge_read_field(ge, field, first, block(host, 4 * count), count)); break;
    case 2:
    case 3: checked(picaflor_ge_write_field(ge, field, first, block(host, 4 * count), count)); break;
    case 4: {
        checked(picaflor_buffer_destroy(host->buffer));
        host->buffer = NULL;
        if (checked(picaflor_ge_export(ge, &host->buffer)) != PICAFLOR_OK && host->buffer) abort();
        break;
    }
    case 5: {
        size_t length = picaflor_buffer_size(host->buffer);
        uint8_t *copy = malloc(length + 1);
        if (length) memcpy(copy, picaflor_buffer_data(host->buffer), length);
        for (int n = 0; length && n < 4; n++) copy[word(host) % length] ^= (uint8_t)byte(host);
        checked(picaflor_ge_import(ge, copy, length));
        free(copy);
        break;
    }
    case 6: checked(picaflor_ge_invalidate(ge, place(host), word(host))); break;
    default: checked(picaflor_ge_take_written(ge, block(host, 64), byte(host) & 7, odd(host) ? NULL : &size)); break;
    }
}

static void ge_draws(struct host *host, picaflor_ge *ge) {
    size_t count = byte(host) % 16, drawn = 0;
    uint32_t kind = byte(host) & 7;
    switch (byte(host) % 5) {
    case 0: checked(picaflor_ge_execute(ge, block(host, 4 * count), count)); break;
    case 1: {
        size_t length = byte(host) * 4u;
        picaflor_ge_vertex *vertices = block(host, count * sizeof *vertices);
        checked(picaflor_ge_transform(ge, block(host, length), length, block(host, 4 * count), count, vertices));
        break;
    }
    case 2: {
        picaflor_ge_vertex *vertices = block(host, count * sizeof *vertices);
        checked(picaflor_ge_draw_vertices(ge, kind, vertices, count));
        break;
    }
    case 3: {
        picaflor_ge_primitive *primitives = block(host, count * sizeof *primitives);
        for (size_t n = 0; primitives && n < count; n++) primitives[n].shape &= odd(host) ? 7 : 3;
        checked(odd(host) ? picaflor_ge_set_up(ge, kind, block(host, 8 * sizeof(picaflor_ge_vertex)), 8, primitives,
                                               count, &drawn)
                          : picaflor_ge_draw_primitives(ge, primitives, count));
        break;
    }
    default: {
        picaflor_ge_transfer transfer = {.size = sizeof transfer, .pixel_bytes = odd(host) ? byte(host) : 4};
        transfer.source = place(host) & ~15u, transfer.destination = place(host) & ~15u;
        transfer.source_stride = byte(host) * 8u, transfer.destination_stride = byte(host) * 8u;
        transfer.width = byte(host), transfer.height = byte(host), transfer.source_x = byte(host);
        checked(picaflor_ge_run_transfer(ge, SIZED(host, transfer)));
        break;
    }
    }
}

static void use_engine(struct host *host, picaflor_engine *engine) {
    picaflor_engine_stats stats = {.size = sizeof stats};
    switch (byte(host) & 7) {
    case 0: checked(picaflor_engine_wait(engine)); break;
    case 1: checked(picaflor_engine_get_stats(engine, SIZED(host, stats))); break;
    case 2:
    case 3: shade_floats(host, engine); break;
    case 4: run_geometry(host, engine); break;
    default: shade(host, engine); break;
    }
}

static void call(struct host *host) {
    picaflor_engine **engine = &PICK(host, host->engines);
    picaflor_gpu **gpu = &PICK(host, host->gpus);
    picaflor_geometry_unit **unit = &PICK(host, host->units);
    switch (byte(host) & 15) {
    case 0: make_engine(host, engine, 0); break;
    case 1: make_program(host, &PICK(host, host->programs)); break;
    case 2: make_gpu(host, gpu); break;
    case 3:
        checked(picaflor_geometry_unit_destroy(*unit));
        *unit = NULL;
        checked(picaflor_geometry_unit_create(odd(host) ? NULL : unit));
        break;
    case 4:
    case 5:
    case 6:
    case 7: use_engine(host, odd(host) ? NULL : *engine); break;
    case 13:
    case 14:
    case 15: {
        picaflor_ge **ge = &PICK(host, host->ges);
        if (!*ge || odd(host)) make_ge(host, ge);
        use_ge(host, odd(host) ? NULL : *ge);
        break;
    }
    case 12: {
        picaflor_ge **ge = &PICK(host, host->ges);
        switch (byte(host) & 3) {
        case 0: gpu_state(host, odd(host) ? NULL : *gpu); break;
        case 1: gpu_draws(host, odd(host) ? NULL : *gpu); break;
        case 2: ge_state(host, odd(host) ? NULL : *ge); break;
        default: ge_draws(host, odd(host) ? NULL : *ge); break;
        }
        break;
    }
    default: use_gpu(host, odd(host) ? NULL : *gpu); break;
    }
    free_blocks(host);
}

void picaflor_fuzz_calls(const uint8_t *bytes, size_t length) {
    struct host host = {.at = bytes, .end = bytes + length};
    for (int n = 0; n < MEMORIES; n++) host.memory[n] = calloc(1, SIZES[n]);
    /* The first engine compiles in every eighth case. */
    make_engine(&host, &host.engines[0], !odd(&host));
    checked(picaflor_geometry_unit_create(&host.units[0]));
    make_program(&host, &host.programs[0]);
    make_gpu(&host, &host.gpus[0]);
    free_blocks(&host);
    for (int n = 0; n < CALLS && host.at < host.end; n++) call(&host);
    for (int n = 0; n < GPUS; n++) checked(picaflor_gpu_destroy(host.gpus[n]));
    for (int n = 0; n < GES; n++) checked(picaflor_ge_destroy(host.ges[n]));
    for (int n = 0; n < UNITS; n++) checked(picaflor_geometry_unit_destroy(host.units[n]));
    for (int n = 0; n < PROGRAMS; n++) checked(picaflor_program_destroy(host.programs[n]));
    for (int n = 0; n < ENGINES; n++) checked(picaflor_engine_destroy(host.engines[n]));
    checked(picaflor_buffer_destroy(host.buffer));
    for (int n = 0; n < MEMORIES; n++) free(host.memory[n]);
}
