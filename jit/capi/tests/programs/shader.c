/* The shader level: what an emulator with its own pipeline uses. */
#include "check.h"
#include "shbin.h"

/* o0 = c0 + v0, o1 = v1. */
static const uint32_t code[] = {0x00020000, 0x4c201001, 0x88000000};
static const uint32_t descriptors[] = {0x0006c36f, 0x0000036f};
/* Two vertices: o0 = v0, o1 = v1, and the other way round with the end of a primitive. */
static const uint32_t geometry[] = {0xac000000, 0x4c000000, 0x4c201000, 0xa8000000, 0xae800000,
                                    0x4c001000, 0x4c200000, 0xa8000000, 0x88000000};
static const uint32_t geometry_descriptors[] = {0x36f};

enum { VERTICES = 1003 };

typedef struct vertex {
    float position[2];
    uint8_t colour[4];
} vertex;

static picaflor_program *program_of(uint32_t unit, const uint32_t *words, size_t count, const uint32_t *operands,
                                    size_t operand_count) {
    picaflor_program *program;
    OK(picaflor_program_create(unit, words, count, operands, operand_count, &program));
    return program;
}

/* A batch from arrays, indexed backwards, through the output map. */
static void arrays(picaflor_engine *engine, const picaflor_program *program, uint32_t served) {
    static vertex vertices[VERTICES];
    static uint32_t indices[VERTICES];
    for (uint32_t i = 0; i < VERTICES; i++) {
        vertices[i].position[0] = (float)i;
        vertices[i].position[1] = -0.5f * (float)i;
        memset(vertices[i].colour, (int)(i & 1), 4);
        indices[i] = VERTICES - 1 - i;
    }
    picaflor_attribute attributes[2];
    memset(attributes, 0, sizeof attributes);
    attributes[0].bytes = vertices[0].position;
    attributes[0].length = sizeof vertices;
    attributes[0].stride = sizeof(vertex);
    attributes[0].element = PICAFLOR_ELEMENT_F32;
    attributes[0].components = 2;
    attributes[1] = attributes[0];
    attributes[1].bytes = vertices[0].colour;
    attributes[1].length = sizeof vertices - offsetof(vertex, colour);
    attributes[1].element = PICAFLOR_ELEMENT_U8;
    attributes[1].components = 4;
    START(picaflor_uniforms, uniforms);
    uniforms.floats[0][0] = 0.25f;
    START(picaflor_batch, batch);
    batch.program = program;
    batch.uniforms = &uniforms;
    batch.attributes = attributes;
    batch.attribute_count = 2;
    batch.indices = indices;
    batch.vertex_count = VERTICES;
    batch.output_mask = 3;
    batch.output_form = PICAFLOR_OUTPUT_SEMANTICS;
    batch.output_total = 2;
    batch.output_map[0] = 0x03020100; /* o0: position */
    batch.output_map[1] = 0x0b0a0908; /* o1: colour */
    /* Compiled ahead, without vertices. */
    START(picaflor_compiled, compiled);
    batch.vertex_count = 0;
    picaflor_status status = picaflor_compile(engine, &batch, &compiled);
    CHECK(status == (served == PICAFLOR_SERVED_COMPILED ? PICAFLOR_OK : PICAFLOR_ERROR_HOST));
    CHECK(status != PICAFLOR_OK || (compiled.words == 3 && compiled.code_bytes > 0 && compiled.time_ns > 0));
    batch.vertex_count = VERTICES;
    START(picaflor_shaded, shaded);
    START(picaflor_engine_stats, stats);
    OK(picaflor_shade(engine, &batch, &shaded));
    OK(picaflor_engine_get_stats(engine, &stats));
    CHECK(stats.compiles == (served == PICAFLOR_SERVED_COMPILED));
    CHECK((stats.emit_ns > 0 && stats.generate_ns > 0) == (stats.compiles > 0));
    CHECK(stats.emit_ns + stats.generate_ns + stats.publish_ns <= stats.compile_ns);
    CHECK(stats.refined == 0 && stats.texture_stale == 0 && stats.disk_removed == 0);
    CHECK(shaded.vertices == VERTICES && shaded.components == 24 && shaded.stride >= VERTICES);
    CHECK(shaded.served == served && shaded.faults == 0);
    for (uint32_t i = 0; i < VERTICES; i++) {
        const vertex *from = &vertices[indices[i]];
        CHECK(shaded.values[0 * shaded.stride + i] == from->position[0] + 0.25f);
        CHECK(shaded.values[1 * shaded.stride + i] == from->position[1]);
        CHECK(shaded.values[3 * shaded.stride + i] == 1.0f);
        CHECK(shaded.values[8 * shaded.stride + i] == (float)from->colour[0]);
        CHECK(shaded.values[12 * shaded.stride + i] == 1.0f); /* not mapped */
    }
    /* A fixed attribute and registers as they are, and no indices. */
    attributes[1].bytes = NULL;
    attributes[1].fixed[2] = 7.0f;
    batch.indices = NULL;
    batch.vertex_count = 5;
    batch.output_form = PICAFLOR_OUTPUT_REGISTERS;
    OK(picaflor_shade(engine, &batch, &shaded));
    CHECK(shaded.vertices == 5 && shaded.components == 8);
    CHECK(shaded.values[0 * shaded.stride + 4] == 4.25f && shaded.values[6 * shaded.stride + 4] == 7.0f);
    /* An endless program is cut off, and says so. */
    batch.instruction_budget = 1;
    OK(picaflor_shade(engine, &batch, &shaded));
    picaflor_fault faults[4];
    size_t count = 0;
    OK(picaflor_engine_faults(engine, faults, 4, &count));
    CHECK(shaded.faults == 5 && count == 5 && faults[0].kind == PICAFLOR_FAULT_INSTRUCTION_BUDGET);
    CHECK(faults[1].at == 1 && faults[1].value == 1 && strlen(faults[1].text) > 10);
}

