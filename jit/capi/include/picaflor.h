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
 *   Status.    Functions return a picaflor_status. PICAFLOR_OK is 0. After any other, picaflor_last_error() has a
 *              text for people. What the guest does wrong is no error: it is a picaflor_fault.
 *   Pointers.  NULL where it is not allowed gives PICAFLOR_ERROR_NULL, never a crash. A pointer that is not NULL
 *              has to point to what its type says; results are only written where PICAFLOR_OK is returned, unless
 *              said otherwise. Everything passed in is copied or used up before the function returns; only what
 *              picaflor_memory names is kept.
 *   Size.      A structure that begins with `size` may grow in later versions. Set all of it to zero and `size` to
 *              sizeof of it. Zero is the default of every member. A program that was compiled with an older header
 *              works with a newer library; one compiled with a newer header works with an older library unless it
 *              sets what that library does not know: PICAFLOR_ERROR_SIZE.
 *   Threads.   "one at a time" in the description of a function: any thread may call it, but only one call at a
 *              time may use the handle. A second call at the same time, also one from inside a callback, returns
 *              PICAFLOR_ERROR_BUSY and does nothing. "any": any number of threads at once. Never destroy a handle
 *              that another thread may still use.
 *   Unwinding. Nothing unwinds out of the library. A failure inside it returns PICAFLOR_ERROR_INTERNAL; the handles
 *              that it used are poisoned: they can be destroyed, all else returns PICAFLOR_ERROR_POISONED. Callbacks
 *              must not throw, longjmp, or end their thread.
 *   Floats.    The library works in the default floating-point mode and restores that of the caller.
 *   Text       that the library returns ends with a zero byte and is not to be freed. Text that it takes is UTF-8.
 *
 * Binary interface: PICAFLOR_ABI is the number of the interface that this header describes, and the shared
 * library's name ends in it (libpicaflor.so.1). It changes when a function, constant or member changes its meaning,
 * moves or goes; functions, constants, and members at the end of structures with `size` may be added without.
 * Enumerations are passed as uint32_t or int32_t, so that no compiler's choice of a size matters.
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
    PICAFLOR_ERROR_NULL = 1,     /* a pointer is NULL that must not be */
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
    PICAFLOR_ERROR_REFUSED = 12  /* not compiled: the interpreter serves */
};

/* PICAFLOR_ABI of the library that is running. Compare it with the header's. Threads: any. */
uint32_t picaflor_abi_version(void);

/* The version of the library, as "0.1.0". Threads: any. */
const char *picaflor_version(void);

/* What a status means, in a few words; never NULL. Threads: any. */
const char *picaflor_status_text(picaflor_status status);

/* Why the last failed call of this thread failed; "" if none did. Never NULL; valid until the next call of this
 * thread that fails, and until the thread ends. Threads: any, each has its own. */
const char *picaflor_last_error(void);

/* ---------------------------------------------------------------- engine */

/* Runs shader programs and fragment paths: compiled code, and the interpreter where there is none. */
typedef struct picaflor_engine picaflor_engine;

/* When code is compiled. Results are the same, bit for bit. */
enum {
    PICAFLOR_MODE_BACKGROUND = 0, /* by other threads; the interpreter serves meanwhile */
    PICAFLOR_MODE_BLOCKING = 1,   /* before it is needed: for tests and tools */
    PICAFLOR_MODE_INTERPRETER = 2 /* never */
};

/* Which form of the code runs first. Results are the same, bit for bit. */
enum {
    PICAFLOR_VARIANT_FAST = 0, /* without the rare cases of the arithmetic; where one occurs, EXACT repeats it */
    PICAFLOR_VARIANT_EXACT = 1
};

/* How shader arithmetic rounds. */
enum {
    PICAFLOR_PRECISION_CONSOLE = 0, /* 24 bits, truncated, as the chip does it */
    PICAFLOR_PRECISION_BINARY32 = 1 /* 32 bits with the multiply rule of the chip, as most emulators do it */
};

typedef struct picaflor_engine_config {
    size_t size;
    uint32_t mode;            /* PICAFLOR_MODE_... */
    uint32_t variant;         /* PICAFLOR_VARIANT_... */
    uint32_t compile_threads; /* of the background mode; 0: 1 */
    uint32_t perf_map;        /* 1: lists routines in /tmp/perf-PID.map for `perf report` */
    size_t code_budget;       /* bytes of code to keep; 0: 16 MiB */
    size_t texture_budget;    /* bytes of decoded textures to keep; 0: 96 MiB */
    uint64_t disk_budget;     /* bytes of files to keep; 0: 64 MiB */
    const char *disk_cache;   /* folder for compiled routines, or NULL. Who can write to it decides what this
                                 process runs: trust it like the program itself. */
    const char *jitdump;      /* folder for a jitdump file for `perf inject`, or NULL */
    const char *dumps;        /* existing folder for listings of all routines, or NULL */
} picaflor_engine_config;

