#include "compare/answers/message/elsewhere.hpp"

#include <hbm/explain/words.hpp>

#include <cstdint>
#include <string_view>

#include "compare/answers/message/headline.hpp"

namespace hbm::imported {

namespace {

rounded_size as_size(const byte_range& range) {
    return {range.bytes, range.low, range.high};
}

/// Sets the bytes left or missing if `need` has `room`. Neither if rounding hides which.
void decide(const rounded_size& need, const rounded_size& room, other_device& target) {
    if (need.high <= room.low)
        target.left = difference(room, need);
    else if (need.low > room.high)
        target.missing = difference(need, room);
}

/// Returns the end of a sentence: a need and its verdict.
std::string verdict(const rounded_size& need, const other_device& result) {
    const std::string words = in_words(need);
    if (result.left) return words + ", which fits: " + in_words(*result.left) + " would be left";
    if (result.missing) return words + ", which does not fit: " + in_words(*result.missing) + " would be missing";
    return words + ", which fits or not by what rounding hides";
}

/// Returns the bytes that a program needs by the compiler's words; empty if they do not say.
std::optional<rounded_size> need_of_program(const memory_message& from, const diagnosis& shortage) {
    std::optional<rounded_size> need = from.asked ? from.asked : stated_total(from);
    if (!need) return std::nullopt;
    // The memory of a generation is without what the system reserves.
    if (shortage.counts_reserved) need = as_size(difference(*need, *from.usage->reserved));
    if (outputs_matter(from, shortage) && !lists_whole_program(from))
        need = sum(*need, as_size(*shortage.fresh_outputs));
    return need;
}

void of_program(const memory_message& from, const diagnosis& shortage, const rounded_size& room, other_device& target) {
    const std::optional<rounded_size> need = need_of_program(from, shortage);
    if (!need) {
        target.text += "not known, because the message does not say how much the program needs.";
        return;
    }
    decide(*need, room, target);
    const bool is_array = from.kind == message_kind::exceeds;
    const bool is_part = from.kind == message_kind::temporaries;
    const bool is_without_arguments =
        !is_array && !is_part && from.usage && (shortage.arguments_not_stated || !from.usage->arguments);
    const bool has_outputs = outputs_matter(from, shortage) && !lists_whole_program(from);
    target.text += (is_array  ? "that array takes "
                    : is_part ? "the temporaries alone take "
                              : program_of(from) + (has_outputs ? ", with its outputs, needs " : " needs ")) +
                   verdict(*need, target) + ".";
    if (target.missing) return;
    if (is_part || is_without_arguments) target.text += " Arguments come on top; the message does not state them.";
    if (is_array) target.text += " The rest of the program comes on top.";
    target.text += from.kind == message_kind::early_abort
                       ? " The figure is the compiler's early estimate."
                       : " The compiler decides anew for each device and may need a little more or less there.";
}

void of_request(const memory_message& from, const rounded_size& room, other_device& target) {
    const std::optional<rounded_size>& memory =
        from.ledger && from.ledger->capacity ? from.ledger->capacity : from.around.memory;
    if (from.asked->low > room.high || !memory || !from.free) {
        decide(*from.asked, room, target);
        target.text += "the request alone is " + verdict(*from.asked, target);
        // The bytes left are for an unknown use.
        if (target.left)
            target.text += " for all other arrays and programs. The message does not say how much they take.";
        else
            target.text += ".";
        target.left.reset();
        return;
    }
    // The request includes what is reserved already.
    const rounded_size in_use = as_size(difference(as_size(difference(*memory, *from.free)), reserved_of(from)));
    decide(sum(*from.asked, in_use), room, target);
    target.text += "the request, with the " + in_words(range_of(in_use)) + " now in use, is " +
                   verdict(sum(*from.asked, in_use), target) + ".";
    if (target.left)
        target.text += from.around.has_pool
                           ? " A server makes its KV pool larger there, too: `hbm_compare --serve` finds a pool that "
                             "leaves room."
                           : " Arrays may lie in the way there, too.";
}

}  // namespace

std::string device_in_words(const memory_spec& device) {
    const std::string size = size_in_words(device.capacity);
    return std::string_view(device.name) == "custom" ? "a device of " + size
                                                     : std::string("TPU ") + device.name + " (" + size + ")";
}

other_device on_device(const memory_message& from, const diagnosis& shortage, const memory_spec& device) {
    other_device result{.text = "On " + device_in_words(device) + ": "};
    const rounded_size room{device.capacity, device.capacity, device.capacity};
    if (shortage.what == shortage_kind::on_chip)
        result.text += "not known, because the message is about another memory than the device's.";
    else if (from.kind == message_kind::donation)
        result.text += "the same warning, because it does not depend on the memory.";
    else if (from.of_compiler())
        of_program(from, shortage, room, result);
    else if (from.asked)
        of_request(from, room, result);
    else
        result.text += "not known, because the message does not say how much was requested.";
    return result;
}

}  // namespace hbm::imported
