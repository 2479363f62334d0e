// The thread rules of the header: a program may be used by any number of threads, a handle by one call at a time.
#include "check.h"
#include <atomic>
#include <thread>
#include <vector>

static const uint32_t code[] = {0x00020000, 0x88000000}; // o0 = c0 + v0
static const uint32_t descriptors[] = {0x0006c36f};
enum { VERTICES = 64, ROUNDS = 300 };

struct Batch {
    std::vector<float> inputs = std::vector<float>(4 * VERTICES, 1.0f), outputs = std::vector<float>(4 * VERTICES);
    picaflor_uniforms uniforms;
    picaflor_float_batch batch;

    Batch(const picaflor_program *program, float offset) {
        memset(&uniforms, 0, sizeof uniforms);
        memset(&batch, 0, sizeof batch);
        uniforms.size = sizeof uniforms;
        uniforms.floats[0][0] = offset;
        batch.size = sizeof batch;
        batch.program = program;
        batch.uniforms = &uniforms;
        batch.inputs = inputs.data();
        batch.input_count = 1;
        batch.vertex_count = batch.output_capacity = VERTICES;
        batch.outputs = outputs.data();
        batch.output_mask = 1;
    }
    bool right() const { return outputs[4 * (VERTICES - 1)] == 1.0f + uniforms.floats[0][0]; }
};

static void alone(const picaflor_program *program, float offset) {
    picaflor_engine *engine = engine_of(PICAFLOR_MODE_BACKGROUND);
    Batch batch(program, offset);
    for (int i = 0; i < ROUNDS; i++) {
        OK(picaflor_shade_floats(engine, &batch.batch));
        CHECK(batch.right());
    }
    CHECK(picaflor_last_error()[0] == '\0'); // of this thread
    OK(picaflor_engine_destroy(engine));
}

static std::atomic<int> served(0);

static void shared(picaflor_engine *engine, const picaflor_program *program, float offset) {
    Batch batch(program, offset);
    for (int i = 0; i < ROUNDS; i++) {
        picaflor_status status = picaflor_shade_floats(engine, &batch.batch);
        CHECK(status == PICAFLOR_OK || status == PICAFLOR_ERROR_BUSY);
        CHECK(status != PICAFLOR_OK || batch.right());
        served += status == PICAFLOR_OK;
    }
}

int main() {
    picaflor_program *program;
    OK(picaflor_program_create(PICAFLOR_UNIT_VERTEX, code, 2, descriptors, 1, &program));
    picaflor_engine *engine = engine_of(PICAFLOR_MODE_BLOCKING);
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; i++) {
        threads.emplace_back(alone, program, (float)i);
        threads.emplace_back(shared, engine, program, (float)i);
    }
    for (auto &thread : threads)
        thread.join();
    CHECK(served > 0);
    OK(picaflor_engine_destroy(engine));
    OK(picaflor_program_destroy(program));
    puts("fine");
}
