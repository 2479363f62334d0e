/*
 * picaflor.hpp: picaflor.h for C++17. Handles are objects that destroy what they own, failures are exceptions. Everything
 * that picaflor.h says about errors and threads holds; structures are its own, begun by picaflor::make. Functions that the
 * host hands over (hooks, textures, completions, frames) must not throw: std::terminate. A machine whose object ends is stopped,
 * and the end waits for its runs; a function that a machine calls during a run must not end its object.
 */
#ifndef PICAFLOR_HPP
#define PICAFLOR_HPP

#include <picaflor.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <exception>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace picaflor {

/* A status other than PICAFLOR_OK; what() is picaflor_last_error(). */
class Error : public std::runtime_error {
public:
    explicit Error(picaflor_status status)
        : std::runtime_error(picaflor_last_error()), status_(status) {}

    picaflor_status status() const noexcept { return status_; }

private:
    picaflor_status status_;
};

/* Of the library that is running: PICAFLOR_ABI and PICAFLOR_VERSION are those of the header. */
inline uint32_t abi_version() { return picaflor_abi_version(); }
inline std::string version() { return picaflor_version(); }
inline std::string status_text(picaflor_status status) { return picaflor_status_text(status); }

inline void check(picaflor_status status) {
    if (status != PICAFLOR_OK)
        throw Error(status);
}

/* A structure of zeros that knows its size. */
template <class T> T make() {
    T value;
    std::memset(&value, 0, sizeof value);
    value.size = sizeof value;
    return value;
}

namespace detail {

template <class T, picaflor_status (*Destroy)(T *)> struct Destroyer {
    void operator()(T *handle) const noexcept { Destroy(handle); }
};

template <class T, picaflor_status (*Destroy)(T *)> using Owned = std::unique_ptr<T, Destroyer<T, Destroy>>;

/* Stops what was submitted to a machine, and destroys it when that has ended: until then it may call functions of the host. */
template <class C> struct MachineDestroyer {
    void operator()(typename C::Handle *handle) const noexcept {
        while (C::destroy(handle) == PICAFLOR_ERROR_BUSY) {
            C::stop(handle, 1);
            std::this_thread::sleep_for(std::chrono::microseconds(200));
        }
    }
};

/* The handle that a function of the header creates. */
template <class T, class Create> T *created(Create create) {
    T *handle = nullptr;
    check(create(&handle));
    return handle;
}

/* What a function of the header writes to an array, at most `most`, which it keeps. */
template <class T, class Take> std::vector<T> taken(size_t most, Take take) {
    std::vector<T> values(most);
    size_t count = 0;
    check(take(values.data(), values.size(), &count));
    values.resize(std::min(count, most));
    return values;
}

/* What a function of the header writes to an array of unknown size: it tells the size together with a failure. */
template <class T, class Ask> std::vector<T> asked(Ask ask) {
    size_t count = 0;
    const picaflor_status status = ask(static_cast<T *>(nullptr), size_t{0}, &count);
    if (status != PICAFLOR_ERROR_SIZE)
        check(status);
    std::vector<T> values(count);
    if (count > 0)
        check(ask(values.data(), values.size(), &count));
    return values;
}

} // namespace detail

/* Bytes of the library. */
class Buffer {
public:
    explicit Buffer(picaflor_buffer *buffer) : handle_(buffer) {}

    const uint8_t *data() const noexcept { return picaflor_buffer_data(handle_.get()); }
    size_t size() const noexcept { return picaflor_buffer_size(handle_.get()); }
    const uint8_t *begin() const noexcept { return data(); }
    const uint8_t *end() const noexcept { return data() + size(); }

private:
    detail::Owned<picaflor_buffer, picaflor_buffer_destroy> handle_;
};

/* Functions of the host. */
using EventFunction = std::function<void(const picaflor_event &)>;
using TextureFunction = std::function<void(const picaflor_texture &, uint32_t *texels)>;
using DoneFunction = std::function<void(uint64_t fence, picaflor_status status)>;
using FrameFunction = std::function<bool(const picaflor_frame &)>; /* true: go on */

