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
 *   Pointers.  NULL where it is not allowed gives PICAFLOR_ERROR_NULL, never a crash. A pointer that is not NULL
 *              must point to a valid object of its type. Results are written only together with PICAFLOR_OK, unless
 *              stated otherwise. Arguments are copied or consumed before the function returns; only the memory and
 *              callbacks of picaflor_memory are kept.
 *   Size.      A structure that begins with `size` may grow in later versions. Set all of it to zero and `size` to
 *              its sizeof. Zero is the default of every member. A program that was compiled with an older header
 *              works with a newer library; one compiled with a newer header works with an older library unless it
 *              sets members unknown to that library: PICAFLOR_ERROR_SIZE.
 *   Threads.   "one at a time" in the description of a function: any thread may call it, but only one call at a
 *              time may use the handle. A second call at the same time, also one from inside a callback, returns
 *              PICAFLOR_ERROR_BUSY and does nothing. "any": any number of threads at once. Never destroy a handle
 *              that another thread may still use.
 *   Unwinding. Nothing unwinds out of the library. A failure inside it returns PICAFLOR_ERROR_INTERNAL; the handles
 *              that it used are poisoned: they can be destroyed, all other calls return PICAFLOR_ERROR_POISONED.
 *              Callbacks must not throw, longjmp, or end their thread.
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
    PICAFLOR_ERROR_HOST = 8,     /* the host cannot do this: no compiled code on it, or a folder is missing */
    PICAFLOR_ERROR_FORMAT = 9,   /* data in an unknown format, or damaged */
    PICAFLOR_ERROR_IO = 10,      /* a file could not be written */
    PICAFLOR_ERROR_STATE = 11,   /* not possible now: nothing is being recorded */
    PICAFLOR_ERROR_REFUSED = 12, /* not compiled: the interpreter serves */
    PICAFLOR_ERROR_STOPPED = 13  /* the run was stopped, or its time limit has passed */
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
    PICAFLOR_MODE_BACKGROUND = 0, /* on other threads; the interpreter serves until then */
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

typedef struct picaflor_engine_config {
    size_t size;
    uint32_t mode;            /* PICAFLOR_MODE_... */
    uint32_t variant;         /* PICAFLOR_VARIANT_... */
    uint32_t compile_threads; /* of the background mode; 0: 1 */
    uint32_t perf_map;        /* 1: lists routines in /tmp/perf-PID.map for `perf report` */
    size_t code_budget;       /* budget for code, in bytes; 0: 16 MiB */
    size_t texture_budget;    /* budget for decoded textures, in bytes; 0: 96 MiB */
    uint64_t disk_budget;     /* budget for files, in bytes; 0: 64 MiB */
    const char *disk_cache;   /* folder for compiled routines, or NULL. Its content is executed: it must be as
                                 trusted as the program itself. */
    const char *jitdump;      /* folder for a jitdump file for `perf inject`, or NULL */
    const char *dumps;        /* existing folder for listings of all routines, or NULL */
    uint32_t mapping;         /* PICAFLOR_MAPPING_... */
    uint32_t reserved;        /* 0 */
} picaflor_engine_config;

/* Creates an engine; `config` NULL: all defaults. *engine is NULL after a failure. Threads: any. */
picaflor_status picaflor_engine_create(const picaflor_engine_config *config, picaflor_engine **engine);

/* Destroys an engine; NULL is ignored. Machines that use it keep it alive until they are destroyed. Values from
 * picaflor_shade become invalid. */
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
} picaflor_engine_stats;

/* Counters since the creation of the engine. Set stats->size. Threads: one at a time. */
picaflor_status picaflor_engine_get_stats(picaflor_engine *engine, picaflor_engine_stats *stats);

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
    uint32_t reserved;
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

/* Destroys a program; NULL is ignored. Routines compiled from it stay valid. */
picaflor_status picaflor_program_destroy(picaflor_program *program);

/* Float, integer and boolean uniforms. PICAFLOR_PRECISION_CONSOLE narrows floats to 24 bits; floats uploaded with 24
 * bits are exact in 32. */
typedef struct picaflor_uniforms {
    size_t size;
    float floats[96][4]; /* c0-c95, x first */
    uint8_t ints[4][4];  /* i0-i3: x (turns - 1), y (start), z (step), unused byte */
    uint32_t bools;      /* b0 in bit 0 */
    uint32_t reserved;
} picaflor_uniforms;

/* ---------------------------------------------------------------- batches of vertices */

enum {
    PICAFLOR_ELEMENT_I8 = 0,
    PICAFLOR_ELEMENT_U8 = 1,
    PICAFLOR_ELEMENT_I16 = 2,
    PICAFLOR_ELEMENT_F32 = 3
};

