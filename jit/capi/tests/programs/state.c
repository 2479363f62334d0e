/* The state of both machines, field by field and as a whole; memory that is told of changes. */
#include "check.h"

enum { VRAM = 0x18000000, GE_VRAM = 0x04000000, SIZE = 0x200000 };
static uint8_t bytes[SIZE];

static void memory_of(picaflor_memory *memory, picaflor_region *region, uint32_t address) {
    region->address = address, region->length = SIZE, region->bytes = bytes;
    memset(memory, 0, sizeof *memory);
    memory->size = sizeof *memory, memory->regions = region, memory->region_count = 1, memory->tracked = 1;
}

#define FAILS(expected, call) CHECK((call) == PICAFLOR_ERROR_##expected && picaflor_last_error()[0] != '\0')

/* Arguments that are wrong. */
static void gpu_refusals(picaflor_engine *engine, picaflor_gpu *gpu) {
    uint32_t words[4] = {0, 0, 0, 0};
    size_t count;
    picaflor_range range;
    FAILS(ARGUMENT, picaflor_gpu_field_size(gpu, 999, &count));
    FAILS(NULL, picaflor_gpu_field_size(gpu, 0, NULL));
    FAILS(SIZE, picaflor_gpu_read_field(gpu, PICAFLOR_FIELD_REGISTERS, 1022, words, 4));
    FAILS(ARGUMENT, picaflor_gpu_read_field(gpu, 999, 0, words, 4));
    FAILS(NULL, picaflor_gpu_read_field(gpu, PICAFLOR_FIELD_REGISTERS, 0, NULL, 4));
    FAILS(SIZE, picaflor_gpu_write_field(gpu, PICAFLOR_FIELD_REGISTERS, (size_t)-1, words, 4));
    FAILS(FORMAT, picaflor_gpu_write_field(gpu, PICAFLOR_FIELD_DISPLAY, 0, words, 3));
    FAILS(NULL, picaflor_gpu_write_field(gpu, PICAFLOR_FIELD_REGISTERS, 0, NULL, 4));
    FAILS(FORMAT, picaflor_gpu_import(gpu, (const uint8_t *)"PICA\2\0\0\0\0\0\0\0", 12));
    CHECK(strstr(picaflor_last_error(), "version 2") != NULL);
    FAILS(FORMAT, picaflor_gpu_import(gpu, bytes, 3));
    FAILS(NULL, picaflor_gpu_export(gpu, NULL));
    FAILS(NULL, picaflor_gpu_invalidate(NULL, 0, 4));
    FAILS(NULL, picaflor_gpu_take_written(gpu, &range, 1, NULL));
    FAILS(NULL, picaflor_gpu_take_written(gpu, NULL, 1, &count));

    START(picaflor_draw, draw);
    draw.input = 3;
    FAILS(ARGUMENT, picaflor_gpu_draw(gpu, &draw));
    draw.input = PICAFLOR_INPUT_IMMEDIATE, draw.attribute_count = 4;
    FAILS(NULL, picaflor_gpu_draw(gpu, &draw));
    draw.input = 0, draw.register_count = 5;
    FAILS(NULL, picaflor_gpu_draw(gpu, &draw));
    FAILS(NULL, picaflor_gpu_draw(gpu, NULL));
    FAILS(NULL, picaflor_gpu_draw_vertices(gpu, NULL, 3));
    FAILS(ARGUMENT, picaflor_gpu_draw_vertices(gpu, NULL, PICAFLOR_MAX_VERTICES + 1));
    FAILS(NULL, picaflor_gpu_set_up(gpu, NULL, 3, NULL, 0, &count));
    FAILS(NULL, picaflor_gpu_set_up(gpu, NULL, 0, NULL, 0, NULL));
    FAILS(NULL, picaflor_gpu_draw_triangles(gpu, NULL, 1));
    picaflor_triangle wild;
    memset(&wild, 0x7f, sizeof wild);
    OK(picaflor_gpu_draw_triangles(gpu, &wild, 1)); /* out of range: dropped */

    picaflor_memory memory;
    picaflor_region region;
    memory_of(&memory, &region, VRAM);
    START(picaflor_gpu_config, config);
    picaflor_gpu *none;
    config.memory = &memory, memory.tracked = 2;
    FAILS(ARGUMENT, picaflor_gpu_create(engine, &config, &none));
}

