#include "compare/answers/message/answer.hpp"

#include <hbm/explain/filled_text.hpp>
#include <hbm/explain/words.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "compare/answers/message/diagnosis.hpp"
#include "compare/answers/message/remedies.hpp"
#include "compare/answers/message/words.hpp"
#include "compare/read/xla/shape.hpp"
#include "compare/text/text.hpp"

namespace hbm::compare {

namespace {

using imported::difference;
using imported::exactly;

constexpr std::string_view must_shrink = " Freeing memory does not help: the program itself has to become smaller.";

std::string_view class_of(const memory_message& from, const diagnosis& shortage) {
    if (from.is_statement() && shortage.what != shortage_kind::on_chip)
        return from.kind >= message_kind::rematerialization ? "warning" : "list";
    constexpr std::string_view names[] = {"shortage",  "fragmentation", "crowded", "blocked_bottom",
                                          "too_large", "on_chip",       "unknown"};
    return names[static_cast<std::size_t>(shortage.what)];
}

/// Makes the headline of a message: what failed and by how much, and what follows from that.
class headline_writer {
public:
    headline_writer(const memory_message& message, const diagnosis& shortage) : from_(message), shortage_(shortage) {}

    [[nodiscard]] std::string write() const {
        if (shortage_.what == shortage_kind::on_chip) return of_chip();
        if (from_.is_statement()) return of_statement();
        if (shortage_.contradicts)
            return filled(
                "The message contradicts itself: {asked} is needed, and {enough} is reported as too little. It "
                "may be cut, or two messages may be mixed in it: bring the whole message, as it was printed.");
        return from_.of_compiler() ? of_compiler() : of_runtime();
    }

private:
    [[nodiscard]] std::string filled(std::string_view text) const {
        const std::string program = program_of(from_);
        std::string capital = program;
        capital.front() = 'P';
        if (program == "the program") capital = "The program";
        const auto& piece = from_[from_.kind == message_kind::reservation ? figure::reservable : figure::largest];
        const auto& capacity = from_[figure::capacity];
        const auto& asked = from_[figure::asked];
        return hbm::filled(
            text, {{"program", program},
                   {"Program", capital},
                   {"asked", words_or_empty(asked)},
                   {"free", words_or_empty(from_[figure::free])},
                   {"missing", words_or_empty(shortage_.missing)},
                   {"piece", words_or_empty(piece)},
                   {"enough", words_or_empty(capacity ? capacity
                                             : piece  ? possible_in(from_, *piece)
                                                      : piece)},
                   {"reserved", words_or_empty(from_[figure::reserved])},
                   {"capacity", words_or_empty(capacity)},
                   {"factor", asked && capacity ? times_in_words(asked->bytes, capacity->bytes) : std::string{}}});
    }

    [[nodiscard]] std::string of_chip() const {
        const std::string space = small_memory_of(from_);
        const bool is_host = space.find("host") != std::string::npos;
        std::string text = from_.owner.empty() ? "An operation or kernel of the program" : "'" + from_.owner + "'";
        text += " needs too much of '" + space + "'";
        text += is_host ? ", memory of the host, to which a program can offload" : ", a small memory on the chip";
        if (from_[figure::asked] && from_[figure::capacity])
            text += filled(from_.is_setting ? ": {asked} is needed and {capacity} is allowed"
                                            : ": {asked} is needed and {capacity} exists");
        if (shortage_.missing) text += filled(", {missing} too much");
        text += ".";
        if (from_.is_setting) text += " That limit is a setting, and the chip may have more.";
        return text + " The device's memory (HBM) is not short: freeing it does not help.";
    }

