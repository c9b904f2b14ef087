#include "compare/answers/message/remedies.hpp"

#include <hbm/core/bytes.hpp>
#include <hbm/explain/filled_text.hpp>
#include <hbm/explain/words.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "compare/answers/message/words.hpp"
#include "compare/read/xla/shape.hpp"
#include "compare/text/share.hpp"
#include "compare/text/text.hpp"

namespace hbm::compare {

namespace {

using imported::difference;
using imported::enough_in_words;
using imported::exactly;
using imported::less;
using imported::listed_allocation;

/// Collects the remedies for a message.
class advice {
public:
    advice(const memory_message& message, const diagnosis& shortage, bool may_donate)
        : from_(message), shortage_(shortage), words_(words_of(message)), may_donate_(may_donate),
          asked_(message[figure::asked].value_or(rounded_size{})),
          free_(message[figure::free].value_or(rounded_size{})),
          capacity_(message[figure::capacity].value_or(rounded_size{})) {}

    std::vector<answer_remedy> give() {
        const bool is_cut = !from_.of_compiler() && (!from_[figure::asked] || !from_[figure::free]);
        if (from_.kind == message_kind::donation)
            advise_donation();
        else if (shortage_.what == shortage_kind::on_chip)
            advise_chip();
        else if (is_cut)
            advise_cut();
        else if (from_.kind == message_kind::cores)
            advise_cores();
        else
            advise_shortage();
        std::stable_sort(list_.begin(), list_.end(), [](const answer_remedy& a, const answer_remedy& b) {
            return a.can_suffice && !b.can_suffice;
        });
        return std::move(list_);
    }

private:
    void advise_shortage() {
        switch (shortage_.what) {
        case shortage_kind::shortage:
            add_growth();
            add_pool();
            add("Free at least {enough}: {free}. The usual leftovers: an old state, results kept in a list from step "
                "to "
                "step, a second copy while a checkpoint is saved or restored.");
            add_donation(
                "Donate, if the {asked} is an output of a program: {donate}. It then takes over an input of its "
                "size, and needs no room of its own.");
            add_smaller("this array", free_);
            add_spread("it", asked_, free_);
            return add(check_shape);
        case shortage_kind::fragmentation: return advise_fragmentation();
        case shortage_kind::crowded: return advise_load();
        case shortage_kind::blocked_bottom: return advise_bottom();
        case shortage_kind::too_large: return advise_program();
        default:
            if (from_.kind == message_kind::list || from_.kind == message_kind::sizes) advise_program();
        }
    }

    void advise_fragmentation() {
        add("Make large arrays first and keep them; let small arrays that live long come after them. Before a large "
            "request, wait for programs that run (`jax.block_until_ready`): what they use cannot be moved.");
        add_restart("Restart from a checkpoint: a new process has its free memory in one piece. With as much free as "
                    "now, {left} would be left over.",
                    difference(free_, asked_));
        if (from_.kind == message_kind::buffer)
            add_donation("Donate, if the {asked} is an output of a program: {donate}.");
        if (from_[figure::largest]) {
            add_smaller("this array", *from_[figure::largest]);
            add_spread("it", asked_, *from_[figure::largest]);
        }
        add("Free arrays that are no longer needed: {free}. Pieces grow where neighbours go.");
        add("Update jax if it is older than 0.4.10: later versions move arrays together before they give up.");
        add(check_shape);
    }

    /// A program that does not fit next to what is in memory.
    void advise_load() {
        const rounded_size room = possible_in(from_, free_);
        const auto& temporaries = from_[figure::temporaries];
        const bool is_scratch =
            from_.kind == message_kind::reservation || (temporaries && temporaries->bytes > asked_.bytes / 2);
        const bool fits_nowhere = is_scratch && asked_.low > largest_generation().capacity;
        const framework_program* const known = find_framework_program(from_.program);
        if (known != nullptr && !known->remedy.empty()) add(known->remedy);
        if (fits_nowhere) {
            add(large_array);
            add_spread("program and arguments", asked_, exactly(largest_generation().capacity));
            return add_scratch(room);
        }
        add_growth();
        add_pool();
        add("Free at least {enough} before the program is loaded: arrays that are no longer needed ({free}), and "
            "programs that are no longer used ({programs}).");
        if (known != nullptr) return;
        if (is_scratch) {
            add_scratch(room);
            return add_company();
        }
        add("Pass large arrays as arguments: those that a jitted function only refers to become constants of the "
            "program, and part of these {asked}.");
        add("Take a smaller batch or a shorter sequence: code and constants hardly shrink with it, but the arrays that "
            "are in memory do.");
        add_spread("program and arguments", asked_, room);
        add_company();
    }