/* Fixed attributes have the bits of a register: 24 on the console. */
static void fixed_attributes(picaflor_engine *engine, const picaflor_program *program) {
    static const uint32_t expected[] = {0x3dcccc80, 0x3dcccccd};
    picaflor_attribute attributes[2];
    memset(attributes, 0, sizeof attributes);
    for (int c = 0; c < 4; c++)
        attributes[1].fixed[c] = 0.1f;
    START(picaflor_batch, batch);
    batch.program = program;
    batch.attributes = attributes;
    batch.attribute_count = 2;
    batch.vertex_count = 5;
    batch.output_mask = 2;
    for (uint32_t precision = PICAFLOR_PRECISION_CONSOLE; precision <= PICAFLOR_PRECISION_BINARY32; precision++) {
        START(picaflor_shaded, shaded);
        batch.precision = precision;
        OK(picaflor_shade(engine, &batch, &shaded));
        CHECK(shaded.vertices == 5 && shaded.components == 4);
        for (size_t i = 0; i < 20; i++)
            CHECK(memcmp(&shaded.values[i / 5 * shaded.stride + i % 5], &expected[precision], 4) == 0);
    }
}

/* Plain floats in and out, with the two precisions. */
static void floats(picaflor_engine *engine) {
    picaflor_program *program;
    OK(picaflor_program_from_shbin(PICAFLOR_UNIT_VERTEX, shbin, sizeof shbin, &program));
    static float inputs[VERTICES][2][4], outputs[VERTICES][2][4], other[VERTICES][2][4];
    for (int i = 0; i < VERTICES; i++)
        for (int c = 0; c < 8; c++)
            inputs[i][c / 4][c % 4] = (float)(i * 8 + c) / 3.0f;
    START(picaflor_uniforms, uniforms);
    uniforms.floats[0][1] = 1.0f;
    START(picaflor_float_batch, batch);
    batch.program = program;
    batch.uniforms = &uniforms;
    batch.inputs = inputs[0][0];
    batch.input_count = 2;
    batch.vertex_count = VERTICES;
    batch.outputs = outputs[0][0];
    batch.output_capacity = 2 * VERTICES;
    batch.precision = PICAFLOR_PRECISION_BINARY32;
    batch.output_mask = 3;
    OK(picaflor_program_entry(program, 0, &batch.entry));
    CHECK(batch.entry == 2);
    OK(picaflor_shade_floats(engine, &batch));
    for (int i = 0; i < VERTICES; i++) {
        CHECK(outputs[i][0][0] == inputs[i][0][0] && outputs[i][0][1] == inputs[i][0][1] + 1.0f);
        CHECK(memcmp(outputs[i][1], inputs[i][1], 16) == 0);
    }
    batch.precision = PICAFLOR_PRECISION_CONSOLE;
    batch.outputs = other[0][0];
    OK(picaflor_shade_floats(engine, &batch));
    CHECK(memcmp(outputs, other, sizeof other) != 0); /* 24 bits */
    OK(picaflor_program_destroy(program));
}

