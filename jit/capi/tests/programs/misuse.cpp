// Every function with one argument that is wrong: NULL, a destroyed handle, a handle of another kind, a number that is no
// handle, a wrong `size`. Then calls of both machines from inside callbacks, of every function from three threads, and
// destruction of what is in use.
#include "draws.h"
#include "shbin.h"
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <tuple>
#include <type_traits>
#include <vector>

static int checked;

[[noreturn]] static void wrong(const char *name, const char *what, picaflor_status status) {
    printf("%s, %s: %d (%s); last error: %s\n", name, what, status, picaflor_status_text(status), picaflor_last_error());
    GIVE_UP();
}

// ---------------------------------------------------------------- objects of each kind

enum : uint32_t { VRAM = 0x18000000, VRAM_SIZE = 0x10000, RAM = 0x08800000, RAM_SIZE = 0x10000 };
alignas(16) static uint8_t vram[VRAM_SIZE];
alignas(16) static uint8_t ram[RAM_SIZE];
static const uint32_t code[] = {0x4c000000, 0x88000000};
static const uint32_t descriptors[] = {0x36f};

// By reference: the call that makes it comes first.
template <typename T> static T *made(picaflor_status status, T *const &object) {
    OK(status);
    CHECK(object != NULL);
    return object;
}

static picaflor_program *new_program(uint32_t unit = PICAFLOR_UNIT_VERTEX) {
    picaflor_program *program;
    return made(picaflor_program_create(unit, code, 2, descriptors, 1, &program), program);
}

static picaflor_uniform_set *new_set() {
    picaflor_uniform_set *set;
    return made(picaflor_uniform_set_create(NULL, &set), set);
}

static picaflor_geometry_unit *new_unit() {
    picaflor_geometry_unit *unit;
    return made(picaflor_geometry_unit_create(&unit), unit);
}

static const picaflor_region regions[] = {{VRAM, VRAM_SIZE, vram}, {RAM, RAM_SIZE, ram}};

static picaflor_memory by_regions() {
    START(picaflor_memory, memory);
    memory.regions = regions, memory.region_count = 2, memory.tracked = 1;
    return memory;
}

// Four vertices of a program.
static picaflor_batch batch_of(const picaflor_program *program, const picaflor_attribute *source, uint32_t mask) {
    START(picaflor_batch, batch);
    batch.program = program, batch.output_mask = mask;
    batch.attributes = source, batch.attribute_count = 1, batch.vertex_count = 4;
    return batch;
}

static picaflor_gpu *new_gpu(picaflor_engine *engine, const picaflor_memory &memory) {
    START(picaflor_gpu_config, config);
    config.memory = &memory;
    picaflor_gpu *gpu;
    return made(picaflor_gpu_create(engine, &config, &gpu), gpu);
}

static picaflor_ge *new_ge(picaflor_engine *engine, const picaflor_memory &memory) {
    START(picaflor_ge_config, config);
    config.memory = &memory;
    picaflor_ge *ge;
    return made(picaflor_ge_create(engine, &config, &ge), ge);
}

static picaflor_buffer *new_buffer(picaflor_gpu *gpu) {
    picaflor_buffer *buffer;
    return made(picaflor_gpu_save(gpu, &buffer), buffer);
}

// One object of each kind.
struct Objects {
    picaflor_engine *engine = engine_of(PICAFLOR_MODE_BLOCKING);
    picaflor_program *program = new_program();
    picaflor_uniform_set *set = new_set();
    picaflor_geometry_unit *unit = new_unit();
    picaflor_gpu *gpu = new_gpu(engine, by_regions());
    picaflor_ge *ge = new_ge(engine, by_regions());
    picaflor_buffer *buffer = new_buffer(gpu);

    std::vector<void *> all() const { return {engine, program, set, unit, gpu, ge, buffer}; }
    void destroy() const {
        OK(picaflor_buffer_destroy(buffer));
        OK(picaflor_ge_destroy(ge));
        OK(picaflor_gpu_destroy(gpu));
        OK(picaflor_geometry_unit_destroy(unit));
        OK(picaflor_uniform_set_destroy(set));
        OK(picaflor_program_destroy(program));
        OK(picaflor_engine_destroy(engine));
    }
};

static Objects live, gone;

template <typename T> struct Kind : std::false_type {};
#define KIND(type, member)                                                                                        \
    template <> struct Kind<picaflor_##type> : std::true_type {                                                   \
        static picaflor_##type *of(const Objects &objects) { return objects.member; }                             \
    }
KIND(engine, engine);
KIND(program, program);
KIND(uniform_set, set);
KIND(geometry_unit, unit);
KIND(gpu, gpu);
KIND(ge, ge);
KIND(buffer, buffer);

// Numbers that are not handles of this kind.
template <typename T> static std::vector<T *> strangers() {
    T *mine = Kind<T>::of(live);
    std::vector<T *> result = {Kind<T>::of(gone), (T *)16, (T *)vram, (T *)((uintptr_t)mine + 8),
                               (T *)((uintptr_t)mine + 0x1000000), (T *)~(uintptr_t)0};
    for (void *other : live.all())
        if (other != mine)
            result.push_back((T *)other);
    return result;
}

// ---------------------------------------------------------------- one wrong argument

template <typename T, typename = void> struct Sized : std::false_type {};
template <typename T> struct Sized<T, std::void_t<decltype(std::declval<T>().size)>> : std::true_type {};

static bool is_defined(picaflor_status status) {
    return status >= PICAFLOR_OK && status <= PICAFLOR_ERROR_STOPPED && status != PICAFLOR_ERROR_INTERNAL &&
           status != PICAFLOR_ERROR_POISONED;
}

static std::set<std::string> swept;

// Parameters that may be NULL, by name and number; the header says so for each.
static const std::set<std::pair<std::string, size_t>> optional = {
    {"picaflor_engine_create", 0},      // all defaults
    {"picaflor_set_log", 0},            // no messages
    {"picaflor_uniform_set_create", 0}, // zeros
    {"picaflor_gpu_replay", 4},         // no hooks
    {"picaflor_ge_replay", 3},
    {"picaflor_gpu_set_hooks", 1},      // removes them
    {"picaflor_ge_set_hooks", 1},
    {"picaflor_gpu_set_textures", 1},
    {"picaflor_ge_set_textures", 1},
    {"picaflor_gpu_trace", 1},          // none
    {"picaflor_ge_trace", 1},
    {"picaflor_gpu_take_trace", 3},     // results that are not wanted
    {"picaflor_ge_take_trace", 3},
    {"picaflor_gpu_run_list", 3},
    {"picaflor_ge_run", 1},
    {"picaflor_ge_run", 2},
    {"picaflor_gpu_submit_list", 3},    // nothing to call
    {"picaflor_ge_submit_run", 1},
    {"picaflor_gpu_submit_list", 5},    // fences that are not wanted
    {"picaflor_ge_submit_run", 3},
    {"picaflor_gpu_set_timing", 1},     // no estimates, or those of the library
    {"picaflor_ge_set_timing", 1},
};
static std::set<std::pair<std::string, size_t>> omitted;

