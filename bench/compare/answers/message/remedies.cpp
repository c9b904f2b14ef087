#include "compare/answers/message/remedies.hpp"

#include <hbm/core/memory_spec.hpp>
#include <hbm/donation/donation.hpp>
#include <hbm/eviction/scores.hpp>
#include <hbm/explain/words.hpp>
#include <hbm/tpu/generations.hpp>

#include <cstdint>
#include <optional>

#include "compare/answers/message/largest.hpp"
#include "compare/answers/message/remedy_parts.hpp"
#include "compare/answers/message/special.hpp"
#include "compare/text/rounded_size.hpp"
#include "compare/text/share.hpp"

namespace hbm::imported {

namespace {

const memory_spec& largest_generation() {
    const memory_spec* largest = &tpu::generations[0];
    for (const memory_spec& each : tpu::generations)
        if (each.capacity > largest->capacity) largest = &each;
    return *largest;
}

rounded_size of_largest_generation() {
    const std::uint64_t bytes = largest_generation().capacity;
    return {bytes, bytes, bytes};
}

void of_shortage(const memory_message& from, const diagnosis& shortage, remedies& all) {
    if (from.around.has_pool) of_pool(from, shortage.missing, all);
    add(all, "Free " + enough_in_words(*shortage.missing) +
                 ": delete arrays that are no longer needed (`del x` for every reference, or `x.delete()`). " +
                 usual_leaks);
    add_donation(all, "Donate, if the " + in_words(*from.asked) + " is an output of a program: " + donate +
                          ", and then it needs no room of its own.");
    add(all, smaller(*from.asked, *from.free, "this array"));
    add(all, spread(*from.asked, *from.free, "this array"));
    add(all, check_shape);
}

void of_fragmentation(const memory_message& from, remedies& all) {
    const byte_range spare = difference(*from.free, *from.asked);
    add(all, "Make large arrays first and keep them; let small arrays that live long come after them. Wait for running "
             "programs (`jax.block_until_ready`) before you request a large array: what they use cannot be moved.");
    add(all,
        "Update jax if it is older than 0.4.10: later versions move arrays together before they give up. If yours is "
        "newer, this was tried, and what lies between the pieces could not be moved.");
    if (from.kind == message_kind::buffer)
        add_donation(all, "Donate, if the " + in_words(*from.asked) + " is an output of a program: " + donate + ".");
    if (from.largest) {
        add(all, smaller(*from.asked, *from.largest, "this array"));
        add(all, spread(*from.asked, *from.largest, "this array"));
    }
    add(all, "Free arrays that are no longer needed (`del x`, `x.delete()`): pieces grow where neighbours go. " +
                 std::string(usual_leaks));
    add(all, check_shape);
    add(all, "Restart from a checkpoint: a new process has its free memory in one piece. With as much free as now, " +
                 left_over(spare));
}

std::string batch_of(const rounded_size& temporaries, const byte_range& exceeded) {
    const std::uint64_t left = less(temporaries.low, exceeded.high);
    const std::uint64_t share = per_cent(left, temporaries.high);
    const std::string all = in_words(temporaries) + " of temporaries";
    if (share < 5)
        return "A smaller batch is unlikely to be enough on its own: the " + all + " would have to shrink by " +
               in_words(exceeded) + ".";
    return "Take a smaller batch or a shorter sequence: if the " + all + " grow in step with it, " +
           std::to_string(share) + " % of the present one fits. Or cut the batch into " +
           grouped_digits(shares_needed(temporaries.high, left)) + " equal parts and add up their gradients.";
}

std::string donation(const memory_message& from, const diagnosis& shortage) {
    if (outputs_matter(from, shortage))
        return "Donate the arguments that outputs replace, with " + std::string(donate) + ": " +
               in_words(*shortage.fresh_outputs) + " of outputs take over nothing now" +
               (lists_whole_program(from) ? "." : ", and come on top of the total above.");
    if (from.output && from.output->size && !shortage.arguments_not_stated)
        return {};  // hardly any outputs, or all donated
    return "Donate, if the program returns a new state for an old one: " + std::string(donate) + ".";
}

/// Adds remedies for temporaries, unless the program is too large even without them.
void of_temporaries(const memory_message& from, const diagnosis& shortage, remedies& all) {
    if (arguments_exceed(from)) return;
    const std::optional<rounded_size> temporaries = from.kind == message_kind::temporaries ? from.asked
                                                    : from.requirement ? from.requirement->temporaries
                                                                       : std::nullopt;
    if (!temporaries || !shortage.missing) {
        add(all, "Take a smaller batch or a shorter sequence, or recompute instead of storing (`jax.checkpoint`).");
        return;
    }
    add(all, batch_of(*temporaries, *shortage.missing));
    const std::uint64_t share = per_cent(shortage.missing->high, temporaries->low);
    if (share < 95)
        add(all, "Recompute instead of storing (`jax.checkpoint`): the temporaries have to become " +
                     in_words(*shortage.missing) + " smaller, by " + std::to_string(share + 1) + " %.");
}

void of_program(const memory_message& from, const diagnosis& shortage, remedies& all) {
    if (from.kind == message_kind::early_abort)
        add(all, "Have the compiler finish, and list the largest arrays: set "
                 "LIBTPU_INIT_ARGS=--xla_tpu_impure_oom_fast_exit_threshold=-1 before the process starts.");
    add(all, large_array_remedy(from));
    add(all, padding_remedy(from));
    const bool is_far = from.asked && from.capacity && from.asked->bytes / 4 > from.capacity->bytes;
    if (is_far && from.kind != message_kind::exceeds && from.listed.empty()) add(all, look_for_large_array);
    // Donation saves outputs, not temporaries.
    const bool has_outputs = from.kind != message_kind::temporaries;
    if (!is_far && has_outputs && !arguments_exceed(from)) add_donation(all, donation(from, shortage));
    of_temporaries(from, shortage, all);
    add(all, narrower_types_remedy(from));
    if (from.asked && from.capacity) {
        // The system's reservation is needed on each device, and is not in the listed memory of a generation.
        const rounded_size reserved = shortage.counts_reserved ? *from.usage->reserved : rounded_size{};
        const byte_range own = difference(*from.asked, reserved);
        const byte_range room = difference(*from.capacity, reserved);
        add(all, spread(*from.asked, *from.capacity, "arguments and batch", reserved));
        const std::string larger = generations_with({own.bytes, own.low, own.high}, room.high);
        add(all, larger.empty() ? "" : "Take a device with more memory: " + larger + ".");
    }
    const std::optional<rounded_size> total = from.usage ? from.usage->total : std::nullopt;
    if (!from.capacity && total && generations_with(*total).empty())
        add(all, spread(*total, of_largest_generation(), "arguments and batch"));
    if (is_far) return;
    const auto& arguments = from.usage && !shortage.arguments_not_stated ? from.usage->arguments : std::nullopt;
    add(all,
        "Keep the optimizer's state or activations on the host (host offloading): slower" +
            (arguments ? ", and up to the " + in_words(*arguments) + " of arguments are saved." : std::string{"."}));
    if (arguments_exceed(from)) return;
    const std::string mebibytes = from.capacity ? std::to_string(from.capacity->bytes / 100 * 95 >> 20) : "N";
    add(all,
        "As a last resort, make the compiler look harder, at the price of time: before the process starts, set "
        "LIBTPU_INIT_ARGS='--xla_tpu_rematerialization_algo=PEAK_PRIORITY', or a limit below the device's memory, "
        "such as --xla_tpu_max_hbm_size_mib=" +
            mebibytes + ". In XLA_FLAGS they may be refused as unknown; a libtpu that does not know them says so, too.",
        "--xla_tpu_max_hbm_size_mib", from.capacity ? mebibytes : "");
}

void of_cores(const memory_message& from, remedies& all) {
    if (from.sparse_core && from.capacity && from.sparse_core->low > from.tensor_core.value_or(rounded_size{}).high) {
        add(all,
            "Begin with the SparseCore, which takes " + in_words(*from.sparse_core) +
                ": `--xla_sc_num_serialized_tables_to_optimize_hbm` works on fewer embedding tables at a time; its "
                "stack also grows with `feature_width` and `max_unique_nz_per_row`.");
        add(all, "Shard embedding tables over all chips; rows narrower than 8 floats are padded to 8.");
        add(all, "Lower `maximum_parallel_iterations`: fewer inputs are fetched ahead.");
    }
    if (from.asked && from.capacity) add(all, spread(*from.asked, *from.capacity, "the tables and the model"));
    add(all, "Take a smaller batch or a shorter sequence.");
}

}  // namespace

std::vector<remedy> remedies_for(const memory_message& from, const diagnosis& shortage, bool may_donate) {
    remedies all{.may_donate = may_donate};
    if (add_special(from, shortage, all)) return all.list;
    if (from.kind == message_kind::cores) {
        of_cores(from, all);
        return all.list;
    }
    switch (shortage.what) {
    case shortage_kind::shortage: of_shortage(from, shortage, all); break;
    case shortage_kind::fragmentation: of_fragmentation(from, all); break;
    case shortage_kind::crowded: of_load(from, shortage, all); break;
    case shortage_kind::blocked_bottom: of_bottom(from, shortage, all); break;
    case shortage_kind::too_large: of_program(from, shortage, all); break;
    case shortage_kind::unknown:
        if (from.kind == message_kind::report) of_program(from, shortage, all);
        break;
    case shortage_kind::on_chip: break;
    }
    return all.list;
}

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

void of_pool(const memory_message& from, const std::optional<byte_range>& missing, remedies& all) {
    std::string share;  // of the device, in thousandths and rounded up
    if (missing && from.around.memory && from.around.memory->bytes >= 1000) {
        const std::uint64_t thousandths = compare::thousandths_of(missing->high, from.around.memory->bytes);
        if (thousandths < 1000) share = " by " + compare::share_in_words(thousandths) + " or more";
    }
    add(all,
        std::string(from.around.has_pool ? "Make the KV pool smaller" : "In a server, make the KV pool smaller") +
            (missing ? ", by " + enough_in_words(*missing) + " or more" : "") +
            ": lower --gpu-memory-utilization (vLLM) or --mem-fraction-static (SGLang)" + share +
            ". A start stops at the first program without room; `hbm_compare --serve DUMP` finds a pool that leaves "
            "all of them room.",
        "--gpu-memory-utilization");
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
            (is_far ? "On its own it will not save " + in_words(missing) + "."
                    : "It has to be " + enough_in_words(missing) + " less.") +
            " A libtpu that does not know this flag says so when it starts.",
        "--tpu_shared_memory_percent");
    std::string devices = spread(*from.asked, room, "the program and its arguments");
    if (is_far && !devices.empty()) {
        devices.pop_back();
        devices += "; fewer are enough if the other arrays in memory are spread, too.";
    }
    add(all, devices);
}