/* Makes an engine; `config` NULL: all defaults. *engine is NULL after a failure. Threads: any. */
picaflor_status picaflor_engine_create(const picaflor_engine_config *config, picaflor_engine **engine);

/* Destroys an engine; nothing happens to NULL. Machines that use it keep it until they are destroyed. Values from
 * picaflor_shade are gone. */
picaflor_status picaflor_engine_destroy(picaflor_engine *engine);

/* Waits until all that was ordered in the background is compiled. Threads: one at a time. */
picaflor_status picaflor_engine_wait(picaflor_engine *engine);

typedef struct picaflor_engine_stats {
    size_t size;
    uint64_t compiles;            /* routines compiled */
    uint64_t compile_ns;          /* time of that in nanoseconds, over all threads */
    uint64_t compile_ns_max;      /* the longest */
    uint64_t compiled_bytes;      /* machine code compiled, whether or not it is still there */
    uint64_t code_bytes;          /* code memory in use */
    uint64_t live_routines;       /* routines there now */
    uint64_t evictions;           /* routines that had to go */
    uint64_t panics_contained;    /* failures of the compiler, each of which became a refusal */
    uint64_t refusals;            /* programs and states left to the interpreter */
    uint64_t groups;              /* groups of four vertices, and geometry runs, that compiled code ran */
    uint64_t replayed_groups;     /* those that ran again in the exact form */
    uint64_t interpreter_batches; /* batches that the interpreter served, wholly or in part */
    uint64_t fragment_draws;      /* draws whose fragments went to compiled code */
    uint64_t interpreted_tiles;   /* tiles, or triangles in one, that the interpreter drew */
    uint64_t texture_hits;        /* textures that were there, decoded */
    uint64_t texture_misses;      /* textures that had to be decoded */
    uint64_t texture_bytes;       /* bytes of them now */
    uint64_t longest_lookup_ns;   /* the longest that a draw waited for its routine in the background mode */
    uint64_t disk_loaded;         /* routines loaded from the folder */
    uint64_t disk_stored;         /* routines written to it */
    uint64_t disk_damaged;        /* files ignored because they are damaged */
    uint64_t disk_foreign;        /* files ignored because they are of another version, machine or key */
    uint64_t disk_errors;         /* times that the system refused to read, write or remove something */
} picaflor_engine_stats;

/* Counters since the engine was made. Set stats->size. Threads: one at a time. */
picaflor_status picaflor_engine_get_stats(picaflor_engine *engine, picaflor_engine_stats *stats);

/* ---------------------------------------------------------------- faults */

/* Something that the guest did and that hardware answers with a hang or with garbage; the machine went on. Kinds
 * may be added. */
enum {
    PICAFLOR_FAULT_OTHER = 0,
    PICAFLOR_FAULT_INSTRUCTION_BUDGET = 1, /* an invocation was cut off; at: word, value: vertex */
    PICAFLOR_FAULT_UNDEFINED_OPCODE = 2,   /* at: word, value: the instruction */
    PICAFLOR_FAULT_BREAK_OUTSIDE_LOOP = 3, /* at: word */
    PICAFLOR_FAULT_NO_SUCH_REGISTER = 4,   /* at: register */
    PICAFLOR_FAULT_TRUNCATED_COMMAND = 5,  /* at: address */
    PICAFLOR_FAULT_HANGS = 6,              /* a setting that hangs the console; at: register, value */
    PICAFLOR_FAULT_UNMAPPED = 7,           /* at: register that names the address, value: address */
    PICAFLOR_FAULT_DRAW_BUDGET = 8,        /* value: vertices asked for */
    PICAFLOR_FAULT_EMPTY_TARGET = 9,       /* value: the size register */
    PICAFLOR_FAULT_BAD_TRANSFER = 10       /* value: the flags */
};

/* In `at`, registers of 0x10400000-0x10400FFF are their offset with bit 15 set. This structure does not grow. */
typedef struct picaflor_fault {
    uint32_t kind; /* PICAFLOR_FAULT_... */
    uint32_t at;
    uint32_t value;
    uint32_t reserved;
    char text[96];
} picaflor_fault;

