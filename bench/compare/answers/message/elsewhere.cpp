#include "compare/answers/message/elsewhere.hpp"

#include <hbm/explain/filled_text.hpp>
#include <hbm/explain/words.hpp>

#include <string_view>

#include "compare/answers/message/headline.hpp"
#include "compare/answers/message/texts.hpp"

namespace hbm::imported {

namespace texts = message_texts;

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

/// Returns a need and its verdict.
std::string verdict(const rounded_size& need, const other_device& result) {
    return filled(result.left      ? texts::fits
                  : result.missing ? texts::does_not_fit
                                   : texts::may_fit,
                  {{"need", in_words(need)},
                   {"left", result.left ? in_words(*result.left) : std::string{}},
                   {"missing", result.missing ? in_words(*result.missing) : std::string{}}});
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

std::string of_program(const memory_message& from, const diagnosis& shortage, const memory_spec& device,
                       other_device& target) {
    const std::optional<rounded_size> need = need_of_program(from, shortage);
    if (!need) return filled(texts::elsewhere_unknown_need, {{"device", device_in_words(device)}});
    decide(*need, exactly(device.capacity), target);
    const bool is_array = from.kind == message_kind::exceeds;
    const bool is_part = from.kind == message_kind::temporaries;
    const bool is_without_arguments =
        !is_array && !is_part && from.usage && (shortage.arguments_not_stated || !from.usage->arguments);
    const bool has_outputs = outputs_matter(from, shortage) && !lists_whole_program(from);
    std::string text = filled(
        is_array  ? texts::elsewhere_array
        : is_part ? texts::elsewhere_temporaries
                  : texts::elsewhere_program[has_outputs ? 1 : 0],
        {{"device", device_in_words(device)}, {"program", program_of(from)}, {"verdict", verdict(*need, target)}});
    if (target.missing) return text;
    if (is_part || is_without_arguments) text += texts::arguments_on_top;
    if (is_array) text += texts::rest_on_top;
    text += from.kind == message_kind::early_abort ? texts::early_estimate : texts::compiled_anew;
    return text;
}

std::string of_request(const memory_message& from, const memory_spec& device, other_device& target) {
    const rounded_size room = exactly(device.capacity);
    const std::optional<rounded_size>& memory =
        from.ledger && from.ledger->capacity ? from.ledger->capacity : from.around.memory;
    if (from.asked->low > room.high || !memory || !from.free) {
        decide(*from.asked, room, target);
        std::string text = filled(target.left ? texts::elsewhere_request_fits : texts::elsewhere_request,
                                  {{"device", device_in_words(device)}, {"verdict", verdict(*from.asked, target)}});
        target.left.reset();  // for an unknown use
        return text;
    }
    // The request includes what is reserved already.
    const rounded_size in_use = as_size(difference(as_size(difference(*memory, *from.free)), reserved_of(from)));
    const rounded_size need = sum(*from.asked, in_use);
    decide(need, room, target);
    std::string text = filled(texts::elsewhere_in_use, {{"device", device_in_words(device)},
                                                        {"in_use", in_words(range_of(in_use))},
                                                        {"verdict", verdict(need, target)}});
    if (target.left) text += from.around.has_pool ? texts::larger_pool : texts::blocked_there;
    return text;
}

}  // namespace

std::string device_in_words(const memory_spec& device) {
    return filled(std::string_view(device.name) == "custom" ? texts::unnamed_device : texts::named_device,
                  {{"name", device.name}, {"capacity", size_in_words(device.capacity)}});
}

other_device on_device(const memory_message& from, const diagnosis& shortage, const memory_spec& device) {
    other_device result;
    const auto unknown = [&](std::string_view text) { return filled(text, {{"device", device_in_words(device)}}); };
    if (shortage.what == shortage_kind::on_chip)
        result.text = unknown(texts::elsewhere_other_memory);
    else if (from.kind == message_kind::donation)
        result.text = unknown(texts::elsewhere_donation);
    else if (from.of_compiler())
        result.text = of_program(from, shortage, device, result);
    else if (from.asked)
        result.text = of_request(from, device, result);
    else
        result.text = unknown(texts::elsewhere_unknown_request);
    return result;
}

}  // namespace hbm::imported