    [[nodiscard]] std::string of_runtime() const {
        const bool reserves = from_.kind == message_kind::reservation;
        if (!from_[figure::asked] || !from_[figure::free]) return of_cut();
        const auto& reserved = from_[figure::reserved];
        const bool shares = reserves && reserved && reserved->bytes != 0;
        switch (shortage_.what) {
        case shortage_kind::shortage:
            return filled("The device is full. Requested {asked}; {free} is free: {missing} short.") + of_steps();
        case shortage_kind::fragmentation:
            return filled(
                from_[figure::largest]
                    ? "Enough memory is free, but not in one piece. Requested {asked}; {free} is free, but the "
                      "longest piece has {piece}, which is {missing} too short."
                    : "Enough memory is free, but not in one piece. Requested {asked}; {free} is free. The "
                      "message does not say how long the longest piece is.");
        case shortage_kind::crowded: {
            std::string_view text =
                "{Program} does not fit next to what is in memory: it needs {asked} for its code and "
                "constants, and {free} is free: {missing} short.";
            if (from_[figure::memory])
                text = "{Program} does not fit next to what is in memory: it needs {asked}, and {free} is free: "
                       "{missing} short.";
            if (reserves)
                text = "{Program} does not fit next to what is in memory: it needs {asked} of scratch memory while it "
                       "runs, and {free} is free: {missing} short.";
            if (shares)
                text = "{Program} does not fit next to what is in memory: it needs {asked} of scratch memory while it "
                       "runs, of which {reserved} is reserved already, and {free} is free: {missing} short.";
            return filled(text) + of_steps() + alone();
        }
        case shortage_kind::blocked_bottom: {
            std::string text = filled("Enough memory is free ({free}), but something is in the way: {program} needs "
                                      "{asked} of scratch memory at the bottom of the device's memory, where ");
            if (shares) text += filled("{reserved} is reserved already and ");
            return text + filled(from_[figure::reservable] ? "the free piece has {piece}, which is {missing} too short."
                                                           : "no free piece is long enough.");
        }
        default: return of_cut();
        }
    }

    /// Returns the sentence that memory was enough for many steps.
    [[nodiscard]] std::string of_steps() const {
        if (from_.around.steps < many_steps) return {};
        return " Memory was enough for " + grouped_digits(from_.around.steps) + " steps, so it has grown.";
    }

    /// Returns the sentence on devices that hold a program alone.
    [[nodiscard]] std::string alone() const {
        const rounded_size& asked = *from_[figure::asked];
        const auto& memory = from_[figure::memory] ? from_[figure::memory] : from_.around.memory;
        if (memory && memory->low > asked.high)
            return " Alone it fits: that would leave " + in_words(difference(*memory, asked)) + " of the " +
                   in_words(*memory) + " of this device.";
        const memory_spec& largest = largest_generation();
        if (asked.low > largest.capacity)
            return " No TPU known here has as much for a device: as it is, it fits nowhere, whatever is freed. It has "
                   "to "
                   "shrink by at least " +
                   enough_in_words(difference(asked, exactly(largest.capacity))) + " to fit into the largest, " +
                   device_in_words(largest) + ".";
        // A program that is small next to all devices fits all of them.
        const bool is_large = asked.high > std::uint64_t{2} << 30;
        return is_large ? " Alone it would fit into: " + generations_with(asked) + "." : std::string{};
    }

    [[nodiscard]] std::string of_cut() const {
        const bool has_size = from_[figure::asked].has_value();
        constexpr std::string_view unknown = " The text does not say how much was free: the message is cut before it.";
        constexpr std::string_view unread = " How much was free cannot be told: a figure cannot be read.";
        const std::string_view end = from_[figure::free] ? unread : unknown;
        switch (from_.kind) {
        case message_kind::reservation:
            return filled(has_size
                              ? "There was no room for {program}: {asked} of scratch memory at the bottom of the "
                                "device's memory."
                              : "There was no room for the scratch memory of {program} at the bottom of the device's "
                                "memory.") +
                   (from_[figure::free] ? filled(" {free} was free, and how much it needs cannot be read.")
                                        : std::string(end));
        case message_kind::load:
            return filled(has_size
                              ? "There was no room for {program} on the device: {asked} for its code and constants."
                              : "There was no room for {program} on the device.") +
                   std::string(end);
        default:
            return filled(has_size ? "An array of {asked} was requested and did not fit."
                                   : "An array of unknown size was requested and did not fit.") +
                   std::string(end);
        }
    }

