// Compiled as C++17: the header is for older programs too.
#include "c_face/cpp17.hpp"

static_assert(__cplusplus < 202002L, "this file is to be compiled as C++17");

hbm_error hbm::test::allocate_from_cpp17(const char* name) {
    hbm_spec spec{};
    spec.struct_size = sizeof spec;
    spec.capacity = 1 << 20;
    hbm_error why = HBM_OK;
    hbm_manager* const memory = hbm_create(name, &spec, &why);
    if (memory == nullptr) return why;
    hbm_buffer made{};
    why = hbm_allocate(memory, 4096, 0, "from C++17", &made);
    if (why == HBM_OK) why = hbm_free(memory, made);
    const hbm_error ended = hbm_destroy(memory);
    return why == HBM_OK ? ended : why;
}
