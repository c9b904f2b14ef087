#ifndef HBM_C_H
#define HBM_C_H

/* The C interface to the memory managers of hbm, for C99 and later, and languages that call C. Compile hbm/c.cpp and
 * hbm/explain.cpp as C++20 and link them, or link the CMake target hbm::c.
 *
 * Offsets and sizes are bytes. A manager is used by one thread at a time; managers share nothing.
 *
 * Arguments: each call accepts null pointers, stale handles (the buffer or program is gone), foreign handles (of
 * another manager), forged handles, and any number. It then returns an error, changes nothing, and writes no result.
 * Requires: pointers other than null are valid, arrays have the length of their count, strings end in a zero.
 * A destroyed manager is recognised while its memory is unused, but do not rely on it.
 *
 * Structs that begin with `struct_size` may grow: it is `sizeof` the struct in the caller's header. A newer library
 * accepts the shorter struct; an older library rejects the longer one. A field of zero is the default, unless stated:
 * `hbm_spec spec = {.struct_size = sizeof spec};` in C, `hbm_spec spec{}; spec.struct_size = sizeof spec;` in C++.
 *
 * Texts are written as by snprintf: at most `size` bytes with the final zero; returns the length of the whole text
 * without the zero. The buffer may be null if `size` is 0.
 *
 * If the host cannot allocate metadata, the program terminates. */

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* -- errors -------------------------------------------------------------------------------------------------------- */

/* The errors of calls. The numbers are stable. Below 100: the errors of hbm/core/error.hpp. */
typedef enum hbm_error {
    HBM_OK = 0,
    HBM_ERROR_BUFFER_DOES_NOT_FIT = 1,
    HBM_ERROR_CODE_DOES_NOT_FIT = 2,
    HBM_ERROR_SCRATCH_DOES_NOT_FIT = 3,
    HBM_ERROR_RANGE_IS_TAKEN = 4,
    HBM_ERROR_SIZE_TOO_LARGE = 5,
    HBM_ERROR_NEGATIVE_SIZE = 6,
    HBM_ERROR_BAD_ALIGNMENT = 7,
    HBM_ERROR_BAD_QUANTUM = 8,
    HBM_ERROR_BOUNCE_TOO_LARGE = 9,
    HBM_ERROR_TOO_MANY_QUANTA = 10,
    HBM_ERROR_TOP_TOO_LARGE = 11,
    HBM_ERROR_NO_DEVICES = 12,
    HBM_ERROR_WRONG_SHARES = 13,
    HBM_ERROR_STALE_HANDLE = 14,
    HBM_ERROR_FOREIGN_HANDLE = 15,
    HBM_ERROR_WRONG_KIND = 16,
    HBM_ERROR_NOT_PINNED = 17,
    HBM_ERROR_TOO_MANY_PINS = 18,
    HBM_ERROR_DONATED_TWICE = 19,
    HBM_ERROR_DONATED_AND_USED = 20,
    HBM_ERROR_BAD_ARGUMENT = 21,
    HBM_ERROR_KEPT_TWICE = 22,
    HBM_ERROR_DONOR_IS_REFERENCED = 23,
    HBM_ERROR_ALIAS_NOT_DONATED = 24,
    HBM_ERROR_ALIAS_TWICE = 25,
    HBM_ERROR_ALIAS_NEVER_TAKEN = 26,
    HBM_ERROR_ALIAS_OF_OTHER_SIZE = 27,
    HBM_ERROR_UNKNOWN_FENCE = 28,
    HBM_ERROR_DEVICE_FAILED = 29, /* buffers that had moved stay moved, and a move may be pending;
                                     see hbm_finish_moves. All other errors leave the memory unchanged */
    HBM_ERROR_UNKNOWN_STREAM = 30, /* managers of C have one stream: no call returns it */

    HBM_ERROR_NULL_POINTER = 100,  /* a required pointer is null */
    HBM_ERROR_BAD_MANAGER = 101,   /* the manager is null, destroyed or invalid */
    HBM_ERROR_BAD_STRUCT = 102,    /* struct_size is smaller than that of any version, or larger than the library's */
    HBM_ERROR_UNKNOWN_NAME = 103,  /* no manager or generation has this name */
    HBM_ERROR_BAD_VALUE = 104,     /* a number is not in its enumeration */
    HBM_ERROR_TOO_MANY = 105,      /* a list of a run is longer than HBM_MAX_ARGUMENTS */
    HBM_ERROR_IN_CALLBACK = 106,   /* the manager was called from its own callback */
    HBM_ERROR_NOT_SUPPORTED = 107, /* this manager lacks the operation */
    HBM_ERROR_NO_CAPACITY = 108    /* top_reserved leaves no capacity */
} hbm_error;