static void ge_refusals(picaflor_ge *ge) {
    uint32_t words[4] = {0, 0, 0, 0};
    size_t count;
    picaflor_ge_vertex vertex;
    picaflor_ge_primitive primitive;
    memset(&vertex, 0x7f, sizeof vertex);
    memset(&primitive, 0x7f, sizeof primitive);
    FAILS(ARGUMENT, picaflor_ge_field_size(ge, 999, &count));
    FAILS(SIZE, picaflor_ge_read_field(ge, PICAFLOR_GE_FIELD_LISTS, 100000, words, 4));
    FAILS(FORMAT, picaflor_ge_write_field(ge, PICAFLOR_GE_FIELD_LISTS, 0, words, 4));
    FAILS(SIZE, picaflor_ge_write_field(ge, PICAFLOR_GE_FIELD_LISTS, 1, words, 4));
    FAILS(FORMAT, picaflor_ge_import(ge, bytes, 64));
    static const uint32_t of_pica[] = {0x41434950, 1, 1, 64, 1, 0};
    FAILS(FORMAT, picaflor_ge_import(ge, (const uint8_t *)of_pica, sizeof of_pica));
    CHECK(strstr(picaflor_last_error(), "of this machine") != NULL);
    FAILS(NULL, picaflor_ge_export(ge, NULL));
    FAILS(NULL, picaflor_ge_invalidate(NULL, 0, 4));
    FAILS(NULL, picaflor_ge_take_written(ge, NULL, 0, NULL));
    FAILS(NULL, picaflor_ge_execute(ge, NULL, 4));
    FAILS(SIZE, picaflor_ge_transform(ge, bytes, 0, words, 1, &vertex));
    FAILS(ARGUMENT, picaflor_ge_draw_vertices(ge, 7, &vertex, 1));
    OK(picaflor_ge_draw_vertices(ge, 0, &vertex, 1));
    FAILS(ARGUMENT, picaflor_ge_set_up(ge, 7, &vertex, 1, &primitive, 1, &count));
    FAILS(ARGUMENT, picaflor_ge_draw_primitives(ge, &primitive, 1)); /* no such shape */
    primitive.shape = 2;
    OK(picaflor_ge_draw_primitives(ge, &primitive, 1));
    START(picaflor_ge_transfer, transfer);
    FAILS(ARGUMENT, picaflor_ge_run_transfer(ge, &transfer));
    FAILS(NULL, picaflor_ge_run_transfer(ge, NULL));
}

/* What the machine wrote, and what happens without room for it. */
static void gpu_memory(picaflor_gpu *gpu) {
    picaflor_range ranges[4];
    size_t count = 9;
    OK(picaflor_gpu_take_written(gpu, ranges, 4, &count));
    CHECK(count == 0);
    OK(picaflor_gpu_fill(gpu, 0, VRAM + 0x1000, VRAM + 0x1040, 7, 4));
    OK(picaflor_gpu_fill(gpu, 0, VRAM + 0x8000, VRAM + 0x8010, 7, 4));
    CHECK(picaflor_gpu_take_written(gpu, ranges, 1, &count) == PICAFLOR_ERROR_SIZE && count == 2);
    OK(picaflor_gpu_take_written(gpu, ranges, 4, &count));
    CHECK(count == 2 && ranges[0].address == VRAM + 0x1000 && ranges[0].length == 0x40);
    CHECK(ranges[1].address == VRAM + 0x8000 && ranges[1].length == 0x10);
    OK(picaflor_gpu_invalidate(gpu, VRAM, 64));
}

static void gpu_state(picaflor_engine *engine) {
    picaflor_memory memory;
    picaflor_region region;
    memory_of(&memory, &region, VRAM);
    START(picaflor_gpu_config, config);
    config.memory = &memory;
    picaflor_gpu *gpu, *other;
    OK(picaflor_gpu_create(engine, &config, &gpu));
    OK(picaflor_gpu_create(engine, &config, &other));
    gpu_memory(gpu);
    gpu_refusals(engine, other);

    static const uint32_t words[] = {PICAFLOR_FIELD_REGISTERS, PICAFLOR_FIELD_LIGHTING_TABLES, PICAFLOR_FIELD_GEOMETRY_CODE,
                                     PICAFLOR_FIELD_GEOMETRY_UNIT, PICAFLOR_FIELD_DISPLAY};
    static const size_t sizes[] = {1024, 24 * 256, 4096, 265, 4};
    for (int n = 0; n < 5; n++) {
        size_t size = 0;
        OK(picaflor_gpu_field_size(gpu, words[n], &size));
        CHECK(size == sizes[n]);
    }
    uint32_t read[2], value = 0, one = 0x3f800000;
    static const uint32_t written[2] = {2, 0x460000};
    OK(picaflor_gpu_write_field(gpu, PICAFLOR_FIELD_REGISTERS, 0x040, written, 2));
    OK(picaflor_gpu_read_field(gpu, PICAFLOR_FIELD_REGISTERS, 0x040, read, 2));
    OK(picaflor_gpu_read_register(gpu, 0x041, &value));
    CHECK(memcmp(read, written, sizeof read) == 0 && value == 0x460000);
    OK(picaflor_gpu_write_field(gpu, PICAFLOR_FIELD_GEOMETRY_UNIT, 5, &one, 1));

    picaflor_buffer *state, *again;
    OK(picaflor_gpu_export(gpu, &state));
    CHECK(memcmp(picaflor_buffer_data(state), "PICA\1\0\0\0", 8) == 0);
    OK(picaflor_gpu_import(other, picaflor_buffer_data(state), picaflor_buffer_size(state)));
    OK(picaflor_gpu_export(other, &again));
    CHECK(picaflor_buffer_size(again) == picaflor_buffer_size(state));
    CHECK(memcmp(picaflor_buffer_data(again), picaflor_buffer_data(state), picaflor_buffer_size(state)) == 0);
    OK(picaflor_gpu_read_field(other, PICAFLOR_FIELD_GEOMETRY_UNIT, 5, read, 1));
    CHECK(read[0] == one);
    OK(picaflor_buffer_destroy(state));
    OK(picaflor_buffer_destroy(again));
    OK(picaflor_gpu_destroy(gpu));
    OK(picaflor_gpu_destroy(other));
}

