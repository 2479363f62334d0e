/*
 * picaflor.hpp: picaflor.h for C++17. Handles are objects that destroy what they own, failures are exceptions. Everything
 * that picaflor.h says about errors and threads holds; structures are its own, begun by picaflor::make.
 */
#ifndef PICAFLOR_HPP
#define PICAFLOR_HPP

#include <picaflor.h>

#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
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

/* The handle that a function of the header creates. */
template <class T, class Create> T *created(Create create) {
    T *handle = nullptr;
    check(create(&handle));
    return handle;
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

/* A picture: three bytes a pixel, row by row from the top. */
struct Picture {
    uint32_t width = 0;
    uint32_t height = 0;
    std::vector<uint8_t> rgb;
};

/* The PICA200. */
class Gpu {
public:
    Gpu(const Engine &engine, const picaflor_gpu_config &config)
        : handle_(detail::created<picaflor_gpu>(
              [&](picaflor_gpu **out) { return picaflor_gpu_create(engine.get(), &config, out); })) {}

    picaflor_gpu *get() const noexcept { return handle_.get(); }

    /* PICAFLOR_FINISHED_... */
    uint32_t run_list(uint32_t address, uint32_t size_bytes) {
        uint32_t finished = 0;
        check(picaflor_gpu_run_list(get(), address, size_bytes, &finished));
        return finished;
    }

    void write(uint32_t address, uint32_t value) { check(picaflor_gpu_write(get(), address, value)); }

    uint32_t read(uint32_t address) {
        uint32_t value = 0;
        check(picaflor_gpu_read(get(), address, &value));
        return value;
    }

    void fill(uint32_t unit, uint32_t start, uint32_t end, uint32_t value, uint32_t bytes) {
        check(picaflor_gpu_fill(get(), unit, start, end, value, bytes));
    }

    void transfer(const picaflor_transfer &transfer) { check(picaflor_gpu_transfer(get(), &transfer)); }
    void draw(const picaflor_draw &draw) { check(picaflor_gpu_draw(get(), &draw)); }
    void invalidate(uint32_t address, uint32_t length) { check(picaflor_gpu_invalidate(get(), address, length)); }

    uint32_t interrupts() const {
        uint32_t interrupts = 0;
        check(picaflor_gpu_interrupts(get(), &interrupts));
        return interrupts;
    }

    void acknowledge(uint32_t interrupts) { check(picaflor_gpu_acknowledge(get(), interrupts)); }

    std::vector<uint32_t> read_field(uint32_t field) const {
        size_t count = 0;
        check(picaflor_gpu_field_size(get(), field, &count));
        std::vector<uint32_t> words(count);
        check(picaflor_gpu_read_field(get(), field, 0, words.data(), count));
        return words;
    }

    void write_field(uint32_t field, size_t first, const std::vector<uint32_t> &words) {
        check(picaflor_gpu_write_field(get(), field, first, words.data(), words.size()));
    }

    Buffer save() const { return state(picaflor_gpu_save); }
    Buffer export_state() const { return state(picaflor_gpu_export); }
    void load(const Buffer &state) { check(picaflor_gpu_load(get(), state.data(), state.size())); }
    void import_state(const Buffer &state) { check(picaflor_gpu_import(get(), state.data(), state.size())); }

    picaflor_gpu_stats stats() const {
        auto stats = make<picaflor_gpu_stats>();
        check(picaflor_gpu_get_stats(get(), &stats));
        return stats;
    }

    Picture picture(uint32_t screen) const {
        Picture picture;
        check(picaflor_gpu_picture(get(), screen, nullptr, 0, &picture.width, &picture.height));
        picture.rgb.resize(size_t{3} * picture.width * picture.height);
        if (!picture.rgb.empty())
            check(picaflor_gpu_picture(get(), screen, picture.rgb.data(), picture.rgb.size(), &picture.width,
                                       &picture.height));
        return picture;
    }

private:
    Buffer state(picaflor_status (*function)(picaflor_gpu *, picaflor_buffer **)) const {
        return Buffer(detail::created<picaflor_buffer>([&](picaflor_buffer **out) { return function(get(), out); }));
    }

    detail::Owned<picaflor_gpu, picaflor_gpu_destroy> handle_;
};

/* The GE. */
class Ge {
public:
    Ge(const Engine &engine, const picaflor_ge_config &config)
        : handle_(detail::created<picaflor_ge>(
              [&](picaflor_ge **out) { return picaflor_ge_create(engine.get(), &config, out); })) {}

    picaflor_ge *get() const noexcept { return handle_.get(); }

    /* The answer for the guest. */
    uint32_t enqueue(const picaflor_ge_list &list) {
        uint32_t answer = 0;
        check(picaflor_ge_enqueue(get(), &list, &answer));
        return answer;
    }

    /* PICAFLOR_GE_IDLE and others. */
    uint32_t run() {
        uint32_t progress = 0;
        check(picaflor_ge_run(get(), &progress, nullptr));
        return progress;
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

    void invalidate(uint32_t address, uint32_t length) { check(picaflor_ge_invalidate(get(), address, length)); }

    std::vector<uint32_t> read_field(uint32_t field) const {
        size_t count = 0;
        check(picaflor_ge_field_size(get(), field, &count));
        std::vector<uint32_t> words(count);
        check(picaflor_ge_read_field(get(), field, 0, words.data(), count));
        return words;
    }

    void write_field(uint32_t field, size_t first, const std::vector<uint32_t> &words) {
        check(picaflor_ge_write_field(get(), field, first, words.data(), words.size()));
    }

    Buffer save() const { return state(picaflor_ge_save); }
    Buffer export_state() const { return state(picaflor_ge_export); }
    void load(const Buffer &state) { check(picaflor_ge_load(get(), state.data(), state.size())); }
    void import_state(const Buffer &state) { check(picaflor_ge_import(get(), state.data(), state.size())); }

    Picture picture(uint32_t address, uint32_t stride, uint32_t format) const {
        Picture picture;
        picture.width = PICAFLOR_GE_WIDTH, picture.height = PICAFLOR_GE_HEIGHT;
        picture.rgb.resize(PICAFLOR_GE_PICTURE_BYTES);
        check(picaflor_ge_picture(get(), address, stride, format, picture.rgb.data(), picture.rgb.size()));
        return picture;
    }

private:
    Buffer state(picaflor_status (*function)(picaflor_ge *, picaflor_buffer **)) const {
        return Buffer(detail::created<picaflor_buffer>([&](picaflor_buffer **out) { return function(get(), out); }));
    }

    detail::Owned<picaflor_ge, picaflor_ge_destroy> handle_;
};

} // namespace picaflor

#endif