/* Returns an error as a sentence; never null. For the figures see hbm_last_message. */
const char* hbm_error_message(unsigned error);
/* Returns the name of the enumerator, such as "HBM_OK", or "unknown". */
const char* hbm_error_name(unsigned error);

/* The version of this header, and of the linked library, which must not be smaller. */
#define HBM_C_VERSION 1
int hbm_c_version(void);

/* -- handles ------------------------------------------------------------------------------------------------------- */

/* Handles of buffers, programs and fences: values to copy and compare, not to change. All zero is an invalid buffer or
 * program, and a fence that is reached. */
typedef struct hbm_buffer {
    uint32_t index; /* stable while the buffer lives, even if it moves */
    uint32_t generation;
    uint32_t salt;
    uint32_t kind;
} hbm_buffer;
typedef struct hbm_program {
    uint32_t index;
    uint32_t generation;
    uint32_t salt;
    uint32_t kind;
} hbm_program;
/* The end of a run. A device reaches the fences of a manager in the order of their numbers. */
typedef struct hbm_fence {
    uint64_t number;
    uint32_t salt;
    uint32_t kind;
} hbm_fence;

typedef struct hbm_extent {
    uint64_t offset;
    uint64_t size;
} hbm_extent;

/* -- callbacks ----------------------------------------------------------------------------------------------------- */

typedef enum hbm_event_kind {
    HBM_EVENT_ALLOCATED = 1,  /* a buffer */
    HBM_EVENT_FREED = 2,      /* a buffer, whose handle has ended */
    HBM_EVENT_DEFERRED = 3,   /* a buffer in use was freed; its memory returns with RETIRED */
    HBM_EVENT_RETIRED = 4,    /* such a free took effect */
    HBM_EVENT_DONATED = 5,    /* an output, `buffer`, took over an input and returned `from` bytes of it */
    HBM_EVENT_LOADED = 6,     /* a program; `where` is its code, `from` the size of its scratch */
    HBM_EVENT_RELOADED = 7,   /* fields as for LOADED */
    HBM_EVENT_EVICTED = 8,    /* fields as for LOADED */
    HBM_EVENT_UNLOADED = 9,   /* fields as for LOADED */
    HBM_EVENT_RESERVED = 10,  /* the reservation at the bottom is now `where`; `from`: its size before */
    HBM_EVENT_MOVED = 11,     /* a buffer, or the code or scratch of a program; `from`: its offset before */
    HBM_EVENT_PARTED = 12,    /* a move stopped in the middle; `where` is both places, `from` the offset before */
    HBM_EVENT_RAN = 13,       /* a program; `from`: the number of its fence */
    HBM_EVENT_REACHED = 14,   /* runs are over; `from`: the number of the last fence */
    HBM_EVENT_THRASHING = 15, /* two programs evict each other repeatedly: `program`, and that in slot `from` */
    HBM_EVENT_FAILED = 16,    /* a call failed; `error`, and `where.size` are the requested bytes */
    HBM_EVENT_TRIMMED = 17,   /* an output, `buffer`, returned `from` bytes of its input once no run used them */
    HBM_EVENT_BEGUN = 18,     /* a move began that takes time, to `where`, from the offset `from` */
    HBM_EVENT_STAYED = 19     /* such a move ended without effect; `where` is free again */
} hbm_event_kind;

/* An event of a manager. `label` is valid during the callback. `buffer` and `program` are zero unless they are the
 * subject and their handle is valid. `index` is that of the subject, even if it is gone. */