/* The faults of the last batch or geometry run: as many as `capacity` allows, and in *count how many there were.
 * Threads: one at a time. */
picaflor_status picaflor_engine_faults(picaflor_engine *engine, picaflor_fault *faults, size_t capacity,
                                       size_t *count);

/* ---------------------------------------------------------------- programs and uniforms */

/* Code and operand descriptors of a shader unit. Nothing changes a program, so any number of engines and threads
 * may use it. */
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

/* A program from an SHBIN file in memory. Constants of its executables are left to the caller. *program is NULL
 * after a failure. Threads: any. */
picaflor_status picaflor_program_from_shbin(uint32_t unit, const uint8_t *bytes, size_t length,
                                            picaflor_program **program);

/* The first word of an executable of an SHBIN file. Threads: any. */
picaflor_status picaflor_program_entry(const picaflor_program *program, size_t executable, uint32_t *entry);

/* Destroys a program; nothing happens to NULL. Engines that have compiled it are not concerned. */
picaflor_status picaflor_program_destroy(picaflor_program *program);

/* Float, integer and boolean uniforms. A float is narrowed to 24 bits where the precision is that of the console;
 * floats that were uploaded with 24 bits are exact in 32. */
typedef struct picaflor_uniforms {
    size_t size;
    float floats[96][4]; /* c0-c95, x first */
    uint8_t ints[4][4];  /* i0-i3: x (turns - 1), y (start), z (step), and a byte of no use */
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
    size_t length;       /* bytes that may be read from there, at most PICAFLOR_MAX_ARRAY. If there are up to 16
                            bytes more than the last vertex needs, fetch is faster. */
    uint32_t stride;     /* bytes from vertex to vertex */
    uint32_t element;    /* PICAFLOR_ELEMENT_... */
    uint32_t components; /* 1-4; the others are 0, 0, 1 for y, z, w */
    uint32_t reserved;
    float fixed[4];
} picaflor_attribute;

enum {
    PICAFLOR_OUTPUT_REGISTERS = 0, /* the registers that the mask enables, in ascending order, four components each */
    PICAFLOR_OUTPUT_SEMANTICS = 1  /* 24 semantics, through the output map; what is not mapped is 1 */
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
    uint32_t replayed_groups; /* groups of four vertices that ran again in the exact form */
    uint32_t faults;          /* how many: see picaflor_engine_faults */
    uint32_t reserved;
} picaflor_shaded;

/* Shades vertices. Set shaded->size. Every index is checked against the length of every array:
 * PICAFLOR_ERROR_SIZE. Threads: one at a time. */
picaflor_status picaflor_shade(picaflor_engine *engine, const picaflor_batch *batch, picaflor_shaded *shaded);

typedef struct picaflor_compiled {
    size_t size;
    uint64_t time_ns;    /* from words to code that can run */
    uint64_t words;      /* words compiled, each as often as control flow was unfolded over it */
    uint64_t code_bytes; /* machine code */
} picaflor_compiled;

/* Compiles the routine of a batch on this thread and keeps it, so that it is there before the first draw. Of the
 * batch, the program, the shape of its attributes, booleans, integers, outputs and precision matter; it may have no
 * vertices, and arrays then need no bytes but have to point somewhere. PICAFLOR_ERROR_REFUSED: the interpreter
 * will serve, and the text says why. Set compiled->size. Threads: one at a time. */
picaflor_status picaflor_compile(picaflor_engine *engine, const picaflor_batch *batch, picaflor_compiled *compiled);

/* Vertices whose input registers are loaded already. */
typedef struct picaflor_float_batch {
    size_t size;
    const picaflor_program *program;
    const picaflor_uniforms *uniforms; /* NULL: zeros */
    const float *inputs;               /* v0, v1 and so on of vertex 0, then of vertex 1; four floats each */
    size_t input_count;                /* registers of each vertex, 1-16; the others are zero */
    size_t vertex_count;               /* at most PICAFLOR_MAX_VERTICES */
    float *outputs;                    /* the enabled registers of vertex 0 in ascending order, then of vertex 1 */
    size_t output_capacity;            /* registers, of four floats each, that there is room for */
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

/* Registers that are all zero. *unit is NULL after a failure. Threads: any. */
picaflor_status picaflor_geometry_unit_create(picaflor_geometry_unit **unit);

/* Nothing happens to NULL. PICAFLOR_ERROR_BUSY: it is in use and still there. */
picaflor_status picaflor_geometry_unit_destroy(picaflor_geometry_unit *unit);

typedef struct picaflor_geometry_run {
    size_t size;
    const picaflor_program *program; /* for PICAFLOR_UNIT_GEOMETRY */
    picaflor_uniforms *uniforms;     /* b15 is set when the run ends */
    const float *inputs;             /* v0, v1 and so on, four floats each; the others keep what they hold */
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
    uint32_t winding;    /* 1: with its winding reversed */
    uint32_t registers;  /* how many of `values` count */
    float values[16][4]; /* the enabled registers in ascending order */
} picaflor_emission;

/* Runs a geometry program once. Hands over what it emitted, as much as `capacity` allows, and in *count how much
 * it was; if that is more, the run is done all the same and PICAFLOR_ERROR_SIZE is returned. Threads: one at a time
 * for both handles. */
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
    void *bytes;      /* readable and writable as long as the machine has this memory */
} picaflor_region;