namespace detail {

inline void on_event(void *user, const picaflor_event *event) noexcept {
    (*static_cast<EventFunction *>(user))(*event);
}

inline void on_texture(void *user, const picaflor_texture *texture, uint32_t *texels) noexcept {
    (*static_cast<TextureFunction *>(user))(*texture, texels);
}

inline int32_t on_frame(void *user, const picaflor_frame *frame) noexcept {
    return (*static_cast<FrameFunction *>(user))(*frame) ? 0 : 1;
}

/* Called once for each submission. */
inline void on_done(void *user, uint64_t fence, picaflor_status status) noexcept {
    const std::unique_ptr<DoneFunction> done(static_cast<DoneFunction *>(user));
    (*done)(fence, status);
}

struct Session {
    const std::function<void()> &work;
    std::exception_ptr thrown;
};

inline void on_session(void *user) noexcept {
    const auto session = static_cast<Session *>(user);
    try {
        session->work();
    } catch (...) {
        session->thrown = std::current_exception();
    }
}

inline picaflor_hooks hooks(uint32_t events, EventFunction *event) {
    auto hooks = make<picaflor_hooks>();
    hooks.events = events, hooks.user = event, hooks.event = event ? on_event : nullptr;
    return hooks;
}

} // namespace detail

class GeometryUnit;

class Engine {
public:
    explicit Engine(const picaflor_engine_config &config)
        : handle_(detail::created<picaflor_engine>(
              [&](picaflor_engine **out) { return picaflor_engine_create(&config, out); })) {}
    Engine() : Engine(make<picaflor_engine_config>()) {}

    /* The handle, for the functions of picaflor.h that have no method here. */
    picaflor_engine *get() const noexcept { return handle_.get(); }

    void wait() { check(picaflor_engine_wait(get())); }
    void reset_stats() { check(picaflor_engine_reset_stats(get())); }

    picaflor_engine_stats stats() const {
        auto stats = make<picaflor_engine_stats>();
        check(picaflor_engine_get_stats(get(), &stats));
        return stats;
    }

    std::string refusals() const {
        const Buffer text(detail::created<picaflor_buffer>(
            [&](picaflor_buffer **out) { return picaflor_engine_refusals(get(), out); }));
        return std::string(reinterpret_cast<const char *>(text.data()), text.size() - 1);
    }

    /* The result is valid until the next call with this engine. */
    picaflor_shaded shade(const picaflor_batch &batch) {
        auto shaded = make<picaflor_shaded>();
        check(picaflor_shade(get(), &batch, &shaded));
        return shaded;
    }

    /* PICAFLOR_SEMANTICS floats for each vertex. */
    std::vector<float> shade_vertices(const picaflor_batch &batch) {
        std::vector<float> vertices(size_t{PICAFLOR_SEMANTICS} * batch.vertex_count);
        const auto rows = reinterpret_cast<float(*)[PICAFLOR_SEMANTICS]>(vertices.data());
        check(picaflor_shade_vertices(get(), &batch, rows, batch.vertex_count));
        return vertices;
    }

    void shade_floats(const picaflor_float_batch &batch) { check(picaflor_shade_floats(get(), &batch)); }

    picaflor_compiled compile(const picaflor_batch &batch) {
        auto compiled = make<picaflor_compiled>();
        check(picaflor_compile(get(), &batch, &compiled));
        return compiled;
    }

    /* Faults of the last batch or geometry run, at most `most`. */
    std::vector<picaflor_fault> faults(size_t most = 64) const {
        return detail::taken<picaflor_fault>(most, [&](picaflor_fault *faults, size_t capacity, size_t *count) {
            return picaflor_engine_faults(get(), faults, capacity, count);
        });
    }

    /* Emissions of `runs` runs, of which there is room for `most`; more are an error, after the runs. */
    inline std::vector<picaflor_emission> run_geometry(GeometryUnit &unit, const picaflor_geometry_run &run,
                                                       size_t runs = 1, size_t most = 256);

    /* Plays a capture of the PICA200, and of the GE; `event` sees the kinds of events in `events`. */
    void replay_gpu(const std::vector<uint8_t> &capture, uint32_t screen, FrameFunction frame, uint32_t events = 0,
                    EventFunction event = {}) {
        const auto hooks = detail::hooks(events, event ? &event : nullptr);
        check(picaflor_gpu_replay(get(), capture.data(), capture.size(), screen, event ? &hooks : nullptr,
                                  detail::on_frame, &frame));
    }