    /// A program for which enough is free, but not at the bottom of memory.
    void advise_bottom() {
        add_pool();
        add("Load the program first: compile it and run it once before the large arrays are made. Its scratch then "
            "lies "
            "at the bottom, and the arrays come above it.");
        const auto& obstacle = from_[figure::obstacle_at];
        const std::optional<rounded_size> piece = obstacle ? obstacle : from_[figure::reservable];
        const std::string size = from_[figure::obstacle] ? ", " + in_words(*from_[figure::obstacle]) + " large" : "";
        if (piece)
            add("Free the array in the way, " + in_words(*piece) + " from the bottom" + size +
                ". The message does not name it: begin with arrays that are no longer needed ({free}).");
        add_restart("Restart from a checkpoint, with the program loaded first: {left} would be left over.",
                    difference(possible_in(from_, free_), asked_));
        if (piece) add_scratch(possible_in(from_, from_[figure::reservable].value_or(*piece)));
        add_company();
    }

    /// A program that is too large for the device, or a list of what it needs.
    void advise_program() {
        const bool has_need = from_[figure::asked] && from_[figure::capacity];
        const bool is_far = has_need && asked_.bytes / 4 > capacity_.bytes;
        const auto& arguments = from_[figure::arguments];
        const bool exceeds = from_[figure::capacity] && arguments && arguments->low > capacity_.high;
        if (from_.kind == message_kind::early_abort)
            add("Have the compiler finish, and list the largest arrays: before the process starts, set "
                "LIBTPU_INIT_ARGS=--xla_tpu_impure_oom_fast_exit_threshold=-1.",
                true, "--xla_tpu_impure_oom_fast_exit_threshold", "-1");
        add_large_array();
        add_padding();
        if (is_far && from_.kind != message_kind::exceeds && from_.listed.empty()) add(large_array);
        // Donation saves outputs, not temporaries.
        const bool may_have_outputs = from_.kind != message_kind::temporaries && !is_far && !exceeds;
        const bool is_sum = from_.kind == message_kind::sizes;
        if (may_have_outputs && shortage_.fresh_outputs)
            add_donation(is_sum ? "Donate the arguments that outputs replace: {donate}. {outputs} of outputs take over "
                                  "nothing now."
                                : "Donate the arguments that outputs replace: {donate}. {outputs} of outputs take over "
                                  "nothing now, on top of the total above.",
                         is_sum || !shortage_.missing);
        else if (may_have_outputs && !from_[figure::output])
            add_donation("Donate, if the program returns a new state for an old one: {donate}.", !shortage_.missing);
        if (!exceeds) add_temporaries();
        add_narrower_types();
        if (has_need) add_devices();
        const auto& total = from_[figure::total];
        if (!from_[figure::capacity] && total && generations_with(*total).empty())
            add_spread("arguments and batch", *total, exactly(largest_generation().capacity));
        if (is_far) return;
        if (shortage_.states_arguments)
            add("Keep the optimizer's state or activations on the host (host offloading): slower, and saves up to "
                "the " +
                    in_words(*arguments) + " of arguments.",
                !shortage_.missing || arguments->high > shortage_.missing->low);
        else
            add("Keep the optimizer's state or activations on the host (host offloading): slower.");
        if (exceeds) return;
        const std::string mebibytes = has_need ? std::to_string(capacity_.bytes / 100 * 95 >> 20) : "N";
        add("Make the compiler look harder, at the price of time: before the process starts, set "
            "LIBTPU_INIT_ARGS=--xla_tpu_max_hbm_size_mib=" +
                mebibytes + ", below the device's memory, or --xla_tpu_rematerialization_algo=PEAK_PRIORITY.",
            false, "--xla_tpu_max_hbm_size_mib", has_need ? mebibytes : "");
    }

