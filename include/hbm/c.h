#ifndef HBM_C_H
#define HBM_C_H

/* The C interface: memory managers of hbm for C (C99 and later) and for whatever calls C. Compile hbm/c.cpp as C++20
 * and link it, or link the CMake target hbm::c.
 *
 * Offsets and sizes are bytes. A manager is used by one thread at a time; managers share nothing.
 *
 * Arguments. Each call takes any argument: a null pointer, a handle that is stale (its buffer or program is gone),
 * foreign (of another manager) or forged, any size, any number for an enumeration. It returns an error then, and
 * nothing has changed; what a failed call would have written is not written. What no call can check: that a pointer
 * other than null points to what it should, that an array is as long as its count says, that a string ends. A manager
 * that was destroyed, or never created, is recognised as long as its memory has not been used for something else, but
 * it must not be counted on.
 *
 * Structs. Those that begin with `struct_size` may become longer: it is `sizeof` the struct as the caller knows it. A
 * library that is newer than this header takes the shorter struct; one that is older refuses the longer struct. Where
 * nothing else is said, a field of zero means the default: `hbm_spec spec = {.struct_size = sizeof spec};` in C,
 * `hbm_spec spec{}; spec.struct_size = sizeof spec;` in C++. All other structs stay as they are.
 *
 * Texts are written into a buffer of the caller as snprintf does: at most `size` bytes with the final zero; the length
 * of the whole text without the zero is returned, whatever fits. The buffer may be null if `size` is 0.
 *
 * A host that runs out of memory ends the program. */

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* -- errors -------------------------------------------------------------------------------------------------------- */

/* Why a call failed. The numbers stay as they are. Below 100: see hbm/core/error.hpp, whose names these are. */
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
    HBM_ERROR_DEVICE_FAILED = 29, /* the only one after which something may have changed: buffers that had moved
                                     before stay moved, and a move may be pending; see hbm_finish_moves */

    HBM_ERROR_NULL_POINTER = 100, /* a pointer that is needed is null */
    HBM_ERROR_BAD_MANAGER = 101,  /* the manager is null, was destroyed, or is none */
    HBM_ERROR_BAD_STRUCT = 102, /* the struct_size is smaller than that of any version, or larger than the library's */
    HBM_ERROR_UNKNOWN_NAME = 103,  /* no manager, or no generation, has that name */
    HBM_ERROR_BAD_VALUE = 104,     /* a number is none of the enumeration */
    HBM_ERROR_TOO_MANY = 105,      /* a list of a run is longer than HBM_MAX_ARGUMENTS */
    HBM_ERROR_IN_CALLBACK = 106,   /* the manager was called from its own callback */
    HBM_ERROR_NOT_SUPPORTED = 107, /* this manager cannot do that */
    HBM_ERROR_NO_CAPACITY = 108    /* the spec of a memory has no capacity beside what is reserved at the top */
} hbm_error;

/* What an error is, in a sentence; never null, whatever the number. For the figures see hbm_last_message. */
const char* hbm_error_message(unsigned error);
/* The name of its enumerator, "HBM_OK"; "unknown" for a number that is none. */
const char* hbm_error_name(unsigned error);

/* The version of this header, and of the library that is linked; that of the library is not smaller if all is well. */
#define HBM_C_VERSION 1
int hbm_c_version(void);

/* -- handles ------------------------------------------------------------------------------------------------------- */

/* A buffer, a program, a fence. To be copied and compared, not to be changed. All zero is none: an error as a buffer or
 * program, and a fence that is reached. */