static void ge_state(picaflor_engine *engine) {
    picaflor_memory memory;
    picaflor_region region;
    memory_of(&memory, &region, GE_VRAM);
    START(picaflor_ge_config, config);
    config.memory = &memory;
    picaflor_ge *ge, *other;
    OK(picaflor_ge_create(engine, &config, &ge));
    OK(picaflor_ge_create(engine, &config, &other));
    ge_refusals(other);

    START(picaflor_ge_list, list);
    list.address = GE_VRAM + 0x1000, list.stall = GE_VRAM + 0x1000;
    uint32_t answer = 9, state_of = 9, original = 8, word = 0x3f800000, fog = 0x1234;
    size_t size = 0, count = 9;
    OK(picaflor_ge_enqueue(ge, &list, &answer));
    OK(picaflor_ge_field_size(ge, PICAFLOR_GE_FIELD_MATRICES, &size));
    CHECK(size == 148);
    OK(picaflor_ge_field_size(ge, PICAFLOR_GE_FIELD_LISTS, &size));
    CHECK(size > 10);
    OK(picaflor_ge_write_field(ge, PICAFLOR_GE_FIELD_MATRICES, 96, &word, 1));
    OK(picaflor_ge_write_field(ge, PICAFLOR_GE_FIELD_COMMANDS, 0xcf, &fog, 1));
    OK(picaflor_ge_read_field(ge, PICAFLOR_GE_FIELD_COMMANDS, 0xcf, &word, 1));
    CHECK(word == 0xcf001234);

    picaflor_buffer *state;
    OK(picaflor_ge_export(ge, &state));
    OK(picaflor_ge_import(other, picaflor_buffer_data(state), picaflor_buffer_size(state)));
    OK(picaflor_buffer_destroy(state));
    OK(picaflor_ge_read_field(other, PICAFLOR_GE_FIELD_MATRICES, 96, &word, 1));
    OK(picaflor_ge_list_sync(ge, answer, &original));
    OK(picaflor_ge_list_sync(other, answer, &state_of));
    CHECK(word == 0x3f800000 && state_of == original && state_of != PICAFLOR_GE_LIST_COMPLETED);

    /* A state without lists leaves the queue empty, and the program its version of the SDK, of which the second refusal is. */
    static const uint32_t without_lists[] = {0x20204547, 1, 0};
    OK(picaflor_ge_set_sdk(other, 0x06060010));
    OK(picaflor_ge_import(other, (const uint8_t *)without_lists, sizeof without_lists));
    OK(picaflor_ge_enqueue(other, &list, &answer));
    CHECK(answer < 64);
    OK(picaflor_ge_enqueue(other, &list, &answer));
    CHECK(answer == 0x80000021);

    picaflor_range ranges[2];
    OK(picaflor_ge_invalidate(ge, GE_VRAM, 16));
    START(picaflor_ge_transfer, transfer);
    transfer.source = GE_VRAM, transfer.destination = GE_VRAM + 0x8000;
    transfer.source_stride = transfer.destination_stride = 8;
    transfer.width = transfer.height = 8, transfer.pixel_bytes = 2;
    OK(picaflor_ge_run_transfer(ge, &transfer));
    OK(picaflor_ge_take_written(ge, ranges, 2, &count));
    CHECK(count == 1 && ranges[0].address == GE_VRAM + 0x8000 && ranges[0].length == 128);
    OK(picaflor_ge_destroy(ge));
    OK(picaflor_ge_destroy(other));
}

int main(void) {
    picaflor_engine *engine = engine_of(PICAFLOR_MODE_INTERPRETER);
    gpu_state(engine);
    ge_state(engine);
    OK(picaflor_engine_destroy(engine));
    puts("fine");
    return 0;
}