    void replay_ge(const std::vector<uint8_t> &capture, FrameFunction frame, uint32_t events = 0,
                   EventFunction event = {}) {
        const auto hooks = detail::hooks(events, event ? &event : nullptr);
        check(picaflor_ge_replay(get(), capture.data(), capture.size(), event ? &hooks : nullptr, detail::on_frame,
                                 &frame));
    }

private:
    detail::Owned<picaflor_engine, picaflor_engine_destroy> handle_;
};

class Program {
public:
    Program(uint32_t unit, const std::vector<uint32_t> &code, const std::vector<uint32_t> &descriptors)
        : handle_(detail::created<picaflor_program>([&](picaflor_program **out) {
              return picaflor_program_create(unit, code.data(), code.size(), descriptors.data(), descriptors.size(),
                                             out);
          })) {}

    static Program from_shbin(uint32_t unit, const std::vector<uint8_t> &bytes) {
        return Program(detail::created<picaflor_program>([&](picaflor_program **out) {
            return picaflor_program_from_shbin(unit, bytes.data(), bytes.size(), out);
        }));
    }

    uint32_t entry(size_t executable) const {
        uint32_t entry = 0;
        check(picaflor_program_entry(get(), executable, &entry));
        return entry;
    }

    const picaflor_program *get() const noexcept { return handle_.get(); }

private:
    explicit Program(picaflor_program *program) : handle_(program) {}

    detail::Owned<picaflor_program, picaflor_program_destroy> handle_;
};

/* Uniforms that are told what changes, for picaflor_batch.uniform_set. */
class UniformSet {
public:
    explicit UniformSet(const picaflor_uniforms *values = nullptr)
        : handle_(detail::created<picaflor_uniform_set>(
              [&](picaflor_uniform_set **out) { return picaflor_uniform_set_create(values, out); })) {}

    picaflor_uniform_set *get() const noexcept { return handle_.get(); }

    void set_floats(uint32_t first, const float (*values)[4], size_t count) {
        check(picaflor_uniform_set_floats(get(), first, values, count));
    }

    void set_flow(uint32_t bools, const uint8_t (&ints)[4][4]) { check(picaflor_uniform_set_flow(get(), bools, ints)); }

private:
    detail::Owned<picaflor_uniform_set, picaflor_uniform_set_destroy> handle_;
};

/* The registers of the geometry unit. */
class GeometryUnit {
public:
    GeometryUnit() : handle_(detail::created<picaflor_geometry_unit>(picaflor_geometry_unit_create)) {}

    picaflor_geometry_unit *get() const noexcept { return handle_.get(); }

    picaflor_unit_state state() const {
        auto state = make<picaflor_unit_state>();
        check(picaflor_geometry_unit_get(get(), &state));
        return state;
    }

    void set_state(const picaflor_unit_state &state) { check(picaflor_geometry_unit_set(get(), &state)); }

private:
    detail::Owned<picaflor_geometry_unit, picaflor_geometry_unit_destroy> handle_;
};

inline std::vector<picaflor_emission> Engine::run_geometry(GeometryUnit &unit, const picaflor_geometry_run &run,
                                                           size_t runs, size_t most) {
    return detail::taken<picaflor_emission>(most, [&](picaflor_emission *emissions, size_t capacity, size_t *count) {
        return runs == 1 ? picaflor_run_geometry(get(), unit.get(), &run, emissions, capacity, count)
                         : picaflor_run_geometry_batch(get(), unit.get(), &run, runs, emissions, capacity, count);
    });
}

/* A picture: three bytes a pixel, row by row from the top. */
struct Picture {
    uint32_t width = 0;
    uint32_t height = 0;
    std::vector<uint8_t> rgb;
};

/* A note of a trace: picaflor_note, kept. */
struct Note {
    uint32_t kind = 0;
    uint32_t item = 0;
    uint32_t index = 0;
    std::string stage, name, text;
    std::vector<double> numbers;
};

