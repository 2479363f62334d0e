/*
 * picaflor.h: the GPUs of the Nintendo 3DS (PICA200) and of the PlayStation Portable (GE) as a library. For C99 and
 * C++11.
 *
 * Two levels:
 *
 *   - the shader level, for emulators of the 3DS that keep their own pipeline and replace their shader recompiler:
 *     an engine, programs, batches of vertices, runs of geometry programs;
 *   - the GPU level: a machine that runs command lists on memory of the host, with fills, transfers, interrupts,
 *     pictures, snapshots and recordings. picaflor_gpu is the PICA200, picaflor_ge the GE.
 *
 * Rules that hold for every function
 *
 *   Status.    Functions return a picaflor_status. PICAFLOR_OK is 0; after any other value picaflor_last_error() has a
 *              description. Errors of the guest are no failures of a function: they are
 *              reported as picaflor_fault.
 *   Pointers.  NULL where it is not allowed gives PICAFLOR_ERROR_NULL, never a crash. A pointer to memory of the host
 *              that is not NULL must point to a valid object of its type. Results are written only together with
 *              PICAFLOR_OK, unless stated otherwise. Arguments are copied or consumed before the function returns; only
 *              the memory of picaflor_memory and callbacks with their `user` are kept. Until then no other thread
 *              writes what an argument points to: the rule for guest memory (picaflor_memory) does not hold for it.
 *   Handles.   Pointers to types without members (picaflor_engine, picaflor_program, picaflor_uniform_set,
 *              picaflor_geometry_unit, picaflor_gpu, picaflor_ge, picaflor_buffer) are handles: numbers that the library
 *              looks up. A handle that was destroyed, one of another kind, and a number that is no handle give
 *              PICAFLOR_ERROR_ARGUMENT. A handle is not used again for another object. At most PICAFLOR_MAX_HANDLES exist
 *              at a time: PICAFLOR_ERROR_HOST.
 *   Ends.      From the moment of its destruction a handle is invalid, on every thread. The object behind it lives until
 *              calls that use it have returned, and an engine, besides, until the machines that use it are destroyed; the
 *              last of these calls frees it. Of several threads that destroy a handle at once one succeeds. Machines,
 *              units and sets in use are not destroyed: PICAFLOR_ERROR_BUSY. What a host lends to a machine (its memory,
 *              callbacks) is not used after the destruction of the machine has returned, but for a picaflor_done under
 *              way. An engine may be destroyed while routines are queued or being compiled: those under way are
 *              finished, the others are dropped. What the library lends (picaflor_shaded.values, picaflor_buffer_data)
 *              ends with its object.
 *   Size.      A structure that begins with `size` may grow in later versions. Set all of it to zero and `size` to
 *              its sizeof. Zero is the default of every member. A program that was compiled with an older header
 *              works with a newer library; one compiled with a newer header works with an older library unless it
 *              sets members unknown to that library: PICAFLOR_ERROR_SIZE.
 *   Threads.   "one at a time" in the description of a function: any thread may call it, but only one call at a
 *              time may use the handle. A second call at the same time, also one from inside a callback, returns
 *              PICAFLOR_ERROR_BUSY and does nothing. "any": any number of threads at once.
 *   Unwinding. Nothing unwinds out of the library. A failure inside it returns PICAFLOR_ERROR_INTERNAL; the handles
 *              that it used are poisoned: they can be destroyed, all other calls return PICAFLOR_ERROR_POISONED.
 *              Callbacks must not throw, longjmp, or end their thread.
 *   Stack.     A call needs 128 KiB of the stack of its thread, besides what callbacks of the host use; 256 KiB if it makes
 *              a machine (create, replay); 1 MiB if it has an engine work (shade, transform, draw, run, replay, compile)
 *              unless the engine only interprets (PICAFLOR_MODE_INTERPRETER): in the background mode too, the calling thread
 *              compiles most routines of the GE that a draw waits for, unless `disk_cache` is set, and any where the
 *              system has no thread for that. Compiled code uses at most 40 KiB,
 *              in one frame, and touches each page of it in order: a stack that is too small ends at its guard page. Threads
 *              of the library have stacks of their own.
 *   Floats.    The library works in the default floating-point mode and restores that of the caller.
 *   Text       that the library returns ends with a zero byte and is not to be freed. Text that it takes is UTF-8.
 *
 * Binary interface: PICAFLOR_ABI is the number of the interface that this header describes, and the shared
 * library's name ends in it (libpicaflor.so.1). It changes when a function, constant or member changes its meaning,
 * moves or is removed; functions, constants, and members at the end of structures with `size` may be added without
 * a change of it.
 * Enumerations are passed as uint32_t or int32_t, independent of the enumeration size of the compiler.
 */
#ifndef PICAFLOR_H
#define PICAFLOR_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Number of the binary interface, and the version that this header came with. */
#define PICAFLOR_ABI 1
#define PICAFLOR_VERSION "0.1.0"

/* Bounds. */
#define PICAFLOR_MAX_THREADS 64
#define PICAFLOR_MAX_REGIONS 64
#if UINTPTR_MAX > 0xffffffff
#define PICAFLOR_MAX_HANDLES 1048512
#else
#define PICAFLOR_MAX_HANDLES 16320
#endif
#define PICAFLOR_MAX_VERTICES 1048576 /* of a batch */
#define PICAFLOR_MAX_ARRAY 268435456  /* bytes of an attribute array */

/* ---------------------------------------------------------------- status and version */

typedef int32_t picaflor_status;
enum {
    PICAFLOR_OK = 0,
    PICAFLOR_ERROR_NULL = 1,     /* NULL where it is not allowed */
    PICAFLOR_ERROR_ARGUMENT = 2, /* an argument is out of range */
    PICAFLOR_ERROR_SIZE = 3,     /* `size` is wrong, or a buffer or array too small */
    PICAFLOR_ERROR_BUSY = 4,     /* the handle is in use by another call */
    PICAFLOR_ERROR_POISONED = 5, /* an earlier call on the handle failed inside the library */
    PICAFLOR_ERROR_INTERNAL = 6, /* a failure inside the library: please report it */
    PICAFLOR_ERROR_LIST = 7,     /* a command list was given up: not mapped, or beyond the limits */
    PICAFLOR_ERROR_HOST = 8,     /* the host cannot do this: no compiled code on it, no memory, or a folder is missing */
    PICAFLOR_ERROR_FORMAT = 9,   /* data in an unknown format, or damaged */
    PICAFLOR_ERROR_IO = 10,      /* a file could not be written */
    PICAFLOR_ERROR_STATE = 11,   /* not possible now: nothing is being recorded */
    PICAFLOR_ERROR_REFUSED = 12, /* not compiled: the interpreter serves */
    PICAFLOR_ERROR_STOPPED = 13  /* the run was stopped, its time limit has passed, or there was no memory */
};

/* PICAFLOR_ABI of the library that is running. Compare it with the header's. Threads: any. */
uint32_t picaflor_abi_version(void);

/* The version of the library, as "0.1.0". Threads: any. */
const char *picaflor_version(void);

/* Short description of a status; never NULL. Threads: any. */
const char *picaflor_status_text(picaflor_status status);

/* Description of the last failure on this thread; "" without one. Never NULL; valid until the next failure on this
 * thread or its end. Threads: any, each has its own. */
const char *picaflor_last_error(void);

/* ---------------------------------------------------------------- engine */

/* Runs shader programs and fragment paths: compiled code, with the interpreter as fallback. */
typedef struct picaflor_engine picaflor_engine;

/* Time of compilation. Results are the same, bit for bit. */
enum {
    PICAFLOR_MODE_BACKGROUND = 0, /* on other threads, and the interpreter serves until then; or at once, while the call
                                     waits, where interpreting has cost as much by then */
    PICAFLOR_MODE_BLOCKING = 1,   /* before its first use: for tests and tools */
    PICAFLOR_MODE_INTERPRETER = 2 /* never */
};

/* Variant of shader code that runs first. Results are the same, bit for bit. */
enum {
    PICAFLOR_VARIANT_FAST = 0, /* without the rare cases of the arithmetic; where one is possible, EXACT runs again */
    PICAFLOR_VARIANT_EXACT = 1
};

/* Rounding of shader arithmetic. */
enum {
    PICAFLOR_PRECISION_CONSOLE = 0, /* 24 bits, truncated, as on the chip */
    PICAFLOR_PRECISION_BINARY32 = 1 /* 32 bits with the multiplication rule of the chip, as in most emulators */
};

/* Pages of compiled code, which are never writable and executable at once. A process that forks and goes on using an
 * engine in the child needs PICAFLOR_MAPPING_PROTECT: pages of the other kind are shared with the child. */
enum {
    PICAFLOR_MAPPING_DEFAULT = 0,   /* two views on Linux on x86-64, else switched protections */
    PICAFLOR_MAPPING_DUAL_VIEW = 1, /* a second, writable view while code is published */
    PICAFLOR_MAPPING_PROTECT = 2    /* pages for each routine, switched from writable to executable */
};

/* Effort of compilation. Results are the same, bit for bit. Code that was made in a single pass, and may be made with care later, is
 * not stored in `disk_cache`; the long shader programs of the blocking mode are: where others would make them with care, the
 * background mode uses them until it has done so, and CAREFUL makes its own. */
enum {
    PICAFLOR_EFFORT_ADAPTIVE = 0, /* background mode: in a single pass first, and once more with care when nothing
                                     waits. Blocking mode: as CAREFUL, but long shader programs in a single pass */
    PICAFLOR_EFFORT_QUICK = 1,    /* in a single pass, in half the time; such code takes 1.5 times as long, for fragments
                                     of the PICA200 up to 2.5 times */
    PICAFLOR_EFFORT_CAREFUL = 2   /* with care at once, but for the longest shader programs */
};

/* Features of the processor that compiled code may use. Results are the same, bit for bit. */
enum {
    PICAFLOR_CPU_HOST = 0,        /* all that it has */
    PICAFLOR_CPU_WITHOUT_AVX = 1, /* x86-64: up to SSE4.2; elsewhere as OLDEST */
    PICAFLOR_CPU_OLDEST = 2       /* x86-64: SSE4.1; elsewhere the first version of the architecture */
};

typedef struct picaflor_engine_config {
    size_t size;
    uint32_t mode;            /* PICAFLOR_MODE_... */
    uint32_t variant;         /* PICAFLOR_VARIANT_... */
    uint32_t compile_threads; /* of the background mode, beside one for what a call waits for; 0: 1; at most
                                 PICAFLOR_MAX_THREADS */
    uint32_t perf_map;        /* 1: lists routines in /tmp/perf-PID.map for `perf report` */
    size_t code_budget;       /* budget for code, in bytes; 0: 32 MiB */
    size_t texture_budget;    /* budget for decoded textures, in bytes; 0: 96 MiB */
    uint64_t disk_budget;     /* budget for files, in bytes; 0: 64 MiB */
    const char *disk_cache;   /* folder for compiled routines, or NULL; not "". Its content is executed: it must be as
                                 trusted as the program itself. */
    const char *jitdump;      /* folder for a jitdump file for `perf inject`, or NULL; not "" */
    const char *dumps;        /* existing folder for listings of all routines, or NULL */
    uint32_t mapping;         /* PICAFLOR_MAPPING_... */
    uint32_t effort;          /* PICAFLOR_EFFORT_... */
    uint32_t cpu;             /* PICAFLOR_CPU_... */
    uint32_t reserved;        /* 0 */
} picaflor_engine_config;

/* Creates an engine; `config` NULL: all defaults. *engine is NULL after a failure. Threads: any. */
picaflor_status picaflor_engine_create(const picaflor_engine_config *config, picaflor_engine **engine);

/* Destroys an engine; NULL is ignored. Machines that use it keep it alive until they are destroyed. Values from
 * picaflor_shade become invalid. Waits for routines that are being compiled, if nothing else uses the engine. Threads:
 * any. */
picaflor_status picaflor_engine_destroy(picaflor_engine *engine);

/* Waits until all queued compilations are finished. Threads: one at a time. */
picaflor_status picaflor_engine_wait(picaflor_engine *engine);

typedef struct picaflor_engine_stats {
    size_t size;
    uint64_t compiles;            /* routines compiled */
    uint64_t compile_ns;          /* compile time in nanoseconds, over all threads */
    uint64_t compile_ns_max;      /* longest compilation in nanoseconds */
    uint64_t compiled_bytes;      /* bytes of machine code compiled, evicted code included */
    uint64_t code_bytes;          /* bytes of code memory in use */
    uint64_t live_routines;       /* routines in memory */
    uint64_t evictions;           /* routines evicted */
    uint64_t panics_contained;    /* panics of the compiler, each turned into a refusal */
    uint64_t refusals;            /* programs and states left to the interpreter */
    uint64_t groups;              /* groups of four vertices, and geometry runs, executed by compiled code */
    uint64_t replayed_groups;     /* groups executed again in the exact variant */
    uint64_t interpreter_batches; /* batches served by the interpreter, wholly or in part */
    uint64_t fragment_draws;      /* draws with fragments drawn by compiled code */
    uint64_t interpreted_tiles;   /* tiles, or triangles within one, drawn by the interpreter */
    uint64_t texture_hits;        /* lookups that found the texture decoded */
    uint64_t texture_misses;      /* textures decoded */
    uint64_t texture_bytes;       /* bytes of decoded textures held */
    uint64_t longest_lookup_ns;   /* longest wait of a draw for its routine in the background mode */
    uint64_t disk_loaded;         /* routines loaded from the folder */
    uint64_t disk_stored;         /* routines written to it */
    uint64_t disk_damaged;        /* files ignored because of damage */
    uint64_t disk_foreign;        /* files ignored because of another version, target or key */
    uint64_t disk_errors;         /* failed system calls to read, write or remove a file */
    uint64_t refined;             /* routines compiled a second time, with care */
    uint64_t analyse_ns;          /* of compile time: control flow of programs, before compile_ns */
    uint64_t emit_ns;             /* of compile_ns: emission of intermediate code */
    uint64_t generate_ns;         /* of compile_ns: code generation */
    uint64_t publish_ns;          /* of compile_ns: mapping of the code as executable */
    uint64_t texture_stale;       /* texture_misses because of changed bytes */
    uint64_t texture_decoded_bytes; /* bytes of guest memory decoded */
    uint64_t texture_compared_bytes; /* bytes of guest memory compared with what was decoded */
    uint64_t texture_evictions;   /* textures evicted */
    uint64_t disk_load_ns;        /* time of loading, over all threads */
    uint64_t disk_loaded_bytes;   /* bytes of the files loaded */
    uint64_t disk_stored_bytes;   /* bytes of the files written */
    uint64_t disk_removed;        /* files removed to keep the budget */
} picaflor_engine_stats;