namespace {

/// Returns the sentence on the devices that hold a program alone, of which `larger` is the list.
std::string fits_alone(const memory_message& from, const std::string& larger) {
    const std::optional<rounded_size>& memory = from.around.memory;
    if (memory && memory->low > from.asked->high)
        return "It can fit: in a memory with nothing else in it, the program would leave " +
               in_words(difference(*memory, *from.asked)) + " of the " + in_words(*memory) +
               " of this device for arrays.";
    return "Check first whether it can fit at all. In a memory with nothing else in it, the program would leave room "
           "for arrays: " +
           larger + ".";
}

}  // namespace

std::string fits_nowhere(const rounded_size& asked) {
    const memory_spec* const largest = &largest_generation();
    const rounded_size most = of_largest_generation();
    return "No TPU known here has " + in_words(asked) +
           " for a device: as it is, the program fits nowhere, whatever is freed. It has to become smaller by " +
           in_words(difference(asked, most)) + " to fit even into the largest, TPU " + largest->name + " (" +
           size_in_words(largest->capacity) + ").";
}

void of_load(const memory_message& from, const diagnosis& shortage, remedies& all) {
    const rounded_size room = possible_in(from, *from.free);
    const auto& temporaries = from.requirement ? from.requirement->temporaries : std::nullopt;
    const bool is_scratch =
        from.kind == message_kind::reservation || (temporaries && temporaries->bytes > from.asked->bytes / 2);
    const rounded_size& free = *from.free;
    const std::string larger = generations_with(*from.asked, free.low == 0 ? 0 : free.low - 1);
    if (const std::string own = remedy_of_known_program(from.program); !own.empty()) {
        add(all, own);
        add(all, free_before(*shortage.missing));
        if (is_scratch)
            add(all,
                larger.empty() ? fits_nowhere(*from.asked) : "Take a device on which it fits alone: " + larger + ".");
        return;
    }
    if (is_scratch && larger.empty()) {
        add(all, fits_nowhere(*from.asked));
        add(all, look_for_large_array);
        if (spread(*from.asked, room, {}).empty())
            add(all, spread(*from.asked, of_largest_generation(), "the program and its arguments"));
        return of_scratch(from, room, all);
    }
    if (from.around.has_pool) of_pool(from, shortage.missing, all);
    if (is_scratch) add(all, fits_alone(from, larger));
    add(all, free_before(*shortage.missing));
    if (!from.around.has_pool) of_pool(from, shortage.missing, all);
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

void of_bottom(const memory_message& from, const diagnosis& shortage, remedies& all) {
    if (from.around.has_pool) of_pool(from, shortage.missing, all);
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