typedef struct hbm_buffer {
    uint32_t index; /* stays the same while the buffer lives, also when it moves */
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
/* Marks the end of a run. A device reaches the fences of a manager in the order of their numbers. */
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
    HBM_EVENT_FREED = 2,      /* a buffer, which has no handle any more */
    HBM_EVENT_DEFERRED = 3,   /* a buffer in use was freed; its memory returns with RETIRED */
    HBM_EVENT_RETIRED = 4,    /* such a free took effect */
    HBM_EVENT_DONATED = 5,    /* an output, `buffer`, took over an input and returned `from` bytes of it */
    HBM_EVENT_LOADED = 6,     /* a program; `where` is its code, `from` the size of its scratch */
    HBM_EVENT_RELOADED = 7,   /* the same */
    HBM_EVENT_EVICTED = 8,    /* the same */
    HBM_EVENT_UNLOADED = 9,   /* the same */
    HBM_EVENT_RESERVED = 10,  /* the reservation at the bottom is now `where`; `from`: its size before */
    HBM_EVENT_MOVED = 11,     /* a buffer, or the code or scratch of a program; `from`: its offset before */
    HBM_EVENT_PARTED = 12,    /* a move stopped in the middle; `where` is both places, `from` the offset before */
    HBM_EVENT_RAN = 13,       /* a program; `from`: the number of its fence */
    HBM_EVENT_REACHED = 14,   /* runs are over; `from`: the number of the last fence */
    HBM_EVENT_THRASHING = 15, /* two programs evict each other again and again: `program`, and that in slot `from` */
    HBM_EVENT_FAILED = 16,    /* a call failed; `error`, and `where.size` are the requested bytes */
    HBM_EVENT_TRIMMED = 17    /* an output, `buffer`, returned `from` bytes of its input once no run used them */
} hbm_event_kind;

/* Something that happened. `label` is valid during the callback. `buffer` and `program` are none where the event is
 * about something else, or where there is no handle any more. `index` is `hbm_buffer.index` of an event about a buffer,
 * even if it is gone; the index of the program if it is about a program. */
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

/* Callbacks return as functions do: neither an exception nor a longjmp may leave them. A call of the same manager from
 * within fails with HBM_ERROR_IN_CALLBACK. */
typedef void (*hbm_event_function)(void* user, const hbm_event* event);
/* Copies bytes of a block that moves, between ranges that do not overlap. Nonzero if all were copied. If it fails, the
 * bytes at `from` are as they were; those at `to` may be anything. */
typedef int (*hbm_copy_function)(void* user, uint64_t to, uint64_t from, uint64_t bytes);

/* -- managers ------------------------------------------------------------------------------------------------------ */

typedef struct hbm_manager hbm_manager;

/* A device's memory. */
typedef struct hbm_spec {
    size_t struct_size;
    const char* name;            /* for people; copied */
    uint64_t capacity;           /* usable bytes; rounded down to the quantum */
    uint64_t quantum;            /* sizes and offsets are multiples of it; a power of two; 512 by default */
    uint64_t bandwidth;          /* bytes per second; it and the next two decide which kind of relief is cheaper */
    uint64_t host_link;          /* bytes per second, for programs that come back */
    uint64_t copy_nanoseconds;   /* fixed cost of a copy; 2,000 by default */
    uint64_t top_reserved;       /* bytes at the top of the capacity that the manager leaves alone */
    uint64_t bounce;             /* the beginning of those: moves may be copied through it */
    uint32_t scratch_percent;    /* the most scratch of a program, of the capacity; 100 by default */
    uint32_t runs_in_flight;     /* how many runs the host may be ahead of the device; 0: none */
    hbm_event_function on_event; /* or null */
    hbm_copy_function copy;      /* null: the manager keeps books only, and nothing is copied */
    void* user;                  /* passed on to both */
    uint32_t salt;               /* in all handles, to tell those of other managers; by default made of the time and
                                    the place where the manager is. Managers that are given one need different ones */
    uint32_t reserved;
} hbm_spec;

/* Fills in name, capacity and bandwidth of a TPU's device: "v2" to "v4", "v5e", "v5p", "v6e", "7x". The other fields
 * stay. */
hbm_error hbm_spec_of_generation(const char* generation, hbm_spec* spec);
/* Their names, from 0 on; null after the last. */
const char* hbm_generation_name(size_t at);

/* The names of the managers, from 0 on; null after the last. */
const char* hbm_manager_name(size_t at);

/* Makes a manager by its name, or by a short name: "tpu" for the manager of README.md, "tpu::runtime_memory",
 * "xla_bfc". Null if that fails; `why`, unless null, is written in either case. */