/* Counters since the creation of the engine. Set stats->size. Threads: one at a time. */
picaflor_status picaflor_engine_get_stats(picaflor_engine *engine, picaflor_engine_stats *stats);

/* Sets the counters of picaflor_engine_get_stats to zero; amounts in use and the longest times stay. Threads: one at a
 * time. */
picaflor_status picaflor_engine_reset_stats(picaflor_engine *engine);

typedef struct picaflor_buffer picaflor_buffer;

/* The programs and states that were left to the interpreter, with the reason: a line of text for each, which begins
 * with how often it was so; ends with a zero byte. *text is NULL after a failure. Threads: one at a time. */
picaflor_status picaflor_engine_refusals(picaflor_engine *engine, picaflor_buffer **text);

enum {
    PICAFLOR_LOG_OFF = 0,
    PICAFLOR_LOG_ERROR = 1,
    PICAFLOR_LOG_WARNING = 2, /* files that could not be written, damaged files of the cache */
    PICAFLOR_LOG_INFO = 3,
    PICAFLOR_LOG_DEBUG = 4,   /* each routine that was compiled, loaded or refused, with the reason */
    PICAFLOR_LOG_TRACE = 5
};

/* Receives a line of text, valid during the call. Called from any thread of the library, concurrently, also from those
 * that compile: it must call no function that takes a handle. */
typedef void (*picaflor_log)(void *user, uint32_t level, const char *text);

/* Sets the callback for messages up to a level, PICAFLOR_LOG_..., for the whole process; NULL: none. Without this call
 * messages are dropped. Waits for calls of the callback before on other threads; afterwards neither it nor its `user` is
 * used. PICAFLOR_ERROR_STATE: the library is part of a Rust program that has such a receiver already. Threads: any. */
picaflor_status picaflor_set_log(picaflor_log log, void *user, uint32_t level);

/* ---------------------------------------------------------------- faults */

/* An error of the guest, to which hardware reacts with a hang or with garbage; the machine continued. Kinds may be
 * added. */
enum {
    PICAFLOR_FAULT_OTHER = 0,
    PICAFLOR_FAULT_INSTRUCTION_BUDGET = 1, /* invocation cut off; at: word, value: vertex */
    PICAFLOR_FAULT_UNDEFINED_OPCODE = 2,   /* at: word, value: the instruction */
    PICAFLOR_FAULT_BREAK_OUTSIDE_LOOP = 3, /* at: word */
    PICAFLOR_FAULT_NO_SUCH_REGISTER = 4,   /* at: register */
    PICAFLOR_FAULT_TRUNCATED_COMMAND = 5,  /* at: address */
    PICAFLOR_FAULT_HANGS = 6,              /* a setting that hangs the console; at: register, value */
    PICAFLOR_FAULT_UNMAPPED = 7,           /* at: register with the address, value: address */
    PICAFLOR_FAULT_DRAW_BUDGET = 8,        /* value: vertices requested */
    PICAFLOR_FAULT_EMPTY_TARGET = 9,       /* value: the size register */
    PICAFLOR_FAULT_BAD_TRANSFER = 10,      /* value: the flags */
    PICAFLOR_FAULT_BAD_SETTING = 11        /* a register without sense for what it starts; at: register, value */
};

/* In `at`, registers of 0x10400000-0x10400FFF are their offset with bit 15 set. This structure does not grow. */
typedef struct picaflor_fault {
    uint32_t kind; /* PICAFLOR_FAULT_... */
    uint32_t at;
    uint32_t value;
    uint32_t reserved; /* 0 */
    char text[96];
} picaflor_fault;

/* The faults of the last batch or geometry run, at most `capacity` of them; *count receives their total number.
 * Threads: one at a time. */
picaflor_status picaflor_engine_faults(picaflor_engine *engine, picaflor_fault *faults, size_t capacity,
                                       size_t *count);

/* ---------------------------------------------------------------- programs and uniforms */

/* Code and operand descriptors of a shader unit. Programs are immutable, so any number of engines and threads may use
 * one. */
typedef struct picaflor_program picaflor_program;

/* The unit that a program is for. Batches of vertices take those of the first, runs of geometry programs those of the
 * second; others give PICAFLOR_ERROR_ARGUMENT. */
enum {
    PICAFLOR_UNIT_VERTEX = 0,  /* up to 512 words */
    PICAFLOR_UNIT_GEOMETRY = 1 /* up to 4096 words */
};

/* A program from its words, as they are uploaded from address 0 on, and up to 128 descriptors. *program is NULL
 * after a failure. Threads: any. */
picaflor_status picaflor_program_create(uint32_t unit, const uint32_t *code, size_t code_words,
                                        const uint32_t *descriptors, size_t descriptor_words,
                                        picaflor_program **program);

/* A program from an SHBIN file in memory. The caller uploads the constants of its executables. *program is NULL after
 * a failure. Threads: any. */
picaflor_status picaflor_program_from_shbin(uint32_t unit, const uint8_t *bytes, size_t length,
                                            picaflor_program **program);

/* The first word of an executable of an SHBIN file. Threads: any. */
picaflor_status picaflor_program_entry(const picaflor_program *program, size_t executable, uint32_t *entry);

/* Destroys a program; NULL is ignored. Routines compiled from it stay valid. Threads: any. */
picaflor_status picaflor_program_destroy(picaflor_program *program);

/* Float, integer and boolean uniforms. PICAFLOR_PRECISION_CONSOLE narrows floats to 24 bits; floats uploaded with 24
 * bits are exact in 32. Bits of `bools` above b15 give PICAFLOR_ERROR_ARGUMENT. */
typedef struct picaflor_uniforms {
    size_t size;
    float floats[96][4]; /* c0-c95, x first */
    uint8_t ints[4][4];  /* i0-i3: x (turns - 1), y (start), z (step), unused byte */
    uint32_t bools;      /* b0 in bit 0 */
    uint32_t reserved;   /* 0 */
} picaflor_uniforms;

/* Uniforms in a handle that is told what changes, for hosts that draw small batches: a batch with one is not read and
 * compared as a whole. */
typedef struct picaflor_uniform_set picaflor_uniform_set;

/* A set with these values; NULL: zeros. *set is NULL after a failure. Threads: any. */
picaflor_status picaflor_uniform_set_create(const picaflor_uniforms *values, picaflor_uniform_set **set);

/* Destroys a set; NULL is ignored. PICAFLOR_ERROR_BUSY: it is in use and was not destroyed. Threads: any. */
picaflor_status picaflor_uniform_set_destroy(picaflor_uniform_set *set);

/* Replaces float uniforms from number `first` on. PICAFLOR_ERROR_ARGUMENT: there are 96. Threads: one at a time. */
picaflor_status picaflor_uniform_set_floats(picaflor_uniform_set *set, uint32_t first, const float (*values)[4],
                                            size_t count);

/* Replaces all booleans, b0 in bit 0, and the four integers. PICAFLOR_ERROR_ARGUMENT: a bit above b15. Threads: one at a
 * time. */
picaflor_status picaflor_uniform_set_flow(picaflor_uniform_set *set, uint32_t bools, const uint8_t (*ints)[4]);

/* ---------------------------------------------------------------- batches of vertices */

enum {
    PICAFLOR_ELEMENT_I8 = 0,
    PICAFLOR_ELEMENT_U8 = 1,
    PICAFLOR_ELEMENT_I16 = 2,
    PICAFLOR_ELEMENT_F32 = 3
};

/* One attribute of all vertices. `bytes` is an argument and not guest memory of a machine: no other thread may write
 * these bytes during the call. This structure does not grow. */
typedef struct picaflor_attribute {
    const void *bytes;   /* the attribute of vertex 0, little endian, aligned or not; NULL: `fixed` for all */
    size_t length;       /* readable bytes, at most PICAFLOR_MAX_ARRAY. Fetch is faster with 16 bytes of padding
                            behind the last vertex. */
    uint32_t stride;     /* bytes from vertex to vertex */
    uint32_t element;    /* PICAFLOR_ELEMENT_... */
    uint32_t components; /* 1-4; the others are 0, 0, 1 for y, z, w */
    uint32_t reserved;   /* 0 */
    float fixed[4];      /* PICAFLOR_PRECISION_CONSOLE narrows it to 24 bits, as the floats of arrays */
} picaflor_attribute;

enum {
    PICAFLOR_OUTPUT_REGISTERS = 0, /* the registers that the mask enables, in ascending order, four components each */
    PICAFLOR_OUTPUT_SEMANTICS = 1  /* 24 semantics, through the output map; unmapped ones are 1 */
};

typedef struct picaflor_batch {
    size_t size;
    const picaflor_program *program;      /* for PICAFLOR_UNIT_VERTEX */
    const picaflor_uniforms *uniforms;    /* NULL: zeros */
    const picaflor_attribute *attributes; /* attribute 0 first */
    size_t attribute_count;               /* 1-16 */
    const uint32_t *indices;              /* the vertices to shade; NULL: 0, 1, 2 and so on */
    size_t vertex_count;                  /* at most PICAFLOR_MAX_VERTICES */
    uint64_t permutation;                 /* nibble k: the v register of attribute k (0x2BB, 0x2BC); 0: v[k] */
    uint32_t entry;                       /* first word executed */
    uint32_t precision;                   /* PICAFLOR_PRECISION_... */
    uint32_t output_mask;                 /* bit n enables o[n] (0x2BD) */
    uint32_t output_form;                 /* PICAFLOR_OUTPUT_... */
    uint32_t output_total;                /* registers that the map uses (0x04F), bits 0-2 */
    uint32_t output_map[7];               /* 0x050-0x056 */
    uint32_t instruction_budget;          /* of a vertex; 0: 65536 */
    uint32_t reserved;                    /* 0 */
    picaflor_uniform_set *uniform_set;    /* in place of `uniforms`, which is not read then; or NULL */
} picaflor_batch;

enum {
    PICAFLOR_SERVED_COMPILED = 0,   /* compiled code alone */
    PICAFLOR_SERVED_INTERPRETER = 1 /* the interpreter, wholly or for some vertices */
};

/* The result of a batch. Component k of vertex i is values[k * stride + i]. `values` belongs to the engine and is
 * valid until the next call with that engine. */
typedef struct picaflor_shaded {
    size_t size;
    const float *values;
    size_t stride;
    uint32_t components;
    uint32_t vertices;
    uint32_t served;          /* PICAFLOR_SERVED_... */
    uint32_t replayed_groups; /* groups of four vertices executed again in the exact variant */
    uint32_t faults;          /* number of faults: see picaflor_engine_faults */
    uint32_t reserved;        /* 0 */
} picaflor_shaded;

/* Shades vertices. Set shaded->size. PICAFLOR_ERROR_SIZE: an index is beyond the end of an array.
 * PICAFLOR_ERROR_ARGUMENT: a member has no such value, as an `entry` above 4095. No function stops a batch,
 * and it has neither a time limit nor an account of work: what bounds it is vertex_count times instruction_budget, which
 * with the largest batch and the default is minutes. The same holds for the other picaflor_shade functions. Threads: one at
 * a time. */
picaflor_status picaflor_shade(picaflor_engine *engine, const picaflor_batch *batch, picaflor_shaded *shaded);

/* The same with whole vertices as the result, of 24 semantics each, as picaflor_gpu_draw_vertices takes them. The
 * output form is PICAFLOR_OUTPUT_SEMANTICS. PICAFLOR_ERROR_SIZE: `capacity` is below the number of vertices, or an
 * index is beyond the end of an array. Threads: one at a time. */
picaflor_status picaflor_shade_vertices(picaflor_engine *engine, const picaflor_batch *batch, float (*vertices)[24],
                                        size_t capacity);

typedef struct picaflor_compiled {
    size_t size;
    uint64_t time_ns;    /* from program words to executable code, in nanoseconds */
    uint64_t words;      /* words compiled, counted once per unfolded path */
    uint64_t code_bytes; /* bytes of machine code */
} picaflor_compiled;

/* Compiles the routine of a batch on this thread and keeps it, before the first draw. The routine depends on the
 * program, the layout of the attributes, booleans, integers, outputs and precision. The batch may have no vertices;
 * its arrays then need no bytes, but no NULL pointers either. PICAFLOR_ERROR_REFUSED: the interpreter serves such
 * batches; picaflor_last_error() has the reason. Set compiled->size. Threads: one at a time. */
picaflor_status picaflor_compile(picaflor_engine *engine, const picaflor_batch *batch, picaflor_compiled *compiled);