    /// More devices, or larger ones. The system's reservation is needed on each device, and is not in the listed memory
    /// of a generation.
    void add_devices() {
        const rounded_size reserved = shortage_.counts_reserved ? *from_[figure::system_reserved] : rounded_size{};
        add_spread("arguments and batch", asked_, capacity_, reserved);
        const std::string larger =
            generations_with(size_of(difference(asked_, reserved)), difference(capacity_, reserved).high);
        if (!larger.empty()) add("Take a device with more memory: " + larger + ".");
    }

    void advise_cores() {
        const auto& sparse_core = from_[figure::sparse_core];
        if (sparse_core && sparse_core->low > from_[figure::tensor_core].value_or(rounded_size{}).high) {
            add("Begin with the SparseCore, which takes " + in_words(*sparse_core) +
                    ": `--xla_sc_num_serialized_tables_to_optimize_hbm` works on fewer embedding tables at a time.",
                true, "--xla_sc_num_serialized_tables_to_optimize_hbm");
            add("Shard embedding tables over all chips; rows narrower than 8 floats are padded to 8.");
            add("Lower `maximum_parallel_iterations`: fewer inputs are fetched ahead.");
        }
        if (from_[figure::asked] && from_[figure::capacity]) add_spread("tables and model", asked_, capacity_);
        add("Take a smaller batch or a shorter sequence.");
    }

    void advise_donation() {
        add("Return an output of the same shape, type and sharding for each donated argument: only such an output "
            "takes "
            "over its memory. A cast, another sharding or a reshape between them prevents it.");
        add("Otherwise do not donate it: the donation has no effect. For a program's module, `hbm_compare --program "
            "DIR/module_*after_optimizations.txt` lists what could be donated.");
    }

    void advise_chip() {
        if (from_.space.find("host") != std::string::npos)
            return add(
                "Offload less to the host: fewer activations or less of the optimizer's state. Or take a machine "
                "with more memory for each device.");
        if (from_.space == "smem")
            return add("Pass less scalar data to the kernel: block tables and grid indices live in 'smem'. In vLLM, "
                       "larger pages (--block-size) or fewer sequences (--max-num-seqs) make the block table smaller.");
        if (from_.space.starts_with("SparseCore"))
            return add(
                "Let the SparseCore work on less at a time: fewer embedding tables together, narrower features, a "
                "smaller batch. XLA's page on error E3000 explains the limit.");
        constexpr std::uint64_t most_vmem = std::uint64_t{128} << 20;  // of a v5e or v6e; others have less
        if (from_[figure::asked] && asked_.high < most_vmem && from_.space == "vmem") {
            const std::uint64_t kibibytes = (asked_.high + 1023) / 1024;
            add("Raise the limit if the chip has more vmem: for a Pallas kernel of yours, "
                "`compiler_params=pltpu.CompilerParams(vmem_limit_bytes=" +
                    std::to_string(kibibytes * 1024) +
                    ")`; for all, set LIBTPU_INIT_ARGS=--xla_tpu_scoped_vmem_limit_kib=" + std::to_string(kibibytes) +
                    " before the process starts.",
                true, "--xla_tpu_scoped_vmem_limit_kib", std::to_string(kibibytes));
        }
        add("Use smaller blocks in that kernel (in Pallas, its `BlockSpec`), or fewer buffers for a block.");
        add("Update jax and libtpu, if the kernel is the compiler's own: it should have chosen smaller blocks. XLA's "
            "page on error E1001 lists further flags.");
    }

