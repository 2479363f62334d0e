// Every function with one argument that is wrong: NULL, a destroyed handle, a handle of another kind, a number that is no
// handle, a wrong `size`. Then calls from inside callbacks, from three threads, and destruction of what is in use.
#include "check.h"
#include <atomic>
#include <cstdint>
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
    exit(1);
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
                picaflor_status status = with<I>(nullptr);
                if (status != PICAFLOR_ERROR_NULL && status != PICAFLOR_OK && status != expected)
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
    SWEEP_TO(FORMAT, picaflor_program_from_shbin, 0, bytes, 64, &program);
    SWEEP_TO(ARGUMENT, picaflor_program_entry, live.program, 0, &word);
    START(picaflor_uniforms, uniforms);
    picaflor_uniform_set *set;
    SWEEP(picaflor_uniform_set_create, &uniforms, &set);
    SWEEP(picaflor_uniform_set_floats, live.set, 0, uniforms.floats, 4);
    SWEEP(picaflor_uniform_set_flow, live.set, 0, uniforms.ints);
    START(picaflor_batch, batch);
    START(picaflor_shaded, shaded);
    picaflor_attribute source = attribute();
    batch.program = live.program, batch.output_mask = 1, batch.attributes = &source, batch.attribute_count = 1;
    batch.vertex_count = 4, batch.uniform_set = live.set;
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
        OK(picaflor_##kind##_set_hooks(machine, NULL));                                                           \
        OK(picaflor_##kind##_set_textures(machine, NULL));                                                        \
    } while (0)

// Functions that fail now, with arguments that are right: only their handles are of interest.
#define HANDLES(name, machine, ...)                                                                               \
    do {                                                                                                          \
        swept.insert(#name);                                                                                      \
        for (auto stranger : strangers<std::remove_pointer_t<decltype(machine)>>())                               \
            CHECK(name(stranger, __VA_ARGS__) == PICAFLOR_ERROR_ARGUMENT);                                        \
        CHECK(name(nullptr, __VA_ARGS__) == PICAFLOR_ERROR_NULL);                                                 \
    } while (0)

static void gpus() {
    picaflor_gpu *gpu = live.gpu, *other;
    picaflor_memory memory = by_regions();
    START(picaflor_gpu_config, config);
    config.memory = &memory;
    SWEEP(picaflor_gpu_create, live.engine, &config, &other);
    BOTH(gpu, gpu, PICAFLOR_FIELD_REGISTERS);
    HANDLES(picaflor_gpu_take_trace, gpu, on_note, nullptr, &count);
    picaflor_buffer *buffer;
    HANDLES(picaflor_gpu_stop_recording, gpu, &buffer);
    HANDLES(picaflor_gpu_stop_recording_to, gpu, "/nowhere/at/all");
    HANDLES(picaflor_gpu_submit_list, gpu, VRAM, 16, nullptr, nullptr, &number);
    CHECK(picaflor_gpu_stop_recording(gpu, NULL) == PICAFLOR_ERROR_NULL);
    CHECK(picaflor_gpu_stop_recording_to(gpu, NULL) == PICAFLOR_ERROR_NULL);
    CHECK(picaflor_gpu_take_trace(gpu, NULL, NULL, NULL) == PICAFLOR_ERROR_NULL);
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
    HANDLES(picaflor_ge_take_trace, ge, on_note, nullptr, &count);
    picaflor_buffer *buffer;
    HANDLES(picaflor_ge_stop_recording, ge, &buffer);
    HANDLES(picaflor_ge_stop_recording_to, ge, "/nowhere/at/all");
    HANDLES(picaflor_ge_submit_run, ge, nullptr, nullptr, &number);
    HANDLES(picaflor_ge_interrupt_cycles, ge, &number);
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

static picaflor_engine *inner_engine;
static picaflor_gpu *inner_gpu;
static int entered;

static void reenter() {
    uint32_t value;
    entered++;
    CHECK(picaflor_gpu_destroy(inner_gpu) == PICAFLOR_ERROR_BUSY);
    CHECK(picaflor_gpu_run_list(inner_gpu, VRAM, 16, NULL) == PICAFLOR_ERROR_BUSY);
    CHECK(picaflor_gpu_read(inner_gpu, 0x10400000, &value) == PICAFLOR_ERROR_BUSY);
    CHECK(picaflor_gpu_set_memory(inner_gpu, NULL) == PICAFLOR_ERROR_NULL);
    CHECK(picaflor_gpu_set_hooks(inner_gpu, NULL) == PICAFLOR_ERROR_BUSY);
    CHECK(picaflor_gpu_set_engine(inner_gpu, live.engine) == PICAFLOR_ERROR_BUSY);
    CHECK(picaflor_engine_wait(inner_engine) == PICAFLOR_ERROR_BUSY);
    OK(picaflor_gpu_stop(inner_gpu, 0));
    OK(picaflor_gpu_invalidate(inner_gpu, VRAM, 16));
    OK(picaflor_gpu_destroy(new_gpu(inner_engine, by_regions())));
}

static void enter_event(void *, const picaflor_event *) { reenter(); }
static uint8_t *enter_region(void *, uint32_t address, uint32_t length) {
    reenter();
    return address >= VRAM && (uint64_t)address + length <= VRAM + VRAM_SIZE ? vram + (address - VRAM) : NULL;
}
static void enter_written(void *, uint32_t, uint32_t) { reenter(); }

// Destroys what plays the capture.
static int32_t enter_frame(void *user, const picaflor_frame *) {
    bool &ended = *(bool *)user;
    CHECK(picaflor_engine_wait(inner_engine) == (ended ? PICAFLOR_ERROR_ARGUMENT : PICAFLOR_ERROR_BUSY));
    if (!ended)
        OK(picaflor_engine_destroy(inner_engine));
    ended = true;
    return 0;
}

static std::atomic<bool> is_destroyed(false);

static void enter_done(void *, uint64_t, picaflor_status) {
    OK(picaflor_gpu_destroy(inner_gpu));
    CHECK(picaflor_gpu_stop(inner_gpu, 0) == PICAFLOR_ERROR_ARGUMENT);
    is_destroyed = true;
}

static void reentry() {
    const uint32_t list[] = {0, 0x000f0040, 0, 0x000f0041};
    memcpy(vram, list, sizeof list);
    inner_engine = engine_of(PICAFLOR_MODE_BLOCKING);
    START(picaflor_memory, memory);
    memory.region = enter_region, memory.written = enter_written;
    inner_gpu = new_gpu(inner_engine, memory);
    START(picaflor_hooks, hooks);
    hooks.event = enter_event, hooks.events = 127;
    OK(picaflor_gpu_set_hooks(inner_gpu, &hooks));
    OK(picaflor_gpu_run_list(inner_gpu, VRAM, 16, NULL));
    OK(picaflor_gpu_fill(inner_gpu, 0, VRAM + 64, VRAM + 128, 0, 4));
    CHECK(entered >= 6);
    OK(picaflor_gpu_destroy(inner_gpu));
    // A capture whose engine is destroyed by its first frame plays to its end.
    inner_gpu = new_gpu(inner_engine, by_regions());
    picaflor_buffer *capture;
    OK(picaflor_gpu_start_recording(inner_gpu, NULL, 0));
    for (int frame = 0; frame < 3; frame++) {
        OK(picaflor_gpu_run_list(inner_gpu, VRAM, 16, NULL));
        OK(picaflor_gpu_frame_end(inner_gpu));
    }
    OK(picaflor_gpu_stop_recording(inner_gpu, &capture));
    bool ended = false;
    OK(picaflor_gpu_replay(inner_engine, picaflor_buffer_data(capture), picaflor_buffer_size(capture), 0, NULL,
                           enter_frame, &ended));
    CHECK(ended && picaflor_engine_wait(inner_engine) == PICAFLOR_ERROR_ARGUMENT);
    OK(picaflor_buffer_destroy(capture));
    // The machine still has its engine; a run that is complete destroys the machine.
    OK(picaflor_gpu_submit_list(inner_gpu, VRAM, 16, enter_done, NULL, &number));
    picaflor_status waited = picaflor_gpu_wait(inner_gpu, number);
    CHECK(waited == PICAFLOR_OK || waited == PICAFLOR_ERROR_ARGUMENT);
    while (!is_destroyed)
        std::this_thread::yield();
}

// ---------------------------------------------------------------- three threads, and destruction of what is in use

static bool is_fair(picaflor_status status) {
    return status == PICAFLOR_OK || status == PICAFLOR_ERROR_BUSY || status == PICAFLOR_ERROR_ARGUMENT;
}

static void run_in_session(void *user) {
    picaflor_ge *ge = (picaflor_ge *)user;
    uint32_t progress;
    // Nobody else runs or destroys it meanwhile.
    OK(picaflor_ge_run(ge, &progress, NULL));
    OK(picaflor_ge_before_write(ge, RAM, 16));
    CHECK(picaflor_ge_destroy(ge) == PICAFLOR_ERROR_BUSY);
}

static void three_threads() {
    for (int round = 0; round < 200; round++) {
        Objects shared;
        std::atomic<int> ready(0), ended(0);
        auto use = [&](int which) {
            START(picaflor_batch, batch);
            START(picaflor_shaded, shaded);
            picaflor_attribute source = attribute();
            batch.program = shared.program, batch.output_mask = 1, batch.attributes = &source;
            batch.attribute_count = 1, batch.vertex_count = 4, batch.uniform_set = shared.set;
            uint32_t progress, list, value;
            ready++;
            while (ready < 3)
                std::this_thread::yield();
            for (int turn = 0; turn < 20; turn++) {
                CHECK(is_fair(picaflor_shade(shared.engine, &batch, &shaded)));
                CHECK(is_fair(picaflor_gpu_run_list(shared.gpu, VRAM, 16, NULL)));
                CHECK(is_fair(picaflor_ge_run(shared.ge, &progress, &list)));
                CHECK(is_fair(picaflor_ge_session(shared.ge, run_in_session, shared.ge)));
                CHECK(is_fair(picaflor_gpu_read(shared.gpu, 0x10400000, &value)));
                CHECK(is_fair(picaflor_uniform_set_flow(shared.set, (uint32_t)turn, (const uint8_t(*)[4])bytes)));
                picaflor_buffer_size(shared.buffer);
                if (turn != 10 + which)
                    continue;
                // Of three that destroy, one succeeds.
                ended += picaflor_engine_destroy(shared.engine) == PICAFLOR_OK;
                ended += picaflor_program_destroy(shared.program) == PICAFLOR_OK;
                ended += picaflor_buffer_destroy(shared.buffer) == PICAFLOR_OK;
                while (picaflor_gpu_destroy(shared.gpu) == PICAFLOR_ERROR_BUSY) {}
                while (picaflor_ge_destroy(shared.ge) == PICAFLOR_ERROR_BUSY) {}
                while (picaflor_uniform_set_destroy(shared.set) == PICAFLOR_ERROR_BUSY) {}
            }
        };
        std::vector<std::thread> threads;
        for (int which = 0; which < 3; which++)
            threads.emplace_back(use, which);
        for (auto &thread : threads)
            thread.join();
        CHECK(ended == 3);
        OK(picaflor_geometry_unit_destroy(shared.unit));
        CHECK(picaflor_gpu_destroy(shared.gpu) == PICAFLOR_ERROR_ARGUMENT);
    }
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
        START(picaflor_batch, batch);
        START(picaflor_shaded, shaded);
        picaflor_attribute source = attribute();
        batch.program = program, batch.attributes = &source, batch.attribute_count = 1, batch.vertex_count = 4;
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

// Names of the functions that were called with wrong arguments, for the test that compares them with the header.
int main(int argc, char **) {
    gone.destroy();
    engines();
    programs();
    gpus();
    ges();
    destructions();
    reentry();
    three_threads();
    destroyed_while_compiling();
    many_handles();
    live.destroy();
    printf("fine: %d calls\n", checked);
    if (argc > 1)
        for (const std::string &name : swept)
            puts(name.c_str());
    return 0;
}
