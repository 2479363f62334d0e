/* For test programs, which are compiled as C99 and as C++11. */
#ifndef CHECK_H
#define CHECK_H

#include <picaflor.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Ends the program as it is: other threads may still use objects that `exit` would destroy. */
#define GIVE_UP() (fflush(stdout), _Exit(1))

#define CHECK(condition)                                                                                          \
    do {                                                                                                          \
        if (!(condition)) {                                                                                       \
            printf("%s:%d: %s; last error: %s\n", __FILE__, __LINE__, #condition, picaflor_last_error());         \
            GIVE_UP();                                                                                            \
        }                                                                                                         \
    } while (0)
#define OK(call) CHECK((call) == PICAFLOR_OK)

/* Zeros, and its size: how every structure with `size` begins. */
#define START(type, name)                                                                                         \
    type name;                                                                                                    \
    memset(&name, 0, sizeof name);                                                                                \
    name.size = sizeof name

static inline picaflor_engine *engine_of(uint32_t mode) {
    picaflor_engine *engine;
    START(picaflor_engine_config, config);
    config.mode = mode;
    OK(picaflor_engine_create(&config, &engine));
    return engine;
}

#endif