hbm_manager* hbm_create(const char* name, const hbm_spec* spec, hbm_error* why);
/* Ends a manager and all of its handles. Null is no error and does nothing. */
hbm_error hbm_destroy(hbm_manager* manager);
/* The full name of a manager, valid as long as it is; null if it is none. */
const char* hbm_name(const hbm_manager* manager);

/* -- buffers ------------------------------------------------------------------------------------------------------- */

/* Allocates a buffer. Where nothing fits, programs may be evicted for it and other buffers may move, as the manager's
 * policies say. `bytes` is rounded up to the quantum, 0 to one quantum; `alignment` is 0 or a power of two; `label` is
 * a name for people, or null. */
hbm_error hbm_allocate(hbm_manager* manager, uint64_t bytes, uint64_t alignment, const char* label, hbm_buffer* made);
/* Frees a buffer. The memory of one that is pinned, or that runs in flight use, returns later. */
hbm_error hbm_free(hbm_manager* manager, hbm_buffer buffer);
/* The same for a buffer that somebody uses until a fence is reached. */
hbm_error hbm_free_after(hbm_manager* manager, hbm_buffer buffer, hbm_fence until);
/* A pinned buffer is not moved and cannot be donated until it has been unpinned as often; 4,095 times at most. */
hbm_error hbm_pin(hbm_manager* manager, hbm_buffer buffer);
hbm_error hbm_unpin(hbm_manager* manager, hbm_buffer buffer);

/* Whether a handle is good: HBM_OK, or the error that any call would return. O(1). */
hbm_error hbm_check_buffer(const hbm_manager* manager, hbm_buffer buffer);
hbm_error hbm_check_program(const hbm_manager* manager, hbm_program program);
/* Where a buffer is now. O(1). */
hbm_error hbm_where(const hbm_manager* manager, hbm_buffer buffer, hbm_extent* where);
/* Where its bytes are, in their order: one piece, but two or three while a move of it has stopped in the middle. */
hbm_error hbm_pieces(const hbm_manager* manager, hbm_buffer buffer, hbm_extent pieces[3], size_t* count);

/* -- programs ------------------------------------------------------------------------------------------------------ */

typedef struct hbm_program_spec {
    size_t struct_size;
    const char* name;   /* for people, or null */
    uint64_t code;      /* code and constants, placed like a buffer */
    uint64_t scratch;   /* needed while it runs */
    uint64_t reload_us; /* microseconds to load it again; by default made of the size and the host link */
} hbm_program_spec;

/* Loads a program: code and scratch, both or nothing. */
hbm_error hbm_load(hbm_manager* manager, const hbm_program_spec* spec, hbm_program* made);
/* Brings a program back that was evicted, or unloaded for now. Nothing to do if it is in memory. */
hbm_error hbm_reload(hbm_manager* manager, hbm_program program);
/* Evicts a program once its runs are over; its handle stays good. */
hbm_error hbm_evict(hbm_manager* manager, hbm_program program);
/* The same where it does not count as an eviction: its user has no need of it for now. */
hbm_error hbm_unload_for_now(hbm_manager* manager, hbm_program program);
/* Ends a program once its runs are over, and its handle. */
hbm_error hbm_unload(hbm_manager* manager, hbm_program program);
/* Whether a program is in memory: `loaded` is 1 or 0. */
hbm_error hbm_is_loaded(const hbm_manager* manager, hbm_program program, int* loaded);

/* -- runs ---------------------------------------------------------------------------------------------------------- */

/* The most that a list of a run may have. */
#define HBM_MAX_ARGUMENTS 1048576

/* How an output is bound to a donated input, its partner. */
typedef enum hbm_alias {
    HBM_ALIAS_ANY = 0, /* no partner: it may take over any input, as the donation policy decides */
    HBM_ALIAS_MAY = 1, /* it takes over its partner if it can, and is allocated otherwise */
    HBM_ALIAS_MUST = 2 /* it takes over its partner, or the run fails */
} hbm_alias;

typedef struct hbm_output {
    uint64_t bytes;
    const char* label; /* or null: then it is called what the input was called that it takes over */
    uint32_t alias;    /* hbm_alias */
    uint32_t partner;  /* an index of `donated` */
} hbm_output;

