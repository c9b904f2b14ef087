// A C face for a manager of your own choice. The policies are fixed here, so C needs no types and no names for them.
#include "memory.h"

#include <hbm/explain/explain.hpp>
#include <hbm/hbm.hpp>

#include <bit>
#include <string>

using manager_type = hbm::manager<hbm::bottom_reserve<hbm::compacting<hbm::best_fit_lifo>>, hbm::evict_cheapest_window,
                                  hbm::donate_same_size>;

struct tpu_memory {
    manager_type manager{hbm::tpu::v5e};
    hbm::failure why = {};
    std::string message = {};
};

namespace {

// Handles have the same bytes in both languages.
hbm::buffer handle(tpu_buffer value) {
    return std::bit_cast<hbm::buffer>(value);
}
hbm::program handle(tpu_program value) {
    return std::bit_cast<hbm::program>(value);
}

// Keeps the failure of a call, or gives its value to C: nothing is written for a call that failed.
template <class Result, class Taken>
int give(tpu_memory* memory, const Result& result, Taken taken) {
    if (!result) {
        memory->why = result.error();
        return static_cast<int>(memory->why.reason);
    }
    taken(*result);
    return 0;
}

}  // namespace

extern "C" {

tpu_memory* tpu_create(void) {
    return new tpu_memory;
}
void tpu_destroy(tpu_memory* memory) {
    delete memory;
}

int tpu_allocate(tpu_memory* memory, uint64_t bytes, const char* name, tpu_buffer* placed) {
    return give(memory, memory->manager.allocate(bytes, name),
                [&](hbm::buffer result) { *placed = std::bit_cast<tpu_buffer>(result); });
}

int tpu_free(tpu_memory* memory, tpu_buffer freed) {
    return give(memory, memory->manager.free(handle(freed)), [](hbm::done) {});
}

int tpu_where(const tpu_memory* memory, tpu_buffer placed, uint64_t* offset) {
    const hbm::error why = memory->manager.check(handle(placed));
    if (why == hbm::error::none) *offset = memory->manager.where(handle(placed)).offset;
    return static_cast<int>(why);
}

int tpu_load(tpu_memory* memory, const char* name, uint64_t code, uint64_t scratch, tpu_program* loaded) {
    return give(memory, memory->manager.load({.name = name, .code = code, .scratch = scratch}),
                [&](hbm::program result) { *loaded = std::bit_cast<tpu_program>(result); });
}

int tpu_run(tpu_memory* memory, tpu_program subject, tpu_buffer donated, uint64_t bytes, tpu_buffer* output) {
    const hbm::buffer input = handle(donated);
    return give(memory, memory->manager.run(handle(subject), {.donated = {input}, .outputs = {hbm::output{bytes}}}),
                [&](const auto& ran) { *output = std::bit_cast<tpu_buffer>(ran.outputs[0]); });
}

const char* tpu_last_message(tpu_memory* memory) {
    // No exception may reach C: if a string finds no memory, the program ends here.
    const auto write = [memory]() noexcept { memory->message = hbm::explain(memory->manager, memory->why); };
    write();
    return memory->message.c_str();
}

}  // extern "C"
