/* Somebody else's program in C: one manager, two buffers. */
#include <hbm/c.h>

#include <stdio.h>

int main(void) {
    const double gibibyte = 1024.0 * 1024.0 * 1024.0;
    hbm_spec device = {.struct_size = sizeof device};
    hbm_buffer weights;
    hbm_buffer too_much;
    hbm_extent where;

    if (hbm_spec_of_generation("v5e", &device) != HBM_OK) return 1;
    hbm_manager* const memory = hbm_create("best_fit", &device, NULL);
    if (hbm_allocate(memory, 6ULL << 30, 0, "weights", &weights) != HBM_OK) return 1;
    if (hbm_allocate(memory, 16ULL << 30, 0, "too much", &too_much) == HBM_OK) return 1;
    if (hbm_where(memory, weights, &where) != HBM_OK) return 1;
    printf("hbm %s: %.2fG of %.2fG\n", PACKAGE_VERSION_EXPECTED, (double)where.size / gibibyte, (double)device.capacity / gibibyte);
    return hbm_destroy(memory) == HBM_OK ? 0 : 1;
}
