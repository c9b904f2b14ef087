/* A program in C on a manager in C++, by the functions of memory.cpp:
   g++ -std=c++20 -I include -c examples/12_from_c/memory.cpp && gcc examples/12_from_c/main.c memory.o -lstdc++ &&
   ./a.out
 */
#include <inttypes.h>
#include <stdio.h>

#include "memory.h"

#define MIB ((uint64_t)1 << 20)
#define GIB ((uint64_t)1 << 30)

int main(void) {
    tpu_memory* const memory = tpu_create();
    tpu_buffer weights, batch, updated, next;
    tpu_program step;
    uint64_t before, after;
    if (tpu_allocate(memory, 6 * GIB, "weights", &weights) != 0) return 1;
    if (tpu_allocate(memory, 2 * GIB, "batch", &batch) != 0) return 1;
    if (tpu_load(memory, "step", 180 * MIB, 3 * GIB, &step) != 0) return 1;

    /* The new weights take over the place of the old ones. */
    if (tpu_where(memory, weights, &before) != 0) return 1;
    if (tpu_run(memory, step, weights, 6 * GIB, &updated) != 0) return 1;
    if (tpu_where(memory, updated, &after) != 0 || before != after) return 1;
    printf("the weights stay at %" PRIu64 "\n", after);

    /* What does not fit is explained; a handle that is gone is an error; a call that fails changes nothing. */
    if (tpu_allocate(memory, 9 * GIB, "next", &next) == 0) return 1;
    fputs(tpu_last_message(memory), stdout);
    if (tpu_free(memory, batch) != 0 || tpu_free(memory, batch) == 0) return 1;
    fputs(tpu_last_message(memory), stdout);

    tpu_destroy(memory);
    return 0;
}
