/* The memory manager of this program, for C. Every call returns 0 or the number of an error, and `tpu_last_message`
   says what went wrong. Add the calls that you need. */
#ifndef MEMORY_H
#define MEMORY_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tpu_memory tpu_memory;

/* Handles: numbers to pass on. One that is all zeros is a stale handle. */
typedef struct tpu_buffer {
    uint32_t numbers[3];
} tpu_buffer;
typedef struct tpu_program {
    uint32_t numbers[3];
} tpu_program;

tpu_memory* tpu_create(void);
void tpu_destroy(tpu_memory* memory);

int tpu_allocate(tpu_memory* memory, uint64_t bytes, const char* name, tpu_buffer* placed);
int tpu_free(tpu_memory* memory, tpu_buffer freed);
int tpu_where(const tpu_memory* memory, tpu_buffer placed, uint64_t* offset);
int tpu_load(tpu_memory* memory, const char* name, uint64_t code, uint64_t scratch, tpu_program* loaded);
/* Runs a program with one output, which takes over the donated buffer if it has the same size. */
int tpu_run(tpu_memory* memory, tpu_program subject, tpu_buffer donated, uint64_t bytes, tpu_buffer* output);

/* Returns what to print about the latest call that failed, valid until the next call. */
const char* tpu_last_message(tpu_memory* memory);

#ifdef __cplusplus
}
#endif

#endif