template <typename... P> struct Sweep {
    const char *name;
    picaflor_status (*call)(P...);
    std::tuple<P...> good;
    picaflor_status expected; // of right arguments

    template <size_t I> picaflor_status with(std::tuple_element_t<I, std::tuple<P...>> argument) const {
        auto arguments = good;
        std::get<I>(arguments) = argument;
        checked++;
        return std::apply(call, arguments);
    }

    template <size_t I> void handles() const {
        using T = std::remove_const_t<std::remove_pointer_t<std::tuple_element_t<I, std::tuple<P...>>>>;
        for (T *stranger : strangers<T>())
            if (picaflor_status status = with<I>(stranger); status != PICAFLOR_ERROR_ARGUMENT)
                wrong(name, "not a handle", status);
        if (picaflor_status status = with<I>(nullptr); status != PICAFLOR_ERROR_NULL)
            wrong(name, "NULL for a handle", status);
    }

    // A structure in a block of exactly `bytes` bytes, as much of it as that holds, with zeros behind it.
    template <size_t I> picaflor_status cut(size_t size, size_t bytes, uint8_t behind) const {
        using A = std::tuple_element_t<I, std::tuple<P...>>;
        using T = std::remove_const_t<std::remove_pointer_t<A>>;
        std::unique_ptr<uint8_t, void (*)(void *)> block((uint8_t *)malloc(bytes), free);
        memset(block.get(), behind, bytes);
        memcpy(block.get(), std::get<I>(good), bytes < sizeof(T) ? bytes : sizeof(T));
        memcpy(block.get(), &size, sizeof size);
        return with<I>((A)(void *)block.get());
    }

    template <size_t I> void sizes() const {
        using A = std::tuple_element_t<I, std::tuple<P...>>;
        using T = std::remove_const_t<std::remove_pointer_t<A>>;
        for (size_t size : {(size_t)0, (size_t)1, sizeof(size_t) - 1, (size_t)4097, (size_t)-1})
            if (picaflor_status status = cut<I>(size, sizeof(size_t), 0); status != PICAFLOR_ERROR_SIZE)
                wrong(name, "a wrong size", status);
        for (size_t size = sizeof(size_t); size <= sizeof(T); size += sizeof(size_t))
            if (picaflor_status status = cut<I>(size, size, 0); !is_defined(status))
                wrong(name, "an old size", status);
        if (picaflor_status status = cut<I>(sizeof(T) + 16, sizeof(T) + 16, 0); status != std::apply(call, good))
            wrong(name, "a new size", status);
        bool is_read = std::is_const_v<std::remove_pointer_t<A>>;
        if (picaflor_status status = cut<I>(sizeof(T) + 16, sizeof(T) + 16, 0xff); is_read && status != PICAFLOR_ERROR_SIZE)
            wrong(name, "members of a newer header", status);
    }

    template <size_t I> void argument() const {
        using A = std::tuple_element_t<I, std::tuple<P...>>;
        if constexpr (std::is_pointer_v<A>) {
            using T = std::remove_const_t<std::remove_pointer_t<A>>;
            if constexpr (Kind<T>::value) {
                handles<I>();
            } else if constexpr (!std::is_void_v<T>) {
                const bool may_be_null = optional.count({name, I});
                if (may_be_null)
                    omitted.insert({name, I});
                picaflor_status status = with<I>(nullptr);
                if (status != (may_be_null ? expected : PICAFLOR_ERROR_NULL))
                    wrong(name, "NULL", status);
                if constexpr (Sized<T>::value)
                    sizes<I>();
            }
        }
    }

    template <size_t... I> void arguments(std::index_sequence<I...>) const { (argument<I>(), ...); }

    void sweep() const {
        arguments(std::index_sequence_for<P...>());
        picaflor_status status = std::apply(call, good);
        if (status != expected)
            wrong(name, "right arguments", status);
    }
};

template <typename... P, typename... A>
static void sweep(const char *name, picaflor_status expected, picaflor_status (*call)(P...), A... arguments) {
    swept.insert(name);
    Sweep<P...>{name, call, std::tuple<P...>{arguments...}, expected}.sweep();
}
#define SWEEP(name, ...) sweep(#name, PICAFLOR_OK, name, __VA_ARGS__)
// Of functions that fail in this state, after their arguments are found right.
#define SWEEP_TO(status, name, ...) sweep(#name, PICAFLOR_ERROR_##status, name, __VA_ARGS__)

static void on_event(void *, const picaflor_event *) {}
static void on_texture(void *, const picaflor_texture *, uint32_t *) {}
static void on_note(void *, const picaflor_note *) {}
static int32_t on_frame(void *, const picaflor_frame *) { return 0; }

static void on_session(void *) {}
static void on_done(void *, uint64_t, picaflor_status) {}

static size_t count;
static uint32_t word, words[32];
static uint64_t number;
static uint8_t bytes[PICAFLOR_GE_PICTURE_BYTES];

static picaflor_attribute attribute() {
    picaflor_attribute result;
    memset(&result, 0, sizeof result);
    result.bytes = vram, result.length = 64, result.stride = 16;
    result.element = PICAFLOR_ELEMENT_F32, result.components = 4;
    return result;
}

static void engines() {
    picaflor_engine *engine = live.engine;
    START(picaflor_engine_config, config);
    config.mode = PICAFLOR_MODE_INTERPRETER;
    picaflor_engine *other = NULL;
    SWEEP(picaflor_engine_create, &config, &other);
    SWEEP(picaflor_engine_wait, engine);
    START(picaflor_engine_stats, stats);
    SWEEP(picaflor_engine_get_stats, engine, &stats);
    SWEEP(picaflor_engine_reset_stats, engine);
    picaflor_buffer *text;
    SWEEP(picaflor_engine_refusals, engine, &text);
    SWEEP(picaflor_set_log, nullptr, nullptr, 0);
    picaflor_fault fault;
    SWEEP(picaflor_engine_faults, engine, &fault, 1, &count);
    START(picaflor_hooks, hooks);
    hooks.event = on_event;
    SWEEP_TO(FORMAT, picaflor_gpu_replay, engine, bytes, 16, 0, &hooks, on_frame, nullptr);
    SWEEP_TO(FORMAT, picaflor_ge_replay, engine, bytes, 16, &hooks, on_frame, nullptr);
}

static void programs() {
    picaflor_program *program;
    SWEEP(picaflor_program_create, 0, code, 2, descriptors, 1, &program);
    SWEEP(picaflor_program_from_shbin, 0, shbin, sizeof shbin, &program);
    SWEEP(picaflor_program_entry, program, 0, &word);
    START(picaflor_uniforms, uniforms);
    picaflor_uniform_set *set;
    SWEEP(picaflor_uniform_set_create, &uniforms, &set);
    SWEEP(picaflor_uniform_set_floats, live.set, 0, uniforms.floats, 4);
    SWEEP(picaflor_uniform_set_flow, live.set, 0, uniforms.ints);
    START(picaflor_shaded, shaded);
    picaflor_attribute source = attribute();
    picaflor_batch batch = batch_of(live.program, &source, 1);
    batch.uniform_set = live.set;
    SWEEP(picaflor_shade, live.engine, &batch, &shaded);
    START(picaflor_compiled, compiled);
    SWEEP(picaflor_compile, live.engine, &batch, &compiled);
    for (picaflor_program *stranger : strangers<picaflor_program>()) {
        batch.program = stranger;
        CHECK(picaflor_shade(live.engine, &batch, &shaded) == PICAFLOR_ERROR_ARGUMENT);
    }
    batch.program = live.program;
    for (picaflor_uniform_set *stranger : strangers<picaflor_uniform_set>()) {
        batch.uniform_set = stranger;
        CHECK(picaflor_shade(live.engine, &batch, &shaded) == PICAFLOR_ERROR_ARGUMENT);
    }
    batch.uniform_set = NULL, batch.output_form = PICAFLOR_OUTPUT_SEMANTICS;
    static float vertices[4][24];
    SWEEP(picaflor_shade_vertices, live.engine, &batch, vertices, 4);
    static float floats[16];
    START(picaflor_float_batch, plain);
    plain.program = live.program, plain.inputs = floats, plain.outputs = floats;
    plain.input_count = 1, plain.vertex_count = 2, plain.output_capacity = 2, plain.output_mask = 1;
    SWEEP(picaflor_shade_floats, live.engine, &plain);
    START(picaflor_geometry_run, run);
    static picaflor_emission emission;
    picaflor_program *geometry = new_program(PICAFLOR_UNIT_GEOMETRY);
    run.program = geometry, run.uniforms = &uniforms;
    SWEEP(picaflor_run_geometry, live.engine, live.unit, &run, &emission, 1, &count);
    SWEEP(picaflor_run_geometry_batch, live.engine, live.unit, &run, 2, &emission, 1, &count);
    for (picaflor_program *stranger : strangers<picaflor_program>()) {
        run.program = stranger, plain.program = stranger;
        CHECK(picaflor_run_geometry(live.engine, live.unit, &run, &emission, 1, &count) == PICAFLOR_ERROR_ARGUMENT);
        CHECK(picaflor_shade_floats(live.engine, &plain) == PICAFLOR_ERROR_ARGUMENT);
    }
    OK(picaflor_program_destroy(geometry));
    picaflor_geometry_unit *unit;
    SWEEP(picaflor_geometry_unit_create, &unit);
    START(picaflor_unit_state, state);
    SWEEP(picaflor_geometry_unit_get, live.unit, &state);
    SWEEP(picaflor_geometry_unit_set, live.unit, &state);
}