    void advise_cut() {
        add("Bring the whole message, to the end of its line: it says whether less is free, or not in one piece.");
        if (from_.kind == message_kind::buffer) {
            add("Delete arrays that are no longer needed: {free}.");
            add_donation("Donate, if it is an output of a program: {donate}.");
            add("Take a smaller batch or a shorter sequence, or spread the array over more devices.");
            return add(check_shape);
        }
        add("Load the program first: compile it and run it once before large arrays are made.");
        add_pool();
        add("Before the program is loaded, free arrays that are no longer needed: {free}.");
        add_company();
        add("Take a smaller batch or a shorter sequence, or spread the program over more devices.");
    }

    /// Adds a remedy. Words and figures that many share stand in it as names in braces.
    void add(std::string_view text, bool can_suffice = true, std::string flag = {}, std::string value = {}) {
        std::string sentence = filled(text, {{"asked", in_words(asked_)},
                                             {"enough", shortage_.missing ? enough_in_words(*shortage_.missing) : ""},
                                             {"missing", words_or_empty(shortage_.missing)},
                                             {"outputs", words_or_empty(shortage_.fresh_outputs)},
                                             {"free", std::string(words_.free_arrays)},
                                             {"programs", std::string(words_.free_programs)},
                                             {"donate", std::string(words_.donate)},
                                             {"recompute", std::string(words_.recompute)},
                                             {"steps", grouped_digits(from_.around.steps)}});
        list_.push_back({std::move(sentence), std::move(flag), std::move(value), can_suffice});
    }

    void add_donation(std::string_view text, bool can_suffice = true) {
        if (may_donate_) add(text, can_suffice);
    }

    /// Memory was enough for many steps, so something was added.
    void add_growth() {
        if (from_.around.steps >= many_steps)
            add("Look for what grows: memory was enough for {steps} steps. Print "
                "`jax.local_devices()[0].memory_stats()` in each step; `hbm_compare LOG` says since when and how "
                "fast.");
    }

    /// A smaller KV pool, if a server wrote the log, and by how much if it states the device's memory.
    void add_pool() {
        if (!from_.around.has_pool) return;
        const auto& memory = from_.around.memory;
        const bool has_share = shortage_.missing && memory && memory->bytes >= 1000;
        const std::uint64_t share = has_share ? thousandths_of(shortage_.missing->high, memory->bytes) : 1000;
        add("Make the KV pool smaller" + std::string(shortage_.missing ? " by at least {enough}" : "") +
                ": lower --gpu-memory-utilization (vLLM) or --mem-fraction-static (SGLang)" +
                (share < 1000 ? " by " + share_in_words(share) + " or more" : std::string{}) +
                ". `hbm_compare --serve DUMP` finds the largest pool that leaves all programs room.",
            true, "--gpu-memory-utilization");
    }

    /// Less in memory next to a program. Neither is sure to be enough.
    void add_company() {
        add("Keep fewer programs loaded: each function and each new shape that is compiled is one more. Pad inputs to "
            "a "
            "few fixed shapes.",
            false);
        add_donation("Donate inputs: {donate}, so that old and new values need not be in memory at once.", false);
    }

    /// Less scratch for a program that must fit `room`.
    void add_scratch(const rounded_size& room) {
        const std::string enough = enough_in_words(difference(asked_, room));
        const std::uint64_t shares = shares_needed(asked_.high, room.low);
        const bool is_near = shares != 0 && shares <= few_shares;
        add_smaller("its scratch", room);
        add("Recompute instead of storing ({recompute}), if it computes gradients: its scratch must shrink by at "
            "least " +
                enough + ".",
            is_near);
        add_spread("program and arguments", asked_, room);
        add("Let the compiler use less scratch: set LIBTPU_INIT_ARGS=--tpu_shared_memory_percent=N before the process "
            "starts, with a lower N. It must save at least " +
                enough + "; programs run slower.",
            is_near, "--tpu_shared_memory_percent");
    }