/* Vertices with loaded input registers. */
typedef struct picaflor_float_batch {
    size_t size;
    const picaflor_program *program;   /* for PICAFLOR_UNIT_VERTEX */
    const picaflor_uniforms *uniforms; /* NULL: zeros */
    const float *inputs;               /* v0, v1 and so on of vertex 0, then of vertex 1; four floats each */
    size_t input_count;                /* registers of each vertex, 1-16; the others are zero */
    size_t vertex_count;               /* at most PICAFLOR_MAX_VERTICES */
    float *outputs;                    /* the enabled registers of vertex 0 in ascending order, then of vertex 1 */
    size_t output_capacity;            /* capacity in registers of four floats each */
    uint32_t entry;                    /* first word executed */
    uint32_t precision;                /* PICAFLOR_PRECISION_... */
    uint32_t output_mask;              /* bit n enables o[n] */
    uint32_t instruction_budget;       /* of a vertex; 0: 65536 */
} picaflor_float_batch;

/* Shades vertices from plain floats to plain floats. PICAFLOR_ERROR_SIZE: `output_capacity` is too small. Threads: one at
 * a time. */
picaflor_status picaflor_shade_floats(picaflor_engine *engine, const picaflor_float_batch *batch);

/* ---------------------------------------------------------------- runs of geometry programs */

/* The registers of the geometry unit, which persist from run to run and from draw to draw. */
typedef struct picaflor_geometry_unit picaflor_geometry_unit;

/* Creates a unit with all registers zero. *unit is NULL after a failure. Threads: any. */
picaflor_status picaflor_geometry_unit_create(picaflor_geometry_unit **unit);

/* Destroys the object; NULL is ignored. PICAFLOR_ERROR_BUSY: it is in use and was not destroyed. Threads: any. */
picaflor_status picaflor_geometry_unit_destroy(picaflor_geometry_unit *unit);

typedef struct picaflor_geometry_run {
    size_t size;
    const picaflor_program *program; /* for PICAFLOR_UNIT_GEOMETRY */
    picaflor_uniforms *uniforms;     /* b15 is set at the end of the run */
    const float *inputs;             /* v0, v1 and so on, four floats each; the others keep their values */
    size_t input_count;              /* at most 16 */
    uint32_t entry;                  /* first word executed */
    uint32_t precision;              /* PICAFLOR_PRECISION_... */
    uint32_t output_mask;            /* bit n enables o[n] */
    uint32_t instruction_budget;     /* 0: 65536 */
} picaflor_geometry_run;

/* An executed EMIT. This structure does not grow. */
typedef struct picaflor_emission {
    uint32_t vertex;     /* entry of the emit buffer, 0-3 */
    uint32_t primitive;  /* 1: completes a primitive */
    uint32_t winding;    /* 1: reverses its winding */
    uint32_t registers;  /* number of valid `values` */
    float values[16][4]; /* the enabled registers in ascending order */
} picaflor_emission;

/* Runs a geometry program once. Returns at most `capacity` emissions; *count receives their total number.
 * PICAFLOR_ERROR_SIZE: more emissions than `capacity`; the run is complete nevertheless. As a batch of vertices it can be
 * neither stopped nor limited in time: what bounds it is instruction_budget. Threads: one at a time for both handles. */
picaflor_status picaflor_run_geometry(picaflor_engine *engine, picaflor_geometry_unit *unit,
                                      const picaflor_geometry_run *run, picaflor_emission *emissions,
                                      size_t capacity, size_t *count);

/* All registers of a unit. */
typedef struct picaflor_unit_state {
    size_t size;
    float v[16][4];
    float r[16][4];
    float o[2][16][4];
    uint32_t bank;       /* the bank of o that is written: EMIT changes it */
    int32_t a0[2];       /* a0.x, a0.y */
    int32_t al;          /* aL */
    uint32_t compare[2]; /* cmp.x, cmp.y: 0 or 1 */
    uint32_t vertex;     /* emit latch: entry of the emit buffer, 0-3; */
    uint32_t primitive;  /* 1: the next EMIT completes a primitive; */
    uint32_t winding;    /* 1: its winding is reversed */
    uint32_t reserved;   /* 0 */
} picaflor_unit_state;

/* The registers of a unit. Set state->size. Threads: one at a time. */
picaflor_status picaflor_geometry_unit_get(picaflor_geometry_unit *unit, picaflor_unit_state *state);

/* Sets the registers of a unit. Together with picaflor_run_geometry, which also runs programs that emit nothing,
 * this runs any program from any state, created for PICAFLOR_UNIT_GEOMETRY even if its words are those of a vertex
 * program: its results are in the registers afterwards. PICAFLOR_ERROR_ARGUMENT: a flag is above 1, or `vertex` above 3.
 * Threads: one at a time. */
picaflor_status picaflor_geometry_unit_set(picaflor_geometry_unit *unit, const picaflor_unit_state *state);

/* Runs a geometry program `runs` times, at most 4096, each from the registers that the run before left: `inputs` holds
 * run->input_count registers for each. As picaflor_run_geometry otherwise, which costs more for each run. What bounds its
 * time is `runs` times instruction_budget. *count, also with PICAFLOR_ERROR_SIZE, is the number of all emissions; those of a
 * run, or of as many runs as a million instructions may be, are kept at once. Threads: one at a time for both handles. */
picaflor_status picaflor_run_geometry_batch(picaflor_engine *engine, picaflor_geometry_unit *unit,
                                            const picaflor_geometry_run *run, size_t runs,
                                            picaflor_emission *emissions, size_t capacity, size_t *count);

/* ---------------------------------------------------------------- machine */

/* The PICA200 from its registers to guest memory. */
typedef struct picaflor_gpu picaflor_gpu;

/* A block of guest memory. This structure does not grow. */
typedef struct picaflor_region {
    uint32_t address; /* physical */
    uint32_t length;
    void *bytes;      /* readable and writable until the machine is destroyed or has other memory */
} picaflor_region;

/* Guest memory: either fixed blocks, or a callback. Addresses are physical. Other threads of the host may write memory
 * during a call of the machine: each byte that the machine reads is then old or new, and bytes of what it draws to,
 * fills or moves may get the value of either side. The chapter "Threat model" has the whole rule. The same bytes of the
 * host must not be mapped at two addresses: textures and depth buffers that lie where a draw draws are found by their
 * addresses, and a texture at another address is sampled as it was before the draw. Mirrors of VRAM are known to the GE. */
typedef struct picaflor_memory {
    size_t size;
    const picaflor_region *regions; /* up to PICAFLOR_MAX_REGIONS, none overlapping */
    size_t region_count;
    void *user;                     /* for the callbacks */
    /* Returns the host address of the bytes address .. address + length, or NULL unless all of them are mapped and
     * contiguous. `length` is not 0. The bytes must stay there, readable and writable, until the function of the
     * machine returns; those of a submitted run until it is complete; those of any function in a session until
     * picaflor_ge_session returns, also between the functions that `work` calls: draws that are pending use them on other
     * threads. Called from any thread of the machine, concurrently. NULL: `regions`. */
    uint8_t *(*region)(void *user, uint32_t address, uint32_t length);
    /* Notification: the machine wrote some of these bytes. Called after the writes, on the thread that called the
     * machine. May be NULL. */
    void (*written)(void *user, uint32_t address, uint32_t length);
    /* Version of these bytes: stores a number that changes with every change of one of them, the machine's own writes
     * included, and returns 1; returns 0 for an unknown version. Saves the comparison of textures with their source
     * bytes. Equal numbers for an address and length must mean equal bytes for the lifetime of the engine, whichever of its
     * machines asks, and of whichever memory; those of `tracked` memory are 2^63 or more. May be NULL. */
    int32_t (*version)(void *user, uint32_t address, uint32_t length, uint64_t *version);
    uint32_t tracked;  /* 1: the host announces each of its writes with picaflor_gpu_invalidate or
                          picaflor_ge_invalidate, which takes the place of `version`: it must be NULL. Writes of another
                          machine to this memory are the host's. The machine then also keeps the ranges that it writes,
                          for picaflor_gpu_take_written. */
    uint32_t reserved; /* 0 */
} picaflor_memory;

/* Limits on the work of a guest. 0: the default, far above the needs of real software. A draw beyond a limit is a
 * fault, a run beyond a limit PICAFLOR_ERROR_LIST. */
typedef struct picaflor_limits {
    size_t size;
    uint32_t instructions; /* of one shader invocation */
    uint32_t vertices;     /* of one draw */
    uint32_t triangles;    /* of one draw, after clipping */
    uint32_t commands;     /* of one run, over all lists that it jumps to */
    uint32_t jumps;        /* of one run */
    uint32_t reserved;     /* 0 */
    uint64_t pixels;       /* in the bounding boxes of the triangles of one draw */
    uint64_t run_vertices; /* of one run */
    uint64_t run_pixels;   /* of one run */
    /* Of all shader invocations of one run, or of one write by the CPU. An invocation counts with its maximum: the
     * words that its program reaches, those of loops and procedures as often as the integer uniforms say, or
     * `instructions` where control flow is not structured. Checked before vertices are shaded, so that nothing beyond
     * the limit is executed. */
    uint64_t run_instructions;
    uint64_t work; /* of one run: about nanoseconds of compiled code on one core, for everything together */
} picaflor_limits;

typedef struct picaflor_gpu_config {
    size_t size;
    const picaflor_memory *memory; /* copied; the memory that it refers to must outlive the machine */
    const picaflor_limits *limits; /* NULL: all defaults */
    uint32_t precision;            /* PICAFLOR_PRECISION_... */
    uint32_t threads;              /* see picaflor_gpu_set_threads; 0: 1 */
} picaflor_gpu_config;

/* Creates a machine in its reset state. It keeps the engine alive; machines may share an engine, but not concurrently:
 * PICAFLOR_ERROR_BUSY. *gpu is NULL after a failure. Threads: any. */
picaflor_status picaflor_gpu_create(picaflor_engine *engine, const picaflor_gpu_config *config, picaflor_gpu **gpu);

/* Destroys the object; NULL is ignored. PICAFLOR_ERROR_BUSY: it is in use and was not destroyed; picaflor_gpu_stop ends
 * what uses it. The last user of the machine waits for a picaflor_done under way: see there. Threads: any. */
picaflor_status picaflor_gpu_destroy(picaflor_gpu *gpu);

/* Replaces the engine, for example to switch between compiled code and the interpreter. Threads: one at a time. */
picaflor_status picaflor_gpu_set_engine(picaflor_gpu *gpu, picaflor_engine *engine);

/* Replaces the guest memory. Threads: one at a time. */
picaflor_status picaflor_gpu_set_memory(picaflor_gpu *gpu, const picaflor_memory *memory);

/* Sets the number of threads that draw fragments, at most PICAFLOR_MAX_THREADS; 0 means 1. No more are used than the
 * system runs at once for this process. Results do not depend on it. Threads are started by calls that have work for
 * them; from the second such call on the engine keeps them, for all machines that draw with it, asleep between calls,
 * until it is gone. Threads: one at a time. */
picaflor_status picaflor_gpu_set_threads(picaflor_gpu *gpu, uint32_t threads);

/* Ends the run that another thread has under way, and every later one at its first command, with
 * PICAFLOR_ERROR_STOPPED, until a call with `stops` 0. It is noticed within about a millisecond; code that the
 * thread of the run compiles is finished first (PICAFLOR_MODE_BLOCKING; in the background mode short routines of the GE). picaflor_last_error() of the thread that ran names the address of the last command; of draws
 * that were not complete pixels are missing, all else is as after that command. A draw that is beyond a limit as well may
 * give PICAFLOR_ERROR_LIST. Threads: any, also during a call that uses the machine, until it is destroyed. */
picaflor_status picaflor_gpu_stop(picaflor_gpu *gpu, uint32_t stops);

/* Limits the time of each run, in microseconds; 0: no limit. A run that takes longer ends like one that was stopped.
 * Threads: one at a time. */
picaflor_status picaflor_gpu_set_time_limit(picaflor_gpu *gpu, uint64_t microseconds);

/* Obeys the attribute clocks, register 0x06F (1, the default, as on the console), or ignores them (0): an attribute
 * whose clock is off reads 1.0. Other values give PICAFLOR_ERROR_ARGUMENT. The setting is part of neither snapshots
 * nor captures. Threads: one at a time. */
picaflor_status picaflor_gpu_set_attribute_clocks(picaflor_gpu *gpu, uint32_t obeys);

enum {
    PICAFLOR_FINISHED_INTERRUPT = 0, /* by the interrupt that the list requests */
    PICAFLOR_FINISHED_END = 1        /* at the end, without one: software that waits for it hangs */
};

/* Runs a command list to its end; address and size are multiples of 16, others give PICAFLOR_ERROR_ARGUMENT. *finished
 * receives PICAFLOR_FINISHED_...; `finished` may be NULL. After PICAFLOR_ERROR_LIST the effects of the executed
 * commands remain. Threads: one at a time. */
picaflor_status picaflor_gpu_run_list(picaflor_gpu *gpu, uint32_t address, uint32_t size_bytes, uint32_t *finished);

/* Called when a submitted run is complete, on the machine's thread, with its fence and the status that it ended
 * with; picaflor_gpu_wait may return before that. It may call functions of the machine if nothing else is
 * submitted, and may destroy the machine. A thread inside another function of the machine at that moment, picaflor_gpu_wait
 * or picaflor_ge_wait above all, may be its last user, which waits for this callback to return: the callback must not wait
 * for that thread. */
typedef void (*picaflor_done)(void *user, uint64_t fence, picaflor_status status);

