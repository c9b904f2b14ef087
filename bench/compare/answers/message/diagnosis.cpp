#include "compare/answers/message/diagnosis.hpp"

#include <hbm/explain/ledger.hpp>

#include <algorithm>

namespace hbm::imported {

namespace {

bool is_zero(const std::optional<rounded_size>& size) {
    return size && size->high == 0;
}

/// Returns true if `a` may equal `b`, given how both were rounded.
bool may_equal(const rounded_size& a, const rounded_size& b) {
    return a.low <= b.high && b.low <= a.high;
}

/// Marks a message as contradictory if nothing is missing by its sizes, however they were rounded.
void look_for_contradiction(diagnosis& shortage) {
    if (!shortage.missing || shortage.missing->high != 0) return;
    shortage.what = shortage_kind::unknown;
    shortage.missing.reset();
    shortage.contradicts = true;
    shortage.rests_on_rounding = false;
}

void of_compiler(const memory_message& from, diagnosis& into) {
    const bool is_certain = from.kind == message_kind::compile || from.kind == message_kind::temporaries;
    into.what = from.asked || is_certain ? shortage_kind::too_large : shortage_kind::unknown;
    if (from.asked && from.capacity) into.missing = difference(*from.asked, *from.capacity);
    // The stated difference was rounded once, the computed one twice. A computed difference of zero stays.
    const bool is_something = !into.missing || into.missing->high != 0;
    if (from.exceeded && is_something) into.missing = range_of(*from.exceeded);
    if (from.usage && from.asked && from.usage->total)
        into.counts_reserved = from.usage->reserved &&
                               from.usage->reserved->low > 2 * (from.asked->high - from.asked->low) &&
                               may_equal(*from.asked, *from.usage->total);
    if (from.output && from.output->size && from.output->shared)
        into.fresh_outputs = difference(*from.output->size, *from.output->shared);
    into.arguments_not_stated = from.usage && is_zero(from.usage->arguments) &&
                                (!from.output || (is_zero(from.output->size) && is_zero(from.output->shared)));
}

}  // namespace

rounded_size reserved_of(const memory_message& from) {
    return from.kind == message_kind::reservation && from.reserved ? *from.reserved : rounded_size{};
}

namespace {

/// Returns the size missing in `room`. A reservation grows from what is reserved already.
byte_range missing_in(const memory_message& from, const rounded_size& room) {
    const rounded_size reserved = reserved_of(from);
    const rounded_size& asked = *from.asked;
    return {missing_for_reservation(asked.bytes, reserved.bytes, room.bytes),
            missing_for_reservation(asked.low, reserved.high, room.high),
            missing_for_reservation(asked.high, reserved.low, room.low),
            std::max(difference(asked, room).unit, unit_of(reserved))};
}

void of_attempt(const memory_message& from, diagnosis& into) {
    const bool of_program = from.kind != message_kind::buffer;
    const rounded_size& free = *from.free;
    // The runtime states the longest piece, or the reservable bytes, only if they are too short.
    const std::optional<rounded_size>& piece = from.kind == message_kind::reservation ? from.reservable : from.largest;
    const byte_range missing = missing_in(from, free);
    const bool is_short = missing.low != 0;
    const bool is_enough = missing.high == 0;
    const bool in_pieces = piece && (from.kind != message_kind::reservation || !may_equal(*piece, free));
    if (is_short || (!in_pieces && !is_enough)) {
        into.what = of_program ? shortage_kind::crowded : shortage_kind::shortage;
        into.rests_on_rounding = !is_short;
        into.missing = missing;
        return;
    }
    into.rests_on_rounding = !is_enough;
    into.what = from.kind == message_kind::reservation ? shortage_kind::blocked_bottom : shortage_kind::fragmentation;
    if (piece) into.missing = missing_in(from, *piece);
}

}  // namespace

rounded_size possible_in(const memory_message& from, const rounded_size& room) {
    return sum(reserved_of(from), room);
}

std::optional<rounded_size> stated_total(const memory_message& from) {
    if (from.usage && from.usage->total) return from.usage->total;
    if (from.usage && from.usage->program) return from.usage->program;
    return from.requirement ? from.requirement->total : std::nullopt;
}

bool arguments_exceed(const memory_message& from) {
    return from.capacity && from.usage && from.usage->arguments && from.usage->arguments->low > from.capacity->high;
}

bool lists_whole_program(const memory_message& from) {
    return from.kind == message_kind::report && from.usage && from.usage->total && !from.usage->program &&
           from.requirement;
}

bool outputs_matter(const memory_message& from, const diagnosis& shortage) {
    const std::optional<rounded_size>& total = from.asked ? from.asked : from.usage ? from.usage->total : from.asked;
    return shortage.fresh_outputs && total && shortage.fresh_outputs->bytes > total->bytes / 1000;
}

diagnosis diagnose(const memory_message& from) {
    diagnosis shortage;
    if (!from.of_device_memory()) {
        shortage.what = shortage_kind::on_chip;
        if (from.exceeded)
            shortage.missing = range_of(*from.exceeded);
        else if (from.asked && from.capacity)
            shortage.missing = difference(*from.asked, *from.capacity);
    } else if (from.kind == message_kind::rematerialization) {
        if (from.asked && from.capacity) shortage.missing = difference(*from.asked, *from.capacity);
    } else if (from.of_compiler()) {
        of_compiler(from, shortage);
    } else if (from.asked && from.free) {
        of_attempt(from, shortage);
    }
    look_for_contradiction(shortage);
    return shortage;
}

}  // namespace hbm::imported