    void add_smaller(const std::string& what, const rounded_size& room) {
        const std::uint64_t share = per_cent(room.low, asked_.high);
        const std::uint64_t parts = shares_needed(asked_.high, room.low);
        if (in_words(asked_) == in_words(room))
            add("Request a little less: a batch or sequence that is slightly smaller is enough, if " + what +
                " grows in step with it.");
        else if (share >= 10)
            add("Take a smaller batch or a shorter sequence: " + std::to_string(share) +
                " % of the present one fits (" + in_words(room) + " instead of {asked}), if " + what +
                " grows in step with it.");
        else if (parts != 0)
            add("Make " + what + " smaller (batch, sequence): it must shrink by a factor of " + grouped_digits(parts) +
                    ", to " + in_words(room) + ", unless other memory is freed as well.",
                false);
    }

    /// Each device needs the `reserved` part of the size.
    void add_spread(const std::string& what, const rounded_size& need, const rounded_size& room,
                    const rounded_size& reserved = {}) {
        constexpr std::uint64_t most_devices = 8192;
        const std::uint64_t devices = shares_needed(less(need.high, reserved.low), less(room.low, reserved.high));
        if (devices <= 1 || devices > most_devices) return;
        const std::uint64_t share = saturating_add(less(need.bytes, reserved.bytes) / devices, reserved.bytes);
        const unsigned unit = range_of(need).unit;
        const bool is_too_coarse = unit > range_of(room).unit;
        const std::string fits = is_too_coarse
                                     ? "each share fits into "
                                     : "each needs " + in_unit(share, unit, imported::rounding::nearest) + " of ";
        add("Spread " + what + " over " + grouped_digits(devices) + " times as many devices (sharding): " + fits +
                in_words(room) + ", if everything divides.",
            devices <= few_shares);
    }

    void add_restart(std::string_view text, const byte_range& spare) {
        add(filled(text, {{"left", in_words(spare)}}), spare.low != 0);
    }

    void add_temporaries() {
        const std::optional<rounded_size> temporaries =
            from_[from_.kind == message_kind::temporaries ? figure::asked : figure::temporaries];
        if (!temporaries || !shortage_.missing)
            return add("Take a smaller batch or a shorter sequence, or recompute instead of storing ({recompute}).");
        const std::uint64_t left = less(temporaries->low, shortage_.missing->high);
        const std::uint64_t share = per_cent(left, temporaries->high);
        if (share >= 5)
            add("Take a smaller batch or a shorter sequence: " + std::to_string(share) +
                " % of the present one fits, if the " + in_words(*temporaries) +
                " of temporaries grow in step with it; or cut the batch into " +
                grouped_digits(shares_needed(temporaries->high, left)) + " parts and add up gradients.");
        else
            add("Make the " + in_words(*temporaries) +
                    " of temporaries smaller: they must shrink by {missing}, more than a smaller batch alone does.",
                false);
        const std::uint64_t needed = per_cent(shortage_.missing->high, temporaries->low);
        if (needed < 95)
            add("Recompute instead of storing ({recompute}): the temporaries must shrink by at least {enough}, by " +
                std::to_string(needed + 1) + " %.");
    }

    [[nodiscard]] static std::string array_of(const listed_allocation& entry) {
        return entry.shape.empty() ? "an array" : without_layout(entry.shape);
    }

    /// A single array that takes more than half of the memory.
    void add_large_array() {
        if (from_.kind == message_kind::exceeds && from_[figure::asked] && from_[figure::capacity])
            return add(
                "Look at that array first" + (from_.shape.empty() ? "" : ", " + without_layout(from_.shape)) +
                ": a single one of this size is rarely intended. The usual reasons: a sharding that is missing or "
                "not passed on, a broadcast, a `jax.debug.print` left behind.");
        const listed_allocation* largest = nullptr;
        for (const listed_allocation& each : from_.listed)
            if (each.size && (largest == nullptr || each.size->bytes > largest->size->bytes)) largest = &each;
        if (largest == nullptr || !from_[figure::capacity]) return;
        // Without its padding: padding has a remedy of its own.
        const rounded_size& data = largest->unpadded ? *largest->unpadded : *largest->size;
        if (data.low <= capacity_.high / 2) return;
        const std::string operation = operation_of(*largest);
        add("Look at " + array_of(*largest) + " (" + in_words(*largest->size) + ")" +
            (operation.empty() ? "" : " of '" + operation + "'") + " first: it alone takes " +
            std::to_string(per_cent(largest->size->bytes, capacity_.bytes)) +
            " % of the memory. The usual reasons: a sharding that is missing or not passed on, a `jax.debug.print` "
            "left "
            "behind.");
    }