typedef struct hbm_event {
    size_t struct_size;
    uint32_t kind;  /* hbm_event_kind; further kinds may come */
    uint32_t error; /* hbm_error */
    const char* label;
    hbm_buffer buffer;
    hbm_program program;
    hbm_extent where;
    uint64_t from;
    uint32_t index;
    uint32_t is_scratch; /* 1 if the scratch of `program` has moved, 0 if its code or a buffer has */
} hbm_event;

/* Receives an event. Callbacks must not throw or longjmp; calls of the same manager fail with HBM_ERROR_IN_CALLBACK. */
typedef void (*hbm_event_function)(void* user, const hbm_event* event);
/* Copies bytes of a block that moves, between ranges that do not overlap. Returns nonzero if all were copied; otherwise
 * `from` must be unchanged, `to` may be anything. */
typedef int (*hbm_copy_function)(void* user, uint64_t to, uint64_t from, uint64_t bytes);

/* -- managers ------------------------------------------------------------------------------------------------------ */

typedef struct hbm_manager hbm_manager;

/* The memory of a device. */
typedef struct hbm_spec {
    size_t struct_size;
    const char* name;          /* copied */
    uint64_t capacity;         /* usable bytes; rounded down to the quantum */
    uint64_t quantum;          /* unit of sizes and offsets; a power of two; 512 by default */
    uint64_t bandwidth;        /* bytes per second; with the next two, the price of relief */
    uint64_t host_link;        /* bytes per second, for reloads */
    uint64_t copy_nanoseconds; /* fixed cost of a copy; 2,000 by default */
    uint64_t top_reserved;     /* bytes at the top of the capacity that the manager does not use */
    uint64_t bounce;           /* the first of these bytes, a temporary place for moves */
    uint32_t scratch_percent;  /* limit of a program's scratch, of the capacity; 100 by default */
    uint32_t runs_in_flight;   /* runs that may be in flight when a call returns. A call never waits for the device: if
                                  it needs memory of a run in flight, it reports HBM_EVENT_REACHED and uses it.
                                  Block in on_event, or first make the call on a fork: see hbm_fork */
    hbm_event_function on_event; /* or null */
    hbm_copy_function copy;      /* null: nothing is copied */
    void* user;                  /* passed to both */
    uint32_t salt;               /* in all handles, to recognise foreign ones; by default from time and address;
                                    must differ between managers */
    uint32_t reserved;
} hbm_spec;

/* Sets name, capacity and bandwidth to those of a TPU's device: "v2" to "v4", "v5e", "v5p", "v6e", "7x". */
hbm_error hbm_spec_of_generation(const char* generation, hbm_spec* spec);
/* Returns the name of generation `at`, from 0 on; null after the last. */
const char* hbm_generation_name(size_t at);

/* Returns the name of manager `at`, from 0 on; null after the last. */
const char* hbm_manager_name(size_t at);

/* Creates a manager by its name or a short name: "tpu" for the manager of README.md, "tpu::runtime_memory", "xla_bfc",
 * "best_fit", "buddy". It counts quanta in 64 bits. Returns null if that fails; sets `why` in either case, unless it is
 * null. */
hbm_manager* hbm_create(const char* name, const hbm_spec* spec, hbm_error* why);
/* Creates a copy without callbacks, to try a call: both accept the other's handles, but never pass a handle that the
 * fork made to the original. A call that would wait for runs in flight changes hbm_reached of the fork: reach that
 * fence, hbm_retire it, and then make the call. Returns null for an invalid manager; sets `why`, unless it is null.
 * Cost: O(blocks + programs). */
hbm_manager* hbm_fork(const hbm_manager* manager, hbm_error* why);
/* Extends the memory at its top to `capacity` usable bytes, as hbm_get_statistics returns them: without top_reserved,
 * which follows them. HBM_ERROR_NOT_SUPPORTED if the manager cannot; HBM_ERROR_BAD_VALUE if that is not larger, or too
 * large. Requires: the device has these bytes and top_reserved. */
hbm_error hbm_extend(hbm_manager* manager, uint64_t capacity);
/* Destroys a manager; its handles end. Null is valid and has no effect. */
hbm_error hbm_destroy(hbm_manager* manager);
/* Returns the full name of a manager, valid as long as the manager; null if it is invalid. */
const char* hbm_name(const hbm_manager* manager);