// The functions that both machines have.
#define BOTH(kind, machine, file)                                                                                 \
    do {                                                                                                          \
        picaflor_memory memory = by_regions();                                                                    \
        picaflor_fault fault;                                                                                     \
        picaflor_range range = {VRAM, 16};                                                                        \
        picaflor_buffer *buffer;                                                                                  \
        START(picaflor_hooks, hooks);                                                                             \
        hooks.event = on_event;                                                                                   \
        START(picaflor_textures, textures);                                                                       \
        textures.texture = on_texture;                                                                            \
        START(picaflor_trace, trace);                                                                             \
        trace.draw = 1000;                                                                                        \
        SWEEP(picaflor_##kind##_set_engine, machine, live.engine);                                                \
        SWEEP(picaflor_##kind##_set_memory, machine, &memory);                                                    \
        SWEEP(picaflor_##kind##_set_threads, machine, 1);                                                         \
        SWEEP(picaflor_##kind##_stop, machine, 0);                                                                \
        SWEEP(picaflor_##kind##_set_time_limit, machine, 0);                                                      \
        SWEEP(picaflor_##kind##_wait, machine, 0);                                                                \
        SWEEP(picaflor_##kind##_complete, machine, &number);                                                      \
        SWEEP(picaflor_##kind##_take_faults, machine, &fault, 1, &count);                                         \
        SWEEP(picaflor_##kind##_set_hooks, machine, &hooks);                                                      \
        SWEEP(picaflor_##kind##_set_textures, machine, &textures);                                                \
        SWEEP(picaflor_##kind##_trace, machine, &trace);                                                          \
        OK(picaflor_##kind##_take_trace(machine, on_note, NULL, &count));                                         \
        SWEEP_TO(STATE, picaflor_##kind##_take_trace, machine, on_note, nullptr, &count);                         \
        SWEEP(picaflor_##kind##_save, machine, &buffer);                                                          \
        SWEEP(picaflor_##kind##_load, machine, picaflor_buffer_data(buffer), picaflor_buffer_size(buffer));       \
        SWEEP(picaflor_##kind##_field_size, machine, file, &count);                                               \
        SWEEP(picaflor_##kind##_read_field, machine, file, 0, words, 8);                                          \
        SWEEP(picaflor_##kind##_write_field, machine, file, 0, words, 8);                                         \
        SWEEP(picaflor_##kind##_export, machine, &buffer);                                                        \
        SWEEP(picaflor_##kind##_import, machine, picaflor_buffer_data(buffer), picaflor_buffer_size(buffer));     \
        SWEEP(picaflor_##kind##_invalidate, machine, VRAM, 16);                                                   \
        picaflor_range written[64];                                                                               \
        SWEEP(picaflor_##kind##_take_written, machine, written, 64, &count);                                      \
        OK(picaflor_##kind##_start_recording(machine, &range, 1));                                                \
        OK(picaflor_##kind##_stop_recording(machine, &buffer));                                                   \
        SWEEP(picaflor_##kind##_start_recording, machine, &range, 1);                                             \
        OK(picaflor_##kind##_stop_recording(machine, &buffer));                                                   \
        SWEEP_TO(STATE, picaflor_##kind##_stop_recording, machine, &buffer);                                      \
        SWEEP_TO(STATE, picaflor_##kind##_stop_recording_to, machine, "/nowhere/at/all");                         \
        OK(picaflor_##kind##_set_hooks(machine, NULL));                                                           \
        OK(picaflor_##kind##_set_textures(machine, NULL));                                                        \
    } while (0)

static void gpus() {
    picaflor_gpu *gpu = live.gpu, *other;
    picaflor_memory memory = by_regions();
    START(picaflor_gpu_config, config);
    config.memory = &memory;
    SWEEP(picaflor_gpu_create, live.engine, &config, &other);
    BOTH(gpu, gpu, PICAFLOR_FIELD_REGISTERS);
    SWEEP(picaflor_gpu_submit_list, gpu, VRAM, 16, on_done, nullptr, &number);
    OK(picaflor_gpu_wait(gpu, number));
    SWEEP(picaflor_gpu_set_attribute_clocks, gpu, 1);
    SWEEP(picaflor_gpu_run_list, gpu, VRAM, 16, &word);
    SWEEP(picaflor_gpu_write, gpu, 0x10400000, 0);
    SWEEP(picaflor_gpu_read, gpu, 0x10400000, &word);
    SWEEP(picaflor_gpu_write_register, gpu, 0x40, 0, 15);
    SWEEP(picaflor_gpu_read_register, gpu, 0x40, &word);
    SWEEP(picaflor_gpu_fill, gpu, 0, VRAM, VRAM + 16, 0, 4);
    START(picaflor_transfer, transfer);
    transfer.input = VRAM, transfer.output = VRAM + 0x1000, transfer.flags = 8, transfer.copy_size = 16;
    SWEEP(picaflor_gpu_transfer, gpu, &transfer);
    START(picaflor_draw, draw);
    picaflor_register_range changed = {0, 1};
    draw.registers = words, draw.register_count = 8, draw.changed = &changed, draw.changed_count = 1;
    SWEEP(picaflor_gpu_draw, gpu, &draw);
    static float vertices[3][24];
    SWEEP(picaflor_gpu_draw_vertices, gpu, vertices, 3);
    static picaflor_triangle triangle;
    SWEEP(picaflor_gpu_set_up, gpu, vertices, 3, &triangle, 1, &count);
    SWEEP(picaflor_gpu_draw_triangles, gpu, &triangle, 1);
    SWEEP(picaflor_gpu_interrupts, gpu, &word);
    SWEEP(picaflor_gpu_acknowledge, gpu, 0);
    START(picaflor_gpu_rates, rates);
    SWEEP(picaflor_gpu_set_timing, gpu, &rates);
    picaflor_delay delays[4];
    SWEEP(picaflor_gpu_take_delays, gpu, delays, 4, &count);
    SWEEP(picaflor_gpu_run_cycles, gpu, &number);
    SWEEP(picaflor_gpu_work, gpu, &number);
    SWEEP(picaflor_gpu_vblank, gpu, 0);
    uint32_t width, height;
    SWEEP(picaflor_gpu_picture, gpu, 0, bytes, sizeof bytes, &width, &height);
    START(picaflor_picture_buffer, shown);
    shown.bytes = bytes, shown.capacity = sizeof bytes;
    SWEEP(picaflor_gpu_picture_into, gpu, 0, &shown, &width, &height);
    SWEEP(picaflor_gpu_frame_end, gpu);
    START(picaflor_gpu_stats, stats);
    SWEEP(picaflor_gpu_get_stats, gpu, &stats);
}

static void ges() {
    picaflor_ge *ge = live.ge, *other;
    picaflor_memory memory = by_regions();
    START(picaflor_ge_config, config);
    config.memory = &memory;
    SWEEP(picaflor_ge_create, live.engine, &config, &other);
    BOTH(ge, ge, PICAFLOR_GE_FIELD_COMMANDS);
    SWEEP(picaflor_ge_submit_run, ge, on_done, nullptr, &number);
    OK(picaflor_ge_wait(ge, number));
    SWEEP_TO(STATE, picaflor_ge_interrupt_cycles, ge, &number);
    SWEEP(picaflor_ge_set_sdk, ge, 0);
    START(picaflor_ge_list, list);
    const uint32_t ends[] = {0x0f000000, 0x0c000000}; // FINISH, END
    memcpy(ram + 0x8000, ends, sizeof ends);
    list.address = RAM + 0x8000, list.callback = -1;
    SWEEP(picaflor_ge_enqueue, ge, &list, &word);
    SWEEP(picaflor_ge_update_stall, ge, 0, 0, &word);
    SWEEP(picaflor_ge_list_sync, ge, 0, &word);
    SWEEP(picaflor_ge_draw_sync, ge, &word);
    SWEEP(picaflor_ge_dequeue, ge, 0, &word);
    SWEEP(picaflor_ge_break, ge, 0, &word);
    SWEEP(picaflor_ge_continue, ge, &word);
    SWEEP(picaflor_ge_save_context, ge, RAM, &word);
    SWEEP(picaflor_ge_restore_context, ge, RAM, &word);
    SWEEP(picaflor_ge_set_translation, ge, 0, &word);
    uint32_t progress;
    SWEEP(picaflor_ge_run, ge, &progress, &word);
    SWEEP(picaflor_ge_session, ge, on_session, nullptr);
    SWEEP(picaflor_ge_before_read, ge, RAM, 16);
    SWEEP(picaflor_ge_before_write, ge, RAM, 16);
    SWEEP(picaflor_ge_forget_completed, ge);
    picaflor_ge_interrupt interrupt;
    SWEEP(picaflor_ge_next_interrupt, ge, &interrupt);
    SWEEP(picaflor_ge_acknowledge, ge, interrupt.kind, interrupt.list);
    START(picaflor_ge_rates, rates);
    SWEEP(picaflor_ge_set_timing, ge, &rates);
    SWEEP(picaflor_ge_cycles, ge, &number);
    SWEEP(picaflor_ge_work, ge, &number);
    const uint32_t vertex_type[] = {0x12000180}; // positions of three floats
    SWEEP(picaflor_ge_execute, ge, vertex_type, 1);
    static picaflor_ge_vertex vertices[3];
    static const uint32_t indices[] = {0, 1, 2};
    SWEEP(picaflor_ge_transform, ge, ram, 36, indices, 3, vertices);
    SWEEP(picaflor_ge_draw_vertices, ge, 3, vertices, 3);
    static picaflor_ge_primitive primitives[4];
    SWEEP(picaflor_ge_set_up, ge, 3, vertices, 3, primitives, 4, &count);
    SWEEP(picaflor_ge_draw_primitives, ge, primitives, 1);
    START(picaflor_ge_transfer, transfer);
    transfer.source = RAM, transfer.destination = RAM, transfer.source_stride = transfer.destination_stride = 8;
    transfer.width = transfer.height = 1, transfer.pixel_bytes = 4;
    SWEEP(picaflor_ge_run_transfer, ge, &transfer);
    SWEEP(picaflor_ge_read_command, ge, 0, &word);
    SWEEP(picaflor_ge_read_matrix, ge, 8, words, 32);
    SWEEP(picaflor_ge_read_clut, ge, bytes, sizeof bytes);
    SWEEP(picaflor_ge_picture, ge, RAM, 512, 3, bytes, sizeof bytes);
    START(picaflor_picture_buffer, shown);
    shown.bytes = bytes, shown.capacity = sizeof bytes;
    SWEEP(picaflor_ge_picture_into, ge, RAM, 512, 3, &shown);
    SWEEP(picaflor_ge_frame_end, ge, RAM, 512, 3);
    START(picaflor_ge_stats, stats);
    SWEEP(picaflor_ge_get_stats, ge, &stats);
}

template <typename T> static void destroyed(const char *name, picaflor_status (*destroy)(T *)) {
    swept.insert(name);
    for (T *stranger : strangers<T>())
        CHECK(destroy(stranger) == PICAFLOR_ERROR_ARGUMENT);
    OK(destroy(nullptr));
}
#define DESTROYED(name) destroyed(#name, name)

static void destructions() {
    DESTROYED(picaflor_engine_destroy);
    DESTROYED(picaflor_program_destroy);
    DESTROYED(picaflor_uniform_set_destroy);
    DESTROYED(picaflor_geometry_unit_destroy);
    DESTROYED(picaflor_gpu_destroy);
    DESTROYED(picaflor_ge_destroy);
    DESTROYED(picaflor_buffer_destroy);
    swept.insert({"picaflor_buffer_data", "picaflor_buffer_size"});
    for (picaflor_buffer *stranger : strangers<picaflor_buffer>())
        CHECK(picaflor_buffer_data(stranger) == NULL && picaflor_buffer_size(stranger) == 0);
    CHECK(picaflor_buffer_size(live.buffer) > 0);
}

// ---------------------------------------------------------------- calls from inside callbacks

static uint8_t gpu_bytes[GPU_SIZE], ge_bytes[GE_SIZE], ge_ram[GE_RAM_SIZE];
static const picaflor_region drawn[] = {
    {GPU_VRAM, GPU_SIZE, gpu_bytes}, {GE_VRAM, GE_SIZE, ge_bytes}, {GE_RAM, GE_RAM_SIZE, ge_ram}};

// The functions that both machines have.
template <typename M> struct Functions;
#define FUNCTIONS(kind)                                                                                           \
    static constexpr auto create = new_##kind;                                                                    \
    static constexpr auto destroy = picaflor_##kind##_destroy;                                                    \
    static constexpr auto set_engine = picaflor_##kind##_set_engine;                                              \
    static constexpr auto set_memory = picaflor_##kind##_set_memory;                                              \
    static constexpr auto set_threads = picaflor_##kind##_set_threads;                                            \
    static constexpr auto set_time_limit = picaflor_##kind##_set_time_limit;                                      \
    static constexpr auto set_hooks = picaflor_##kind##_set_hooks;                                                \
    static constexpr auto set_textures = picaflor_##kind##_set_textures;                                          \
    static constexpr auto take_faults = picaflor_##kind##_take_faults;                                            \
    static constexpr auto trace = picaflor_##kind##_trace;                                                        \
    static constexpr auto take_trace = picaflor_##kind##_take_trace;                                              \
    static constexpr auto save = picaflor_##kind##_save;                                                          \
    static constexpr auto export_state = picaflor_##kind##_export;                                                \
    static constexpr auto field_size = picaflor_##kind##_field_size;                                              \
    static constexpr auto read_field = picaflor_##kind##_read_field;                                              \
    static constexpr auto write_field = picaflor_##kind##_write_field;                                            \
    static constexpr auto start_recording = picaflor_##kind##_start_recording;                                    \
    static constexpr auto stop_recording = picaflor_##kind##_stop_recording;                                      \
    static constexpr auto stop = picaflor_##kind##_stop;                                                          \
    static constexpr auto wait = picaflor_##kind##_wait;                                                          \
    static constexpr auto complete = picaflor_##kind##_complete;                                                  \
    static constexpr auto invalidate = picaflor_##kind##_invalidate;                                              \
    static constexpr auto take_written = picaflor_##kind##_take_written;                                          \
    static uint64_t draws(picaflor_##kind *machine) {                                                             \
        START(picaflor_##kind##_stats, stats);                                                                    \
        OK(picaflor_##kind##_get_stats(machine, &stats));                                                         \
        return stats.draws;                                                                                       \
    }

template <> struct Functions<picaflor_gpu> {
    FUNCTIONS(gpu)
    enum : uint32_t { LIST = GPU_VRAM + 0xc000 };
    static picaflor_status run(picaflor_gpu *gpu) { return picaflor_gpu_run_list(gpu, LIST, 16, NULL); }
    static picaflor_status submit(picaflor_gpu *gpu, picaflor_done done, void *user, uint64_t *fence) {
        return picaflor_gpu_submit_list(gpu, LIST, 16, done, user, fence);
    }
    // Without vertices of the host, which end a recording.
    static void list(picaflor_gpu *gpu) {
        const uint32_t words[] = {0, 0x000f0040, 0, 0x000f0041};
        memcpy(gpu_bytes + (LIST - GPU_VRAM), words, sizeof words);
        OK(run(gpu));
        OK(picaflor_gpu_fill(gpu, 0, GPU_VRAM, GPU_VRAM + 64, 0, 4));
    }
    static void draw(picaflor_gpu *gpu) { gpu_draw(gpu, gpu_bytes, 0, MOST); }
    static picaflor_status frame_end(picaflor_gpu *gpu) { return picaflor_gpu_frame_end(gpu); }
    static picaflor_status replay(picaflor_engine *engine, picaflor_buffer *capture, const picaflor_hooks *hooks,
                                  picaflor_frame_callback frame, void *user) {
        return picaflor_gpu_replay(engine, picaflor_buffer_data(capture), picaflor_buffer_size(capture), 0, hooks,
                                   frame, user);
    }
};

template <> struct Functions<picaflor_ge> {
    FUNCTIONS(ge)
    static picaflor_status run(picaflor_ge *ge) { return picaflor_ge_run(ge, NULL, NULL); }
    static constexpr auto submit = picaflor_ge_submit_run;
    static void list(picaflor_ge *ge) { ge_draw(ge, ge_bytes, ge_ram, 0, 1); }
    static void draw(picaflor_ge *ge) { ge_draw(ge, ge_bytes, ge_ram, 0, MOST); }
    static picaflor_status frame_end(picaflor_ge *ge) { return picaflor_ge_frame_end(ge, GE_VRAM, 64, 3); }
    static picaflor_status replay(picaflor_engine *engine, picaflor_buffer *capture, const picaflor_hooks *hooks,
                                  picaflor_frame_callback frame, void *user) {
        return picaflor_ge_replay(engine, picaflor_buffer_data(capture), picaflor_buffer_size(capture), hooks, frame,
                                  user);
    }
};

template <typename M> struct Reentry {
    using F = Functions<M>;
    enum { EVENT, REGION, WRITTEN, VERSION, TEXTURE, CALLBACKS };
    static inline picaflor_engine *engine;
    static inline M *machine;
    static inline std::atomic<int> entered[CALLBACKS];
    static inline std::atomic<uint64_t> version;
    static inline std::atomic<bool> is_destroyed;
    static inline int notes, events;

    // The machine and its engine are in use, on every thread.
    static void reenter(int callback) {
        const bool is_early = entered[callback]++ < 10;
        const picaflor_memory memory = by_regions();
        picaflor_buffer *state = NULL;
        picaflor_fault fault;
        picaflor_range range;
        size_t found;
        uint64_t fence;
        uint32_t some[4] = {};
        START(picaflor_engine_stats, stats);
        const picaflor_status busy[] = {F::destroy(machine), F::run(machine), F::set_engine(machine, live.engine),
                                        F::set_memory(machine, &memory), F::set_threads(machine, 2),
                                        F::set_time_limit(machine, 1), F::set_hooks(machine, NULL),
                                        F::set_textures(machine, NULL), F::take_faults(machine, &fault, 1, &found),
                                        F::trace(machine, NULL), F::take_trace(machine, on_note, NULL, &found),
                                        F::save(machine, &state), F::export_state(machine, &state),
                                        F::field_size(machine, 0, &found), F::read_field(machine, 0, 0, some, 4),
                                        F::write_field(machine, 0, 0, some, 4),
                                        F::start_recording(machine, NULL, 0), F::stop_recording(machine, &state),
                                        picaflor_engine_wait(engine), picaflor_engine_get_stats(engine, &stats),
                                        picaflor_engine_reset_stats(engine)};
        for (picaflor_status status : busy)
            CHECK(status == PICAFLOR_ERROR_BUSY);
        CHECK(state == NULL && F::set_memory(machine, NULL) == PICAFLOR_ERROR_NULL);
        OK(F::stop(machine, 0));
        OK(F::invalidate(machine, VRAM, 16));
        OK(F::take_written(machine, &range, 1, &found));
        OK(F::wait(machine, 0));
        OK(F::complete(machine, &fence));
        if (is_early)
            OK(F::destroy(F::create(engine, by_regions())));
    }

    static void on_event(void *, const picaflor_event *) { reenter(EVENT); }
    static uint8_t *on_region(void *, uint32_t address, uint32_t length) {
        reenter(REGION);
        for (const picaflor_region &region : drawn)
            if (address >= region.address && (uint64_t)address + length <= (uint64_t)region.address + region.length)
                return (uint8_t *)region.bytes + (address - region.address);
        return NULL;
    }
    static void on_written(void *, uint32_t, uint32_t) { reenter(WRITTEN); }
    static int32_t on_version(void *, uint32_t, uint32_t, uint64_t *number) {
        reenter(VERSION);
        *number = ++version;
        return 1;
    }
    static void on_texture(void *, const picaflor_texture *, uint32_t *) { reenter(TEXTURE); }

    // The trace has ended: the machine is free.
    static void on_note(void *, const picaflor_note *) {
        size_t found;
        notes++;
        CHECK(F::take_trace(machine, on_note, NULL, &found) == PICAFLOR_ERROR_STATE);
        OK(F::field_size(machine, 0, &found));
        OK(picaflor_engine_wait(engine));
    }

    static void on_last_note(void *, const picaflor_note *) {
        CHECK(F::destroy(machine) == (notes++ ? PICAFLOR_ERROR_ARGUMENT : PICAFLOR_OK));
    }

    static void in_runs() {
        START(picaflor_memory, memory);
        memory.region = on_region, memory.written = on_written, memory.version = on_version;
        machine = F::create(engine, memory);
        OK(F::set_threads(machine, 3));
        START(picaflor_hooks, hooks);
        hooks.event = on_event, hooks.events = 127;
        START(picaflor_textures, textures);
        textures.texture = on_texture;
        OK(F::set_textures(machine, &textures));
        for (int with_hooks = 0; with_hooks < 2; with_hooks++) {
            OK(F::set_hooks(machine, with_hooks ? &hooks : NULL));
            F::list(machine);
            F::draw(machine);
        }
        for (const std::atomic<int> &count : entered)
            CHECK(count > 0);
        START(picaflor_trace, trace);
        trace.pixel = 1, trace.draw = F::draws(machine);
        OK(F::trace(machine, &trace));
        F::draw(machine);
        OK(F::take_trace(machine, on_note, NULL, &count));
        CHECK(notes > 0 && (size_t)notes == count);
        trace.draw++;
        OK(F::trace(machine, &trace));
        F::draw(machine);
        notes = 0;
        OK(F::take_trace(machine, on_last_note, NULL, &count));
        CHECK(notes > 1 && (size_t)notes == count && F::stop(machine, 0) == PICAFLOR_ERROR_ARGUMENT);
    }

    // A capture whose engine is destroyed by its first frame plays to its end.
    static void replay_event(void *user, const picaflor_event *) {
        const bool ended = *(bool *)user;
        events++;
        CHECK(picaflor_engine_wait(engine) == (ended ? PICAFLOR_ERROR_ARGUMENT : PICAFLOR_ERROR_BUSY));
    }
    static int32_t replay_frame(void *user, const picaflor_frame *) {
        bool &ended = *(bool *)user;
        CHECK(picaflor_engine_wait(engine) == (ended ? PICAFLOR_ERROR_ARGUMENT : PICAFLOR_ERROR_BUSY));
        if (!ended)
            OK(picaflor_engine_destroy(engine));
        ended = true;
        return 0;
    }

    static void in_replays() {
        START(picaflor_memory, memory);
        memory.regions = drawn, memory.region_count = 3;
        machine = F::create(engine, memory);
        picaflor_buffer *capture;
        OK(F::start_recording(machine, NULL, 0));
        for (int frame = 0; frame < 3; frame++) {
            F::list(machine);
            OK(F::frame_end(machine));
        }
        OK(F::stop_recording(machine, &capture));
        bool ended = false;
        START(picaflor_hooks, hooks);
        hooks.event = replay_event, hooks.user = &ended, hooks.events = PICAFLOR_EVENT_COMMAND;
        OK(F::replay(engine, capture, &hooks, replay_frame, &ended));
        CHECK(ended && events > 3 && picaflor_engine_wait(engine) == PICAFLOR_ERROR_ARGUMENT);
        OK(picaflor_buffer_destroy(capture));
    }

    static void on_done(void *, uint64_t, picaflor_status) {
        OK(F::destroy(machine));
        CHECK(F::stop(machine, 0) == PICAFLOR_ERROR_ARGUMENT);
        is_destroyed = true;
    }

    // The machine still has its engine; a run that is complete destroys the machine.
    static void in_submitted_runs() {
        OK(F::submit(machine, on_done, NULL, &number));
        const picaflor_status waited = F::wait(machine, number);
        CHECK(waited == PICAFLOR_OK || waited == PICAFLOR_ERROR_ARGUMENT);
        while (!is_destroyed)
            std::this_thread::yield();
    }

    static void all() {
        engine = engine_of(PICAFLOR_MODE_BLOCKING);
        in_runs();
        in_replays();
        in_submitted_runs();
    }

};

// ---------------------------------------------------------------- three threads, and destruction of what is in use

// Numbers of calls that did their work, by the names of functions.
typedef std::map<std::string, size_t> Tally;

// Other threads use the objects, stop runs, destroy what this one uses, or record to a file that cannot be. `other` is a status
// that the function may have without them.
static void is_fair(Tally &tally, const char *name, picaflor_status status, picaflor_status other) {
    static const std::set<picaflor_status> fair = {PICAFLOR_ERROR_BUSY, PICAFLOR_ERROR_ARGUMENT, PICAFLOR_ERROR_STOPPED,
                                                   PICAFLOR_ERROR_IO};
    const bool worked = status == PICAFLOR_OK || status == other;
    if (!worked && !fair.count(status))
        wrong(name, "on three threads", status);
    tally[name] += worked;
}
#define FAIR(name, ...) is_fair(tally, #name, name(__VA_ARGS__), PICAFLOR_OK)
#define FAIR_TO(status, name, ...) is_fair(tally, #name, name(__VA_ARGS__), PICAFLOR_ERROR_##status)

static void run_in_session(void *user) {
    picaflor_ge *ge = (picaflor_ge *)user;
    uint32_t progress;
    // Nobody else runs or destroys it meanwhile; another thread may stop it.
    const picaflor_status status = picaflor_ge_run(ge, &progress, NULL);
    CHECK(status == PICAFLOR_OK || status == PICAFLOR_ERROR_STOPPED);
    const picaflor_status before = picaflor_ge_before_write(ge, RAM, 16);
    CHECK(before == PICAFLOR_OK || before == PICAFLOR_ERROR_STOPPED);
    CHECK(picaflor_ge_destroy(ge) == PICAFLOR_ERROR_BUSY);
}

// What three threads share, and how they use it.
struct Shared : Objects {
    picaflor_program *geometry = new_program(PICAFLOR_UNIT_GEOMETRY);
    std::atomic<int> ready{0}, ended{0};

    // What a thread reads and writes of its own.
    struct Own {
        uint32_t words[32] = {}, word = 0, other = 0;
        uint64_t number = 0;
        size_t count = 0;
        picaflor_buffer *buffer = NULL;
        uint8_t zeros[64] = {};
        std::vector<uint8_t> bytes = std::vector<uint8_t>(PICAFLOR_GE_PICTURE_BYTES);
    };

    picaflor_batch batch(const picaflor_attribute *source) const {
        picaflor_batch batch = batch_of(program, source, 1);
        batch.uniform_set = set;
        return batch;
    }

    // Functions of engines and programs.
    void shades(Tally &tally, Own &own) const {
        const picaflor_attribute source = attribute();
        picaflor_batch vertices = batch(&source);
        START(picaflor_shaded, shaded);
        FAIR(picaflor_shade, engine, &vertices, &shaded);
        START(picaflor_compiled, compiled);
        FAIR(picaflor_compile, engine, &vertices, &compiled);
        float floats[16] = {}, whole[4][24];
        vertices.output_form = PICAFLOR_OUTPUT_SEMANTICS;
        FAIR(picaflor_shade_vertices, engine, &vertices, whole, 4);
        START(picaflor_float_batch, plain);
        plain.program = program, plain.inputs = floats, plain.outputs = floats;
        plain.input_count = 1, plain.vertex_count = 2, plain.output_capacity = 2, plain.output_mask = 1;
        FAIR(picaflor_shade_floats, engine, &plain);
        START(picaflor_uniforms, uniforms);
        START(picaflor_geometry_run, run);
        picaflor_emission emission;
        run.program = geometry, run.uniforms = &uniforms;
        FAIR(picaflor_run_geometry, engine, unit, &run, &emission, 1, &own.count);
        FAIR(picaflor_run_geometry_batch, engine, unit, &run, 2, &emission, 1, &own.count);
        START(picaflor_unit_state, state);
        FAIR(picaflor_geometry_unit_get, unit, &state);
        FAIR(picaflor_geometry_unit_set, unit, &state);
        FAIR(picaflor_uniform_set_floats, set, 0, uniforms.floats, 4);
        FAIR(picaflor_uniform_set_flow, set, 1, uniforms.ints);
        picaflor_fault fault;
        START(picaflor_engine_stats, stats);
        FAIR(picaflor_engine_wait, engine);
        FAIR(picaflor_engine_get_stats, engine, &stats);
        FAIR(picaflor_engine_reset_stats, engine);
        FAIR(picaflor_engine_faults, engine, &fault, 1, &own.count);
        FAIR(picaflor_engine_refusals, engine, &own.buffer);
        FAIR(picaflor_buffer_destroy, own.buffer);
        FAIR_TO(FORMAT, picaflor_gpu_replay, engine, own.zeros, 16, 0, nullptr, on_frame, nullptr);
        FAIR_TO(FORMAT, picaflor_ge_replay, engine, own.zeros, 16, nullptr, on_frame, nullptr);
    }

    // Objects that only this thread knows, of an engine that all know.
    void creations(Tally &tally, Own &own) const {
        const picaflor_memory memory = by_regions();
        START(picaflor_engine_config, interpreter);
        interpreter.mode = PICAFLOR_MODE_INTERPRETER;
        START(picaflor_gpu_config, gpu_config);
        START(picaflor_ge_config, ge_config);
        gpu_config.memory = ge_config.memory = &memory;
        picaflor_engine *new_engine;
        picaflor_program *new_program;
        picaflor_uniform_set *new_set;
        picaflor_geometry_unit *new_unit;
        picaflor_gpu *new_gpu;
        picaflor_ge *new_ge;
        FAIR(picaflor_engine_create, &interpreter, &new_engine);
        FAIR(picaflor_engine_destroy, new_engine);
        FAIR(picaflor_program_create, 0, code, 2, descriptors, 1, &new_program);
        FAIR(picaflor_program_destroy, new_program);
        FAIR(picaflor_program_from_shbin, 0, shbin, sizeof shbin, &new_program);
        FAIR(picaflor_program_entry, new_program, 0, &own.word);
        FAIR(picaflor_program_destroy, new_program);
        FAIR(picaflor_uniform_set_create, NULL, &new_set);
        FAIR(picaflor_uniform_set_destroy, new_set);
        FAIR(picaflor_geometry_unit_create, &new_unit);
        FAIR(picaflor_geometry_unit_destroy, new_unit);
        FAIR(picaflor_gpu_create, engine, &gpu_config, &new_gpu);
        FAIR(picaflor_gpu_destroy, new_gpu);
        FAIR(picaflor_ge_create, engine, &ge_config, &new_ge);
        FAIR(picaflor_ge_destroy, new_ge);
        FAIR(picaflor_set_log, nullptr, nullptr, 0);
    }

#define SHARED(kind)                                                                                              \
    void both(picaflor_##kind *machine, Tally &tally, Own &own) const {                                           \
        const picaflor_memory memory = by_regions();                                                              \
        /* Other threads run lists meanwhile, and a recording hides what is outside of it. */                     \
        const picaflor_range all[] = {{VRAM, VRAM_SIZE}, {RAM, RAM_SIZE}};                                        \
        picaflor_range written[4];                                                                                \
        picaflor_fault fault;                                                                                     \
        START(picaflor_trace, trace);                                                                             \
        trace.draw = 1000000;                                                                                     \
        FAIR(picaflor_##kind##_stop, machine, 1);                                                                 \
        FAIR(picaflor_##kind##_stop, machine, 0);                                                                 \
        FAIR(picaflor_##kind##_set_engine, machine, engine);                                                      \
        FAIR(picaflor_##kind##_set_memory, machine, &memory);                                                     \
        FAIR(picaflor_##kind##_set_threads, machine, 2);                                                          \
        FAIR(picaflor_##kind##_set_time_limit, machine, 0);                                                       \
        FAIR(picaflor_##kind##_complete, machine, &own.number);                                                   \
        FAIR(picaflor_##kind##_wait, machine, own.number);                                                        \
        FAIR(picaflor_##kind##_take_faults, machine, &fault, 1, &own.count);                                      \
        FAIR(picaflor_##kind##_set_hooks, machine, nullptr);                                                      \
        FAIR(picaflor_##kind##_set_textures, machine, nullptr);                                                   \
        FAIR(picaflor_##kind##_trace, machine, &trace);                                                           \
        FAIR_TO(STATE, picaflor_##kind##_take_trace, machine, on_note, nullptr, &own.count);                      \
        FAIR(picaflor_##kind##_save, machine, &own.buffer);                                                       \
        if (own.buffer)                                                                                           \
            FAIR(picaflor_##kind##_load, machine, picaflor_buffer_data(own.buffer),                               \
                 picaflor_buffer_size(own.buffer));                                                               \
        FAIR(picaflor_buffer_destroy, own.buffer);                                                                \
        FAIR(picaflor_##kind##_export, machine, &own.buffer);                                                     \
        if (own.buffer)                                                                                           \
            FAIR(picaflor_##kind##_import, machine, picaflor_buffer_data(own.buffer),                             \
                 picaflor_buffer_size(own.buffer));                                                               \
        FAIR(picaflor_buffer_destroy, own.buffer);                                                                \
        FAIR(picaflor_##kind##_field_size, machine, 0, &own.count);                                               \
        FAIR(picaflor_##kind##_read_field, machine, 0, 0, own.words, 8);                                          \
        FAIR(picaflor_##kind##_write_field, machine, 0, 0, own.words, 8);                                         \
        FAIR(picaflor_##kind##_invalidate, machine, VRAM, 16);                                                    \
        FAIR_TO(SIZE, picaflor_##kind##_take_written, machine, written, 4, &own.count);                           \
        FAIR(picaflor_##kind##_start_recording, machine, all, 2);                                                 \
        FAIR_TO(STATE, picaflor_##kind##_stop_recording, machine, &own.buffer);                                   \
        FAIR(picaflor_buffer_destroy, own.buffer);                                                                \
        START(picaflor_##kind##_stats, stats);                                                                    \
        FAIR(picaflor_##kind##_get_stats, machine, &stats);                                                       \
        START(picaflor_##kind##_rates, rates);                                                                    \
        FAIR(picaflor_##kind##_set_timing, machine, &rates);                                                      \
    }
    SHARED(gpu)
    SHARED(ge)

    void gpus(Tally &tally, Own &own) const {
        FAIR(picaflor_gpu_submit_list, gpu, VRAM, 16, on_done, nullptr, &own.number);
        FAIR(picaflor_gpu_wait, gpu, own.number);
        FAIR(picaflor_gpu_set_attribute_clocks, gpu, 1);
        FAIR(picaflor_gpu_run_list, gpu, VRAM, 16, &own.word);
        FAIR(picaflor_gpu_write, gpu, 0x10400000, 0);
        FAIR(picaflor_gpu_read, gpu, 0x10400000, &own.word);
        FAIR(picaflor_gpu_write_register, gpu, 0x40, 0, 15);
        FAIR(picaflor_gpu_read_register, gpu, 0x40, &own.word);
        FAIR(picaflor_gpu_fill, gpu, 0, VRAM + 16, VRAM + 32, 0, 4);
        START(picaflor_transfer, transfer);
        transfer.input = VRAM, transfer.output = VRAM + 0x1000, transfer.flags = 8, transfer.copy_size = 16;
        FAIR(picaflor_gpu_transfer, gpu, &transfer);
        START(picaflor_draw, draw);
        draw.registers = own.words, draw.register_count = 8;
        FAIR(picaflor_gpu_draw, gpu, &draw);
        const float vertices[3][24] = {};
        picaflor_triangle triangle;
        memset(&triangle, 0, sizeof triangle);
        FAIR(picaflor_gpu_draw_vertices, gpu, vertices, 3);
        FAIR(picaflor_gpu_set_up, gpu, vertices, 3, &triangle, 1, &own.count);
        FAIR(picaflor_gpu_draw_triangles, gpu, &triangle, 1);
        FAIR(picaflor_gpu_interrupts, gpu, &own.word);
        FAIR(picaflor_gpu_acknowledge, gpu, own.word);
        picaflor_delay delays[4];
        FAIR(picaflor_gpu_take_delays, gpu, delays, 4, &own.count);
        FAIR(picaflor_gpu_run_cycles, gpu, &own.number);
        FAIR(picaflor_gpu_work, gpu, &own.number);
        FAIR(picaflor_gpu_vblank, gpu, 0);
        FAIR(picaflor_gpu_picture, gpu, 0, own.bytes.data(), own.bytes.size(), &own.word, &own.other);
        START(picaflor_picture_buffer, shown);
        shown.bytes = own.bytes.data(), shown.capacity = own.bytes.size();
        FAIR(picaflor_gpu_picture_into, gpu, 0, &shown, &own.word, &own.other);
        FAIR(picaflor_gpu_frame_end, gpu);
        FAIR_TO(STATE, picaflor_gpu_stop_recording_to, gpu, "/nowhere/at/all");
    }

    void ges(Tally &tally, Own &own) const {
        START(picaflor_ge_list, list);
        list.address = RAM + 0x8000, list.callback = -1;
        picaflor_ge_interrupt interrupt;
        memset(&interrupt, 0, sizeof interrupt);
        FAIR(picaflor_ge_enqueue, ge, &list, &own.word);
        FAIR(picaflor_ge_submit_run, ge, on_done, nullptr, &own.number);
        FAIR(picaflor_ge_wait, ge, own.number);
        FAIR(picaflor_ge_run, ge, &own.word, &own.other);
        FAIR(picaflor_ge_session, ge, run_in_session, ge);
        FAIR(picaflor_ge_before_read, ge, RAM, 16);
        FAIR(picaflor_ge_before_write, ge, RAM, 16);
        FAIR(picaflor_ge_next_interrupt, ge, &interrupt);
        FAIR_TO(STATE, picaflor_ge_interrupt_cycles, ge, &own.number);
        FAIR(picaflor_ge_acknowledge, ge, PICAFLOR_GE_INTERRUPT_FINISH, 0);
        FAIR(picaflor_ge_set_sdk, ge, 0);
        FAIR(picaflor_ge_update_stall, ge, 0, 0, &own.word);
        FAIR(picaflor_ge_list_sync, ge, 0, &own.word);
        FAIR(picaflor_ge_draw_sync, ge, &own.word);
        FAIR(picaflor_ge_dequeue, ge, 0, &own.word);
        FAIR(picaflor_ge_continue, ge, &own.word);
        FAIR(picaflor_ge_break, ge, 1, &own.word);
        FAIR(picaflor_ge_forget_completed, ge);
        FAIR(picaflor_ge_save_context, ge, RAM, &own.word);
        FAIR(picaflor_ge_restore_context, ge, RAM, &own.word);
        FAIR(picaflor_ge_set_translation, ge, 0, &own.word);
        FAIR(picaflor_ge_cycles, ge, &own.number);
        FAIR(picaflor_ge_work, ge, &own.number);
        const uint32_t vertex_type[] = {0x12000180}, indices[] = {0, 1, 2};
        picaflor_ge_vertex vertices[3];
        picaflor_ge_primitive primitives[4];
        memset(vertices, 0, sizeof vertices), memset(primitives, 0, sizeof primitives);
        FAIR(picaflor_ge_execute, ge, vertex_type, 1);
        FAIR_TO(SIZE, picaflor_ge_transform, ge, own.zeros, 36, indices, 3, vertices);
        FAIR(picaflor_ge_draw_vertices, ge, 3, vertices, 3);
        FAIR(picaflor_ge_set_up, ge, 3, vertices, 3, primitives, 4, &own.count);
        FAIR(picaflor_ge_draw_primitives, ge, primitives, 1);
        START(picaflor_ge_transfer, transfer);
        transfer.source = RAM, transfer.destination = RAM, transfer.source_stride = transfer.destination_stride = 8;
        transfer.width = transfer.height = 1, transfer.pixel_bytes = 4;
        FAIR(picaflor_ge_run_transfer, ge, &transfer);
        FAIR(picaflor_ge_read_command, ge, 0, &own.word);
        FAIR(picaflor_ge_read_matrix, ge, 8, own.words, 32);
        FAIR(picaflor_ge_read_clut, ge, own.bytes.data(), own.bytes.size());
        FAIR(picaflor_ge_picture, ge, RAM, 512, 3, own.bytes.data(), own.bytes.size());
        START(picaflor_picture_buffer, shown);
        shown.bytes = own.bytes.data(), shown.capacity = own.bytes.size();
        FAIR(picaflor_ge_picture_into, ge, RAM, 512, 3, &shown);
        FAIR(picaflor_ge_frame_end, ge, RAM, 512, 3);
        FAIR_TO(STATE, picaflor_ge_stop_recording_to, ge, "/nowhere/at/all");
    }

    // What waits for least, many times: a call and an end that meet.
    void often(Tally &tally, Own &own, uint32_t turn) const {
        const picaflor_attribute source = attribute();
        const picaflor_batch vertices = batch(&source);
        START(picaflor_shaded, shaded);
        FAIR(picaflor_shade, engine, &vertices, &shaded);
        FAIR(picaflor_gpu_run_list, gpu, VRAM, 16, NULL);
        FAIR(picaflor_ge_run, ge, &own.word, &own.other);
        FAIR(picaflor_ge_session, ge, run_in_session, ge);
        FAIR(picaflor_gpu_read, gpu, 0x10400000, &own.word);
        FAIR(picaflor_uniform_set_flow, set, turn, (const uint8_t(*)[4])own.zeros);
        tally["picaflor_buffer_size"] += picaflor_buffer_size(buffer) > 0;
        tally["picaflor_buffer_data"] += picaflor_buffer_data(buffer) != NULL;
    }

    // Of three that destroy, one succeeds.
    void end() {
        ended += picaflor_engine_destroy(engine) == PICAFLOR_OK;
        ended += picaflor_program_destroy(program) == PICAFLOR_OK;
        ended += picaflor_program_destroy(geometry) == PICAFLOR_OK;
        ended += picaflor_buffer_destroy(buffer) == PICAFLOR_OK;
        picaflor_status status;
        while ((status = picaflor_gpu_destroy(gpu)) == PICAFLOR_ERROR_BUSY) {}
        ended += status == PICAFLOR_OK;
        while ((status = picaflor_ge_destroy(ge)) == PICAFLOR_ERROR_BUSY) {}
        ended += status == PICAFLOR_OK;
        while ((status = picaflor_uniform_set_destroy(set)) == PICAFLOR_ERROR_BUSY) {}
        ended += status == PICAFLOR_OK;
        while ((status = picaflor_geometry_unit_destroy(unit)) == PICAFLOR_ERROR_BUSY) {}
        ended += status == PICAFLOR_OK;
    }

    void use(Tally &tally, uint32_t which, bool all) {
        Own own;
        ready++;
        while (ready < 3)
            std::this_thread::yield();
        for (uint32_t turn = 0; turn < 20; turn++) {
            often(tally, own, turn);
            // Each thread begins with other functions.
            for (uint32_t n = 0; all && turn % 4 == 1 && n < 6; n++)
                switch ((n + 2 * which) % 6) {
                case 0: shades(tally, own); break;
                case 1: creations(tally, own); break;
                case 2: both(gpu, tally, own); break;
                case 3: both(ge, tally, own); break;
                case 4: gpus(tally, own); break;
                default: ges(tally, own);
                }
            if (turn == 10 + which)
                end();
        }
    }
};

// Names of the functions that several threads called at once.
static Tally called;

static void three_threads() {
    for (int round = 0; round < 200; round++) {
        Shared shared;
        Tally tallies[3];
        std::vector<std::thread> threads;
        for (uint32_t which = 0; which < 3; which++)
            threads.emplace_back([&, which] { shared.use(tallies[which], which, round % 8 == 0); });
        for (auto &thread : threads)
            thread.join();
        CHECK(shared.ended == 8);
        CHECK(picaflor_gpu_destroy(shared.gpu) == PICAFLOR_ERROR_ARGUMENT);
        for (const Tally &tally : tallies)
            for (const auto &[name, worked] : tally)
                called[name] += worked;
    }
    for (const auto &[name, worked] : called)
        if (worked == 0)
            wrong(name.c_str(), "always in use on three threads", PICAFLOR_OK);
}

// What a host may free when a machine is destroyed.
struct Lent {
    std::atomic<bool> gone{false};
    std::atomic<size_t> asked{0};

    // Nobody asks for memory of a machine whose destruction has returned.
    static uint8_t *region(void *user, uint32_t address, uint32_t length) {
        Lent &lent = *(Lent *)user;
        lent.asked++;
        CHECK(!lent.gone);
        return address >= VRAM && address - VRAM + length <= VRAM_SIZE ? vram + (address - VRAM) : NULL;
    }
};

// A call, or a run that is submitted, and an end that meet: the machine runs before its end, or not at all.
static void ends_that_meet_runs() {
    size_t asked = 0;
    picaflor_engine *const engine = engine_of(PICAFLOR_MODE_INTERPRETER);
    for (uint32_t round = 0; round < 500; round++) {
        Lent lent;
        START(picaflor_memory, memory);
        memory.region = Lent::region, memory.user = &lent;
        picaflor_gpu *const gpu = new_gpu(engine, memory);
        std::atomic<bool> begins{false};
        std::thread runs([&] {
            begins = true;
            uint64_t fence;
            if (round % 2)
                while (picaflor_gpu_submit_list(gpu, VRAM, 16, nullptr, nullptr, &fence) == PICAFLOR_OK)
                    picaflor_gpu_wait(gpu, fence);
            else
                while (picaflor_gpu_run_list(gpu, VRAM, 16, NULL) != PICAFLOR_ERROR_ARGUMENT) {}
        });
        while (!begins || (round % 4 > 1 && !lent.asked))
            std::this_thread::yield();
        picaflor_status status;
        while ((status = picaflor_gpu_destroy(gpu)) == PICAFLOR_ERROR_BUSY)
            std::this_thread::yield();
        lent.gone = true;
        CHECK(status == PICAFLOR_OK);
        runs.join();
        asked += lent.asked;
    }
    CHECK(asked > 0);
    OK(picaflor_engine_destroy(engine));
}

// What a host may free when it has set another log.
struct Heard {
    std::atomic<bool> inside{false}, gone{false};

    static void line(void *user, uint32_t, const char *) {
        Heard &heard = *(Heard *)user;
        CHECK(!heard.gone);
        heard.inside = true;
        for (int turn = 0; turn < 1000; turn++)
            std::this_thread::yield();
        CHECK(!heard.gone);
    }
    // A callback may set another: nobody waits for itself.
    static void last(void *user, uint32_t level, const char *text) {
        OK(picaflor_set_log(NULL, NULL, 0));
        line(user, level, text);
    }
};

static void logs_that_end_meanwhile() {
    picaflor_engine *const engine = engine_of(PICAFLOR_MODE_BLOCKING);
    picaflor_program *const program = new_program();
    for (uint32_t mask = 1; mask < 32; mask++) {
        Heard heard;
        OK(picaflor_set_log(mask % 4 ? Heard::line : Heard::last, &heard, PICAFLOR_LOG_DEBUG));
        std::thread compiles([&] {
            START(picaflor_compiled, compiled);
            const picaflor_attribute source = attribute();
            const picaflor_batch batch = batch_of(program, &source, mask);
            OK(picaflor_compile(engine, &batch, &compiled));
        });
        while (!heard.inside)
            std::this_thread::yield();
        if (mask % 4) {
            OK(picaflor_set_log(NULL, NULL, 0));
            heard.gone = true;
        }
        compiles.join();
    }
    OK(picaflor_program_destroy(program));
    OK(picaflor_engine_destroy(engine));
}

// Routines that are queued or being compiled when their engine is destroyed.
static void destroyed_while_compiling() {
    for (int round = 0; round < 20; round++) {
        START(picaflor_engine_config, config);
        config.compile_threads = 2;
        picaflor_engine *engine;
        OK(picaflor_engine_create(&config, &engine));
        picaflor_program *program = new_program();
        picaflor_gpu *gpu = round % 2 ? new_gpu(engine, by_regions()) : NULL;
        START(picaflor_shaded, shaded);
        const picaflor_attribute source = attribute();
        picaflor_batch batch = batch_of(program, &source, 0);
        for (uint32_t mask = 1; mask < 64; mask++) {
            batch.output_mask = mask;
            OK(picaflor_shade(engine, &batch, &shaded));
        }
        OK(picaflor_program_destroy(program));
        OK(picaflor_engine_destroy(engine));
        CHECK(picaflor_shade(engine, &batch, &shaded) == PICAFLOR_ERROR_ARGUMENT);
        if (gpu)
            OK(picaflor_gpu_run_list(gpu, VRAM, 16, NULL));
        OK(picaflor_gpu_destroy(gpu));
    }
}

// Handles are used again, and old ones stay invalid.
static void many_handles() {
    std::set<picaflor_geometry_unit *> seen;
    for (int i = 0; i < 10000; i++) {
        picaflor_geometry_unit *unit = new_unit();
        CHECK(seen.insert(unit).second);
        OK(picaflor_geometry_unit_destroy(unit));
        CHECK(picaflor_geometry_unit_destroy(*seen.begin()) == PICAFLOR_ERROR_ARGUMENT);
    }
    for (auto unit : seen)
        CHECK(picaflor_geometry_unit_destroy(unit) == PICAFLOR_ERROR_ARGUMENT);
}

// Names of the functions that were called with wrong arguments, and by three threads, for the test that compares them with
// the header.
int main(int argc, char **) {
    gone.destroy();
    engines();
    programs();
    gpus();
    ges();
    destructions();
    CHECK(omitted == optional);
    Reentry<picaflor_gpu>::all();
    Reentry<picaflor_ge>::all();
    three_threads();
    ends_that_meet_runs();
    logs_that_end_meanwhile();
    destroyed_while_compiling();
    many_handles();
    live.destroy();
    printf("fine: %d calls\n", checked);
    if (argc > 1) {
        for (const std::string &name : swept)
            printf("swept %s\n", name.c_str());
        for (const auto &function : called)
            printf("threads %s\n", function.first.c_str());
    }
    return 0;
}