/* Guest memory: either blocks that stay, or a callback. Addresses are physical. Other threads of the host may
 * write memory while the machine works, but not the surfaces that are being drawn to; what the machine reads meanwhile is
 * then old or new, byte by byte. */
typedef struct picaflor_memory {
    size_t size;
    const picaflor_region *regions; /* up to PICAFLOR_MAX_REGIONS, none overlapping */
    size_t region_count;
    void *user;                     /* for the callbacks */
    /* Where the bytes address .. address + length are in the host, or NULL unless all of them are mapped and
     * contiguous. `length` is not 0. They have to stay there, readable and writable, until the function of the
     * machine returns. Called from any thread of the machine, several at once. NULL: `regions`. */
    uint8_t *(*region)(void *user, uint32_t address, uint32_t length);
    /* The machine wrote some of these bytes. Called afterwards, on the thread that called the machine. Or NULL. */
    void (*written)(void *user, uint32_t address, uint32_t length);
    /* Stores a number that changes whenever one of these bytes does, the machine's own writes included, and
     * returns 1; or returns 0 where that is not known. With it, textures need not be compared with what they were
     * decoded from. The same number must mean the same bytes for as long as the engine lives. Or NULL. */
    int32_t (*version)(void *user, uint32_t address, uint32_t length, uint64_t *version);
} picaflor_memory;

/* How much a guest may ask for. 0 is the default everywhere, which real software stays far below. What is beyond
 * in a draw is a fault, in a run PICAFLOR_ERROR_LIST. */
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
    /* Of all shader invocations of one run, or of one write by the CPU. An invocation counts as what it can execute at
     * most: the words that its program reaches, or `instructions` where words may come again. Looked at before vertices
     * are shaded, so that nothing beyond is executed. */
    uint64_t run_instructions;
} picaflor_limits;

typedef struct picaflor_gpu_config {
    size_t size;
    const picaflor_memory *memory; /* copied; what it points to has to stay */
    const picaflor_limits *limits; /* NULL: all defaults */
    uint32_t precision;            /* PICAFLOR_PRECISION_... */
    uint32_t threads;              /* see picaflor_gpu_set_threads; 0: 1 */
} picaflor_gpu_config;

/* A machine after reset. It keeps the engine alive; machines may share one, but not at the same time:
 * PICAFLOR_ERROR_BUSY. *gpu is NULL after a failure. Threads: any. */
picaflor_status picaflor_gpu_create(picaflor_engine *engine, const picaflor_gpu_config *config, picaflor_gpu **gpu);

/* Nothing happens to NULL. PICAFLOR_ERROR_BUSY: it is in use and still there. */
picaflor_status picaflor_gpu_destroy(picaflor_gpu *gpu);

/* Another engine from now on: to switch between compiled code and the interpreter. Threads: one at a time. */
picaflor_status picaflor_gpu_set_engine(picaflor_gpu *gpu, picaflor_engine *engine);

/* Other memory from now on. Threads: one at a time. */
picaflor_status picaflor_gpu_set_memory(picaflor_gpu *gpu, const picaflor_memory *memory);

/* On how many threads fragments are drawn, at most PICAFLOR_MAX_THREADS; 0 counts as 1. Results do not depend on
 * it. Threads are started by a call that has work for them and end with it. Threads: one at a time. */
picaflor_status picaflor_gpu_set_threads(picaflor_gpu *gpu, uint32_t threads);

enum {
    PICAFLOR_FINISHED_INTERRUPT = 0, /* by the interrupt that the list asked for */
    PICAFLOR_FINISHED_END = 1        /* at its end, without one: software that waits for the interrupt hangs */
};