/* -- buffers ------------------------------------------------------------------------------------------------------- */

/* Allocates a buffer; to make room, programs may be evicted and buffers may move, as the manager's policies choose.
 * `bytes` is rounded up, to at least one quantum; `alignment` is 0 or a power of two; `label` is a name, or null. */
hbm_error hbm_allocate(hbm_manager* manager, uint64_t bytes, uint64_t alignment, const char* label, hbm_buffer* buffer);

/* Hints of a request: the preferred end of memory, and how long the buffer lives. */
typedef enum hbm_side { HBM_SIDE_ANY = 0, HBM_SIDE_LOW = 1, HBM_SIDE_HIGH = 2 } hbm_side;
typedef enum hbm_lifetime { HBM_LIFETIME_UNKNOWN = 0, HBM_LIFETIME_BRIEF = 1, HBM_LIFETIME_LASTING = 2 } hbm_lifetime;

typedef struct hbm_request {
    size_t struct_size;
    uint64_t bytes;
    uint64_t alignment; /* 0 or a power of two */
    const char* label;  /* or null */
    uint32_t preferred; /* hbm_side */
    uint32_t expected;  /* hbm_lifetime */
} hbm_request;

/* Allocates a buffer, with hints. */
hbm_error hbm_allocate_request(hbm_manager* manager, const hbm_request* request, hbm_buffer* buffer);
/* Takes over a free range of whole quanta as a pinned buffer. HBM_ERROR_NOT_SUPPORTED if the manager cannot. */
hbm_error hbm_import(hbm_manager* manager, hbm_extent where, const char* label, hbm_buffer* buffer);
/* Frees a buffer. If it is pinned, or used by runs in flight, its memory returns later. */
hbm_error hbm_free(hbm_manager* manager, hbm_buffer buffer);
/* Frees a buffer that is in use until a fence is reached. */
hbm_error hbm_free_after(hbm_manager* manager, hbm_buffer buffer, hbm_fence until);
/* Pins a buffer: it is not moved or donated until it is unpinned as often; at most 4,094 times. */
hbm_error hbm_pin(hbm_manager* manager, hbm_buffer buffer);
hbm_error hbm_unpin(hbm_manager* manager, hbm_buffer buffer);

/* Returns HBM_OK if a handle is valid, or the error that any call would return. */
hbm_error hbm_check_buffer(const hbm_manager* manager, hbm_buffer buffer);
hbm_error hbm_check_program(const hbm_manager* manager, hbm_program program);
/* Sets `where` to the present range of a buffer. */
hbm_error hbm_where(const hbm_manager* manager, hbm_buffer buffer, hbm_extent* where);
/* Sets `pieces` to the ranges of a buffer's bytes, in order: one, but two or three during an interrupted move. */
hbm_error hbm_pieces(const hbm_manager* manager, hbm_buffer buffer, hbm_extent pieces[3], size_t* count);

/* -- programs ------------------------------------------------------------------------------------------------------ */

typedef struct hbm_program_spec {
    size_t struct_size;
    const char* name;   /* or null */
    uint64_t code;      /* code and constants, placed like a buffer */
    uint64_t scratch;   /* needed while it runs */
    uint64_t reload_us; /* microseconds of a reload; by default from the size and the host link */
} hbm_program_spec;

/* Loads a program: code and scratch, both or nothing. */
hbm_error hbm_load(hbm_manager* manager, const hbm_program_spec* spec, hbm_program* program);
/* Reloads a program that was evicted, or unloaded for now. No effect if it is in memory. */
hbm_error hbm_reload(hbm_manager* manager, hbm_program program);
/* Evicts a program once its runs are over; its handle stays valid. */
hbm_error hbm_evict(hbm_manager* manager, hbm_program program);
/* Unloads a program that is not needed for now, like an eviction, but not counted as one. */
hbm_error hbm_unload_for_now(hbm_manager* manager, hbm_program program);
/* Unloads a program once its runs are over; its handle ends. */
hbm_error hbm_unload(hbm_manager* manager, hbm_program program);
/* Sets `loaded` to 1 if a program is in memory, else to 0. */
hbm_error hbm_is_loaded(const hbm_manager* manager, hbm_program program, int* loaded);