namespace detail {

inline void on_note(void *user, const picaflor_note *note) noexcept {
    static_cast<std::vector<Note> *>(user)->push_back(Note{note->kind,
                                                           note->item,
                                                           note->index,
                                                           note->stage,
                                                           note->name,
                                                           note->text,
                                                           {note->numbers, note->numbers + note->count}});
}

/* The functions that both machines have. */
struct GpuFunctions {
    using Handle = picaflor_gpu;
    using Config = picaflor_gpu_config;
    using Rates = picaflor_gpu_rates;
    using Stats = picaflor_gpu_stats;
    static constexpr auto create = picaflor_gpu_create;
    static constexpr auto destroy = picaflor_gpu_destroy;
    static constexpr auto set_engine = picaflor_gpu_set_engine;
    static constexpr auto set_memory = picaflor_gpu_set_memory;
    static constexpr auto set_threads = picaflor_gpu_set_threads;
    static constexpr auto stop = picaflor_gpu_stop;
    static constexpr auto set_time_limit = picaflor_gpu_set_time_limit;
    static constexpr auto set_timing = picaflor_gpu_set_timing;
    static constexpr auto take_faults = picaflor_gpu_take_faults;
    static constexpr auto get_stats = picaflor_gpu_get_stats;
    static constexpr auto work = picaflor_gpu_work;
    static constexpr auto set_hooks = picaflor_gpu_set_hooks;
    static constexpr auto trace = picaflor_gpu_trace;
    static constexpr auto take_trace = picaflor_gpu_take_trace;
    static constexpr auto set_textures = picaflor_gpu_set_textures;
    static constexpr auto save = picaflor_gpu_save;
    static constexpr auto load = picaflor_gpu_load;
    static constexpr auto export_state = picaflor_gpu_export;
    static constexpr auto import_state = picaflor_gpu_import;
    static constexpr auto field_size = picaflor_gpu_field_size;
    static constexpr auto read_field = picaflor_gpu_read_field;
    static constexpr auto write_field = picaflor_gpu_write_field;
    static constexpr auto invalidate = picaflor_gpu_invalidate;
    static constexpr auto take_written = picaflor_gpu_take_written;
    static constexpr auto start_recording = picaflor_gpu_start_recording;
    static constexpr auto stop_recording = picaflor_gpu_stop_recording;
    static constexpr auto stop_recording_to = picaflor_gpu_stop_recording_to;
    static constexpr auto wait = picaflor_gpu_wait;
    static constexpr auto complete = picaflor_gpu_complete;
};

struct GeFunctions {
    using Handle = picaflor_ge;
    using Config = picaflor_ge_config;
    using Rates = picaflor_ge_rates;
    using Stats = picaflor_ge_stats;
    static constexpr auto create = picaflor_ge_create;
    static constexpr auto destroy = picaflor_ge_destroy;
    static constexpr auto set_engine = picaflor_ge_set_engine;
    static constexpr auto set_memory = picaflor_ge_set_memory;
    static constexpr auto set_threads = picaflor_ge_set_threads;
    static constexpr auto stop = picaflor_ge_stop;
    static constexpr auto set_time_limit = picaflor_ge_set_time_limit;
    static constexpr auto set_timing = picaflor_ge_set_timing;
    static constexpr auto take_faults = picaflor_ge_take_faults;
    static constexpr auto get_stats = picaflor_ge_get_stats;
    static constexpr auto work = picaflor_ge_work;
    static constexpr auto set_hooks = picaflor_ge_set_hooks;
    static constexpr auto trace = picaflor_ge_trace;
    static constexpr auto take_trace = picaflor_ge_take_trace;
    static constexpr auto set_textures = picaflor_ge_set_textures;
    static constexpr auto save = picaflor_ge_save;
    static constexpr auto load = picaflor_ge_load;
    static constexpr auto export_state = picaflor_ge_export;
    static constexpr auto import_state = picaflor_ge_import;
    static constexpr auto field_size = picaflor_ge_field_size;
    static constexpr auto read_field = picaflor_ge_read_field;
    static constexpr auto write_field = picaflor_ge_write_field;
    static constexpr auto invalidate = picaflor_ge_invalidate;
    static constexpr auto take_written = picaflor_ge_take_written;
    static constexpr auto start_recording = picaflor_ge_start_recording;
    static constexpr auto stop_recording = picaflor_ge_stop_recording;
    static constexpr auto stop_recording_to = picaflor_ge_stop_recording_to;
    static constexpr auto wait = picaflor_ge_wait;
    static constexpr auto complete = picaflor_ge_complete;
};

/* What both machines have. */
template <class C> class Machine {
public:
    using Handle = typename C::Handle;

    Machine(const Engine &engine, const typename C::Config &config)
        : handle_(created<Handle>([&](Handle **out) { return C::create(engine.get(), &config, out); })) {}

    Machine(Machine &&) noexcept = default;

    /* `other` destroys what was here: a machine goes before the functions that it may call. */
    Machine &operator=(Machine &&other) noexcept {
        event_.swap(other.event_);
        texture_.swap(other.texture_);
        handle_.swap(other.handle_);
        return *this;
    }

    Handle *get() const noexcept { return handle_.get(); }

    void set_engine(const Engine &engine) { check(C::set_engine(get(), engine.get())); }
    void set_memory(const picaflor_memory &memory) { check(C::set_memory(get(), &memory)); }
    void set_threads(uint32_t threads) { check(C::set_threads(get(), threads)); }

    /* Any thread. */
    void stop(bool stops = true) { check(C::stop(get(), stops ? 1 : 0)); }
    void set_time_limit(uint64_t microseconds) { check(C::set_time_limit(get(), microseconds)); }
    void set_timing(const typename C::Rates &rates) { check(C::set_timing(get(), &rates)); }
    /* As at first. */
    void reset_timing() { check(C::set_timing(get(), nullptr)); }

    /* At most 64 are kept. */
    std::vector<picaflor_fault> take_faults() {
        return taken<picaflor_fault>(64, [&](picaflor_fault *faults, size_t capacity, size_t *count) {
            return C::take_faults(get(), faults, capacity, count);
        });
    }

    typename C::Stats stats() const {
        auto stats = make<typename C::Stats>();
        check(C::get_stats(get(), &stats));
        return stats;
    }

    /* Units of the limit on work that the latest run spent. */
    uint64_t work() const {
        uint64_t units = 0;
        check(C::work(get(), &units));
        return units;
    }

    /* An empty function removes it. */
    void set_hooks(uint32_t events, EventFunction event) {
        auto kept = event ? std::make_unique<EventFunction>(std::move(event)) : nullptr;
        const auto hooks = detail::hooks(events, kept.get());
        check(C::set_hooks(get(), kept ? &hooks : nullptr));
        event_ = std::move(kept);
    }

    /* An empty function removes it. Called from several threads at once. */
    void set_textures(TextureFunction texture) {
        auto kept = texture ? std::make_unique<TextureFunction>(std::move(texture)) : nullptr;
        auto textures = make<picaflor_textures>();
        textures.user = kept.get(), textures.texture = on_texture;
        check(C::set_textures(get(), kept ? &textures : nullptr));
        texture_ = std::move(kept);
    }

    void trace(const picaflor_trace &trace) { check(C::trace(get(), &trace)); }
    void trace_nothing() { check(C::trace(get(), nullptr)); }

    std::vector<Note> take_trace() {
        std::vector<Note> notes;
        check(C::take_trace(get(), on_note, &notes, nullptr));
        return notes;
    }

    Buffer save() const { return state(C::save); }
    Buffer export_state() const { return state(C::export_state); }
    void load(const Buffer &state) { check(C::load(get(), state.data(), state.size())); }
    void import_state(const Buffer &state) { check(C::import_state(get(), state.data(), state.size())); }

    std::vector<uint32_t> read_field(uint32_t field) const {
        size_t count = 0;
        check(C::field_size(get(), field, &count));
        std::vector<uint32_t> words(count);
        check(C::read_field(get(), field, 0, words.data(), count));
        return words;
    }

    void write_field(uint32_t field, size_t first, const std::vector<uint32_t> &words) {
        check(C::write_field(get(), field, first, words.data(), words.size()));
    }

    /* Any thread. */
    void invalidate(uint32_t address, uint32_t length) { check(C::invalidate(get(), address, length)); }
    std::vector<picaflor_range> take_written() {
        return taken<picaflor_range>(1024, [&](picaflor_range *ranges, size_t capacity, size_t *count) {
            return C::take_written(get(), ranges, capacity, count);
        });
    }

    void start_recording(const std::vector<picaflor_range> &ranges = {}) {
        check(C::start_recording(get(), ranges.data(), ranges.size()));
    }
    Buffer stop_recording() { return state(C::stop_recording); }
    void stop_recording_to(const std::string &path) { check(C::stop_recording_to(get(), path.c_str())); }

    /* Fences of submissions; any thread. */
    void wait(uint64_t fence) { check(C::wait(get(), fence)); }
    uint64_t complete() const {
        uint64_t fence = 0;
        check(C::complete(get(), &fence));
        return fence;
    }

protected:
    /* Submits with a function that is called once, or with none. */
    template <class Submit> static uint64_t submitted(DoneFunction done, Submit submit) {
        uint64_t fence = 0;
        auto kept = done ? std::make_unique<DoneFunction>(std::move(done)) : nullptr;
        check(submit(kept ? on_done : nullptr, kept.get(), &fence));
        kept.release();
        return fence;
    }

private:
    Buffer state(picaflor_status (*function)(Handle *, picaflor_buffer **)) const {
        return Buffer(created<picaflor_buffer>([&](picaflor_buffer **out) { return function(get(), out); }));
    }

    /* They outlive the handle, which calls them. */
    std::unique_ptr<EventFunction> event_;
    std::unique_ptr<TextureFunction> texture_;
    std::unique_ptr<Handle, MachineDestroyer<C>> handle_;
};

} // namespace detail