    [[nodiscard]] std::string of_compiler() const {
        const bool is_compared = from_[figure::asked] && from_[figure::capacity];
        const bool is_missing = shortage_.missing.has_value();
        switch (from_.kind) {
        case message_kind::early_abort:
            return filled(is_compared
                              ? "The program is far too large: the compiler expects to need {asked}, {factor} the "
                                "{capacity} that the device has, and gave up."
                              : "The program is far too large: the compiler gave up before it had finished.");
        case message_kind::cores:
            return filled(is_missing
                              ? "The program is too large: TensorCore and SparseCore together need {asked} of "
                                "{capacity}, {missing} too much."
                              : "The program is too large: TensorCore and SparseCore together need more than the "
                                "device has.");
        case message_kind::exceeds: {
            if (!is_compared) return "A single array of the program takes more than all the memory of the device.";
            // Only slightly too large: as a factor it would be 1.0.
            const bool is_slightly = from_[figure::asked]->bytes / 10 < from_[figure::capacity]->bytes / 9;
            return filled(
                is_slightly && is_missing
                    ? "A single array of the program takes {asked}, which is {missing} more than all the memory "
                      "of the device ({capacity})."
                    : "A single array of the program takes {asked}, {factor} all the memory of the device "
                      "({capacity}): {missing} too much.");
        }
        case message_kind::temporaries:
            return filled(is_missing
                              ? "The temporaries of {program} alone need {asked} of {capacity}, {missing} too much. "
                                "Arguments come on top, so even more may be missing."
                              : "The temporaries of {program} alone need more than the device has. The text does not "
                                "say by how much: the message is cut.") +
                   std::string(must_shrink);
        default: return of_program() + std::string(must_shrink) + of_arguments();
        }
    }

    [[nodiscard]] std::string of_program() const {
        std::string counting = shortage_.states_arguments ? "with its arguments " : "";
        if (shortage_.states_arguments && shortage_.counts_reserved)
            counting = "with its arguments and what the system reserves, ";
        const std::string begin = "The program does not fit, even into empty memory";
        if (from_[figure::asked] && from_[figure::capacity])
            return begin + ": " + counting + filled("it needs {asked} of {capacity}, {missing} too much.");
        if (shortage_.missing) return begin + ": " + counting + filled("it needs {missing} more than the device has.");
        if (from_[figure::asked]) return begin + filled(": it needs {asked}, which is more than the device has.");
        return begin + ". The text does not say by how much: the message is cut before its numbers.";
    }

    [[nodiscard]] std::string of_arguments() const {
        const auto& arguments = from_[figure::arguments];
        const auto& capacity = from_[figure::capacity];
        if (!capacity || !arguments || arguments->low <= capacity->high) return {};
        return " Its arguments alone are " + in_words(difference(*arguments, *capacity)) +
               " more than the device has: weights, optimizer state and batch.";
    }

    [[nodiscard]] std::string of_statement() const {
        if (from_.kind == message_kind::donation) return of_donation();
        if (from_.kind == message_kind::rematerialization)
            return filled(
                from_[figure::asked] && shortage_.missing
                    ? "A warning of the compiler, not yet a failure: with everything recomputed that can be, "
                      "the program still needs {asked}, {missing} more than its limit of {capacity}. If loading "
                      "it then fails, this program is why."
                    : "A warning of the compiler, not yet a failure: with everything recomputed that can be, "
                      "the program still needs more than its limit. If loading it then fails, this program is "
                      "why.");
        if (from_.kind == message_kind::fits)
            return filled(from_[figure::capacity] ? "No failure: a program uses {asked} of {capacity}, and fits."
                                                  : "No failure: a program uses {asked}, and fits.");
        const std::optional<rounded_size> total = need_of_program(from_, shortage_);
        if (!total)
            return "This is a list of what a program uses. The line that says how much the device has is missing.";
        const std::string devices = generations_with(*total);
        return "The program uses " + in_words(*total) + " or more. The line that says how much the device has is " +
               (devices.empty() ? "missing, but no TPU known here has as much for a device."
                                : "missing; it would fit into: " + devices + ".");
    }

