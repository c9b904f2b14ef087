/* A full story in C99: made, filled, run with donation, failed, explained, destroyed. test_story.cpp calls it. */
#include "story.h"

#include <hbm/c.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MIB ((uint64_t)1 << 20)
#define GIB ((uint64_t)1 << 30)

/* What the callbacks have heard. */
struct heard {
    unsigned moves;
    unsigned evictions;
    unsigned copies;
    hbm_buffer last_moved;
    hbm_extent last_place;
};

static void hear(void* user, const hbm_event* event) {
    struct heard* heard = (struct heard*)user;
    if (event->kind == HBM_EVENT_EVICTED) ++heard->evictions;
    if (event->kind != HBM_EVENT_MOVED || event->buffer.kind == 0) return;
    ++heard->moves;
    heard->last_moved = event->buffer;
    heard->last_place = event->where;
}
static int copy_bytes(void* user, uint64_t to, uint64_t from, uint64_t bytes) {
    struct heard* heard = (struct heard*)user;
    ++heard->copies;
    return to != from && bytes != 0;
}

/* The text of a call, to be freed. */
static char* text_of(const hbm_manager* manager, size_t (*call)(const hbm_manager*, char*, size_t)) {
    const size_t length = call(manager, NULL, 0);
    char* text = (char*)malloc(length + 1);
    if (text != NULL) call(manager, text, length + 1);
    return text;
}
static int has(const hbm_manager* manager, size_t (*call)(const hbm_manager*, char*, size_t), const char* words) {
    char* text = text_of(manager, call);
    const int found = text != NULL && strstr(text, words) != NULL;
    if (!found) printf("no '%s' in:\n%s\n", words, text);
    free(text);
    return found;
}

#define EXPECT(what)                                                                                                   \
    if (!(what)) return #what

const char* hbm_tell_story(void) {
    struct heard heard = {0};
    hbm_error why = HBM_OK;
    hbm_spec spec = {.struct_size = sizeof spec};
    EXPECT(hbm_spec_of_generation("v5e", &spec) == HBM_OK);
    spec.on_event = hear;
    spec.copy = copy_bytes;
    spec.user = &heard;
    hbm_manager* memory = hbm_create("tpu", &spec, &why);
    EXPECT(memory != NULL && why == HBM_OK);
    EXPECT(strcmp(hbm_name(memory), "bottom_reserve<compacting<best_fit_lifo>>/evict_cheapest_window/donate_same_size") ==
           0);

    hbm_buffer weights, batch, gap;
    EXPECT(hbm_allocate(memory, 6 * GIB, 0, "weights", &weights) == HBM_OK);
    EXPECT(hbm_allocate(memory, GIB, 0, "gap", &gap) == HBM_OK);
    EXPECT(hbm_allocate(memory, GIB, 1 * MIB, "batch", &batch) == HBM_OK);

    hbm_program_spec code = {.struct_size = sizeof code};
    code.name = "train_step";
    code.code = 180 * MIB;
    code.scratch = 3 * GIB;
    hbm_program step;
    int loaded = 0;
    EXPECT(hbm_load(memory, &code, &step) == HBM_OK);
    EXPECT(hbm_is_loaded(memory, step, &loaded) == HBM_OK && loaded == 1);

    /* The weights are donated: their block becomes that of the new weights, and the old handle is gone. */
    const hbm_output outputs[2] = {{6 * GIB, "new weights", HBM_ALIAS_MUST, 0}, {4096, "loss", HBM_ALIAS_ANY, 0}};
    hbm_run_spec run = {.struct_size = sizeof run};
    run.inputs = &batch;
    run.input_count = 1;
    run.donated = &weights;
    run.donated_count = 1;
    run.outputs = outputs;
    run.output_count = 2;
    hbm_buffer made[2];
    uint32_t donors[2];
    hbm_run_result result = {.struct_size = sizeof result};
    result.donors = donors;
    hbm_extent before, after;
    EXPECT(hbm_where(memory, weights, &before) == HBM_OK);
    EXPECT(hbm_run(memory, step, &run, made, &result) == HBM_OK);
    EXPECT(result.donated == 1 && donors[0] == 0 && donors[1] == HBM_NO_DONOR && result.reloaded == 0);
    EXPECT(hbm_where(memory, made[0], &after) == HBM_OK);
    EXPECT(before.offset == after.offset && before.size == after.size);
    EXPECT(hbm_check_buffer(memory, weights) == HBM_ERROR_STALE_HANDLE);
    EXPECT(hbm_run(memory, step, &run, made, &result) == HBM_ERROR_STALE_HANDLE);
    EXPECT(has(memory, hbm_last_message, "INVALID_ARGUMENT: argument 1 is gone"));

    /* A hole in the middle: the next buffer needs a move, which is heard. */
    EXPECT(hbm_free(memory, gap) == HBM_OK);
    EXPECT(hbm_free(memory, gap) == HBM_ERROR_STALE_HANDLE);
    hbm_statistics all = {.struct_size = sizeof all};
    EXPECT(hbm_get_statistics(memory, &all) == HBM_OK);
    hbm_buffer large;
    EXPECT(all.largest_free < all.free_bytes);
    EXPECT(hbm_allocate(memory, all.largest_free + 512, 0, "large", &large) == HBM_OK);
    EXPECT(heard.moves >= 1 && heard.copies >= 1);
    EXPECT(hbm_where(memory, heard.last_moved, &after) == HBM_OK && after.offset == heard.last_place.offset);

    /* What is too large is refused, said and explained; nothing has changed. */
    EXPECT(hbm_get_statistics(memory, &all) == HBM_OK);
    EXPECT(all.moves == heard.moves && all.relieved == 1 && all.donations_taken == 1);
    EXPECT(hbm_allocate(memory, 40 * GIB, 0, "huge", &gap) == HBM_ERROR_BUFFER_DOES_NOT_FIT);
    EXPECT(has(memory, hbm_last_message,
               "RESOURCE_EXHAUSTED: Error allocating device buffer: "
               "Attempting to allocate 40.00G. That was not possible."));
    EXPECT(has(memory, hbm_explain, "Reason: "));
    EXPECT(has(memory, hbm_explain, "Alternatives"));
    EXPECT(has(memory, hbm_dump, "new weights"));
    EXPECT(hbm_allocate(memory, 512, 3, NULL, &gap) == HBM_ERROR_BAD_ALIGNMENT);

    /* A second program pushes the first out, which comes back to run. */
    EXPECT(hbm_free(memory, large) == HBM_OK);
    EXPECT(hbm_evict(memory, step) == HBM_OK && heard.evictions == 1);
    run.donated_count = 0;
    run.output_count = 0;
    EXPECT(hbm_run(memory, step, &run, NULL, &result) == HBM_OK && result.reloaded == 1);
    EXPECT(hbm_sync(memory) == HBM_OK);
    EXPECT(hbm_unload(memory, step) == HBM_OK);
    EXPECT(hbm_run(memory, step, &run, NULL, NULL) == HBM_ERROR_STALE_HANDLE);
    EXPECT(hbm_destroy(memory) == HBM_OK);
    return NULL;
}