/* The PICA200. */
class Gpu : public detail::Machine<detail::GpuFunctions> {
public:
    using Machine::Machine;

    /* PICAFLOR_FINISHED_... */
    uint32_t run_list(uint32_t address, uint32_t size_bytes) {
        uint32_t finished = 0;
        check(picaflor_gpu_run_list(get(), address, size_bytes, &finished));
        return finished;
    }

    /* The fence of the list; `done` is called on the machine's thread. */
    uint64_t submit_list(uint32_t address, uint32_t size_bytes, DoneFunction done = {}) {
        return submitted(std::move(done), [&](picaflor_done call, void *user, uint64_t *fence) {
            return picaflor_gpu_submit_list(get(), address, size_bytes, call, user, fence);
        });
    }

    void write(uint32_t address, uint32_t value) { check(picaflor_gpu_write(get(), address, value)); }

    uint32_t read(uint32_t address) {
        uint32_t value = 0;
        check(picaflor_gpu_read(get(), address, &value));
        return value;
    }

    /* An internal register, below 0x400. */
    void write_register(uint32_t id, uint32_t value, uint32_t mask = 15) {
        check(picaflor_gpu_write_register(get(), id, value, mask));
    }

    uint32_t read_register(uint32_t id) {
        uint32_t value = 0;
        check(picaflor_gpu_read_register(get(), id, &value));
        return value;
    }