/* -- runs ---------------------------------------------------------------------------------------------------------- */

/* The limit of a run's lists. */
#define HBM_MAX_ARGUMENTS 1048576

/* The binding of an output to a donated input, its partner. */
typedef enum hbm_alias {
    HBM_ALIAS_ANY = 0, /* no partner: it may take over any input, as the donation policy decides */
    HBM_ALIAS_MAY = 1, /* it takes over its partner if it can, and is allocated otherwise */
    HBM_ALIAS_MUST = 2 /* it takes over its partner, or the run fails */
} hbm_alias;

typedef struct hbm_output {
    uint64_t bytes;
    const char* label; /* or null: that of the input that it takes over */
    uint32_t alias;    /* hbm_alias */
    uint32_t partner;  /* an index of `donated` */
} hbm_output;

/* A run. An array may be null if its count is 0. A buffer may be an input several times, but not both input and
 * donated. */
typedef struct hbm_run_spec {
    size_t struct_size;
    const hbm_buffer* inputs;
    size_t input_count;
    const hbm_buffer* donated; /* freed, or taken over by outputs */
    size_t donated_count;
    const uint32_t* kept; /* indices in `donated` of buffers that the run only reads */
    size_t kept_count;
    const hbm_output* outputs;
    size_t output_count;
    uint64_t run_us; /* microseconds of the run: the price of waiting for it */
    uint32_t arguments_may_move; /* 1: relief may move the arguments before the run; read their addresses after it */
} hbm_run_spec;

/* The index of an output that took over no input. */
#define HBM_NO_DONOR UINT32_MAX

typedef struct hbm_run_result {
    size_t struct_size;
    uint32_t* donors;  /* set by the caller: null, or an array of `output_count` numbers, for the donated input
                          that each output took over, or HBM_NO_DONOR */
    hbm_fence over;    /* reached when the run is over */
    uint32_t donated;  /* count of outputs that took over an input */
    uint32_t reloaded; /* 1 if the program was reloaded, else 0 */
} hbm_run_result;

/* Runs a program, and reloads it first if it was evicted; all or nothing. `outputs` is an array of `output_count`
 * handles, and may be one of the arrays of `spec`. `result` may be null. */
hbm_error hbm_run(hbm_manager* manager, hbm_program program, const hbm_run_spec* spec, hbm_buffer* outputs,
                  hbm_run_result* result);

/* -- time and relief ----------------------------------------------------------------------------------------------- */

/* Return the fence of the latest run, and of the latest run that is over. */
hbm_error hbm_issued(const hbm_manager* manager, hbm_fence* fence);
hbm_error hbm_reached(const hbm_manager* manager, hbm_fence* fence);
/* Marks a fence as reached: the runs up to it are over, and frees take effect. */
hbm_error hbm_retire(hbm_manager* manager, hbm_fence upto);
/* Marks all runs as over; all frees take effect. */
hbm_error hbm_sync(hbm_manager* manager);

typedef enum hbm_step_kind {
    HBM_STEP_WAIT = 0,  /* until the fence of number `to` is reached */
    HBM_STEP_EVICT = 1, /* the program in slot `index`, of generation `from`, with `bytes` of code */
    HBM_STEP_MOVE = 2   /* the block `index` of `bytes` from offset `from` to offset `to` */
} hbm_step_kind;

/* A step of relief. `nanoseconds` is its modelled cost. */
typedef struct hbm_step {
    uint32_t kind; /* hbm_step_kind */
    uint32_t index;
    uint64_t from, to, bytes, nanoseconds;
} hbm_step;

/* Plans relief for a request: sets `count` to the number of steps, and writes at most `size` of them. No steps if the
 * request fits. HBM_ERROR_BUFFER_DOES_NOT_FIT if there is no plan. Changes nothing. Cost: that of a refused call. */
hbm_error hbm_plan(const hbm_manager* manager, const hbm_request* request, hbm_step* steps, size_t size, size_t* count);
/* Carries out steps, those of hbm_plan or your own. Fields that the kind does not name are ignored.
 * If a step is impossible now: HBM_ERROR_RANGE_IS_TAKEN for a move, always by managers that move nothing,
 * HBM_ERROR_STALE_HANDLE for an eviction, HBM_ERROR_UNKNOWN_FENCE for a wait; without effect. */