    [[nodiscard]] std::string of_donation() const {
        // JAX prints the names of NumPy.
        constexpr std::pair<std::string_view, std::string_view> names[] = {
            {"bfloat16", "bf16"}, {"float", "f"}, {"uint", "u"}, {"int", "s"}, {"bool", "pred"}, {"complex", "c"}};
        std::string shapes;
        std::optional<std::uint64_t> sum = 0;
        for (const std::string& each : from_.shapes) {
            append_item(shapes, each);
            std::string text = each;
            for (const auto& [name, short_name] : names)
                if (text == each && text.starts_with(name)) text.replace(0, name.size(), short_name);
            const std::optional<imported::array_shape> shape = imported::read_array_shape(text);
            const std::optional<std::uint64_t> bytes = shape ? imported::unpadded_bytes(*shape) : std::nullopt;
            sum = sum && bytes ? std::optional(saturating_add(*sum, *bytes)) : std::nullopt;
        }
        std::string text =
            "A warning, not a failure: no output could take over these donated arguments: " + shapes + ".";
        if (sum) text += " Together they have " + size_in_words(*sum) + " or more, which the outputs need in addition.";
        return text;
    }

    const memory_message& from_;
    const diagnosis& shortage_;
};

/// A figure of a message as a fact.
struct figure_fact {
    figure which;
    std::string_view key;
    const char* label;
    bool is_detail;
};

constexpr figure_fact figure_facts[] = {
    {figure::tensor_core, "tensor_core_bytes", "for the TensorCore", false},
    {figure::sparse_core, "sparse_core_bytes", "for the SparseCore", false},
    {figure::total, "total_bytes", "the program in all, as the compiler counts it", true},
    {figure::arguments, "arguments_bytes", "arguments: weights, optimizer state, batch", false},
    {figure::program, "program_bytes", "the program itself, with its temporaries", true},
    {figure::temporaries, "temporaries_bytes", "temporaries, such as activations and gradients", false},
    {figure::unpadded, "unpadded_bytes", "of the temporaries: without padding", true},
    {figure::padded, "padded_bytes", "of the temporaries: with padding", true},
    {figure::fragmentation, "gaps_bytes", "of the temporaries: lost in gaps between them", true},
    {figure::global, "constants_bytes", "constants and code", true},
    {figure::scoped, "scoped_bytes", "scoped memory", true},
    {figure::requirement, "requirement_bytes", "the program itself, in the list of its parts", true},
    {figure::output, "output_bytes", "outputs", true},
    {figure::shared, "shared_bytes", "outputs that take over arguments", true},
    {figure::system_reserved, "system_reserved_bytes", "reserved by the system", true},
    {figure::reserved, "reserved_bytes", "reserved at the bottom already, for programs that were loaded before", true},
    {figure::obstacle_at, "obstacle_at_bytes", "from the bottom to the nearest obstacle", true},
    {figure::obstacle, "obstacle_bytes", "size of that obstacle", true},
    {figure::allocated, "allocated_bytes", "in use by arrays and programs", false},
    {figure::held_outputs, "held_outputs_bytes", "of that, or more: outputs of programs that ran", false},
    {figure::held_arguments, "held_arguments_bytes", "of that, or more: arguments of the program", false},
    {figure::top_reserved, "top_reserved_bytes", "reserved at the top of memory, for the system", true},
    {figure::memory, "memory_bytes", "all memory of the device", true},
};

answer_value value_of(const rounded_size& size) {
    return {size.bytes, {}, size.is_exact() ? std::string{} : in_words(size)};
}

/// Returns the facts of a message: what it says, and what follows.
std::vector<answer_fact> facts_of(const memory_message& from, const diagnosis& shortage) {
    std::vector<answer_fact> all;
    const auto add_text = [&](std::string_view key, std::string text) {
        if (!text.empty()) all.push_back({key, {}, {{}, {}, std::move(text)}});
    };
    const auto add_count = [&](std::string_view key, std::uint64_t count) {
        all.push_back({key, {}, {{}, count, {}}});
    };
    const auto add_size = [&](std::string_view key, const char* label, const std::optional<rounded_size>& size,
                              bool is_detail = true) {
        if (size) all.push_back({key, label, value_of(*size), is_detail});
    };
    add_text("class", std::string(class_of(from, shortage)));
    add_count("line", from.line);
    add_count("times", from.times);
    add_text("device", from.device);
    add_text("replicas", from.replicas);
    add_text("space", from.space.empty() && shortage.what == shortage_kind::on_chip ? "vmem" : from.space);
    const std::vector<std::string> names = program_names(from);
    if (names.size() == 1) add_text("program", names.front());
    add_text("owner", from.owner);
    add_text("shape", from.shape);
    if (from.around.steps != 0) add_count("steps", from.around.steps);
    add_size("requested_bytes", "requested",
             from.kind == message_kind::sizes ? from[figure::total] : from[figure::asked]);
    add_size("free_bytes", "free in all at the time of the request", from[figure::free]);
    std::optional<rounded_size> available = from[figure::capacity];
    for (const figure each : {figure::reservable, figure::largest})
        if (!available) available = from[each];
    add_size("available_bytes", from[figure::capacity] ? "available to programs" : "the longest free piece that counts",
             available);
    if (shortage.missing)
        all.push_back({"missing_bytes", "missing", {shortage.missing->bytes, {}, in_words(*shortage.missing)}});
    for (const figure_fact& each : figure_facts) {
        const bool is_stated = each.which != figure::arguments || shortage.states_arguments;
        const bool is_requested = each.which == figure::total && from.kind == message_kind::sizes;
        if (is_stated && !is_requested) add_size(each.key, each.label, from[each.which], each.is_detail);
    }
    if (from.of_compiler() && from[figure::program] && !shortage.states_arguments)
        all.push_back({"arguments_bytes", "arguments: the message does not state them, nor count them", {}, false});
    if (shortage.fresh_outputs)
        add_size("fresh_outputs_bytes",
                 from.kind == message_kind::sizes ? "outputs that take over no argument"
                                                  : "outputs that take over no argument: needed in addition",
                 size_of(*shortage.fresh_outputs), false);
    const auto& padded = from[figure::padded];
    if (padded && from[figure::unpadded] && difference(*padded, *from[figure::unpadded]).bytes != 0)
        add_size("padding_bytes", "of the temporaries: padding", size_of(difference(*padded, *from[figure::unpadded])));
    add_size("log_in_use_bytes", "in use on the fullest device, by the log before", from.around.in_use);
    add_size("log_memory_bytes", "all memory of that device", from.around.memory);
    return all;
}

answer_table largest_table(const memory_message& from) {
    answer_table table{
        "largest", "Largest allocations of the program:", {"bytes", "count", "shape", "source", "operation"}, {}, 3};
    for (const allocation_group& group : largest_groups(from)) {
        const auto& size = group.first->size;
        answer_value bytes;
        if (size) bytes = {size->bytes, {}, in_words(*size)};
        table.rows.push_back({bytes,
                              {{}, group.count, grouped_digits(group.count) + " x"},
                              {{}, {}, without_layout(group.first->shape)},
                              {{}, {}, group.source},
                              {{}, {}, group.operation}});
    }
    return table;
}

std::string place_of(const memory_message& from) {
    std::string text = "line " + grouped_digits(from.line);
    if (!from.device.empty()) text += ", device " + from.device;
    if (!from.replicas.empty()) text += ", " + from.replicas;
    return from.times > 1 ? text + ", there " + grouped_digits(from.times) + " times" : text;
}

/// Returns the first failure of the runtime before the message `at`, if that one fails for want of a long piece alone:
/// then the process has tried again. Null otherwise.
const memory_message* retried_by(const std::vector<memory_message>& all, std::size_t at) {
    const shortage_kind kind = diagnose(all[at]).what;
    if (kind != shortage_kind::fragmentation && kind != shortage_kind::blocked_bottom) return nullptr;
    const auto end = all.begin() + static_cast<std::ptrdiff_t>(at);
    const auto first = std::find_if(all.begin(), end, [](const memory_message& each) { return !each.of_compiler(); });
    return first == end ? nullptr : &*first;
}

/// Adds the verdict on the memory of another device by the message's sizes alone: no program is compiled again, and
/// arrays in use count as they are.
void add_device(const memory_message& from, const diagnosis& shortage, const memory_spec& device, answer& target) {
    const rounded_size room = exactly(device.capacity);
    const auto& memory = from[figure::memory] ? from[figure::memory] : from.around.memory;
    std::optional<rounded_size> need = from.of_compiler() ? need_of_program(from, shortage) : from[figure::asked];
    const bool knows_use = !from.of_compiler() && need && memory && from[figure::free];
    if (knows_use) need = sum(size_of(difference(*memory, possible_in(from, *from[figure::free]))), *need);
    std::string text = "On " + device_in_words(device) + " ";
    if (shortage.what == shortage_kind::on_chip || from.kind == message_kind::donation || !need) {
        text += "nothing follows from this message.";
    } else if (need->high <= room.low) {
        text += "the " + in_words(*need) + " would fit, with " + in_words(difference(room, *need)) + " left";
        if (!from.of_compiler() && !knows_use) text += ", less what else is in memory";
        if (from.of_compiler() && !shortage.states_arguments && from.kind != message_kind::sizes)
            text += ", less the arguments";
        text += ".";
        const bool is_sure = from.of_compiler() || knows_use;
        target.facts.push_back({"other_fits", {}, {{}, {}, is_sure ? "yes" : "unknown"}});
        target.facts.push_back({"other_left_bytes", {}, {difference(room, *need).bytes, {}, {}}});
    } else if (need->low > room.high) {
        text +=
            "the " + in_words(*need) + " would not fit: " + in_words(difference(*need, room)) + " would be missing.";
        target.facts.push_back({"other_fits", {}, {{}, {}, "no"}});
        target.facts.push_back({"other_missing_bytes", {}, {difference(*need, room).bytes, {}, {}}});
    } else {
        text += "rounding hides whether the " + in_words(*need) + " would fit.";
    }
    target.facts.push_back({"other_device", {}, {{}, {}, device.name}});
    target.facts.push_back({"other_capacity_bytes", {}, {device.capacity, {}, {}}});
    target.headline += " " + text;
}

/// Returns what the message leaves open, and what to bring.
std::string next_of(const memory_message& from, const diagnosis& shortage, bool has_program) {
    if (shortage.what == shortage_kind::on_chip || from.kind == message_kind::donation) return {};
    if (!from.of_compiler()) return std::string(words_of(from).profile);
    if (has_program || from.around.by != imported::framework::jax) return {};
    return from.listed.empty() ? "Next: which arrays take the most. Set XLA_FLAGS=--xla_dump_to=DIR and run again; "
                                 "`hbm_compare --message "
                                 "LOG --describe DIR` says what could be donated."
                               : "Next: which argument is which. Set XLA_FLAGS=--xla_dump_to=DIR and run again; "
                                 "`hbm_compare --message LOG "
                                 "--describe DIR` says what could be donated.";
}

}  // namespace

std::vector<answer> message_answers(const imported::found_messages& all, const given_facts& facts) {
    std::vector<answer> answers;
    for (std::size_t at = 0; at < all.messages.size(); ++at) {
        const memory_message& from = all.messages[at];
        const diagnosis shortage = diagnose(from);
        answer next{"message", headline_writer(from, shortage).write(), place_of(from), at != 0};
        next.facts = facts_of(from, shortage);
        if (const framework_program* const known = find_framework_program(from.program))
            next.headline +=
                " Program '" + from.program + "' is not yours: JAX compiles it for " + std::string(known->call) + ".";
        if (const memory_message* const before = retried_by(all.messages, at))
            next.headline += " This is a retry after the failure at line " + grouped_digits(before->line) +
                             ", whose leftovers lie in pieces: start a new process for each attempt.";
        if (facts.device != nullptr) add_device(from, shortage, *facts.device, next);
        next.remedies = remedies_for(from, shortage, facts.may_donate);
        if (!from.listed.empty()) next.tables.push_back(largest_table(from));
        if (at == 0 && !all.unread.empty())
            next.notes.push_back({"A figure cannot be read, and is left out: " + all.unread + "."});
        if (at == 0 && all.left_out != 0)
            next.notes.push_back({grouped_digits(all.left_out) + " more messages are left out."});
        if (std::string open = next_of(from, shortage, facts.has_program); !open.empty())
            next.notes.push_back({std::move(open)});
        answers.push_back(std::move(next));
    }
    return answers;
}

}  // namespace hbm::compare