/* A run. An array may be null if its count is 0. A buffer may be listed several times as an input, but not be both
 * input and donated. */
typedef struct hbm_run_spec {
    size_t struct_size;
    const hbm_buffer* inputs;
    size_t input_count;
    const hbm_buffer* donated; /* freed, or taken over by outputs */
    size_t donated_count;
    const uint32_t* kept; /* indices of `donated` of buffers that this run only reads */
    size_t kept_count;
    const hbm_output* outputs;
    size_t output_count;
    uint64_t run_us; /* microseconds it takes: the price of waiting for it */
} hbm_run_spec;

/* The index that stands for no donated input. */
#define HBM_NO_DONOR UINT32_MAX

typedef struct hbm_run_result {
    size_t struct_size;
    uint32_t* donors;  /* to be set by the caller: null, or room for `output_count` numbers: which donated input each
                          output took over, or HBM_NO_DONOR */
    hbm_fence over;    /* reached when the run is over */
    uint32_t donated;  /* how many outputs took over an input */
    uint32_t reloaded; /* 1 if the program had been evicted and came back, else 0 */
} hbm_run_result;

/* Runs a program, which comes back first if it was evicted; all or nothing. `outputs` has room for `output_count`
 * handles, and may be one of the arrays of `spec`. `result` may be null. */
hbm_error hbm_run(hbm_manager* manager, hbm_program program, const hbm_run_spec* spec, hbm_buffer* outputs,
                  hbm_run_result* result);

/* -- time and relief ----------------------------------------------------------------------------------------------- */

/* The fence of the latest run, and of the latest run that is over. */
hbm_error hbm_issued(const hbm_manager* manager, hbm_fence* fence);
hbm_error hbm_reached(const hbm_manager* manager, hbm_fence* fence);
/* The device has reached a fence: the runs up to it are over, and frees take effect. */
hbm_error hbm_retire(hbm_manager* manager, hbm_fence upto);
/* All runs are over, all frees take effect. */
hbm_error hbm_sync(hbm_manager* manager);
/* Finishes the move that has stopped in the middle, if there is one. */
hbm_error hbm_finish_moves(hbm_manager* manager);
/* Moves at most `budget` bytes towards longer holes, for idle time. `remaining`, unless null: how many bytes are left
 * to move. HBM_ERROR_NOT_SUPPORTED if the manager may not move blocks. */
hbm_error hbm_compact(hbm_manager* manager, uint64_t budget, uint64_t* remaining);

/* -- looking ------------------------------------------------------------------------------------------------------- */

typedef struct hbm_statistics {
    size_t struct_size;
    uint64_t capacity, free_bytes, largest_free; /* largest_free: the longest contiguous free run */
    uint64_t live, peak_live;                    /* the sum of what is granted, and the most that it ever was */
    uint64_t reserved, reservable;               /* scratch at the bottom, and what that can grow by without relief */
    uint64_t relieved;                           /* calls that succeeded only through relief */
    uint64_t evictions, evicted_bytes, thrashing;
    uint64_t reloads, reload_nanoseconds;
    uint64_t moves, copies, moved_bytes, move_nanoseconds;
    uint64_t waits, wait_nanoseconds;
    uint64_t spilled_runs, spill_nanoseconds;
    uint64_t donations_offered, donations_kept, donations_taken, donated_bytes;
} hbm_statistics;

/* What is in memory and what was done so far. Times are modelled. Cost of the placement's largest free run. */
hbm_error hbm_get_statistics(const hbm_manager* manager, hbm_statistics* statistics);

/* The message of the latest call that failed, with its figures, as the TPU runtime prints it. Calls that take a const
 * manager leave it as it is. After a call that succeeded: "OK". */
size_t hbm_last_message(const hbm_manager* manager, char* text, size_t size);
/* Why the latest call failed, and what would help, in several lines. Costs some dozens of plans. */
size_t hbm_explain(const hbm_manager* manager, char* text, size_t size);
/* What is in memory, for a log. O(blocks log blocks). */
size_t hbm_dump(const hbm_manager* manager, char* text, size_t size);

#ifdef __cplusplus
}
#endif

#endif