/* Submits a command list to a thread of the machine's own, and returns: as picaflor_gpu_run_list, in the order of
 * submission. `done` may be NULL; *fence, if it is not NULL, receives a number that counts up from 1. Until all
 * that was submitted is complete, other functions with the handle return PICAFLOR_ERROR_BUSY, except submit_list,
 * wait, complete, stop, invalidate and take_written. The engine is in use while a list runs. A list is not executed if
 * another call uses the machine or the engine when its turn comes: its fence then has PICAFLOR_ERROR_BUSY.
 * PICAFLOR_ERROR_HOST: there is no thread. Threads: any. */
picaflor_status picaflor_gpu_submit_list(picaflor_gpu *gpu, uint32_t address, uint32_t size_bytes, picaflor_done done,
                                         void *user, uint64_t *fence);

/* Waits until the run of a fence is complete; its status is that of the run, of which the last 64 failures are
 * kept. PICAFLOR_ERROR_ARGUMENT: there is no such fence yet. Not from a picaflor_done for a fence that is not
 * complete: nobody would complete it. Threads: any. */
picaflor_status picaflor_gpu_wait(picaflor_gpu *gpu, uint64_t fence);

/* The last fence that is complete, 0 before the first. Threads: any. */
picaflor_status picaflor_gpu_complete(picaflor_gpu *gpu, uint64_t *fence);

/* A write by the CPU of a word to a physical address in 0x10400000-0x10401FFF, or to the LCD's in
 * 0x10202000-0x10202FFF; other addresses are ignored. Fills, transfers and lists that it starts are complete when this
 * returns. PICAFLOR_ERROR_LIST: a list, draw, fill or transfer that it starts cannot be read or exceeds the limits.
 * Threads: one at a time. */
picaflor_status picaflor_gpu_write(picaflor_gpu *gpu, uint32_t address, uint32_t value);

/* A read by the CPU at these addresses. Some reads have side effects. *value is 0 after a failure. Threads: one at a
 * time. */
picaflor_status picaflor_gpu_read(picaflor_gpu *gpu, uint32_t address, uint32_t *value);

/* A write by the CPU to an internal register by its number, below 0x400; bit n of `mask` enables byte n.
 * PICAFLOR_ERROR_ARGUMENT: the number is not below 0x400, or `mask` above 15. PICAFLOR_ERROR_LIST: as of
 * picaflor_gpu_write. Threads: one at a time. */
picaflor_status picaflor_gpu_write_register(picaflor_gpu *gpu, uint32_t id, uint32_t value, uint32_t mask);

/* A read by the CPU of an internal register. *value is 0 after a failure. Threads: one at a time. */
picaflor_status picaflor_gpu_read_register(picaflor_gpu *gpu, uint32_t id, uint32_t *value);

/* Fills start .. end, multiples of 16, with the low `bytes` bytes (2-4) of `value`, by unit 0 or 1. Shorthand for the
 * four register writes by the CPU. PICAFLOR_ERROR_ARGUMENT: another unit, number of bytes or alignment.
 * PICAFLOR_ERROR_LIST: as of picaflor_gpu_write. Threads: one at a time. */
picaflor_status picaflor_gpu_fill(picaflor_gpu *gpu, uint32_t unit, uint32_t start, uint32_t end, uint32_t value,
                                  uint32_t bytes);

/* A display transfer or, with bit 3 of the flags, a texture copy. Addresses are physical and multiples of 16; the
 * rest are the words of the registers. */
typedef struct picaflor_transfer {
    size_t size;
    uint32_t input;
    uint32_t output;
    uint32_t output_size; /* 0x10400C08: width, and height in the upper half */
    uint32_t input_size;  /* 0x10400C0C */
    uint32_t flags;       /* 0x10400C10 */
    uint32_t copy_size;   /* 0x10400C20 */
    uint32_t copy_input;  /* 0x10400C24 */
    uint32_t copy_output; /* 0x10400C28 */
} picaflor_transfer;

/* Runs a transfer. Shorthand for the register writes by the CPU. PICAFLOR_ERROR_ARGUMENT: `input` or `output` is no
 * multiple of 16. PICAFLOR_ERROR_LIST: as of picaflor_gpu_write. Threads: one at a time. */
picaflor_status picaflor_gpu_transfer(picaflor_gpu *gpu, const picaflor_transfer *transfer);

/* ---------------------------------------------------------------- draws without lists  For hosts that keep their own
 * command processor or pipeline. The functions of this section act in the state of the machine: registers, programs,
 * uniforms and tables are those that lists or picaflor_gpu_write_field have written. */

/* A range of registers. This structure does not grow. */
typedef struct picaflor_register_range {
    uint32_t first;
    uint32_t count;
} picaflor_register_range;

enum {
    PICAFLOR_INPUT_ARRAYS = 0,   /* vertices in arrays: 0x228 has their number, 0x22A the first */
    PICAFLOR_INPUT_ELEMENTS = 1, /* by an index list: 0x228 has the number of indices */
    PICAFLOR_INPUT_IMMEDIATE = 2 /* by `attributes` */
};

typedef struct picaflor_draw {
    size_t size;
    const uint32_t *registers; /* words from register 0 on, as the guest wrote them; at most 1024 are used */
    size_t register_count;     /* registers beyond keep their words */
    const picaflor_register_range *changed; /* registers that may differ from the draw before; NULL: any. Booleans of
                                               shader units (0x280, 0x2B0) in a range count as written even if they are
                                               equal: a b15 that a geometry program has set is cleared. */
    size_t changed_count;
    const float (*attributes)[4]; /* of immediate vertices, one attribute after another, of which each vertex has as
                                     many as 0x242 says; rounded to 24 bits */
    size_t attribute_count;
    uint32_t input;    /* PICAFLOR_INPUT_... */
    uint32_t reserved; /* 0 */
} picaflor_draw;

/* Takes over the registers and draws; the geometry stage runs if they say so. Registers that start something or
 * belong to a port are not taken over: the interrupt block, draws, jumps, uploads. Every write to
 * 0x25F, and one to 0x25E that changes the topology, drops an incomplete primitive: a host whose guest draws strips and
 * fans in pieces passes these on with picaflor_gpu_write_register. Draws on the threads of the machine; immediate
 * vertices on the thread of the call. A recording has the draw. PICAFLOR_ERROR_LIST: the draw exceeds the limits of a
 * run. Threads: one at a time. */
picaflor_status picaflor_gpu_draw(picaflor_gpu *gpu, const picaflor_draw *draw);

#define PICAFLOR_SEMANTICS 24

/* Draws triangles whose vertices are shaded: three vertices each, in clip space, with 24 semantics as the output
 * map arranges them (PICAFLOR_OUTPUT_SEMANTICS): 0-3 position, 4-7 quaternion, 8-11 colour, 12-13 texture
 * coordinates 0, 14-15 those of 1, 16 w of 0, 18-20 view, 22-23 texture coordinates 2. Clipping, culling, pixels
 * and target are those of the registers; their topology is not used. At most PICAFLOR_MAX_VERTICES; a rest below
 * three is dropped, as is a recording in progress. PICAFLOR_ERROR_LIST: the draw exceeds the limits of a run.
 * Threads: one at a time. */
picaflor_status picaflor_gpu_draw_vertices(picaflor_gpu *gpu, const float (*vertices)[PICAFLOR_SEMANTICS],
                                           size_t count);

/* A triangle in window space. This structure does not grow. */
typedef struct picaflor_triangle {
    int32_t x[3]; /* in sixteenths of a pixel, at most 2^18 in magnitude; counter-clockwise */
    int32_t y[3]; /* upward */
    float z[3];   /* z / w */
    float r[3];   /* 1 / w */
    float semantics[3][PICAFLOR_SEMANTICS]; /* each times 1 / w */
    float flat_colour[4];                   /* the colour of all pixels, */
    uint32_t is_flat;                       /* if this is 1 */
    uint32_t reserved;                      /* 0 */
} picaflor_triangle;

/* The triangles that picaflor_gpu_draw_vertices would draw: clipped, culled, in window space. Nothing is drawn. *count
 * receives their number; PICAFLOR_ERROR_SIZE: it exceeds `capacity`, and none was written. Threads: one at a time. */
picaflor_status picaflor_gpu_set_up(picaflor_gpu *gpu, const float (*vertices)[PICAFLOR_SEMANTICS],
                                    size_t vertex_count, picaflor_triangle *triangles, size_t capacity, size_t *count);

/* Draws the pixels of triangles, at most PICAFLOR_MAX_VERTICES of them. Those without an area, clockwise ones, and those
 * out of range are dropped, as is a recording in progress. PICAFLOR_ERROR_ARGUMENT: there are more, and nothing was drawn.
 * PICAFLOR_ERROR_LIST: the draw exceeds the limits of a run. Threads: one at a time. */
picaflor_status picaflor_gpu_draw_triangles(picaflor_gpu *gpu, const picaflor_triangle *triangles, size_t count);

/* Interrupts, as bits. Their numbers in the interrupt controller are 0x28, 0x29, 0x2C, 0x2D, 0x2A, 0x2B. */
enum {
    PICAFLOR_INTERRUPT_PSC0 = 1,  /* fill unit 0 has finished */
    PICAFLOR_INTERRUPT_PSC1 = 2,  /* fill unit 1 has finished */
    PICAFLOR_INTERRUPT_PPF = 4,   /* the transfer engine has finished */
    PICAFLOR_INTERRUPT_P3D = 8,   /* requested by a command list */
    PICAFLOR_INTERRUPT_PDC0 = 16, /* vertical blank of the upper screen, see picaflor_gpu_vblank */
    PICAFLOR_INTERRUPT_PDC1 = 32  /* vertical blank of the lower screen */
};

/* The set of interrupts raised and not acknowledged. *interrupts is 0 after a failure. Threads: one at a time. */
picaflor_status picaflor_gpu_interrupts(picaflor_gpu *gpu, uint32_t *interrupts);

/* Acknowledges interrupts: removes them from the set. Threads: one at a time. */
picaflor_status picaflor_gpu_acknowledge(picaflor_gpu *gpu, uint32_t interrupts);

/* Costs for estimates of time, in 256ths of a cycle; 0: the constant of the library, PICAFLOR_RATE_NONE: nothing. Few are
 * known of the hardware: the reference of the Rust crates has the constants, each with its origin. */
#define PICAFLOR_RATE_NONE 0xffffffffu

typedef struct picaflor_gpu_rates {
    size_t size;
    uint32_t command;       /* of a list */
    uint32_t draw;
    uint32_t vertex;        /* shaded, or a run of the geometry program */
    uint32_t culled;        /* a triangle that is culled */
    uint32_t triangle;      /* a triangle that is drawn, before its pixels */
    uint32_t pixel;         /* in the bounds of triangles */
    uint32_t fill_byte;     /* filled */
    uint32_t transfer_byte; /* written by a transfer or copy */
} picaflor_gpu_rates;

/* Estimates the time of work from now on; NULL, as at first: not. Nothing that a guest sees depends on it, and the
 * estimates depend on neither engine nor threads. Interrupts are still raised at once: a host that delays them
 * takes the delays. Threads: one at a time. */
picaflor_status picaflor_gpu_set_timing(picaflor_gpu *gpu, const picaflor_gpu_rates *rates);

/* An interrupt with the cycles (268,111,856 in a second) from the start of the list, fill or transfer that raised it.
 * This structure does not grow. */
typedef struct picaflor_delay {
    uint64_t cycles;
    uint32_t interrupt; /* PICAFLOR_INTERRUPT_... */
    uint32_t reserved;  /* 0 */
} picaflor_delay;

/* The interrupts raised since the last call, in order, of which the latest 64 are kept: returns the first `capacity` of
 * those and clears all; *count receives the number that was kept. None without estimates. Threads: one at a time. */
picaflor_status picaflor_gpu_take_delays(picaflor_gpu *gpu, picaflor_delay *delays, size_t capacity, size_t *count);

/* Estimated cycles of the latest list or draw; 0 without estimates, and after a failure. Threads: one at a time. */
picaflor_status picaflor_gpu_run_cycles(picaflor_gpu *gpu, uint64_t *cycles);

enum {
    PICAFLOR_SCREEN_TOP = 0,       /* for the left eye */
    PICAFLOR_SCREEN_TOP_RIGHT = 1, /* for the right eye */
    PICAFLOR_SCREEN_BOTTOM = 2
};

/* Announces a vertical blank of a screen; a console has 59.83 of them in a second on each. Both upper names mean
 * the same panel. The buffer that the program selected is shown from now on, and PICAFLOR_INTERRUPT_PDC0 or PDC1 is
 * raised unless the program masks it. Without any call for a screen, a selected buffer is shown at once; after the
 * first call, the buffers change at blanks only. Part of recordings and snapshots. Threads: one at a time. */
picaflor_status picaflor_gpu_vblank(picaflor_gpu *gpu, uint32_t screen);

/* The picture on a screen, according to the scan-out registers: red, green, blue of each pixel, row by row from the
 * top as the viewer sees it. Its size follows from these registers too: usually 400 x 240 pixels of the upper screen,
 * 800 x 240 in wide mode, 320 x 240 of the lower one; at most 1024 a side. Width and height (0 and 0: no picture) are
 * also written if `capacity` is too small (PICAFLOR_ERROR_SIZE); `rgb` may be NULL with a capacity of 0, to query them.
 * Threads: one at a time. */
picaflor_status picaflor_gpu_picture(picaflor_gpu *gpu, uint32_t screen, uint8_t *rgb, size_t capacity,
                                     uint32_t *width, uint32_t *height);

