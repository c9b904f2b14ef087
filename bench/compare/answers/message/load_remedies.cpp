#include "compare/answers/message/load_remedies.hpp"

#include <hbm/core/memory_spec.hpp>
#include <hbm/explain/words.hpp>
#include <hbm/tpu/generations.hpp>

#include <optional>

#include "compare/answers/message/shares.hpp"

namespace hbm::imported {

std::string free_before(const byte_range& missing) {
    return "Free " + enough_in_words(missing) +
           " before the program is loaded: arrays that are no longer needed (`del x`, `x.delete()`), and programs that "
           "are no longer used (`jax.clear_caches()`). Arrays come first: the runtime has thrown out idle programs "
           "already.";
}

void of_company(remedies& all) {
    add_donation(all, "Donate inputs: " + std::string(donate) + ", so that both need not be in memory at once.");
    add(all, "Keep fewer programs loaded: each function and each new shape that is compiled is one more. Pad inputs to "
             "a few fixed shapes, and do not compile again what could be kept.");
}

void of_scratch(const memory_message& from, const rounded_size& room, remedies& all) {
    const bool is_far = is_out_of_reach(*from.asked, room);
    const byte_range missing = difference(*from.asked, room);
    add(all, smaller(*from.asked, room, "the scratch memory"));
    add(all,
        "Recompute instead of storing (`jax.checkpoint`) in programs that compute gradients, or keep activations on "
        "the host.");
    add(all,
        "Let the compiler use less: set LIBTPU_INIT_ARGS=--tpu_shared_memory_percent=N before the process starts; a "
        "lower N (in per cent) limits the memory for temporaries, and programs then run slower. " +
            (is_far ? "Alone it will not save " + in_words(missing) + "."
                    : "It has to be " + enough_in_words(missing) + " less.") +
            " A libtpu that does not know this flag says so when it starts.");
    std::string devices = spread(*from.asked, room, "the program and its arguments");
    if (is_far && !devices.empty()) {
        devices.pop_back();
        devices += "; fewer are enough where the other arrays in memory are spread, too.";
    }
    add(all, devices);
}

std::string fits_nowhere(const rounded_size& asked) {
    const memory_spec* largest = &tpu::generations[0];
    for (const memory_spec& each : tpu::generations)
        if (each.capacity > largest->capacity) largest = &each;
    const rounded_size most{largest->capacity, largest->capacity, largest->capacity};
    return "No TPU known here has " + in_words(asked) +
           " for a device: as it is, the program fits nowhere, whatever is freed. It has to become smaller by " +
           in_words(difference(asked, most)) + " to fit even into the largest, TPU " + largest->name + " (" +
           size_in_words(largest->capacity) + ").";
}

void of_load(const memory_message& from, const diagnosis& found, remedies& all) {
    const rounded_size room = possible_in(from, *from.free);
    const auto& temporaries = from.requirement ? from.requirement->temporaries : std::nullopt;
    const bool is_scratch =
        from.kind == message_kind::reservation || (temporaries && temporaries->bytes > from.asked->bytes / 2);
    const std::string larger = generations_with(*from.asked);
    if (is_scratch && larger.empty()) {
        add(all, fits_nowhere(*from.asked));
        add(all, look_for_large_array);
        return of_scratch(from, room, all);
    }
    if (is_scratch)
        add(all, "Check first whether it can fit at all. In a memory with nothing else in it, the program would leave "
                 "room for arrays: " +
                     larger + ".");
    add(all, free_before(*found.missing));
    of_company(all);
    if (is_scratch) return of_scratch(from, room, all);
    add(all, "Pass large arrays as arguments. Arrays that a jitted function only refers to become constants inside the "
             "program, and are part of these " +
                 in_words(*from.asked) + ".");
    add(all,
        "Take a smaller batch or a shorter sequence: code and constants hardly shrink with it, but the arrays that "
        "are in memory do.");
    add(all, spread(*from.asked, room, "the program and its arguments"));
}

void of_bottom(const memory_message& from, remedies& all) {
    add(all,
        "Load the program first: compile it and run it once before the large arrays are made. Its scratch memory then "
        "lies at the bottom, and the arrays come above it.");
    if (from.reservable)
        add(all, "Free the array that is in the way: it begins " + in_words(*from.reservable) +
                     " above what is reserved at the bottom. The message does not name it: begin with arrays that are "
                     "no longer "
                     "needed (`del x`, `x.delete()`).");
    of_company(all);
    if (from.reservable) of_scratch(from, possible_in(from, *from.reservable), all);
    add(all, "Restart from a checkpoint, with the program loaded first: " +
                 left_over(difference(possible_in(from, *from.free), *from.asked)));
}

}  // namespace hbm::imported