/* Runs a command list to its end; address and size are multiples of 16. `finished` may be NULL, else it is
 * PICAFLOR_FINISHED_... What the list did stays done when PICAFLOR_ERROR_LIST is returned. Threads: one at a time. */
picaflor_status picaflor_gpu_run_list(picaflor_gpu *gpu, uint32_t address, uint32_t size_bytes, uint32_t *finished);

/* A word that the CPU writes to a physical address in 0x10400000-0x10401FFF, or to the LCD's in 0x10202000-
 * 0x10202FFF; elsewhere nothing happens. Fills, transfers and lists that it starts are done when this returns.
 * Threads: one at a time. */
picaflor_status picaflor_gpu_write(picaflor_gpu *gpu, uint32_t address, uint32_t value);

/* What the CPU reads there. Some reads have effects. *value is 0 after a failure. Threads: one at a time. */
picaflor_status picaflor_gpu_read(picaflor_gpu *gpu, uint32_t address, uint32_t *value);

/* A write of the CPU to an internal register by its number, below 0x400; bit n of `mask` enables byte n. Threads:
 * one at a time. */
picaflor_status picaflor_gpu_write_register(picaflor_gpu *gpu, uint32_t id, uint32_t value, uint32_t mask);

/* What the CPU reads from an internal register. *value is 0 after a failure. Threads: one at a time. */
picaflor_status picaflor_gpu_read_register(picaflor_gpu *gpu, uint32_t id, uint32_t *value);

/* Fills start .. end, multiples of 16, with the low `bytes` bytes (2-4) of `value`, by unit 0 or 1: the four writes
 * of the CPU that do this. Threads: one at a time. */
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

/* The writes of the CPU that do this. Threads: one at a time. */
picaflor_status picaflor_gpu_transfer(picaflor_gpu *gpu, const picaflor_transfer *transfer);

/* Interrupts, as bits. Their numbers in the interrupt controller are 0x28, 0x29, 0x2C, 0x2D. */
enum {
    PICAFLOR_INTERRUPT_PSC0 = 1, /* fill unit 0 is done */
    PICAFLOR_INTERRUPT_PSC1 = 2, /* fill unit 1 is done */
    PICAFLOR_INTERRUPT_PPF = 4,  /* the transfer engine is done */
    PICAFLOR_INTERRUPT_P3D = 8   /* a command list asked for it */
};

/* Interrupts raised and not acknowledged. *interrupts is 0 after a failure. Threads: one at a time. */
picaflor_status picaflor_gpu_interrupts(picaflor_gpu *gpu, uint32_t *interrupts);

/* Takes interrupts out of the set. Threads: one at a time. */
picaflor_status picaflor_gpu_acknowledge(picaflor_gpu *gpu, uint32_t interrupts);

enum {
    PICAFLOR_SCREEN_TOP = 0,       /* its picture for the left eye */
    PICAFLOR_SCREEN_TOP_RIGHT = 1, /* for the right eye */
    PICAFLOR_SCREEN_BOTTOM = 2
};

/* What a screen shows, as the scan-out registers say: red, green, blue of each pixel, row by row from the top as
 * the viewer sees it. Writes width and height (0 and 0: nothing) also when `capacity` is too small
 * (PICAFLOR_ERROR_SIZE); `rgb` may be NULL with a capacity of 0, to ask for them. Threads: one at a time. */
picaflor_status picaflor_gpu_picture(picaflor_gpu *gpu, uint32_t screen, uint8_t *rgb, size_t capacity,
                                     uint32_t *width, uint32_t *height);

/* The displays show a new picture. Only recordings take note of it. Threads: one at a time. */
picaflor_status picaflor_gpu_frame_end(picaflor_gpu *gpu);

/* What the guest did wrong since the last call: at most 64 faults are kept, *count says how many there were. Hands
 * over as many as `capacity` allows and forgets them all. Threads: one at a time. */
picaflor_status picaflor_gpu_take_faults(picaflor_gpu *gpu, picaflor_fault *faults, size_t capacity, size_t *count);