/* Bytes of a pixel in a picaflor_picture_buffer, in ascending order. */
typedef enum picaflor_picture_format {
    PICAFLOR_PICTURE_RGB = 0,  /* red, green, blue */
    PICAFLOR_PICTURE_RGBA = 1, /* red, green, blue, 255 */
    PICAFLOR_PICTURE_BGRA = 2  /* blue, green, red, 255 */
} picaflor_picture_format;

/* Memory of the caller for a picture, a locked texture for instance. Bytes between rows are not written. No guest
 * memory may lie in it. */
typedef struct picaflor_picture_buffer {
    size_t size;
    uint8_t *bytes;    /* the first pixel, at the top left as the viewer sees it */
    size_t capacity;   /* bytes that may be written */
    size_t stride;     /* bytes from row to row; 0: rows without gaps */
    uint32_t format;   /* PICAFLOR_PICTURE_... */
    uint32_t reserved; /* 0 */
} picaflor_picture_buffer;

/* As picaflor_gpu_picture, straight into a buffer with a format and a stride. *width and *height are also written
 * together with PICAFLOR_ERROR_SIZE: `capacity` or `stride` is too small, nothing was written to the buffer. Both
 * are 0 if there is no picture. A capacity of 0, with any `bytes`, asks for the size. PICAFLOR_ERROR_ARGUMENT: no
 * such screen or format. Threads: one at a time. */
picaflor_status picaflor_gpu_picture_into(picaflor_gpu *gpu, uint32_t screen, const picaflor_picture_buffer *buffer,
                                          uint32_t *width, uint32_t *height);

/* Marks the end of a frame in a recording; no other effect. Threads: one at a time. */
picaflor_status picaflor_gpu_frame_end(picaflor_gpu *gpu);

/* The faults of the guest since the last call: returns at most `capacity` of them and clears all; *count receives
 * their total number. At most 64 are kept. Threads: one at a time. */
picaflor_status picaflor_gpu_take_faults(picaflor_gpu *gpu, picaflor_fault *faults, size_t capacity, size_t *count);

typedef struct picaflor_gpu_stats {
    size_t size;
    uint64_t vertices;            /* vertices that entered primitive assembly */
    uint64_t triangles;           /* assembled */
    uint64_t triangles_displayed; /* not culled */
    uint64_t draws;
    uint64_t fragments;           /* covered and inside the scissor */
    uint64_t shaded;              /* vertices shaded, and runs of the geometry program */
    uint64_t lists;
    uint64_t commands;
    uint64_t fills;
    uint64_t transfers;
} picaflor_gpu_stats;

/* Counters, which are part of the state. Set stats->size. Threads: one at a time. */
picaflor_status picaflor_gpu_get_stats(picaflor_gpu *gpu, picaflor_gpu_stats *stats);

/* Units of picaflor_limits.work that the latest run spent, or the latest write by the CPU. *units is 0 after a failure.
 * Threads: one at a time. */
picaflor_status picaflor_gpu_work(picaflor_gpu *gpu, uint64_t *units);

/* ---------------------------------------------------------------- hooks for debuggers */

/* Kinds of events, as bits. */
enum {
    PICAFLOR_EVENT_COMMAND = 1,         /* a command of a list is next: address, register, first word; on the GE command
                                           and word */
    PICAFLOR_EVENT_REGISTER = 2,        /* a register was written: number, value, mask. Not on the GE. */
    PICAFLOR_EVENT_DRAW_BEGIN = 4,      /* a draw is next, with these registers */
    PICAFLOR_EVENT_DRAW_END = 8,        /* it is complete, and its pixels are in memory. A draw without vertices has no
                                           end. */
    PICAFLOR_EVENT_TRANSFER_BEGIN = 16, /* fill unit 0 or 1, or the transfer engine (2), is next. Not on the GE. */
    PICAFLOR_EVENT_TRANSFER_END = 32,   /* it is complete; on the GE a block transfer */
    PICAFLOR_EVENT_LIST = 64            /* a list begins: address, bytes. Not on the GE. */
};

/* An event, valid during the callback. */
typedef struct picaflor_event {
    uint32_t kind;             /* PICAFLOR_EVENT_... */
    uint32_t address;          /* of the command or list */
    uint32_t number;           /* register, command, or unit */
    uint32_t value;            /* the word, or the bytes of the list */
    uint32_t mask;             /* bytes of a register that were written */
    uint32_t draw;             /* number of draws that are complete, its low 32 bits */
    const uint32_t *registers; /* all of them now: 1024, on the GE the 256 words of commands */
    size_t register_count;
    const char *reason;        /* DRAW_END: the last reason for which something was not compiled; NULL without one */
    uint32_t interpreted;      /* DRAW_END: batches of vertices and tiles of pixels that the interpreter served in the
                                  draw. Without a reason code was being compiled, or there is none for such draws. */
    uint32_t refusals;         /* DRAW_END: refusals in the draw */
} picaflor_event;

typedef struct picaflor_hooks {
    size_t size;
    void *user; /* for the callback */
    /* Called for each event of the kinds in `events`, on the thread that called the machine. It may wait as long as
     * it likes, which is a breakpoint or a single step; memory of the host is up to date, and may be changed
     * between draws. A recording has such changes before or after the call, and may replay as another picture. Calls of
     * this machine or its engine give PICAFLOR_ERROR_BUSY. */
    void (*event)(void *user, const picaflor_event *event);
    uint32_t events;   /* PICAFLOR_EVENT_..., as bits */
    uint32_t reserved; /* 0 */
} picaflor_hooks;

/* Sets the callback of a machine; NULL removes it. With one, draws do not overlap each other on the machine's threads.
 * PICAFLOR_ERROR_ARGUMENT: an unknown kind of event. Threads: one at a time. */
picaflor_status picaflor_gpu_set_hooks(picaflor_gpu *gpu, const picaflor_hooks *hooks);

#define PICAFLOR_MAX_TRACED_VERTICES 256
#define PICAFLOR_MAX_TRACED_RUNS 256

/* A draw to be traced: its numbers, stage by stage, as the interpreter computes them. */
typedef struct picaflor_trace {
    size_t size;
    uint64_t draw;         /* its number: that of draws before it, as in picaflor_event and the counters */
    int32_t x;             /* the pixel, as the machine counts: on the PICA200 from the lower left of the window, on the */
    int32_t y;             /* GE from the upper left of the drawing area */
    uint32_t pixel;        /* 1: the fragments of that pixel, the first 4096 */
    uint32_t first_vertex; /* vertices by their number among those that the draw transforms, each index once for a */
    uint32_t vertex_count; /* piece of the draw; at most PICAFLOR_MAX_TRACED_VERTICES */
    uint32_t reserved;     /* 0 */
    uint32_t first_run;    /* runs of the geometry program by their number in the draw; at most */
    uint32_t run_count;    /* PICAFLOR_MAX_TRACED_RUNS. Not on the GE. */
} picaflor_trace;

enum {
    PICAFLOR_NOTE_PIXEL = 0,   /* a number of a fragment */
    PICAFLOR_NOTE_VERTEX = 1,  /* a number of a vertex */
    PICAFLOR_NOTE_GEOMETRY = 2 /* a number of a run of the geometry program */
};

/* A number or several that a stage computed, valid during the callback. Notes of a vertex of the PICA200: "inputs" v0 to
 * v15, a "step" of the "program" for each instruction, at most 8192, "outputs" o0 to o15; of the GE: the "record", the
 * "vertex". Notes of a run of the geometry program: "inputs" v0 to v15, "uniforms" that are not zero, steps likewise, and
 * for each "emission" the latch, "vertex" first, and the registers of the output mask, at most 256; "omitted" says how many
 * more steps or emissions there were. Notes of a fragment have the stages of the manual, and "fate", "rejected by" if a test rejected
 * it; behind the last of them "omitted" of "fragments" says how many more fragments the pixel has, if it has any. */
typedef struct picaflor_note {
    uint32_t kind;         /* PICAFLOR_NOTE_... */
    uint32_t item;         /* vertex or run: its number; fragment: number of its primitive in its piece of the draw */
    uint32_t index;        /* vertex: its index in the arrays or records */
    uint32_t reserved;     /* 0 */
    const char *stage;
    const char *name;
    const char *text;      /* the value */
    const double *numbers; /* the value, where it is of numbers; of a texel: level, column, row, colour */
    size_t count;          /* of them */
} picaflor_note;

/* Receives a note, on the thread of the call, which no longer uses the machine: its functions work. */
typedef void (*picaflor_note_callback)(void *user, const picaflor_note *note);

/* Traces a draw that is still to come; NULL: none. Until its trace is taken, draws do not overlap each other on the
 * machine's threads. The interpreter draws the pixels of that draw if a pixel is wanted; results are the same.
 * PICAFLOR_ERROR_ARGUMENT: too many vertices or runs. Threads: one at a time. */
picaflor_status picaflor_gpu_trace(picaflor_gpu *gpu, const picaflor_trace *trace);

/* Hands over what was found, vertices first, then runs, and ends the trace; *count, if it is not NULL, receives the number of
 * notes: 0 if the draw has not come. PICAFLOR_ERROR_STATE: no draw was to be traced. Threads: one at a time. */
picaflor_status picaflor_gpu_take_trace(picaflor_gpu *gpu, picaflor_note_callback callback, void *user,
                                        size_t *count);

/* ---------------------------------------------------------------- textures of the host */

/* Identity of a level of a texture: equal ones have equal texels, but for chance in the hashes. This structure does not
 * grow. */
typedef struct picaflor_texture {
    uint64_t hash;     /* XXH64 of its bytes, seed 0 */
    uint64_t palette;  /* GE: XXH64 of the colours, 0xAABBGGRR, of all indices of 4 or 8 bits; of the colour table and
                          the word of CMODE for larger indices; 0 without a palette */
    uint32_t address;
    uint32_t width;    /* in texels; GE: at most 512, which coordinates do not pass */
    uint32_t height;
    uint32_t format;   /* bits 3:0 of 0x08E, 0x096 or 0x09E; GE: of TPSM */
    uint32_t level;    /* 0: the largest */
    uint32_t face;     /* of a cube, 0 to 5; else 0 */
    uint32_t stride;   /* GE: texels from row to row, as of TBW; else 0 */
    uint32_t reserved; /* 0 */
} picaflor_texture;

typedef struct picaflor_textures {
    size_t size;
    void *user; /* for the callback */
    /* Shows a texture that a draw may sample, with width * height texels, 0xAABBGGRR, the row at the smallest
     * address first: to dump it, or to write an image of the host there, which is sampled in its place. The image has the
     * size of the texture, because levels, filters and coordinates follow from it: larger ones are scaled before.
     * Called before the texture is sampled: by an engine that compiles when it decodes the texture, on the thread that runs
     * the machine, also for draws that it has interpreted; in traces for each draw and level, from any thread of the
     * machine, concurrently. Equal textures must be given equal images until the callback is set again. Not called for
     * depth maps, and not for textures any part of which lies where the draw draws: these are sampled as they are.
     * Functions of the machine give PICAFLOR_ERROR_BUSY. */
    void (*texture)(void *user, const picaflor_texture *texture, uint32_t *texels);
} picaflor_textures;

/* Sets the callback of a machine; NULL removes it. Setting it again, also the same one, asks for all images anew. It is
 * part of neither snapshots nor recordings. PICAFLOR_ERROR_NULL: it has no callback. Threads: one at a time. */
picaflor_status picaflor_gpu_set_textures(picaflor_gpu *gpu, const picaflor_textures *textures);

/* ---------------------------------------------------------------- snapshots and recordings */

/* picaflor_buffer is a block of bytes owned by the library. */

/* The bytes, valid until the buffer is destroyed; NULL for what is no buffer. Threads: any. */
const uint8_t *picaflor_buffer_data(const picaflor_buffer *buffer);

/* The number of bytes; 0 for what is no buffer. Threads: any. */
size_t picaflor_buffer_size(const picaflor_buffer *buffer);

/* Destroys a buffer; NULL is ignored. Threads: any. */
picaflor_status picaflor_buffer_destroy(picaflor_buffer *buffer);

/* The state of the machine without guest memory, for saved games. *state is NULL after a failure. Threads: one at a
 * time. */
picaflor_status picaflor_gpu_save(picaflor_gpu *gpu, picaflor_buffer **state);

/* Restores a state. PICAFLOR_ERROR_FORMAT: not a state of a known version, picaflor_last_error() says why; nothing has
 * changed. A recording in progress is dropped. Threads: one at a time. */
picaflor_status picaflor_gpu_load(picaflor_gpu *gpu, const uint8_t *bytes, size_t length);

/* ---------------------------------------------------------------- the state, field by field  A field is an array of
 * words. Floats are the bits of a binary32; doubles and counters of 64 bits are low half first. Reading and writing has
 * no effect of a register access by the guest. */