    /// Returns the dimensions that are stored longer than they are: `18 as 128 and 9 as 16`. Empty if there are none,
    /// or the layout is unknown.
    [[nodiscard]] static std::string lengthened(std::string_view text) {
        const std::optional<imported::array_shape> shape = imported::read_array_shape(text);
        if (!shape || !shape->is_tiled() || shape->minor_to_major.size() != shape->dimensions.size()) return {};
        std::vector<std::string> all;
        for (std::size_t at = 0; at < shape->tile.size() && at < shape->minor_to_major.size(); ++at) {
            const std::uint64_t unit = shape->tile[shape->tile.size() - 1 - at];
            std::uint64_t length = shape->dimensions[static_cast<std::size_t>(shape->minor_to_major[at])];
            const std::uint64_t stated = length;
            if (unit == imported::joined_dimension || !imported::round_up(length, unit)) return {};
            if (length != stated) all.push_back(std::to_string(stated) + " as " + std::to_string(length));
        }
        return list_in_words(all);
    }

    /// Padding, if a listed array wastes a third of its memory.
    void add_padding() {
        const listed_allocation* worst = nullptr;
        std::uint64_t count = 0;
        for (const listed_allocation& each : from_.listed) {
            if (!each.padding || !each.size || each.padding->bytes < each.size->bytes / 3) continue;
            ++count;
            if (worst == nullptr || each.padding->bytes > worst->padding->bytes) worst = &each;
        }
        if (worst == nullptr) return;
        const std::string stored = lengthened(worst->shape);
        const auto& exceeded = from_[figure::exceeded];
        const bool is_enough = exceeded && worst->padding->low > exceeded->high;
        std::string text = "Avoid padding: " + in_words(*worst->padding) + " of the " + in_words(*worst->size) +
                           " of " + array_of(*worst) + " is padding";
        text += stored.empty() ? ": dimensions are stored as multiples of 128 and 8, the last two as a rule."
                               : ": the device stores its dimension of " + stored + ".";
        text += " Make a small last dimension part of another one, or swap dimensions.";
        if (is_enough) text += " Without it, the program could fit.";
        if (count > 1) text += " Of the listed arrays, " + grouped_digits(count) + " waste a third or more.";
        add(text, is_enough || !exceeded);
    }

    void add_narrower_types() {
        const auto count = std::count_if(from_.listed.begin(), from_.listed.end(),
                                         [](const listed_allocation& each) { return each.shape.starts_with("f32["); });
        if (count != 0)
            add("Compute in bfloat16 where that is good enough: " + std::to_string(count) + " of the " +
                    std::to_string(from_.listed.size()) + " listed arrays are f32, and would shrink by half.",
                false);
    }

    static constexpr std::uint64_t few_shares = 16;
    static constexpr const char* check_shape = "Check its shape: the last two dimensions are stored as multiples of "
                                               "128 and 8 (roughly), so a last dimension of "
                                               "1 to 127 takes the memory of 128.";
    static constexpr const char* large_array =
        "Look for a single array that is far too large: a sharding that is missing or not passed on, a broadcast, a "
        "`jax.debug.print` left behind.";

    const memory_message& from_;
    const diagnosis& shortage_;
    const framework_words& words_;
    bool may_donate_;
    rounded_size asked_;     // 0 if not stated
    rounded_size free_;      // 0 if not stated
    rounded_size capacity_;  // 0 if not stated
    std::vector<answer_remedy> list_;
};

}  // namespace

std::vector<answer_remedy> remedies_for(const memory_message& from, const diagnosis& shortage, bool may_donate) {
    return advice(from, shortage, may_donate).give();
}

}  // namespace hbm::compare
