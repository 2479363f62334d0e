/* Lets one call of the system's library fail. PICAFLOR_FAULT has its name and number, as "open64:3"; PICAFLOR_FAULT_COUNTS
 * names a file that receives how often each was called. Loaded before the C library, by LD_PRELOAD. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef struct call {
    const char *name;
    atomic_int count;
} call;

/* The calls that are known, filled in before the program starts. */
static call *calls[32];
static int known;

static int strikes(call *this) {
    const char *fault = getenv("PICAFLOR_FAULT");
    int number = atomic_fetch_add(&this->count, 1) + 1;
    size_t length = strlen(this->name);
    return fault && strncmp(fault, this->name, length) == 0 && fault[length] == ':' &&
           atoi(fault + length + 1) == number;
}

/* A function that returns `failure` and sets errno to `error` when it is to fail. */
#define WRAPPED(type, name, parameters, arguments, failure, error)                                                \
    static call call_##name = {#name, 0};                                                                         \
    __attribute__((constructor)) static void known_##name(void) { calls[known++] = &call_##name; }                \
    type name parameters {                                                                                        \
        static type(*real) parameters;                                                                            \
        if (!real)                                                                                                \
            real = (type(*) parameters)dlsym(RTLD_NEXT, #name);                                                   \
        if (strikes(&call_##name)) {                                                                              \
            errno = error;                                                                                        \
            return failure;                                                                                       \
        }                                                                                                         \
        return real arguments;                                                                                    \
    }

#define PATH const char *path
WRAPPED(ssize_t, read, (int file, void *bytes, size_t length), (file, bytes, length), -1, EIO)
WRAPPED(ssize_t, write, (int file, const void *bytes, size_t length), (file, bytes, length), -1, ENOSPC)
WRAPPED(ssize_t, pread64, (int file, void *bytes, size_t length, off64_t at), (file, bytes, length, at), -1, EIO)
WRAPPED(ssize_t, pwrite64, (int file, const void *bytes, size_t length, off64_t at), (file, bytes, length, at), -1, ENOSPC)
WRAPPED(int, statx, (int folder, PATH, int flags, unsigned mask, struct statx *result), (folder, path, flags, mask, result), -1, EIO)
WRAPPED(int, mkdir, (PATH, mode_t mode), (path, mode), -1, EACCES)
WRAPPED(int, rename, (PATH, const char *to), (path, to), -1, EACCES)
WRAPPED(int, unlink, (PATH), (path), -1, EACCES)
WRAPPED(DIR *, opendir, (PATH), (path), NULL, EACCES)
WRAPPED(struct dirent64 *, readdir64, (DIR *folder), (folder), NULL, EIO)
WRAPPED(int, ftruncate64, (int file, off64_t length), (file, length), -1, ENOSPC)
WRAPPED(int, memfd_create, (const char *name, unsigned flags), (name, flags), -1, ENOSYS)
WRAPPED(int, madvise, (void *pages, size_t length, int advice), (pages, length, advice), -1, EINVAL)
WRAPPED(int, futimens, (int file, const struct timespec times[2]), (file, times), -1, EACCES)
WRAPPED(int, pthread_create, (pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument),
        (thread, attributes, start, argument), EAGAIN, EAGAIN)

static call call_open64 = {"open64", 0};
__attribute__((constructor)) static void known_open64(void) { calls[known++] = &call_open64; }
int open64(PATH, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    if (strikes(&call_open64)) {
        errno = EMFILE;
        return -1;
    }
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

/* Pages that become executable: Rust's library protects others for each thread. */
static call call_mprotect = {"mprotect", 0};
__attribute__((constructor)) static void known_mprotect(void) { calls[known++] = &call_mprotect; }
int mprotect(void *pages, size_t length, int protection) {
    if (protection & PROT_EXEC && strikes(&call_mprotect)) {
        errno = EACCES;
        return -1;
    }
    return (int)syscall(SYS_mprotect, pages, length, protection);
}

/* Mappings of files, and of pages that are shared or executable; the same of others. */
static call call_mmap64 = {"mmap64", 0};
__attribute__((constructor)) static void known_mmap64(void) { calls[known++] = &call_mmap64; }
void *mmap64(void *address, size_t length, int protection, int flags, int file, off64_t offset) {
    if ((flags & MAP_SHARED || protection & PROT_EXEC || file >= 0) && strikes(&call_mmap64)) {
        errno = ENOMEM;
        return MAP_FAILED;
    }
    return (void *)syscall(SYS_mmap, address, length, protection, flags, file, offset);
}

/* Memory in large pieces, such as a guest or a file asks for; what the C library allocates for itself is smaller. */
static call call_memory = {"memory", 0};
__attribute__((constructor)) static void known_memory(void) { calls[known++] = &call_memory; }
enum { LARGE = 64 << 10 };

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t), *__libc_memalign(size_t, size_t);

static int lacks(size_t size) {
    if (size < LARGE || !strikes(&call_memory))
        return 0;
    errno = ENOMEM;
    const char *path = getenv("PICAFLOR_FAULT_TRACE");
    int file = path ? (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND, 0600) : -1;
    if (file >= 0) {
        /* Where the allocation was asked for, for a person with addr2line. */
        void *frames[48];
        int count = backtrace(frames, 48);
        backtrace_symbols_fd(frames, count, file);
        syscall(SYS_close, file);
    }
    return 1;
}

void *malloc(size_t size) { return lacks(size) ? NULL : __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return lacks(count * size) ? NULL : __libc_calloc(count, size); }
void *realloc(void *old, size_t size) { return lacks(size) ? NULL : __libc_realloc(old, size); }
void *aligned_alloc(size_t align, size_t size) { return lacks(size) ? NULL : __libc_memalign(align, size); }
int posix_memalign(void **result, size_t align, size_t size) {
    void *pieces = lacks(size) ? NULL : __libc_memalign(align, size);
    *result = pieces;
    return pieces || !size ? 0 : ENOMEM;
}

__attribute__((destructor)) static void tell(void) {
    const char *path = getenv("PICAFLOR_FAULT_COUNTS");
    int file = path ? (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;
    for (int n = 0; file >= 0 && n < known; n++) {
        char line[64];
        int length = snprintf(line, sizeof line, "%s %d\n", calls[n]->name, atomic_load(&calls[n]->count));
        syscall(SYS_write, file, line, length);
    }
}