enum {
    /* 1024 words: the registers 0x000-0x3FF as stored. A write has none of the effects of a write by the guest; only
     * the configuration, booleans and integers of the shader units (0x280-0x28D, 0x2B0-0x2BD) go to these units too.
     * Words of ports and triggers are those written last. Bits that the hardware does not store are dropped. */
    PICAFLOR_FIELD_REGISTERS = 0,
    /* 24 x 256 words, by the number of 0x1C5 bits 12:8: bits 11:0 value, 22:12 and 23 difference. */
    PICAFLOR_FIELD_LIGHTING_TABLES = 1,
    /* 128 words: bits 12:0 difference, 23:13 value. */
    PICAFLOR_FIELD_FOG_TABLE = 2,
    /* 128 words of the procedural texture: bits 11:0 value, 23:12 difference. */
    PICAFLOR_FIELD_NOISE_TABLE = 3,
    /* 128 words as of PICAFLOR_FIELD_NOISE_TABLE. */
    PICAFLOR_FIELD_COLOUR_MAP = 4,
    /* 128 words as of PICAFLOR_FIELD_NOISE_TABLE. */
    PICAFLOR_FIELD_ALPHA_MAP = 5,
    /* 256 colours, red lowest. */
    PICAFLOR_FIELD_COLOURS = 6,
    /* 256 words: half the difference to the next colour, four signed bytes. */
    PICAFLOR_FIELD_COLOUR_DIFFERENCES = 7,
    /* 16 words: 8 differences, 8 colours. */
    PICAFLOR_FIELD_GAS_TABLE = 8,
    /* 48 words: the registers of the vertex units, from 0x2B0 on. Booleans (0) and integers (1-4) go to the uniforms
     * too. */
    PICAFLOR_FIELD_VERTEX_REGISTERS = 16,
    /* 512 words. */
    PICAFLOR_FIELD_VERTEX_CODE = 17,
    /* 128 words. */
    PICAFLOR_FIELD_VERTEX_DESCRIPTORS = 18,
    /* 96 x 4 words, x first, in the form that PICAFLOR_FIELD_VERTEX_FLOAT_FORMS has for each uniform. */
    PICAFLOR_FIELD_VERTEX_FLOATS = 19,
    /* 96 words: 0: floats of 24 bits; 1: binary32, narrowed to the precision of the machine at their use; 2: binary32,
     * used as they are. */
    PICAFLOR_FIELD_VERTEX_FLOAT_FORMS = 20,
    /* 9 words, the progress of uploads: next float uniform, 1 for uploads in binary32, four words of an incomplete
     * vector, their number, next code word, next descriptor. */
    PICAFLOR_FIELD_VERTEX_PORTS = 21,
    /* 1 word: the boolean uniforms, b0 in bit 0. A geometry program may have set b15 since the register was
     * written. */
    PICAFLOR_FIELD_VERTEX_BOOLS = 22,
    /* 48 words: the registers of the geometry unit, from 0x280 on. */
    PICAFLOR_FIELD_GEOMETRY_REGISTERS = 32,
    /* 4096 words. */
    PICAFLOR_FIELD_GEOMETRY_CODE = 33,
    /* 128 words. */
    PICAFLOR_FIELD_GEOMETRY_DESCRIPTORS = 34,
    /* As PICAFLOR_FIELD_VERTEX_FLOATS. */
    PICAFLOR_FIELD_GEOMETRY_FLOATS = 35,
    /* As PICAFLOR_FIELD_VERTEX_FLOAT_FORMS. */
    PICAFLOR_FIELD_GEOMETRY_FLOAT_FORMS = 36,
    /* As PICAFLOR_FIELD_VERTEX_PORTS. */
    PICAFLOR_FIELD_GEOMETRY_PORTS = 37,
    /* As PICAFLOR_FIELD_VERTEX_BOOLS. */
    PICAFLOR_FIELD_GEOMETRY_BOOLS = 38,
    /* 16 x 4 floats: the fixed attributes. */
    PICAFLOR_FIELD_FIXED_ATTRIBUTES = 48,
    /* 16 x 4 floats: the attributes of the last vertex, which attributes without a source repeat. */
    PICAFLOR_FIELD_LAST_ATTRIBUTES = 49,
    /* 5 words, the progress of 0x232-0x235: target, three words of an incomplete vector, their number. */
    PICAFLOR_FIELD_ATTRIBUTE_WORDS = 50,
    /* Variable: 16 x 4 floats of the incomplete immediate vertex; its attributes so far; number of complete vertices
     * that are not drawn yet, at most 256; 16 x 4 floats for each; 1 if the first is the first since 0x232 was
     * written. */
    PICAFLOR_FIELD_IMMEDIATE_VERTICES = 51,
    /* 51 words, the primitive under assembly: two vertices of 24 semantics; lists: vertices in use, strips and fans:
     * place of the next one; 1 if both are in use; 1 if the next triangle is reversed. */
    PICAFLOR_FIELD_INCOMPLETE_PRIMITIVE = 52,
    /* 265 words, the registers of the geometry unit: v, r, o, and the other bank of o, 16 x 4 floats each; bank
     * written now; a0.x, a0.y, aL; cmp.x, cmp.y; the emit latch: vertex, primitive, winding. */
    PICAFLOR_FIELD_GEOMETRY_UNIT = 53,
    /* 133 words, the incomplete input of a geometry program: 32 x 4 floats of collected registers and their
     * number (point mode); vertices to come, vertices received, next uniform (variable mode); vertices received
     * (fixed mode). */
    PICAFLOR_FIELD_GEOMETRY_INPUT = 54,
    /* 4 x 16 x 4 floats: the emit buffer. */
    PICAFLOR_FIELD_EMIT_BUFFER = 55,
    /* 1024 words: 0x10400000-0x10400FFF as stored. A write starts nothing. */
    PICAFLOR_FIELD_EXTERNAL = 64,
    /* 1024 words: 0x10202000-0x10202FFF. */
    PICAFLOR_FIELD_LCD = 65,
    /* Variable, for the upper and then the lower screen: 1 once a vertical blank was announced; number of gamma
     * elements, 0 for the identity or 256; the elements, 0x00BBGGRR. */
    PICAFLOR_FIELD_DISPLAY = 66,
    /* 1 word: pending interrupts, as PICAFLOR_INTERRUPT_.... */
    PICAFLOR_FIELD_INTERRUPTS = 67,
    /* 12 counters of 64 bits: vertices, triangles, displayed triangles, draws, fragments, pixels in bounds, shaded
     * vertices, positions in streams, lists, commands, fills, transfers. */
    PICAFLOR_FIELD_COUNTERS = 68,
    /* 1 word: 1 once a list has run. */
    PICAFLOR_FIELD_STARTED = 69,
};

/* Number of words of a field, now. PICAFLOR_ERROR_ARGUMENT: there is no such field. Threads: one at a time. */
picaflor_status picaflor_gpu_field_size(picaflor_gpu *gpu, uint32_t field, size_t *words);

/* Reads `count` words of a field from word `first` on. PICAFLOR_ERROR_ARGUMENT: there is no such field;
 * PICAFLOR_ERROR_SIZE: it has fewer words. Threads: one at a time. */
picaflor_status picaflor_gpu_read_field(picaflor_gpu *gpu, uint32_t field, size_t first, uint32_t *words,
                                        size_t count);

/* Replaces words of a field, without starting anything; one of variable length is replaced as a whole, from 0 on.
 * Equal words of programs and uniforms keep what was compiled from them. A recording has the change. Errors
 * as of picaflor_gpu_read_field; PICAFLOR_ERROR_FORMAT: words that the field cannot hold; nothing has changed.
 * Threads: one at a time. */
picaflor_status picaflor_gpu_write_field(picaflor_gpu *gpu, uint32_t field, size_t first, const uint32_t *words,
                                         size_t count);

/* The whole state in a documented layout, for other programs and later versions: words, the lowest byte first. The
 * kind of machine (0x41434950), the version of the layout (1), the number of fields; and for each field its number,
 * its number of words, its words. *state is NULL after a failure. Threads: one at a time. */
picaflor_status picaflor_gpu_export(picaflor_gpu *gpu, picaflor_buffer **state);

/* Replaces the state by an exported one. Fields that it lacks have their values after reset, so that states of earlier
 * versions load. A recording in progress is dropped. PICAFLOR_ERROR_FORMAT: picaflor_last_error() says why it was
 * refused; nothing has changed. Threads: one at a time. */
picaflor_status picaflor_gpu_import(picaflor_gpu *gpu, const uint8_t *bytes, size_t length);

/* A range of physical addresses. This structure does not grow. */
typedef struct picaflor_range {
    uint32_t address;
    uint32_t length;
} picaflor_range;

/* Announces that the host wrote some of these bytes, after the write and before the next call of the machine that
 * may use them, or before a function that the machine calls and that wrote them returns; for `tracked` memory. Cheap: some nanoseconds for a page of 4096 bytes. Threads: any. */
picaflor_status picaflor_gpu_invalidate(picaflor_gpu *gpu, uint32_t address, uint32_t length);

/* Takes the ranges of `tracked` memory that the machine wrote since the last call: ascending, apart from each
 * other, at most 1024; where there were more, ranges contain gaps. *count receives their number;
 * PICAFLOR_ERROR_SIZE: it exceeds `capacity`, and none was taken. Threads: any. */
picaflor_status picaflor_gpu_take_written(picaflor_gpu *gpu, picaflor_range *ranges, size_t capacity, size_t *count);

/* Starts a recording of all input of the machine and of the memory that it reads. `ranges` are the blocks of memory
 * that the host maps, at most PICAFLOR_MAX_REGIONS; during the recording the machine has access to nothing else. A
 * count of 0: the registered regions. A recording in progress is dropped. Threads: one at a time. */
picaflor_status picaflor_gpu_start_recording(picaflor_gpu *gpu, const picaflor_range *ranges, size_t count);

/* Ends a recording and returns the capture, a file that the `picaflor` command line replays and compares. *capture is
 * NULL after a failure. Threads: one at a time. */
picaflor_status picaflor_gpu_stop_recording(picaflor_gpu *gpu, picaflor_buffer **capture);

/* The same into a file, which is written atomically. After PICAFLOR_ERROR_IO the recording is lost. Threads: one at a
 * time. */
picaflor_status picaflor_gpu_stop_recording_to(picaflor_gpu *gpu, const char *path);

/* ---------------------------------------------------------------- replays of captures */

/* A frame of a capture, valid during the callback. This structure does not grow. */
typedef struct picaflor_frame {
    const uint8_t *rgb; /* red, green and blue of each pixel, row by row from the top; NULL without a picture */
    uint32_t width;     /* 0 without a picture */
    uint32_t height;
    uint32_t frame;     /* its number, from 0 on */
    uint32_t errors;    /* lists and writes in it that were given up */
    uint64_t draws;     /* draws since the start of the capture */
} picaflor_frame;

/* Receives a frame, on the thread of the call; returns 0 to go on, another number to stop. */
typedef int32_t (*picaflor_frame_callback)(void *user, const picaflor_frame *frame);

/* Plays a capture of the PICA200 from memory, the project's own format or CiTrace, with a machine of its own;
 * `screen` is that of the pictures. `hooks` sees its events; NULL: none. Each list and write of the capture has the default
 * limits of a machine, but no function stops it and no time limit ends it: only `frame` ends a replay, between frames. What
 * bounds it is the number of its events. PICAFLOR_ERROR_FORMAT: not a capture, or damaged; archives (.gz, .zip) are none.
 * Threads: one at a time. */
picaflor_status picaflor_gpu_replay(picaflor_engine *engine, const uint8_t *bytes, size_t length, uint32_t screen,
                                    const picaflor_hooks *hooks, picaflor_frame_callback frame, void *user);

/* The same for a capture of the GE, in the project's own format alone: `picaflor convert` of the command line makes one
 * of a frame dump (.ppdmp). Threads: one at a time. */
picaflor_status picaflor_ge_replay(picaflor_engine *engine, const uint8_t *bytes, size_t length,
                                   const picaflor_hooks *hooks, picaflor_frame_callback frame, void *user);

/* ---------------------------------------------------------------- the PSP's machine */

/* The GE from display lists to guest memory, and the queue of lists that the console's system software keeps: its
 * calls (sceGe...) are functions here. Addresses are those of the console; mirrors of VRAM are resolved before the
 * host's memory is asked. picaflor_memory has VRAM at 0x04000000, 2 MiB in one piece, and main memory from 0x08000000
 * on; writes of the GE are reported to `written` at the end of the function that caused them.  Nothing runs between
 * calls. After each call that may create work for the GE (enqueue, update_stall, dequeue, break, continue,
 * acknowledge), a host calls picaflor_ge_run, and then runs the guest's handlers for every interrupt of
 * picaflor_ge_next_interrupt. */
typedef struct picaflor_ge picaflor_ge;

/* Limits on the work of a guest. 0: the default, far above the needs of real software. A draw beyond a limit is a
 * fault, a run beyond a limit PICAFLOR_ERROR_LIST. */
typedef struct picaflor_ge_limits {
    size_t size;
    uint32_t vertices;     /* of one draw, vertices of tessellated patches included */
    uint32_t commands;     /* of one run, over all lists and jumps */
    uint64_t pixels;       /* in the bounds of the primitives of one draw */
    uint64_t run_vertices; /* of one run */
    uint64_t run_pixels;   /* of one run */
    uint64_t run_bytes;    /* moved by block transfers in one run */
    uint64_t work; /* of one run: about nanoseconds of compiled code on one core, for everything together */
} picaflor_ge_limits;

typedef struct picaflor_ge_config {
    size_t size;
    const picaflor_memory *memory;    /* copied; the memory that it refers to must outlive the machine */
    const picaflor_ge_limits *limits; /* NULL: all defaults */
    uint32_t sdk;                     /* see picaflor_ge_set_sdk */
    uint32_t threads;                 /* see picaflor_ge_set_threads; 0: 1 */
} picaflor_ge_config;

/* Creates a machine without lists. It keeps the engine alive; machines of both kinds may share an engine, but not
 * concurrently: PICAFLOR_ERROR_BUSY. *ge is NULL after a failure. Threads: any. */
picaflor_status picaflor_ge_create(picaflor_engine *engine, const picaflor_ge_config *config, picaflor_ge **ge);

/* Destroys the object; NULL is ignored. PICAFLOR_ERROR_BUSY: it is in use and was not destroyed; picaflor_ge_stop ends
 * what uses it. The last user of the machine waits for a picaflor_done under way: see there. Threads: any. */
picaflor_status picaflor_ge_destroy(picaflor_ge *ge);