static void geometry_runs(picaflor_engine *engine) {
    picaflor_program *program = program_of(PICAFLOR_UNIT_GEOMETRY, geometry, 9, geometry_descriptors, 1);
    const float inputs[2][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}};
    START(picaflor_uniforms, uniforms);
    START(picaflor_geometry_run, run);
    picaflor_geometry_unit *unit;
    picaflor_emission emissions[4];
    size_t count = 0;
    run.program = program;
    run.uniforms = &uniforms;
    run.inputs = inputs[0];
    run.input_count = 2;
    run.output_mask = 3;
    OK(picaflor_geometry_unit_create(&unit));
    OK(picaflor_run_geometry(engine, unit, &run, emissions, 4, &count));
    CHECK(count == 2 && uniforms.bools == 0x8000 && emissions[1].registers == 2);
    CHECK(emissions[0].vertex == 0 && emissions[0].primitive == 0);
    CHECK(emissions[1].vertex == 2 && emissions[1].primitive == 1 && emissions[1].winding == 0);
    CHECK(memcmp(emissions[0].values, inputs, 32) == 0 && memcmp(emissions[1].values[1], inputs[0], 16) == 0);
    run.input_count = 0; /* the registers persist */
    CHECK(picaflor_run_geometry(engine, unit, &run, emissions, 1, &count) == PICAFLOR_ERROR_SIZE && count == 2);
    CHECK(memcmp(emissions[0].values, inputs, 32) == 0);
    OK(picaflor_geometry_unit_destroy(unit));
    OK(picaflor_program_destroy(program));
}

int main(void) {
    picaflor_program *program = program_of(PICAFLOR_UNIT_VERTEX, code, 3, descriptors, 2);
    for (uint32_t mode = PICAFLOR_MODE_BLOCKING; mode <= PICAFLOR_MODE_INTERPRETER; mode++) {
        picaflor_engine *engine = engine_of(mode);
        uint32_t served =
            mode == PICAFLOR_MODE_INTERPRETER ? PICAFLOR_SERVED_INTERPRETER : PICAFLOR_SERVED_COMPILED;
        arrays(engine, program, served);
        fixed_attributes(engine, program);
        floats(engine);
        geometry_runs(engine);
        START(picaflor_engine_stats, stats);
        OK(picaflor_engine_get_stats(engine, &stats));
        CHECK((stats.compiles > 0) == (mode == PICAFLOR_MODE_BLOCKING));
        OK(picaflor_engine_destroy(engine));
    }
    OK(picaflor_program_destroy(program));
    CHECK(picaflor_abi_version() == PICAFLOR_ABI && strcmp(picaflor_version(), PICAFLOR_VERSION) == 0);
    puts("fine");
    return 0;
}