hbm_error hbm_relieve(hbm_manager* manager, const hbm_step* steps, size_t count);
/* Finishes the interrupted move, if there is one. */
hbm_error hbm_finish_moves(hbm_manager* manager);
/* Moves at most `budget` bytes to merge holes, for idle time. Sets `remaining`, unless null, to the bytes left to move.
 * HBM_ERROR_NOT_SUPPORTED if the manager may not move blocks. */
hbm_error hbm_compact(hbm_manager* manager, uint64_t budget, uint64_t* remaining);

/* -- views --------------------------------------------------------------------------------------------------------- */

typedef enum hbm_block_kind {
    HBM_BLOCK_HOLE = 0,        /* free */
    HBM_BLOCK_BUFFER = 1,      /* `buffer` is valid */
    HBM_BLOCK_CODE = 2,        /* code and constants of `program` */
    HBM_BLOCK_SCRATCH = 3,     /* scratch of `program` */
    HBM_BLOCK_RESERVATION = 4, /* scratch reserved at the bottom */
    HBM_BLOCK_DEFERRED = 5,    /* a buffer that was freed while pinned or in use; its memory returns later */
    HBM_BLOCK_ARRIVING = 6     /* the target of a move that has begun */
} hbm_block_kind;

/* A block or a hole. */
typedef struct hbm_block {
    size_t struct_size;
    uint32_t kind;       /* hbm_block_kind; further kinds may come */
    uint32_t pins;       /* count of pins */
    uint32_t holds;      /* count of runs in flight that use it */
    uint32_t index;      /* of a block, for hbm_step */
    hbm_extent where;    /* the occupied range */
    uint64_t granted;    /* the requested size, rounded up to the quantum; 0 for a hole */
    const char* label;   /* valid until the next call */
    hbm_buffer buffer;   /* zero unless a buffer */
    hbm_program program; /* zero unless code or scratch */
} hbm_block;

/* Receives a block; returns nonzero to go on. Calls of the same manager fail with HBM_ERROR_IN_CALLBACK. */
typedef int (*hbm_block_function)(void* user, const hbm_block* block);
/* Calls `visit` for all blocks and holes in address order, until it returns 0. Cost: O(blocks). */
hbm_error hbm_visit_blocks(const hbm_manager* manager, hbm_block_function visit, void* user);
/* Describes the block of a buffer. Cost: O(1). */
hbm_error hbm_about_buffer(const hbm_manager* manager, hbm_buffer buffer, hbm_block* block);

typedef struct hbm_statistics {
    size_t struct_size;
    uint64_t capacity, free_bytes, largest_free; /* largest_free: the longest contiguous free run */
    uint64_t live, peak_live;                    /* sum of granted bytes, and its peak */
    uint64_t reserved, reservable;               /* scratch at the bottom, and its possible growth without relief */
    uint64_t relieved;                           /* calls that succeeded only through relief */
    uint64_t evictions, evicted_bytes, thrashing;
    uint64_t reloads, reload_nanoseconds;
    uint64_t moves, copies, moved_bytes, move_nanoseconds;
    uint64_t waits, wait_nanoseconds;
    uint64_t spilled_runs, spill_nanoseconds;
    uint64_t donations_offered, donations_kept, donations_taken, donated_bytes;
} hbm_statistics;

/* Returns the figures of a manager. Times are modelled. Cost: that of the placement's largest free run. */
hbm_error hbm_get_statistics(const hbm_manager* manager, hbm_statistics* statistics);

/* Returns the message of the latest call, with its figures, as the TPU runtime prints it; "OK" if it succeeded. Calls
 * that take a const manager do not count. */
size_t hbm_last_message(const hbm_manager* manager, char* text, size_t size);
/* Explains why the latest call failed, and what would help, in several lines. Cost: some dozens of plans. */
size_t hbm_explain(const hbm_manager* manager, char* text, size_t size);
/* Returns the contents of memory, for a log. Cost: O(blocks log blocks). */
size_t hbm_dump(const hbm_manager* manager, char* text, size_t size);

#ifdef __cplusplus
}
#endif

#endif