/* Replaces the engine. Threads: one at a time. */
picaflor_status picaflor_ge_set_engine(picaflor_ge *ge, picaflor_engine *engine);

/* Replaces the guest memory. Threads: one at a time. */
picaflor_status picaflor_ge_set_memory(picaflor_ge *ge, const picaflor_memory *memory);

/* As picaflor_gpu_set_threads, for pixels. Threads: one at a time. */
picaflor_status picaflor_ge_set_threads(picaflor_ge *ge, uint32_t threads);

/* Ends the run that another thread has under way, and every later one at its first command, with
 * PICAFLOR_ERROR_STOPPED, until a call with `stops` 0. It is noticed within about a millisecond; code that the
 * thread of the run compiles is finished first (PICAFLOR_MODE_BLOCKING; in the background mode short routines of the GE). picaflor_last_error() of the thread that ran names the address of the last command; of draws
 * that were not complete pixels are missing, all else is as after that command. Threads: any, also during a call that uses
 * the machine, until it is destroyed. */
picaflor_status picaflor_ge_stop(picaflor_ge *ge, uint32_t stops);

/* Limits the time of each run, in microseconds; 0: no limit. A run that takes longer ends like one that was stopped.
 * Threads: one at a time. */
picaflor_status picaflor_ge_set_time_limit(picaflor_ge *ge, uint64_t microseconds);

/* Sets the SDK version that the program declares, for example 0x06060010; 0 without one. Answers of the system
 * software depend on it. Threads: one at a time. */
picaflor_status picaflor_ge_set_sdk(picaflor_ge *ge, uint32_t sdk);

/* ---------------------------------------------------------------- its display lists  `answer` is the result of the
 * system call for the guest: a number, or an error code of the console from 0x80000000 on, with which the function
 * still returns PICAFLOR_OK. It is 0 after a failure. */

/* The guest's parameters of a list. */
typedef struct picaflor_ge_list {
    size_t size;
    uint32_t address;        /* first address */
    uint32_t stall;          /* stall address, where the list waits for picaflor_ge_update_stall; 0: none */
    int32_t callback;        /* number of the handlers to call; below 0: none */
    uint32_t at_head;        /* 1: at the head of the queue, whose first list must be paused (EnQueueHead) */
    uint32_t arguments_size; /* the guest's structure of arguments: its size, ... */
    uint32_t context;        /* ... address of the saved machine state, or 0, ... */
    uint32_t stack_depth;    /* ... and, from a size of 16 on, depth of the call stack ... */
    uint32_t stack;          /* ... and its address */
} picaflor_ge_list;

/* Appends a list; answers its number, the `list` of the other functions. Threads: one at a time. */
picaflor_status picaflor_ge_enqueue(picaflor_ge *ge, const picaflor_ge_list *list, uint32_t *answer);

/* Moves the stall address of a list; 0: none. Answers 0. Threads: one at a time. */
picaflor_status picaflor_ge_update_stall(picaflor_ge *ge, uint32_t list, uint32_t stall, uint32_t *answer);

/* State of a list, or of all lists together. */
enum {
    PICAFLOR_GE_LIST_COMPLETED = 0,
    PICAFLOR_GE_LIST_QUEUED = 1,
    PICAFLOR_GE_LIST_DRAWING = 2,
    PICAFLOR_GE_LIST_STALLING = 3,
    PICAFLOR_GE_LIST_PAUSED = 4
};

/* Answers the state of a list. Waiting for its completion is up to the host. Threads: one at a time. */
picaflor_status picaflor_ge_list_sync(picaflor_ge *ge, uint32_t list, uint32_t *answer);

/* Answers the state of all lists together: COMPLETED, DRAWING or STALLING. Threads: one at a time. */
picaflor_status picaflor_ge_draw_sync(picaflor_ge *ge, uint32_t *answer);

/* Invalidates the numbers of completed lists, after a guest has waited for all lists. Threads: one at a time. */
picaflor_status picaflor_ge_forget_completed(picaflor_ge *ge);

/* Removes a list that is not being executed. Answers 0. Threads: one at a time. */
picaflor_status picaflor_ge_dequeue(picaflor_ge *ge, uint32_t list, uint32_t *answer);

/* Mode 0: pauses the first list, answers its number. Mode 1: removes all lists, answers 0. Threads: one at a time. */
picaflor_status picaflor_ge_break(picaflor_ge *ge, uint32_t mode, uint32_t *answer);

/* Continues a paused list. Answers 0. Threads: one at a time. */
picaflor_status picaflor_ge_continue(picaflor_ge *ge, uint32_t *answer);

/* Writes the state of the machine as a context block of 2048 bytes. Answers 0. Threads: one at a time. */
picaflor_status picaflor_ge_save_context(picaflor_ge *ge, uint32_t address, uint32_t *answer);

/* Restores the state from a context block. Answers 0. Threads: one at a time. */
picaflor_status picaflor_ge_restore_context(picaflor_ge *ge, uint32_t address, uint32_t *answer);

/* Sets the wiring of the mirrors of VRAM: 0, 0x200, 0x400 (the initial value), 0x800 or 0x1000. Answers the previous
 * value (SetAddrTranslation). Threads: one at a time. */
picaflor_status picaflor_ge_set_translation(picaflor_ge *ge, uint32_t value, uint32_t *answer);

/* Reason for the end of a run. */
enum {
    PICAFLOR_GE_IDLE = 0,      /* the queue is empty */
    PICAFLOR_GE_STALLED = 1,   /* the first list waits at its stall address */
    PICAFLOR_GE_PAUSED = 2,    /* the first list is paused */
    PICAFLOR_GE_INTERRUPT = 3, /* the first list waits for a handler, or very many interrupts are pending */
    PICAFLOR_GE_STUCK = 4      /* the first list cannot continue (given up, or an unknown signal): break it, mode 1 */
};

/* Runs lists until none can continue. *progress receives the reason, PICAFLOR_GE_..., *list the number of the first
 * list; both may be NULL. PICAFLOR_ERROR_LIST: a list cannot be read, or the run exceeds the limits; the effects of
 * the executed commands remain, and the list is stuck. Threads: one at a time. */
picaflor_status picaflor_ge_run(picaflor_ge *ge, uint32_t *progress, uint32_t *list);

/* Calls `work` with a session: draws stay pending from run to run, so that threads have work even where a frame is made
 * of many short lists or single commands, or textures and palettes are written between them. From `work`, on its thread, a
 * host calls
 *
 *   - picaflor_ge_run, execute, draw_vertices, draw_primitives, run_transfer;
 *   - enqueue, update_stall, list_sync, draw_sync, forget_completed, dequeue, break, continue;
 *   - next_interrupt, acknowledge, cycles, interrupt_cycles, work;
 *   - read_field and write_field, but for the queue's;
 *   - before_read and before_write, before it touches what draws may use.
 *
 * Every other function with this machine that is one at a time, and on other threads each of these but before_read and
 * before_write, is PICAFLOR_ERROR_BUSY; those that are "any" work as ever, but a run that is submitted finds the machine in
 * use. The session uses the engine: functions with its handle that are one at a time, and of its other machines those that
 * write registers, run, fill, transfer, transform, set up, draw or make a picture, are PICAFLOR_ERROR_BUSY; others are not.
 * Pending draws use the memory of the host on other threads: what picaflor_memory.region returned in the session must stay
 * where it is, readable and writable, until picaflor_ge_session returns, also between the functions that `work` calls, and
 * after picaflor_ge_before_read and picaflor_ge_before_write. When `work` returns, all is drawn. PICAFLOR_ERROR_STOPPED: the
 * last draws were stopped. Threads: one at a time. */
typedef void (*picaflor_ge_session_callback)(void *user);
picaflor_status picaflor_ge_session(picaflor_ge *ge, picaflor_ge_session_callback work, void *user);

/* Before the host reads memory that draws may have written: waits for these. Outside of a session, and on other threads
 * than its own, it waits for nothing. PICAFLOR_ERROR_STOPPED: they were stopped. Threads: one at a time. */
picaflor_status picaflor_ge_before_read(picaflor_ge *ge, uint32_t address, uint32_t length);

/* Before the host writes memory that draws may use, their textures above all: waits for these, and announces the change as
 * picaflor_ge_invalidate does. Lists, vertices, indices and palettes are read at once and need no call.
 * PICAFLOR_ERROR_STOPPED: as above. Threads: one at a time. */
picaflor_status picaflor_ge_before_write(picaflor_ge *ge, uint32_t address, uint32_t length);

/* As picaflor_ge_run, on a thread of the machine's own: as picaflor_gpu_submit_list, with the same functions that do
 * not return PICAFLOR_ERROR_BUSY (submit_run in place of submit_list), and the same for a run that finds the machine or
 * the engine in use. The interrupts are there when it is complete. Threads: any. */
picaflor_status picaflor_ge_submit_run(picaflor_ge *ge, picaflor_done done, void *user, uint64_t *fence);

/* As picaflor_gpu_wait. Threads: any. */
picaflor_status picaflor_ge_wait(picaflor_ge *ge, uint64_t fence);

/* As picaflor_gpu_complete. Threads: any. */
picaflor_status picaflor_ge_complete(picaflor_ge *ge, uint64_t *fence);

enum {
    PICAFLOR_GE_INTERRUPT_NONE = 0,
    PICAFLOR_GE_INTERRUPT_SIGNAL = 1, /* a list sent a signal */
    PICAFLOR_GE_INTERRUPT_FINISH = 2  /* a list is complete */
};

/* A handler of the guest to call. This structure does not grow. */
typedef struct picaflor_ge_interrupt {
    uint32_t kind;     /* PICAFLOR_GE_INTERRUPT_... */
    uint32_t list;     /* the list */
    uint32_t callback; /* the `callback` of the list */
    uint32_t token;    /* argument of the signal or of the end */
    uint32_t pc;       /* current address of the list */
} picaflor_ge_interrupt;

/* The next handler to call; kind NONE without one and after a failure. Acknowledge the interrupt after the handler has
 * returned. Threads: one at a time. */
picaflor_status picaflor_ge_next_interrupt(picaflor_ge *ge, picaflor_ge_interrupt *interrupt);

/* Costs for estimates of time, as picaflor_gpu_rates. */
typedef struct picaflor_ge_rates {
    size_t size;
    uint32_t command;
    uint32_t draw;          /* a drawing command */
    uint32_t vertex;        /* transformed or tested */
    uint32_t primitive;     /* drawn, before its pixels */
    uint32_t pixel;         /* in the bounds of primitives */
    uint32_t transfer_byte; /* moved by a block transfer */
} picaflor_ge_rates;

/* Sets the costs; NULL: the constants. Nothing that a guest sees depends on them. Threads: one at a time. */
picaflor_status picaflor_ge_set_timing(picaflor_ge *ge, const picaflor_ge_rates *rates);

/* Estimated cycles (166,000,000 in a second, assumed) of all work of the machine: the cycles of a run are the difference
 * of two calls, and saved states have their part. *cycles is 0 after a failure. Threads: one at a time. */
picaflor_status picaflor_ge_cycles(picaflor_ge *ge, uint64_t *cycles);

/* The value of picaflor_ge_cycles at the moment in which the interrupt was raised that picaflor_ge_next_interrupt
 * returned last. PICAFLOR_ERROR_STATE: it returned none, or a state was loaded in between. *cycles is 0 after a failure.
 * Threads: one at a time. */
picaflor_status picaflor_ge_interrupt_cycles(picaflor_ge *ge, uint64_t *cycles);

/* Acknowledges an interrupt after its handler has returned: a list that waits for it continues. `kind` and `list` are
 * those of the interrupt. Threads: one at a time. */
picaflor_status picaflor_ge_acknowledge(picaflor_ge *ge, uint32_t kind, uint32_t list);

/* ---------------------------------------------------------------- its draws without lists  As of the PICA200: in the
 * state of the machine, for hosts that keep their own command processor or pipeline. A draw by registers is
 * picaflor_ge_write_field of the commands, and picaflor_ge_execute of the drawing command. */

/* Executes words outside of any list, in order. Words of control flow, signals and ends only go to their registers.
 * PICAFLOR_ERROR_LIST: the words exceed the limits of a run. Threads: one at a time. */
picaflor_status picaflor_ge_execute(picaflor_ge *ge, const uint32_t *words, size_t count);

enum {
    PICAFLOR_GE_OUTSIDE_NEAR = 1,
    PICAFLOR_GE_OUTSIDE_FAR = 2,
    PICAFLOR_GE_OUTSIDE_GUARD_BAND = 4,
    PICAFLOR_GE_OUTSIDE_DEPTH = 8,
    PICAFLOR_GE_OUTSIDE_BEHIND = 16
};

/* A vertex after transform and lighting. This structure does not grow. */
typedef struct picaflor_ge_vertex {
    double clip[4];     /* clip coordinates; 0, 0, 0, 1 in through mode */
    double texture[3];  /* s, t, q: relative to the texture's size; in texels in through mode */
    int32_t x;          /* in sixteenths of a pixel of the drawing area */
    int32_t y;          /* downward */
    int32_t z;          /* 0 to 65535 */
    uint32_t colour;    /* 0xAABBGGRR */
    uint32_t secondary; /* 0x00BBGGRR */
    uint32_t fog;       /* 0 to 255; 255: none */
    uint32_t outside;   /* PICAFLOR_GE_OUTSIDE_..., as bits */
    uint32_t reserved;  /* 0 */
} picaflor_ge_vertex;