typedef struct picaflor_gpu_stats {
    size_t size;
    uint64_t vertices;            /* that entered primitive assembly */
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

/* Bytes that the library hands over. */
typedef struct picaflor_buffer picaflor_buffer;

/* The bytes, which stay until the buffer is destroyed; NULL for NULL. Threads: any. */
const uint8_t *picaflor_buffer_data(const picaflor_buffer *buffer);

/* Their number; 0 for NULL. Threads: any. */
size_t picaflor_buffer_size(const picaflor_buffer *buffer);

/* Nothing happens to NULL. */
picaflor_status picaflor_buffer_destroy(picaflor_buffer *buffer);

/* The state of the machine, guest memory apart, for saved games. *state is NULL after a failure. Threads: one at a
 * time. */
picaflor_status picaflor_gpu_save(picaflor_gpu *gpu, picaflor_buffer **state);

/* Puts back a state. PICAFLOR_ERROR_FORMAT, and nothing has changed, if it is of another version of the machine. A
 * recording under way is dropped. Threads: one at a time. */
picaflor_status picaflor_gpu_load(picaflor_gpu *gpu, const uint8_t *bytes, size_t length);

/* A range of physical addresses. This structure does not grow. */
typedef struct picaflor_range {
    uint32_t address;
    uint32_t length;
} picaflor_range;

/* Records from now on everything that the machine is made to do, and the memory that it reads. `ranges` are the
 * blocks of memory that the host maps, at most PICAFLOR_MAX_REGIONS, and while it is recorded the machine reaches
 * nothing else; none: the registered regions. A recording under way is dropped. Threads: one at a time. */
picaflor_status picaflor_gpu_start_recording(picaflor_gpu *gpu, const picaflor_range *ranges, size_t count);

/* Ends a recording and hands over the capture, a file that the `picaflor` command line replays and compares.
 * *capture is NULL after a failure. Threads: one at a time. */
picaflor_status picaflor_gpu_stop_recording(picaflor_gpu *gpu, picaflor_buffer **capture);

/* The same into a file, which is written whole or not at all. After PICAFLOR_ERROR_IO the recording is lost.
 * Threads: one at a time. */
picaflor_status picaflor_gpu_stop_recording_to(picaflor_gpu *gpu, const char *path);

/* ---------------------------------------------------------------- the PSP's machine */

/* The GE from display lists to guest memory, and the queue of lists that the console's system software keeps: its
 * calls (sceGe...) are functions here. Addresses are those of the console; mirrors of VRAM are resolved before the
 * host's memory is asked. picaflor_memory has VRAM at 0x04000000, 2 MiB in one piece, and main memory from 0x08000000
 * on; what the GE writes is told to `written` when the function that did it returns.
 *
 * Nothing runs between calls. After each call that may have given the GE something to do (enqueue, update_stall,
 * dequeue, break, continue, acknowledge), a host calls picaflor_ge_run, and then has the guest's handlers called for
 * every interrupt of picaflor_ge_next_interrupt. */
typedef struct picaflor_ge picaflor_ge;

/* How much a guest may ask for. 0 is the default everywhere, which real software stays far below. What is beyond in a
 * draw is a fault, in a run PICAFLOR_ERROR_LIST. */
typedef struct picaflor_ge_limits {
    size_t size;
    uint32_t vertices;     /* of one draw, those that patches are divided into included */
    uint32_t commands;     /* of one run, over all lists and jumps */
    uint64_t pixels;       /* in the bounds of the primitives of one draw */
    uint64_t run_vertices; /* of one run */
    uint64_t run_pixels;   /* of one run */
    uint64_t run_bytes;    /* that block transfers move in one run */
} picaflor_ge_limits;

typedef struct picaflor_ge_config {
    size_t size;
    const picaflor_memory *memory;    /* copied; what it points to has to stay */
    const picaflor_ge_limits *limits; /* NULL: all defaults */
    uint32_t sdk;                     /* see picaflor_ge_set_sdk */
    uint32_t threads;                 /* see picaflor_ge_set_threads; 0: 1 */
} picaflor_ge_config;

/* A machine before its first list. It keeps the engine alive; machines may share one, of both kinds, but not at the
 * same time: PICAFLOR_ERROR_BUSY. *ge is NULL after a failure. Threads: any. */
picaflor_status picaflor_ge_create(picaflor_engine *engine, const picaflor_ge_config *config, picaflor_ge **ge);

/* Nothing happens to NULL. PICAFLOR_ERROR_BUSY: it is in use and still there. */
picaflor_status picaflor_ge_destroy(picaflor_ge *ge);

/* Another engine from now on. Threads: one at a time. */
picaflor_status picaflor_ge_set_engine(picaflor_ge *ge, picaflor_engine *engine);

/* Other memory from now on. Threads: one at a time. */
picaflor_status picaflor_ge_set_memory(picaflor_ge *ge, const picaflor_memory *memory);

/* On how many threads pixels are drawn, at most PICAFLOR_MAX_THREADS; 0 counts as 1. Results do not depend on it.
 * Threads are started by a run that has work for them and end with it. Threads: one at a time. */
picaflor_status picaflor_ge_set_threads(picaflor_ge *ge, uint32_t threads);

/* The version of the SDK that the program says it was made with, as 0x06060010; 0 if it does not. System software
 * answers by it. Threads: one at a time. */
picaflor_status picaflor_ge_set_sdk(picaflor_ge *ge, uint32_t sdk);

/* ---------------------------------------------------------------- its display lists
 *
 * `answer` is what the system call answers: a number, or from 0x80000000 on why it refuses, which the guest gets and
 * which is no error: PICAFLOR_OK. It is 0 after a failure. */

/* What a guest gives with a list. */
typedef struct picaflor_ge_list {
    size_t size;
    uint32_t address;        /* where it begins */
    uint32_t stall;          /* where it waits until picaflor_ge_update_stall moves that; 0: nowhere */
    int32_t callback;        /* the number whose handlers are called; below 0: nobody's */
    uint32_t at_head;        /* 1: before all others, the first of which has to be paused (EnQueueHead) */
    uint32_t arguments_size; /* the guest's structure of arguments: its size, ... */
    uint32_t context;        /* ... where to keep the state of the machine meanwhile, or 0, ... */
    uint32_t stack_depth;    /* ... and, from a size of 16 on, the stack for calls: its depth ... */
    uint32_t stack;          /* ... and address */
} picaflor_ge_list;

/* Appends a list; answers its number, which the others take. Threads: one at a time. */
picaflor_status picaflor_ge_enqueue(picaflor_ge *ge, const picaflor_ge_list *list, uint32_t *answer);

/* Moves the stall address of a list; 0: nowhere. Answers 0. Threads: one at a time. */
picaflor_status picaflor_ge_update_stall(picaflor_ge *ge, uint32_t list, uint32_t stall, uint32_t *answer);

/* What lists and all of them together are doing. */
enum {
    PICAFLOR_GE_LIST_COMPLETED = 0,
    PICAFLOR_GE_LIST_QUEUED = 1,
    PICAFLOR_GE_LIST_DRAWING = 2,
    PICAFLOR_GE_LIST_STALLING = 3,
    PICAFLOR_GE_LIST_PAUSED = 4
};

/* Answers what a list is doing. To wait until it is done is the host's. Threads: one at a time. */
picaflor_status picaflor_ge_list_sync(picaflor_ge *ge, uint32_t list, uint32_t *answer);

/* Answers what all lists together are doing: COMPLETED, DRAWING or STALLING. Threads: one at a time. */
picaflor_status picaflor_ge_draw_sync(picaflor_ge *ge, uint32_t *answer);

/* A guest has waited until all lists were done: numbers of completed lists are not valid any more. Threads: one at a
 * time. */
picaflor_status picaflor_ge_forget_completed(picaflor_ge *ge);

/* Takes away a list that is not being executed. Answers 0. Threads: one at a time. */
picaflor_status picaflor_ge_dequeue(picaflor_ge *ge, uint32_t list, uint32_t *answer);

/* Mode 0: pauses the first list, answers its number. Mode 1: throws all away, answers 0. Threads: one at a time. */
picaflor_status picaflor_ge_break(picaflor_ge *ge, uint32_t mode, uint32_t *answer);

/* Has a paused list go on. Answers 0. Threads: one at a time. */
picaflor_status picaflor_ge_continue(picaflor_ge *ge, uint32_t *answer);

/* Writes the state of the machine as a context block of 2048 bytes. Answers 0. Threads: one at a time. */
picaflor_status picaflor_ge_save_context(picaflor_ge *ge, uint32_t address, uint32_t *answer);

/* Takes the state from one. Answers 0. Threads: one at a time. */
picaflor_status picaflor_ge_restore_context(picaflor_ge *ge, uint32_t address, uint32_t *answer);

/* Has mirrors of VRAM wired otherwise: 0, 0x200, 0x400 (as it is at first), 0x800 or 0x1000. Answers the value before
 * (SetAddrTranslation). Threads: one at a time. */
picaflor_status picaflor_ge_set_translation(picaflor_ge *ge, uint32_t value, uint32_t *answer);

/* Why lists do not go on. */
enum {
    PICAFLOR_GE_IDLE = 0,      /* there are none */
    PICAFLOR_GE_STALLED = 1,   /* the first one waits for its stall address to move */
    PICAFLOR_GE_PAUSED = 2,    /* it waits to be continued */
    PICAFLOR_GE_INTERRUPT = 3, /* it waits until a handler was called, or very many are to be called */
    PICAFLOR_GE_STUCK = 4      /* it only goes away, by a break of mode 1: it was given up, or sent an unknown signal */
};

/* Runs lists as long as they go on, and says why they do not, PICAFLOR_GE_..., and which is the first; both may be
 * NULL. PICAFLOR_ERROR_LIST: a list cannot be read, or the run did more than the limits allow; what was done stays
 * done, and the list is stuck. Threads: one at a time. */
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
    uint32_t callback; /* the number that it was enqueued with */
    uint32_t token;    /* what the signal or the end carries */
    uint32_t pc;       /* where the list is */
} picaflor_ge_interrupt;

