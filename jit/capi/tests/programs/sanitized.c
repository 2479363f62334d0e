/* Shows that programs with sanitisers can be built and run here. */
#include "check.h"

int main(void) {
    CHECK(picaflor_abi_version() == PICAFLOR_ABI);
    puts("fine");
    return 0;
}