/* Transforms and lights records of the host: `length` bytes in the format of VTYPE, one after another, of which
 * `indices` selects `count`. They are an argument and not guest memory of the machine: no other thread may write them
 * during the call. PICAFLOR_ERROR_SIZE: an index is beyond the last record, or VTYPE has no position. At most
 * PICAFLOR_MAX_VERTICES. Threads: one at a time. */
picaflor_status picaflor_ge_transform(picaflor_ge *ge, const uint8_t *records, size_t length,
                                      const uint32_t *indices, size_t count, picaflor_ge_vertex *vertices);

/* Draws transformed vertices as a primitive of its own, 0-6 as of PRIM: points, lines, line strip, triangles,
 * triangle strip, triangle fan, rectangles. At most PICAFLOR_MAX_VERTICES. A recording in progress is dropped.
 * PICAFLOR_ERROR_LIST: the draw exceeds the limits of a run. Threads: one at a time. */
picaflor_status picaflor_ge_draw_vertices(picaflor_ge *ge, uint32_t primitive, const picaflor_ge_vertex *vertices,
                                          size_t count);

/* A corner of a primitive after set-up. This structure does not grow. */
typedef struct picaflor_ge_corner {
    double texture[3];
    double w;           /* clip w; 1 in through mode */
    int32_t x;          /* in sixteenths of a pixel, at most 2^19 in magnitude */
    int32_t y;          /* downward */
    int32_t z;          /* 0 to 65535 */
    uint32_t colour;    /* 0xAABBGGRR */
    uint32_t secondary; /* 0x00BBGGRR */
    uint32_t fog;       /* 0 to 255 */
} picaflor_ge_corner;

enum {
    PICAFLOR_GE_SHAPE_POINT = 0,
    PICAFLOR_GE_SHAPE_LINE = 1,
    PICAFLOR_GE_SHAPE_TRIANGLE = 2, /* clockwise */
    PICAFLOR_GE_SHAPE_RECTANGLE = 3
};

/* A primitive in drawing space. This structure does not grow. */
typedef struct picaflor_ge_primitive {
    picaflor_ge_corner corners[3]; /* unused ones repeat the last */
    uint32_t shape;                /* PICAFLOR_GE_SHAPE_... */
    uint32_t reserved;             /* 0 */
} picaflor_ge_primitive;

/* The primitives that picaflor_ge_draw_vertices would draw. Nothing is drawn. *count receives their number;
 * PICAFLOR_ERROR_SIZE: it exceeds `capacity`, and none was written. Threads: one at a time. */
picaflor_status picaflor_ge_set_up(picaflor_ge *ge, uint32_t primitive, const picaflor_ge_vertex *vertices,
                                   size_t vertex_count, picaflor_ge_primitive *primitives, size_t capacity,
                                   size_t *count);

/* Draws the pixels of primitives, at most PICAFLOR_MAX_VERTICES of them, all of the shape of the first. Others are
 * dropped, as are those out of range, triangles that are not clockwise, and those of several colours where shading is
 * flat; and a recording in progress.
 * PICAFLOR_ERROR_ARGUMENT: there are more, and nothing was drawn. PICAFLOR_ERROR_LIST: the draw exceeds the limits of a
 * run. Threads: one at a time. */
picaflor_status picaflor_ge_draw_primitives(picaflor_ge *ge, const picaflor_ge_primitive *primitives, size_t count);

/* A block transfer. */
typedef struct picaflor_ge_transfer {
    size_t size;
    uint32_t source;             /* address of the image that is read, a multiple of 16 */
    uint32_t source_stride;      /* in pixels, up to 1024; the low three bits are ignored */
    uint32_t source_x;           /* place of the block, below 1024 */
    uint32_t source_y;
    uint32_t destination;        /* the same of the image that is written */
    uint32_t destination_stride;
    uint32_t destination_x;
    uint32_t destination_y;
    uint32_t width;              /* of the block, 1 to 1024 */
    uint32_t height;
    uint32_t pixel_bytes;        /* 2 or 4 */
    uint32_t reserved;           /* 0 */
} picaflor_ge_transfer;

/* Runs a block transfer; the transfer registers keep its parameters. PICAFLOR_ERROR_ARGUMENT: a member is out of
 * range. PICAFLOR_ERROR_LIST: it exceeds the limits of a run. Threads: one at a time. */
picaflor_status picaflor_ge_run_transfer(picaflor_ge *ge, const picaflor_ge_transfer *transfer);

/* ---------------------------------------------------------------- what the CPU reads of it */

#define PICAFLOR_GE_CLUT_BYTES 1024
#define PICAFLOR_GE_WIDTH 480
#define PICAFLOR_GE_HEIGHT 272
#define PICAFLOR_GE_PICTURE_BYTES 391680 /* red, green and blue of each pixel */

/* The last word of a command, 0-255, that was executed (GetCmd). *word is 0 after a failure. Threads: one at a
 * time. */
picaflor_status picaflor_ge_read_command(picaflor_ge *ge, uint32_t command, uint32_t *word);

/* The elements of a matrix, arguments of 24 bits: 0-7 bones, 8 world, 9 view, 10 projection, 11 texture (GetMtx). The
 * projection has 16, the others 12; PICAFLOR_ERROR_SIZE: `capacity` is too small. Threads: one at a time. */
picaflor_status picaflor_ge_read_matrix(picaflor_ge *ge, uint32_t number, uint32_t *elements, size_t capacity);

/* The colour table, PICAFLOR_GE_CLUT_BYTES; PICAFLOR_ERROR_SIZE: `capacity` is too small. Threads: one at a time. */
picaflor_status picaflor_ge_read_clut(picaflor_ge *ge, uint8_t *bytes, size_t capacity);

/* The picture of a frame buffer: address of its first pixel, stride in pixels, and format 0-3 (5650, 5551, 4444,
 * 8888). Writes PICAFLOR_GE_PICTURE_BYTES, row by row from the top; PICAFLOR_ERROR_SIZE: `capacity` is too small.
 * Unmapped memory is black. Threads: one at a time. */
picaflor_status picaflor_ge_picture(picaflor_ge *ge, uint32_t address, uint32_t stride, uint32_t format, uint8_t *rgb,
                                    size_t capacity);

/* As picaflor_ge_picture, straight into a buffer with a format and a stride of its own. PICAFLOR_ERROR_SIZE: its
 * `capacity` or `stride` is too small; nothing was written to it. Threads: one at a time. */
picaflor_status picaflor_ge_picture_into(picaflor_ge *ge, uint32_t address, uint32_t stride, uint32_t format,
                                         const picaflor_picture_buffer *buffer);

/* Marks the end of a frame, with this buffer on the screen, in a recording; no other effect. Threads: one at a time.
 * */
picaflor_status picaflor_ge_frame_end(picaflor_ge *ge, uint32_t address, uint32_t stride, uint32_t format);

/* As picaflor_gpu_take_faults; in `at`, registers are commands. Threads: one at a time. */
picaflor_status picaflor_ge_take_faults(picaflor_ge *ge, picaflor_fault *faults, size_t capacity, size_t *count);

typedef struct picaflor_ge_stats {
    size_t size;
    uint64_t runs;        /* executed pieces of lists, from one stop to the next */
    uint64_t commands;
    uint64_t draws;       /* commands that drew something */
    uint64_t vertices;    /* that entered primitive assembly, and those tested by BBOX */
    uint64_t primitives;  /* primitives that reached the rasterizer */
    uint64_t pixels;      /* pixels in the bounds of the primitives */
    uint64_t covered;     /* pixels covered */
    uint64_t transfers;   /* block transfers */
    uint64_t transferred; /* bytes moved by block transfers */
} picaflor_ge_stats;

/* Counters, which are part of the state. Set stats->size. Threads: one at a time. */
picaflor_status picaflor_ge_get_stats(picaflor_ge *ge, picaflor_ge_stats *stats);

/* Units of picaflor_ge_limits.work that the latest run spent. *units is 0 after a failure. Threads: one at a time. */
picaflor_status picaflor_ge_work(picaflor_ge *ge, uint64_t *units);

/* As picaflor_gpu_set_hooks. Threads: one at a time. */
picaflor_status picaflor_ge_set_hooks(picaflor_ge *ge, const picaflor_hooks *hooks);

/* As picaflor_gpu_trace. Threads: one at a time. */
picaflor_status picaflor_ge_trace(picaflor_ge *ge, const picaflor_trace *trace);

/* As picaflor_gpu_take_trace. Threads: one at a time. */
picaflor_status picaflor_ge_take_trace(picaflor_ge *ge, picaflor_note_callback callback, void *user, size_t *count);

/* As picaflor_gpu_set_textures. Threads: one at a time. */
picaflor_status picaflor_ge_set_textures(picaflor_ge *ge, const picaflor_textures *textures);

/* ---------------------------------------------------------------- its snapshots and recordings */

/* The state of the machine and its lists, guest memory apart. *state is NULL after a failure. Threads: one at a
 * time. */
picaflor_status picaflor_ge_save(picaflor_ge *ge, picaflor_buffer **state);

/* Restores a state. PICAFLOR_ERROR_FORMAT: not a state of a known version, picaflor_last_error() says why; nothing has
 * changed. A recording in progress continues. Threads: one at a time. */
picaflor_status picaflor_ge_load(picaflor_ge *ge, const uint8_t *bytes, size_t length);

/* ---------------------------------------------------------------- its state, field by field, as of the PICA200 */

enum {
    /* 256 words: the last word of each command. A write has no other effect than that; bits 31:24 are the number of
     * the command, whatever is written. */
    PICAFLOR_GE_FIELD_COMMANDS = 0,
    /* 148 floats: eight bones of 4 x 3, world 4 x 3, view 4 x 3, projection 4 x 4, texture 4 x 3, as draws use
     * them. */
    PICAFLOR_GE_FIELD_MATRICES = 1,
    /* 5 words: the next element of bones, world, view, projection, texture. */
    PICAFLOR_GE_FIELD_MATRIX_COUNTERS = 2,
    /* 148 words of 24 bits: the copy of the matrices that the CPU reads back. */
    PICAFLOR_GE_FIELD_MATRIX_COPY = 3,
    /* 256 words: the colour table. */
    PICAFLOR_GE_FIELD_CLUT = 4,
    /* 3 words: vertex pointer, index pointer, OFFSET; 28 bits each. */
    PICAFLOR_GE_FIELD_POINTERS = 5,
    /* 5 doubles: texture coordinates s, t and normal of the last vertex, for formats without them. */
    PICAFLOR_GE_FIELD_REMEMBERED = 6,
    /* Variable, the primitive under assembly by PRIM: kind 0-6, 7 for none; 1 if the next triangle of a strip is
     * reversed; number of vertices, at most 2; 21 words for each: clip x, y, z, w and texture s, t, q as doubles; x, y
     * in sixteenths, z; primary and secondary colour; fog; outside bits. */
    PICAFLOR_GE_FIELD_INCOMPLETE_PRIMITIVE = 7,
    /* As PICAFLOR_GE_FIELD_INCOMPLETE_PRIMITIVE, for VAP. */
    PICAFLOR_GE_FIELD_IMMEDIATE_PRIMITIVE = 8,
    /* 1 word: VAP of the first vertex of the latter. */
    PICAFLOR_GE_FIELD_IMMEDIATE_FLAGS = 9,
    /* 1 word: wiring of the mirrors of VRAM, as of the system call; 1: all alike. */
    PICAFLOR_GE_FIELD_ADDRESS_MAP = 10,
    /* 9 counters of 64 bits: runs, commands, draws, vertices, primitives, pixels in bounds, covered pixels, transfers,
     * bytes transferred. */
    PICAFLOR_GE_FIELD_COUNTERS = 11,
    /* Variable: the queue of lists, as picaflor_ge_save has it. */
    PICAFLOR_GE_FIELD_LISTS = 64
};

/* As picaflor_gpu_field_size. Threads: one at a time. */
picaflor_status picaflor_ge_field_size(picaflor_ge *ge, uint32_t field, size_t *words);

/* As picaflor_gpu_read_field. Threads: one at a time. */
picaflor_status picaflor_ge_read_field(picaflor_ge *ge, uint32_t field, size_t first, uint32_t *words, size_t count);

/* As picaflor_gpu_write_field. Threads: one at a time. */
picaflor_status picaflor_ge_write_field(picaflor_ge *ge, uint32_t field, size_t first, const uint32_t *words,
                                        size_t count);

/* As picaflor_gpu_export; the kind of machine is 0x20204547. Threads: one at a time. */
picaflor_status picaflor_ge_export(picaflor_ge *ge, picaflor_buffer **state);

/* As picaflor_gpu_import, but a recording in progress continues. Threads: one at a time. */
picaflor_status picaflor_ge_import(picaflor_ge *ge, const uint8_t *bytes, size_t length);

/* As picaflor_gpu_invalidate; mirrors of VRAM resolved. Threads: any. */
picaflor_status picaflor_ge_invalidate(picaflor_ge *ge, uint32_t address, uint32_t length);

/* As picaflor_gpu_take_written; mirrors of VRAM resolved. Threads: any. */
picaflor_status picaflor_ge_take_written(picaflor_ge *ge, picaflor_range *ranges, size_t capacity, size_t *count);

/* As picaflor_gpu_start_recording. Threads: one at a time. */
picaflor_status picaflor_ge_start_recording(picaflor_ge *ge, const picaflor_range *ranges, size_t count);

/* As picaflor_gpu_stop_recording. Threads: one at a time. */
picaflor_status picaflor_ge_stop_recording(picaflor_ge *ge, picaflor_buffer **capture);

/* As picaflor_gpu_stop_recording_to. Threads: one at a time. */
picaflor_status picaflor_ge_stop_recording_to(picaflor_ge *ge, const char *path);

#ifdef __cplusplus
}
#endif

#endif