/* One attribute of all vertices. This structure does not grow. */
typedef struct picaflor_attribute {
    const void *bytes;   /* the attribute of vertex 0, little endian, aligned or not; NULL: `fixed` for all */
    size_t length;       /* readable bytes, at most PICAFLOR_MAX_ARRAY. Fetch is faster with 16 bytes of padding
                            behind the last vertex. */
    uint32_t stride;     /* bytes from vertex to vertex */
    uint32_t element;    /* PICAFLOR_ELEMENT_... */
    uint32_t components; /* 1-4; the others are 0, 0, 1 for y, z, w */
    uint32_t reserved;
    float fixed[4];
} picaflor_attribute;

enum {
    PICAFLOR_OUTPUT_REGISTERS = 0, /* the registers that the mask enables, in ascending order, four components each */
    PICAFLOR_OUTPUT_SEMANTICS = 1  /* 24 semantics, through the output map; unmapped ones are 1 */
};

typedef struct picaflor_batch {
    size_t size;
    const picaflor_program *program;
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
    uint32_t output_total;                /* registers that the map uses (0x04F), 0-7 */
    uint32_t output_map[7];               /* 0x050-0x056 */
    uint32_t instruction_budget;          /* of a vertex; 0: 65536 */
    uint32_t reserved;
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
    uint32_t reserved;
} picaflor_shaded;

/* Shades vertices. Set shaded->size. PICAFLOR_ERROR_SIZE: an index is beyond the end of an array. Threads: one at a
 * time. */
picaflor_status picaflor_shade(picaflor_engine *engine, const picaflor_batch *batch, picaflor_shaded *shaded);

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
    const picaflor_program *program;
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

/* Shades vertices from plain floats to plain floats. Threads: one at a time. */
picaflor_status picaflor_shade_floats(picaflor_engine *engine, const picaflor_float_batch *batch);

/* ---------------------------------------------------------------- runs of geometry programs */

/* The registers of the geometry unit, which persist from run to run and from draw to draw. */
typedef struct picaflor_geometry_unit picaflor_geometry_unit;

/* Creates a unit with all registers zero. *unit is NULL after a failure. Threads: any. */
picaflor_status picaflor_geometry_unit_create(picaflor_geometry_unit **unit);

/* Destroys the object; NULL is ignored. PICAFLOR_ERROR_BUSY: it is in use and was not destroyed. */
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
 * PICAFLOR_ERROR_SIZE: more emissions than `capacity`; the run is complete nevertheless. Threads: one at a time for
 * both handles. */
picaflor_status picaflor_run_geometry(picaflor_engine *engine, picaflor_geometry_unit *unit,
                                      const picaflor_geometry_run *run, picaflor_emission *emissions,
                                      size_t capacity, size_t *count);

/* ---------------------------------------------------------------- machine */

/* The PICA200 from its registers to guest memory. */
typedef struct picaflor_gpu picaflor_gpu;

/* A block of guest memory. This structure does not grow. */
typedef struct picaflor_region {
    uint32_t address; /* physical */
    uint32_t length;
    void *bytes;      /* readable and writable as long as the machine uses this memory */
} picaflor_region;

/* Guest memory: either fixed blocks, or a callback. Addresses are physical. Other threads of the host may write memory
 * during a call of the machine: each byte that the machine reads is then old or new, and bytes of what it draws to,
 * fills or moves may get the value of either side. The chapter "Threat model" has the whole rule. */
