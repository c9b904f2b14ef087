/* From C: the manager is chosen by its name, every call returns an error code, and the texts for people are the same.
 */
#include <hbm/c.h>

#include <inttypes.h>
#include <stdio.h>

#define MIB ((uint64_t)1 << 20)
#define GIB ((uint64_t)1 << 30)

/* Buffers move to make room. Owners of offsets are notified. */
static void notify(void* user, const hbm_event* event) {
    if (event->kind != HBM_EVENT_MOVED) return;
    ++*(unsigned*)user;
    printf("moved '%s' from %" PRIu64 " to %" PRIu64 "\n", event->label, event->from, event->where.offset);
}

int main(void) {
    unsigned moves = 0;
    hbm_spec device = {.struct_size = sizeof device, .on_event = notify, .user = &moves};
    if (hbm_spec_of_generation("v5e", &device) != HBM_OK) return 1;
    hbm_error why;
    hbm_manager* memory = hbm_create("tpu", &device, &why);
    if (memory == NULL) return puts(hbm_error_message(why)), 1;

    hbm_buffer weights, batch, next;
    hbm_program step;
    const hbm_program_spec code = {.struct_size = sizeof code, .name = "step", .code = 180 * MIB, .scratch = 3 * GIB};
    if (hbm_allocate(memory, 6 * GIB, 0, "weights", &weights) != HBM_OK) return 1;
    if (hbm_allocate(memory, 2 * GIB, 0, "batch", &batch) != HBM_OK) return 1;
    if (hbm_load(memory, &code, &step) != HBM_OK) return 1;

    /* The weights are donated: the first output has their size and takes them over. It may be written where they were.
     */
    const hbm_output outputs[] = {{.bytes = 6 * GIB, .label = "weights"}};
    const hbm_run_spec run = {.struct_size = sizeof run,
                              .inputs = &batch,
                              .input_count = 1,
                              .donated = &weights,
                              .donated_count = 1,
                              .outputs = outputs,
                              .output_count = 1};
    if (hbm_run(memory, step, &run, &weights, NULL) != HBM_OK) return 1;

    /* What does not fit is explained; a handle that is gone is an error, and nothing has changed. */
    if (hbm_allocate(memory, 9 * GIB, 0, "next", &next) == HBM_OK) return 1;
    char text[4096];
    hbm_explain(memory, text, sizeof text);
    fputs(text, stdout);
    if (hbm_free(memory, batch) != HBM_OK || hbm_free(memory, batch) != HBM_ERROR_STALE_HANDLE) return 1;
    hbm_last_message(memory, text, sizeof text);
    puts(text);

    /* This fits once the program's code has moved. */
    if (hbm_allocate(memory, 6 * GIB, 0, "next", &next) != HBM_OK) return 1;

    hbm_statistics all = {.struct_size = sizeof all};
    if (hbm_get_statistics(memory, &all) != HBM_OK) return 1;
    printf("%" PRIu64 " of %" PRIu64 " bytes are free, %" PRIu64 " donations, %u moves\n", all.free_bytes, all.capacity,
           all.donations_taken, moves);
    return hbm_destroy(memory) == HBM_OK && all.donations_taken == 1 && moves == 1 ? 0 : 1;
}