/* The next handler to call; of kind NONE if there is none, and after a failure. When the handler has returned, it is
 * to be acknowledged. Threads: one at a time. */
picaflor_status picaflor_ge_next_interrupt(picaflor_ge *ge, picaflor_ge_interrupt *interrupt);

/* A handler has returned: a list that waited for it goes on. `kind` and `list` are those of the interrupt. Threads:
 * one at a time. */
picaflor_status picaflor_ge_acknowledge(picaflor_ge *ge, uint32_t kind, uint32_t list);

/* ---------------------------------------------------------------- what the CPU reads of it */

#define PICAFLOR_GE_CLUT_BYTES 1024
#define PICAFLOR_GE_WIDTH 480
#define PICAFLOR_GE_HEIGHT 272
#define PICAFLOR_GE_PICTURE_BYTES 391680 /* red, green and blue of each pixel */

/* The last word of a command, 0-255, that was executed (GetCmd). *word is 0 after a failure. Threads: one at a time. */
picaflor_status picaflor_ge_read_command(picaflor_ge *ge, uint32_t command, uint32_t *word);

/* The elements of a matrix, arguments of 24 bits: 0-7 bones, 8 world, 9 view, 10 projection, 11 texture (GetMtx).
 * The projection has 16, the others 12; PICAFLOR_ERROR_SIZE if there is no room for them. Threads: one at a time. */
