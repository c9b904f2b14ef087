#pragma once

/// What helps against an out-of-memory message, in the terms of those who write programs, cheapest first.
///
/// The kinds of remedies are those of XLA's pages on errors E0100, E0101 and E1000; the numbers come from the message.

#include <hbm/imported/message/diagnosis.hpp>
#include <hbm/imported/message/padding.hpp>
#include <hbm/imported/message/shares.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hbm::imported {

namespace remedies_detail {

using remedies = std::vector<std::string>;

inline const char* const donate =
    "`jax.jit(step, donate_argnums=...)`; an output takes over an input of the same size on the device";

/// More devices than this for a single array or program, or a batch cut as small, is no remedy.
inline constexpr std::uint64_t most_shares = 16;

/// Whether what was asked for is so much larger than the room that making it smaller is no remedy.
[[nodiscard]] inline bool is_out_of_reach(const rounded_size& asked, const rounded_size& room) {
    const std::uint64_t shares = shares_needed(asked.high, room.low);
    return shares == 0 || shares > most_shares;
}

/// What is left of a size that depends on batch or sequence when it has to fit `room`.
[[nodiscard]] inline std::string smaller(const rounded_size& asked, const rounded_size& room, std::string_view what) {
    const std::uint64_t share = per_cent(room.low, asked.high);
    if (is_out_of_reach(asked, room)) return {};
    if (share < 10)
        return "A smaller batch or sequence alone will hardly do: " + std::string(what) +
               " would have to shrink from " + in_words(asked) + " to " + in_words(room) + ".";
    return "Take a smaller batch or a shorter sequence: where " + std::string(what) + " grows in step with it, " +
           std::to_string(share) + " % of the present one fits (" + in_words(room) + " instead of " + in_words(asked) +
           ").";
}

/// Over how many devices; empty where more than `most` would be needed. What is `reserved` of the size is needed on
/// each device.
[[nodiscard]] inline std::string spread(const rounded_size& asked, const rounded_size& room, std::string_view what,
                                        std::uint64_t most = most_shares, const rounded_size& reserved = {}) {
    using byte_range_detail::less;
    const std::uint64_t devices = shares_needed(less(asked.high, reserved.low), less(room.low, reserved.high));
    if (devices <= 1 || devices > most) return {};
    const std::string begin =
        "Spread " + std::string(what) + " over more devices (sharding). At best, if everything divides";
    const std::uint64_t share = saturating_add(less(asked.bytes, reserved.bytes) / devices, reserved.bytes);
    const unsigned unit = range_of(asked).unit;
    const std::string each = unit > range_of(room).unit && room.bytes >> 30 != 0
                                 ? "each share fits into "
                                 : "each needs " +
                                       byte_range_detail::in_unit(share, unit, byte_range_detail::rounding::nearest) +
                                       ", which fits into ";
    return begin + ": over " + grouped_digits(devices) + ", " + each + in_words(room) + ".";
}

inline void add(remedies& all, std::string text) {
    if (!text.empty()) all.push_back(std::move(text));
}

/// What a restart leaves, with the full stop; a warning where rounding hides whether it leaves anything.
[[nodiscard]] inline std::string left_over(const byte_range& spare) {
    return in_words(spare) + " would be left over" +
           (spare.low == 0 ? ": next to nothing, so begin with less in memory than before." : ".");
}

inline void of_shortage(const memory_message& from, const diagnosis& found, remedies& all) {
    add(all, "Free " + enough_in_words(*found.missing) +
                 ": delete arrays that are no longer needed (`del x` for every reference, or `x.delete()`). The "
                 "usual ones are an old state, results kept in a list from step to step, and a second copy while a "
                 "checkpoint is saved or restored: save the weights alone, or part by part.");
    add(all, "Donate, if the " + in_words(*from.asked) + " are an output of a program: " + donate +
                 ", and then nothing has "
                 "to be found for it.");
    add(all, smaller(*from.asked, *from.free, "this array"));
    add(all, spread(*from.asked, *from.free, "this array"));
    add(all,
        "Check its shape: the last two dimensions are stored as multiples of 128 and 8 (roughly), so a last dimension "
        "of 1 to 127 takes the memory of 128.");
}

inline void of_fragmentation(const memory_message& from, const diagnosis&, remedies& all) {
    const byte_range spare = difference(*from.free, *from.asked);
    add(all, "Make large arrays first and keep them; let small arrays that live long come after them. Wait for running "
             "programs (`jax.block_until_ready`) before you ask for a large array: what they use cannot be moved.");
    add(all,
        "Update jax if it is older than 0.4.10: later versions move arrays together before they give up. If yours is "
        "newer, this was tried, and what lies between the pieces could not be moved.");
    if (from.kind == message_kind::buffer)
        add(all, "Donate, if the " + in_words(*from.asked) + " are an output of a program: " + donate + ".");
    if (from.largest) {
        add(all, smaller(*from.asked, *from.largest, "this array"));
        add(all, spread(*from.asked, *from.largest, "this array"));
    }
    add(all, "Restart from a checkpoint: a new process has its free memory in one piece. With as much free as now, " +
                 left_over(spare));
}

[[nodiscard]] inline std::string free_before(const byte_range& missing) {
    return "Free " + enough_in_words(missing) +
           " before the program is loaded: arrays that are no longer needed (`del x`, `x.delete()`), and "
           "programs "
           "that are no longer used (`jax.clear_caches()`). Arrays come first: the runtime has thrown out idle "
           "programs "
           "already.";
}

/// Less scratch memory for a program that does not fit, or no more than `room`.
inline void of_scratch(const memory_message& from, const rounded_size& room, remedies& all) {
    if (is_out_of_reach(*from.asked, room)) return;
    add(all, smaller(*from.asked, room, "the scratch memory"));
    add(all,
        "Recompute instead of storing (`jax.checkpoint`) in programs that compute gradients, or keep activations on "
        "the host.");
    add(all,
        "Let the compiler use less: set LIBTPU_INIT_ARGS=--tpu_shared_memory_percent=N before the process starts; a "
        "lower N (in per cent) limits the memory for temporaries, and programs then run slower. It has to be " +
            enough_in_words(difference(*from.asked, room)) +
            " less. A libtpu that does not know this flag says so when it starts.");
    add(all, spread(*from.asked, room, "the program and its arguments"));
}

inline void of_load(const memory_message& from, const diagnosis& found, remedies& all) {
    const auto& temporaries = from.requirement ? from.requirement->temporaries : std::nullopt;
    const bool is_scratch =
        from.kind == message_kind::reservation || (temporaries && temporaries->bytes > from.asked->bytes / 2);
    if (is_scratch) {
        const std::string larger = generations_with(*from.asked);
        add(all, larger.empty()
                     ? "No TPU known here has " + in_words(*from.asked) +
                           " for a device: as it is, the program fits nowhere, whatever is freed."
                     : "Check first whether it can fit at all. In a memory with nothing else in it, the program would "
                       "leave room for arrays: " +
                           larger + ".");
        if (larger.empty()) return of_scratch(from, possible_in(from, *from.free), all);
    }
    add(all, free_before(*found.missing));
    if (is_scratch) return of_scratch(from, possible_in(from, *from.free), all);
    add(all, "Donate inputs: " + std::string(donate) + ", so that both need not be in memory at once.");
    add(all, "Keep fewer programs loaded: each function and each new shape that is compiled is one more. Pad inputs to "
             "a few "
             "fixed shapes, and do not compile again what could be kept.");
    add(all, "Pass large arrays as arguments. Arrays that a jitted function only refers to become constants inside the "
             "program, and are part of these " +
                 in_words(*from.asked) + ".");
    add(all, spread(*from.asked, *from.free, "the program and its arguments"));
}

inline void of_bottom(const memory_message& from, const diagnosis&, remedies& all) {
    add(all,
        "Load the program first: compile it and run it once before the large arrays are made. Its scratch memory then "
        "lies at the bottom, and the arrays come above it.");
    if (from.reservable)
        add(all, "Free the array that is in the way: it begins " + in_words(*from.reservable) +
                     " above what is reserved at the bottom. The message does not name it.");
    if (from.reservable) of_scratch(from, possible_in(from, *from.reservable), all);
    add(all, "Restart from a checkpoint, with the program loaded first: " +
                 left_over(difference(possible_in(from, *from.free), *from.asked)));
}

[[nodiscard]] inline std::string batch_of(const rounded_size& temporaries, const byte_range& exceeded) {
    const std::uint64_t left = byte_range_detail::less(temporaries.low, exceeded.high);
    const std::uint64_t share = per_cent(left, temporaries.high);
    const std::string all = in_words(temporaries) + " of temporaries";
    if (share < 5)
        return "A smaller batch alone will hardly do: the " + all + " would have to shrink by " + in_words(exceeded) +
               ".";
    return "Take a smaller batch or a shorter sequence: where the " + all + " grow in step with it, " +
           std::to_string(share) + " % of the present one fits. Or cut the batch into " +
           grouped_digits(shares_needed(temporaries.high, left)) + " equal parts and add up their gradients.";
}

[[nodiscard]] inline std::string donation(const memory_message& from, const diagnosis& found) {
    if (outputs_matter(from, found))
        return "Donate the arguments that outputs replace, with " + std::string(donate) + ": " +
               in_words(*found.fresh_outputs) +
               " of outputs take over nothing now, and come on top of the total above.";
    if (from.output && from.output->size && !found.arguments_not_stated)
        return {};  // hardly any outputs, or all donated
    return "Donate, if the program returns a new state for an old one: " + std::string(donate) + ".";
}

/// Smaller temporaries, unless the program is too large even without them.
inline void of_temporaries(const memory_message& from, const diagnosis& found, remedies& all) {
    if (arguments_exceed(from)) return;
    const auto& temporaries = from.requirement ? from.requirement->temporaries : std::nullopt;
    if (!temporaries || !found.missing) {
        add(all, "Take a smaller batch or a shorter sequence, or recompute instead of storing (`jax.checkpoint`).");
        return;
    }
    add(all, batch_of(*temporaries, *found.missing));
    const std::uint64_t share = per_cent(found.missing->high, temporaries->low);
    if (share < 95)
        add(all, "Recompute instead of storing (`jax.checkpoint`): the temporaries have to become " +
                     in_words(*found.missing) + " smaller, by " + std::to_string(share + 1) + " %.");
}

inline void of_program(const memory_message& from, const diagnosis& found, remedies& all) {
    if (from.kind == message_kind::early_abort)
        add(all, "Have the compiler finish, and list the largest arrays: set "
                 "LIBTPU_INIT_ARGS=--xla_tpu_impure_oom_fast_exit_threshold=-1 before the process starts.");
    add(all, large_array_remedy(from));
    add(all, padding_remedy(from));
    const bool is_far = from.asked && from.capacity && from.asked->bytes / 4 > from.capacity->bytes;
    if (is_far && from.kind != message_kind::exceeds && from.listed.empty())
        add(all, "Look for a single array that is far too large: a sharding that is missing or not passed on, a "
                 "broadcast, a "
                 "`jax.debug.print` left behind. So much is seldom meant.");
    if (!is_far) add(all, donation(from, found));
    of_temporaries(from, found, all);
    add(all, narrower_types_remedy(from));
    if (from.asked && from.capacity) {
        // What the system reserves is needed on each device, and in no memory that is listed for a generation.
        const rounded_size reserved = found.counts_reserved ? *from.usage->reserved : rounded_size{};
        const byte_range own = difference(*from.asked, reserved);
        const byte_range room = difference(*from.capacity, reserved);
        add(all, spread(*from.asked, *from.capacity, "arguments and batch", 8192, reserved));
        const std::string larger = generations_with({own.bytes, own.low, own.high}, room.high);
        add(all, larger.empty() ? "" : "Take a device with more memory: " + larger + ".");
    }
    if (is_far) return;
    const auto& arguments = from.usage && !found.arguments_not_stated ? from.usage->arguments : std::nullopt;
    add(all,
        "Keep the optimizer's state or activations on the host (host offloading): slower" +
            (arguments ? ", and up to the " + in_words(*arguments) + " of arguments are saved." : std::string{"."}));
    if (arguments_exceed(from)) return;
    const std::string mebibytes = from.capacity ? std::to_string(from.capacity->bytes / 100 * 95 >> 20) : "N";
    add(all, "As a last resort, make the compiler look harder, at the price of time: before the process starts, set "
             "LIBTPU_INIT_ARGS='--xla_tpu_rematerialization_algo=PEAK_PRIORITY', or a limit below the device's memory, "
             "such as --xla_tpu_max_hbm_size_mib=" +
                 mebibytes +
                 ". In XLA_FLAGS they may be refused as unknown; a libtpu that does not know them says so, too.");
}

inline void of_cores(const memory_message& from, remedies& all) {
    if (from.sparse_core && from.capacity && from.sparse_core->low > from.tensor_core.value_or(rounded_size{}).high) {
        add(all,
            "Begin with the SparseCore, which takes " + in_words(*from.sparse_core) +
                ": `--xla_sc_num_serialized_tables_to_optimize_hbm` works on fewer embedding tables at a time; its "
                "stack also grows with `feature_width` and `max_unique_nz_per_row`.");
        add(all, "Shard embedding tables over all chips; rows narrower than 8 floats are padded to 8.");
        add(all, "Lower `maximum_parallel_iterations`: fewer inputs are fetched ahead.");
    }
    if (from.asked && from.capacity) add(all, spread(*from.asked, *from.capacity, "the tables and the model", 8192));
    add(all, "Take a smaller batch or a shorter sequence.");
}

}  // namespace remedies_detail

/// The remedies for a message, cheapest first, each a sentence or two, with a number where the message allows one.
/// Empty if the message is about a small memory on the chip, or says too little. O(listed allocations).
[[nodiscard]] inline std::vector<std::string> remedies_for(const memory_message& from, const diagnosis& found) {
    using namespace remedies_detail;
    remedies all;
    if (from.kind == message_kind::cores) {
        of_cores(from, all);
        return all;
    }
    switch (found.what) {
    case trouble::shortage:
        of_shortage(from, found, all);
        break;
    case trouble::fragmentation:
        of_fragmentation(from, found, all);
        break;
    case trouble::crowded:
        of_load(from, found, all);
        break;
    case trouble::blocked_bottom:
        of_bottom(from, found, all);
        break;
    case trouble::too_large:
        of_program(from, found, all);
        break;
    case trouble::unknown:
        if (from.kind == message_kind::report) of_program(from, found, all);
        break;
    case trouble::on_chip:
        break;
    }
    return all;
}

}  // namespace hbm::imported