typedef struct picaflor_memory {
    size_t size;
    const picaflor_region *regions; /* up to PICAFLOR_MAX_REGIONS, none overlapping */
    size_t region_count;
    void *user;                     /* for the callbacks */
    /* Returns the host address of the bytes address .. address + length, or NULL unless all of them are mapped and
     * contiguous. `length` is not 0. The bytes must stay there, readable and writable, until the function of the
     * machine returns. Called from any thread of the machine, concurrently. NULL: `regions`. */
    uint8_t *(*region)(void *user, uint32_t address, uint32_t length);
    /* Notification: the machine wrote some of these bytes. Called after the writes, on the thread that called the
     * machine. May be NULL. */
    void (*written)(void *user, uint32_t address, uint32_t length);
    /* Version of these bytes: stores a number that changes with every change of one of them, the machine's own writes
     * included, and returns 1; returns 0 for an unknown version. Saves the comparison of textures with their source
     * bytes. Equal numbers must mean equal bytes for the lifetime of the engine. May be NULL. */
    int32_t (*version)(void *user, uint32_t address, uint32_t length, uint64_t *version);
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
    uint32_t reserved;
    uint64_t pixels;       /* in the bounding boxes of the triangles of one draw */
    uint64_t run_vertices; /* of one run */
    uint64_t run_pixels;   /* of one run */
    /* Of all shader invocations of one run, or of one write by the CPU. An invocation counts with its maximum: the
     * words that its program reaches, or `instructions` where control flow is not structured. Checked before vertices
     * are shaded, so that nothing beyond the limit is executed. */
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

/* Destroys the object; NULL is ignored. PICAFLOR_ERROR_BUSY: it is in use and was not destroyed. */
picaflor_status picaflor_gpu_destroy(picaflor_gpu *gpu);

/* Replaces the engine, for example to switch between compiled code and the interpreter. Threads: one at a time. */
picaflor_status picaflor_gpu_set_engine(picaflor_gpu *gpu, picaflor_engine *engine);

/* Replaces the guest memory. Threads: one at a time. */
picaflor_status picaflor_gpu_set_memory(picaflor_gpu *gpu, const picaflor_memory *memory);

/* Sets the number of threads that draw fragments, at most PICAFLOR_MAX_THREADS; 0 means 1. Results do not depend on
 * it. Threads are started by a call that has work for them and end with it. Threads: one at a time. */
picaflor_status picaflor_gpu_set_threads(picaflor_gpu *gpu, uint32_t threads);

/* Ends the run that another thread has under way, and every later one at its first command, with
 * PICAFLOR_ERROR_STOPPED, until a call with `stops` 0. It is noticed within about a millisecond. picaflor_last_error()
 * of the thread that ran names the address of the last command; of draws that were not complete pixels are missing, all
 * else is as after that command. Threads: any, also during a call that uses the machine, until it is destroyed. */
picaflor_status picaflor_gpu_stop(picaflor_gpu *gpu, uint32_t stops);

/* Limits the time of each run, in microseconds; 0: no limit. A run that takes longer ends like one that was stopped.
 * Threads: one at a time. */
picaflor_status picaflor_gpu_set_time_limit(picaflor_gpu *gpu, uint64_t microseconds);

/* Obeys the attribute clocks, register 0x06F (1, the default, as on the console), or ignores them (0): an attribute
 * whose clock is off reads 1.0. Other values give PICAFLOR_ERROR_ARGUMENT. The setting is part of neither snapshots nor
 * captures. Threads: one at a time. */
picaflor_status picaflor_gpu_set_attribute_clocks(picaflor_gpu *gpu, uint32_t obeys);

enum {
    PICAFLOR_FINISHED_INTERRUPT = 0, /* by the interrupt that the list requests */
    PICAFLOR_FINISHED_END = 1        /* at the end, without one: software that waits for it hangs */
};

/* Runs a command list to its end; address and size are multiples of 16, others give PICAFLOR_ERROR_ARGUMENT. *finished
 * receives PICAFLOR_FINISHED_...; `finished` may be NULL. After PICAFLOR_ERROR_LIST the effects of the executed
 * commands remain. Threads: one at a time. */
picaflor_status picaflor_gpu_run_list(picaflor_gpu *gpu, uint32_t address, uint32_t size_bytes, uint32_t *finished);

/* A write by the CPU of a word to a physical address in 0x10400000-0x10401FFF, or to the LCD's in
 * 0x10202000-0x10202FFF; other addresses are ignored. Fills, transfers and lists that it starts are complete when this
 * returns. Threads: one at a time. */
picaflor_status picaflor_gpu_write(picaflor_gpu *gpu, uint32_t address, uint32_t value);

/* A read by the CPU at these addresses. Some reads have side effects. *value is 0 after a failure. Threads: one at a
 * time. */
picaflor_status picaflor_gpu_read(picaflor_gpu *gpu, uint32_t address, uint32_t *value);

/* A write by the CPU to an internal register by its number, below 0x400; bit n of `mask` enables byte n. Threads: one
 * at a time. */
picaflor_status picaflor_gpu_write_register(picaflor_gpu *gpu, uint32_t id, uint32_t value, uint32_t mask);

/* A read by the CPU of an internal register. *value is 0 after a failure. Threads: one at a time. */
picaflor_status picaflor_gpu_read_register(picaflor_gpu *gpu, uint32_t id, uint32_t *value);

/* Fills start .. end, multiples of 16, with the low `bytes` bytes (2-4) of `value`, by unit 0 or 1. Shorthand for the
 * four register writes by the CPU. Threads: one at a time. */
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

/* Runs a transfer. Shorthand for the register writes by the CPU. Threads: one at a time. */
picaflor_status picaflor_gpu_transfer(picaflor_gpu *gpu, const picaflor_transfer *transfer);

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

enum {
    PICAFLOR_SCREEN_TOP = 0,       /* for the left eye */
    PICAFLOR_SCREEN_TOP_RIGHT = 1, /* for the right eye */
    PICAFLOR_SCREEN_BOTTOM = 2
};

/* Announces a vertical blank of a screen; a console has 59.83 of them in a second on each. Both upper names mean the
 * same panel. The buffer that the program selected is shown from now on, and PICAFLOR_INTERRUPT_PDC0 or PDC1 is raised
 * unless the program masks it. Without any call for a screen, a selected buffer is shown at once; after the first call,
 * the buffers change at blanks only. Part of recordings and snapshots. Threads: one at a time. */
picaflor_status picaflor_gpu_vblank(picaflor_gpu *gpu, uint32_t screen);

/* The picture on a screen, according to the scan-out registers: red, green, blue of each pixel, row by row from the
 * top as the viewer sees it. The upper screen has 400 x 240 pixels, 800 x 240 in wide mode, the lower one 320 x 240.
 * Width and height (0 and 0: no picture) are also written if `capacity` is too small (PICAFLOR_ERROR_SIZE); `rgb` may
 * be NULL with a capacity of 0, to query them. Threads: one at a time. */
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
 * together with PICAFLOR_ERROR_SIZE: `capacity` or `stride` is too small, nothing was written to the buffer. Both are 0
 * if there is no picture. A capacity of 0, with any `bytes`, asks for the size. PICAFLOR_ERROR_ARGUMENT: no such screen
 * or format. Threads: one at a time. */
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

/* ---------------------------------------------------------------- snapshots and recordings */

/* A block of bytes owned by the library. */
typedef struct picaflor_buffer picaflor_buffer;

/* The bytes, valid until the buffer is destroyed; NULL for NULL. Threads: any. */
const uint8_t *picaflor_buffer_data(const picaflor_buffer *buffer);

/* The number of bytes; 0 for NULL. Threads: any. */
size_t picaflor_buffer_size(const picaflor_buffer *buffer);

/* Destroys a buffer; NULL is ignored. */
picaflor_status picaflor_buffer_destroy(picaflor_buffer *buffer);

/* The state of the machine without guest memory, for saved games. *state is NULL after a failure. Threads: one at a
 * time. */
picaflor_status picaflor_gpu_save(picaflor_gpu *gpu, picaflor_buffer **state);

/* Restores a state. PICAFLOR_ERROR_FORMAT: a state of another version of the machine; nothing has changed. A recording
 * in progress is dropped. Threads: one at a time. */
picaflor_status picaflor_gpu_load(picaflor_gpu *gpu, const uint8_t *bytes, size_t length);

/* A range of physical addresses. This structure does not grow. */
typedef struct picaflor_range {
    uint32_t address;
    uint32_t length;
} picaflor_range;

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

/* Destroys the object; NULL is ignored. PICAFLOR_ERROR_BUSY: it is in use and was not destroyed. */
picaflor_status picaflor_ge_destroy(picaflor_ge *ge);

/* Replaces the engine. Threads: one at a time. */
picaflor_status picaflor_ge_set_engine(picaflor_ge *ge, picaflor_engine *engine);

/* Replaces the guest memory. Threads: one at a time. */
picaflor_status picaflor_ge_set_memory(picaflor_ge *ge, const picaflor_memory *memory);

/* Sets the number of threads that draw pixels, at most PICAFLOR_MAX_THREADS; 0 means 1. Results do not depend on it.
 * Threads are started by a run that has work for them and end with it. Threads: one at a time. */
picaflor_status picaflor_ge_set_threads(picaflor_ge *ge, uint32_t threads);

/* Ends the run that another thread has under way, and every later one at its first command, with
 * PICAFLOR_ERROR_STOPPED, until a call with `stops` 0. It is noticed within about a millisecond. picaflor_last_error()
 * of the thread that ran names the address of the last command; of draws that were not complete pixels are missing, all
 * else is as after that command. Threads: any, also during a call that uses the machine, until it is destroyed. */
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

/* Acknowledges an interrupt after its handler has returned: a list that waits for it continues. `kind` and `list` are
 * those of the interrupt. Threads: one at a time. */
picaflor_status picaflor_ge_acknowledge(picaflor_ge *ge, uint32_t kind, uint32_t list);

/* ---------------------------------------------------------------- what the CPU reads of it */

#define PICAFLOR_GE_CLUT_BYTES 1024
#define PICAFLOR_GE_WIDTH 480
#define PICAFLOR_GE_HEIGHT 272
#define PICAFLOR_GE_PICTURE_BYTES 391680 /* red, green and blue of each pixel */

/* The last word of a command, 0-255, that was executed (GetCmd). *word is 0 after a failure. Threads: one at a time. */
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

/* ---------------------------------------------------------------- its snapshots and recordings */

/* The state of the machine and its lists, guest memory apart. *state is NULL after a failure. Threads: one at a
 * time. */
picaflor_status picaflor_ge_save(picaflor_ge *ge, picaflor_buffer **state);

/* Restores a state. PICAFLOR_ERROR_FORMAT: a state of another version of the machine; nothing has changed. A recording
 * in progress continues. Threads: one at a time. */
picaflor_status picaflor_ge_load(picaflor_ge *ge, const uint8_t *bytes, size_t length);

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