    void set_attribute_clocks(bool obeys) { check(picaflor_gpu_set_attribute_clocks(get(), obeys ? 1 : 0)); }

    void fill(uint32_t unit, uint32_t start, uint32_t end, uint32_t value, uint32_t bytes) {
        check(picaflor_gpu_fill(get(), unit, start, end, value, bytes));
    }

    void transfer(const picaflor_transfer &transfer) { check(picaflor_gpu_transfer(get(), &transfer)); }
    void draw(const picaflor_draw &draw) { check(picaflor_gpu_draw(get(), &draw)); }

    /* PICAFLOR_SEMANTICS floats for each vertex, as Engine::shade_vertices has them. */
    void draw_vertices(const std::vector<float> &vertices) {
        check(picaflor_gpu_draw_vertices(get(), rows(vertices), vertices.size() / PICAFLOR_SEMANTICS));
    }

    std::vector<picaflor_triangle> set_up(const std::vector<float> &vertices) {
        return detail::asked<picaflor_triangle>([&](picaflor_triangle *triangles, size_t capacity, size_t *count) {
            const size_t vertex_count = vertices.size() / PICAFLOR_SEMANTICS;
            return picaflor_gpu_set_up(get(), rows(vertices), vertex_count, triangles, capacity, count);
        });
    }

    void draw_triangles(const std::vector<picaflor_triangle> &triangles) {
        check(picaflor_gpu_draw_triangles(get(), triangles.data(), triangles.size()));
    }

    uint32_t interrupts() const {
        uint32_t interrupts = 0;
        check(picaflor_gpu_interrupts(get(), &interrupts));
        return interrupts;
    }

    void acknowledge(uint32_t interrupts) { check(picaflor_gpu_acknowledge(get(), interrupts)); }