picaflor_status picaflor_ge_read_matrix(picaflor_ge *ge, uint32_t number, uint32_t *elements, size_t capacity);

/* The colour table, PICAFLOR_GE_CLUT_BYTES; PICAFLOR_ERROR_SIZE if there is no room for it. Threads: one at a time. */
picaflor_status picaflor_ge_read_clut(picaflor_ge *ge, uint8_t *bytes, size_t capacity);

/* What the screen shows of a buffer: its first pixel, pixels from row to row, and format 0-3 (5650, 5551, 4444, 8888).
 * PICAFLOR_GE_PICTURE_BYTES, row by row from the top; PICAFLOR_ERROR_SIZE if there is no room. What is not mapped is
 * black. Threads: one at a time. */
picaflor_status picaflor_ge_picture(picaflor_ge *ge, uint32_t address, uint32_t stride, uint32_t format, uint8_t *rgb,
                                    size_t capacity);

/* The screen shows this buffer from now on. Only recordings take note of it. Threads: one at a time. */
picaflor_status picaflor_ge_frame_end(picaflor_ge *ge, uint32_t address, uint32_t stride, uint32_t format);

/* As picaflor_gpu_take_faults; in `at`, registers are commands. Threads: one at a time. */
picaflor_status picaflor_ge_take_faults(picaflor_ge *ge, picaflor_fault *faults, size_t capacity, size_t *count);

typedef struct picaflor_ge_stats {
    size_t size;
    uint64_t runs;        /* pieces of lists, from one stop to the next */
    uint64_t commands;
    uint64_t draws;       /* commands that drew something */
    uint64_t vertices;    /* that entered primitive assembly, and those tested by BBOX */
    uint64_t primitives;  /* that went to the rasterizer */
    uint64_t pixels;      /* in their bounds */
    uint64_t covered;     /* pixels covered */
    uint64_t transfers;   /* block transfers */
    uint64_t transferred; /* bytes that they moved */
} picaflor_ge_stats;

/* Counters, which are part of the state. Set stats->size. Threads: one at a time. */
picaflor_status picaflor_ge_get_stats(picaflor_ge *ge, picaflor_ge_stats *stats);

/* ---------------------------------------------------------------- its snapshots and recordings */

/* The state of the machine and its lists, guest memory apart. *state is NULL after a failure. Threads: one at a
 * time. */
picaflor_status picaflor_ge_save(picaflor_ge *ge, picaflor_buffer **state);

/* Puts back a state. PICAFLOR_ERROR_FORMAT, and nothing has changed, if it is of another version of the machine. A
 * recording under way goes on. Threads: one at a time. */
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