    /* At most 64 are kept; none without set_timing. */
    std::vector<picaflor_delay> take_delays() {
        return detail::taken<picaflor_delay>(64, [&](picaflor_delay *delays, size_t capacity, size_t *count) {
            return picaflor_gpu_take_delays(get(), delays, capacity, count);
        });
    }

    uint64_t run_cycles() const {
        uint64_t cycles = 0;
        check(picaflor_gpu_run_cycles(get(), &cycles));
        return cycles;
    }

    void vblank(uint32_t screen) { check(picaflor_gpu_vblank(get(), screen)); }
    void frame_end() { check(picaflor_gpu_frame_end(get())); }

    Picture picture(uint32_t screen) const {
        Picture picture;
        check(picaflor_gpu_picture(get(), screen, nullptr, 0, &picture.width, &picture.height));
        picture.rgb.resize(size_t{3} * picture.width * picture.height);
        if (!picture.rgb.empty())
            check(picaflor_gpu_picture(get(), screen, picture.rgb.data(), picture.rgb.size(), &picture.width,
                                       &picture.height));
        return picture;
    }

    /* Width and height, 0 without a picture. A buffer with a capacity of 0 asks for the size. */
    std::pair<uint32_t, uint32_t> picture_into(uint32_t screen, const picaflor_picture_buffer &buffer) const {
        std::pair<uint32_t, uint32_t> size;
        const auto status = picaflor_gpu_picture_into(get(), screen, &buffer, &size.first, &size.second);
        if (status != PICAFLOR_ERROR_SIZE || buffer.capacity > 0)
            check(status);
        return size;
    }

private:
    static const float (*rows(const std::vector<float> &vertices))[PICAFLOR_SEMANTICS] {
        return reinterpret_cast<const float(*)[PICAFLOR_SEMANTICS]>(vertices.data());
    }
};

/* The GE. Functions with `uint32_t` for a result return the answer for the guest. */
class Ge : public detail::Machine<detail::GeFunctions> {
public:
    using Machine::Machine;

    void set_sdk(uint32_t sdk) { check(picaflor_ge_set_sdk(get(), sdk)); }

    uint32_t enqueue(const picaflor_ge_list &list) {
        uint32_t answer = 0;
        check(picaflor_ge_enqueue(get(), &list, &answer));
        return answer;
    }

    uint32_t update_stall(uint32_t list, uint32_t stall) {
        uint32_t answer = 0;
        check(picaflor_ge_update_stall(get(), list, stall, &answer));
        return answer;
    }

    uint32_t list_sync(uint32_t list) {
        uint32_t answer = 0;
        check(picaflor_ge_list_sync(get(), list, &answer));
        return answer;
    }

    uint32_t dequeue(uint32_t list) {
        uint32_t answer = 0;
        check(picaflor_ge_dequeue(get(), list, &answer));
        return answer;
    }

    uint32_t draw_sync() { return answer(picaflor_ge_draw_sync); }
    uint32_t continue_list() { return answer(picaflor_ge_continue); }
    uint32_t break_list(uint32_t mode) { return answer(picaflor_ge_break, mode); }
    uint32_t save_context(uint32_t address) { return answer(picaflor_ge_save_context, address); }
    uint32_t restore_context(uint32_t address) { return answer(picaflor_ge_restore_context, address); }
    uint32_t set_translation(uint32_t value) { return answer(picaflor_ge_set_translation, value); }
    void forget_completed() { check(picaflor_ge_forget_completed(get())); }

    /* PICAFLOR_GE_IDLE and others. */
    uint32_t run() {
        uint32_t progress = 0;
        check(picaflor_ge_run(get(), &progress, nullptr));
        return progress;
    }

    /* Calls `work` with a session; its exceptions are thrown after it. */
    void session(const std::function<void()> &work) {
        detail::Session session{work, {}};
        const picaflor_status status = picaflor_ge_session(get(), detail::on_session, &session);
        if (session.thrown)
            std::rethrow_exception(session.thrown);
        check(status);
    }

    void before_read(uint32_t address, uint32_t length) { check(picaflor_ge_before_read(get(), address, length)); }
    void before_write(uint32_t address, uint32_t length) { check(picaflor_ge_before_write(get(), address, length)); }

    /* The fence of the run; `done` is called on the machine's thread. */
    uint64_t submit_run(DoneFunction done = {}) {
        return submitted(std::move(done), [&](picaflor_done call, void *user, uint64_t *fence) {
            return picaflor_ge_submit_run(get(), call, user, fence);
        });
    }

    void execute(const std::vector<uint32_t> &words) {
        check(picaflor_ge_execute(get(), words.data(), words.size()));
    }

    picaflor_ge_interrupt next_interrupt() {
        picaflor_ge_interrupt interrupt;
        check(picaflor_ge_next_interrupt(get(), &interrupt));
        return interrupt;
    }

    void acknowledge(const picaflor_ge_interrupt &interrupt) {
        check(picaflor_ge_acknowledge(get(), interrupt.kind, interrupt.list));
    }

    uint64_t cycles() const {
        uint64_t cycles = 0;
        check(picaflor_ge_cycles(get(), &cycles));
        return cycles;
    }

    /* At the interrupt that next_interrupt returned last. */
    uint64_t interrupt_cycles() const {
        uint64_t cycles = 0;
        check(picaflor_ge_interrupt_cycles(get(), &cycles));
        return cycles;
    }

    /* `records` in the format of VTYPE, of which `indices` selects. */
    std::vector<picaflor_ge_vertex> transform(const std::vector<uint8_t> &records,
                                              const std::vector<uint32_t> &indices) {
        std::vector<picaflor_ge_vertex> vertices(indices.size());
        check(picaflor_ge_transform(get(), records.data(), records.size(), indices.data(), indices.size(),
                                    vertices.data()));
        return vertices;
    }

    void draw_vertices(uint32_t primitive, const std::vector<picaflor_ge_vertex> &vertices) {
        check(picaflor_ge_draw_vertices(get(), primitive, vertices.data(), vertices.size()));
    }

    std::vector<picaflor_ge_primitive> set_up(uint32_t primitive, const std::vector<picaflor_ge_vertex> &vertices) {
        using Primitive = picaflor_ge_primitive;
        return detail::asked<Primitive>([&](Primitive *primitives, size_t capacity, size_t *count) {
            return picaflor_ge_set_up(get(), primitive, vertices.data(), vertices.size(), primitives, capacity, count);
        });
    }

    void draw_primitives(const std::vector<picaflor_ge_primitive> &primitives) {
        check(picaflor_ge_draw_primitives(get(), primitives.data(), primitives.size()));
    }

    void run_transfer(const picaflor_ge_transfer &transfer) { check(picaflor_ge_run_transfer(get(), &transfer)); }

    uint32_t read_command(uint32_t command) const {
        uint32_t word = 0;
        check(picaflor_ge_read_command(get(), command, &word));
        return word;
    }

    /* 16 elements of the projection (10), 12 of another matrix. */
    std::vector<uint32_t> read_matrix(uint32_t number) const {
        std::vector<uint32_t> elements(number == 10 ? 16 : 12);
        check(picaflor_ge_read_matrix(get(), number, elements.data(), elements.size()));
        return elements;
    }

    std::vector<uint8_t> read_clut() const {
        std::vector<uint8_t> bytes(PICAFLOR_GE_CLUT_BYTES);
        check(picaflor_ge_read_clut(get(), bytes.data(), bytes.size()));
        return bytes;
    }

    void frame_end(uint32_t address, uint32_t stride, uint32_t format) {
        check(picaflor_ge_frame_end(get(), address, stride, format));
    }

    Picture picture(uint32_t address, uint32_t stride, uint32_t format) const {
        Picture picture;
        picture.width = PICAFLOR_GE_WIDTH, picture.height = PICAFLOR_GE_HEIGHT;
        picture.rgb.resize(PICAFLOR_GE_PICTURE_BYTES);
        check(picaflor_ge_picture(get(), address, stride, format, picture.rgb.data(), picture.rgb.size()));
        return picture;
    }

    void picture_into(uint32_t address, uint32_t stride, uint32_t format,
                      const picaflor_picture_buffer &buffer) const {
        check(picaflor_ge_picture_into(get(), address, stride, format, &buffer));
    }

private:
    template <class Function, class... Arguments> uint32_t answer(Function function, Arguments... arguments) {
        uint32_t answer = 0;
        check(function(get(), arguments..., &answer));
        return answer;
    }
};

} // namespace picaflor

#endif
