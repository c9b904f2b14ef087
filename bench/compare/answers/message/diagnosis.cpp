#include "compare/answers/message/diagnosis.hpp"

#include <hbm/explain/ledger.hpp>

#include <algorithm>

namespace hbm::compare {

namespace {

using imported::difference;
using imported::range_of;
using optional_size = std::optional<rounded_size>;

bool is_zero(const optional_size& size) {
    return size && size->high == 0;
}

/// Returns true if `a` may equal `b`, given how both were rounded.
bool may_equal(const rounded_size& a, const rounded_size& b) {
    return a.low <= b.high && b.low <= a.high;
}

rounded_size reserved_of(const memory_message& from) {
    return from.kind == message_kind::reservation ? from[figure::reserved].value_or(rounded_size{}) : rounded_size{};
}

void diagnose_compiler(const memory_message& from, diagnosis& into) {
    const optional_size& asked = from[figure::asked];
    const optional_size& total = from[figure::total];
    const optional_size& system = from[figure::system_reserved];
    const bool is_certain = from.kind == message_kind::compile || from.kind == message_kind::temporaries;
    const bool is_failure = !from.is_statement() && (asked || is_certain);
    if (is_failure) into.what = shortage_kind::too_large;
    if (from.kind == message_kind::fits) return;
    if (asked && from[figure::capacity]) into.missing = difference(*asked, *from[figure::capacity]);
    // The stated difference was rounded once, the computed one twice. A computed difference of zero stays.
    const bool is_something = !into.missing || into.missing->high != 0;
    if (from[figure::exceeded] && is_something) into.missing = range_of(*from[figure::exceeded]);
    if (asked && total && system)
        into.counts_reserved = system->low > 2 * (asked->high - asked->low) && may_equal(*asked, *total);
}

void diagnose_program(const memory_message& from, diagnosis& into) {
    const optional_size& arguments = from[figure::arguments];
    const optional_size& output = from[figure::output];
    const optional_size& shared = from[figure::shared];
    const bool has_outputs = output && !(is_zero(output) && is_zero(shared));
    into.states_arguments = arguments && (!is_zero(arguments) || has_outputs);
    const optional_size& need = from[figure::asked] ? from[figure::asked] : from[figure::total];
    if (!output || !shared || !need) return;
    const byte_range fresh = difference(*output, *shared);
    if (fresh.bytes > need->bytes / 1000) into.fresh_outputs = fresh;
}

/// Returns the size missing in `room`. A reservation grows from what is reserved already.
byte_range missing_in(const memory_message& from, const rounded_size& room) {
    const rounded_size reserved = reserved_of(from);
    const rounded_size& asked = *from[figure::asked];
    return {missing_for_reservation(asked.bytes, reserved.bytes, room.bytes),
            missing_for_reservation(asked.low, reserved.high, room.high),
            missing_for_reservation(asked.high, reserved.low, room.low),
            std::max(difference(asked, room).unit, unit_of(reserved))};
}

void diagnose_attempt(const memory_message& from, diagnosis& into) {
    const bool is_reservation = from.kind == message_kind::reservation;
    const rounded_size& free = *from[figure::free];
    // The runtime states the longest piece, or the reservable bytes, only if they are too short.
    const optional_size& piece = from[is_reservation ? figure::reservable : figure::largest];
    const byte_range missing = missing_in(from, free);
    const bool in_pieces = piece && (!is_reservation || !may_equal(*piece, free));
    if (missing.low != 0 || (!in_pieces && missing.high != 0)) {
        into.what = from.kind == message_kind::buffer ? shortage_kind::shortage : shortage_kind::crowded;
        into.missing = missing;
        return;
    }
    into.what = is_reservation ? shortage_kind::blocked_bottom : shortage_kind::fragmentation;
    if (piece) into.missing = missing_in(from, *piece);
}

}  // namespace

std::string small_memory_of(const memory_message& from) {
    if (!from.of_device_memory()) return from.space;
    // A list of what lives on the chip; and no TPU has less than 7 GiB of device memory.
    const bool is_scoped = !from.listed.empty() && std::all_of(from.listed.begin(), from.listed.end(),
                                                               [](const auto& each) { return each.type == "scoped"; });
    const optional_size& capacity = from[figure::capacity];
    const bool is_small = from.kind == message_kind::exceeds && capacity && capacity->high >> 30 == 0;
    return from.space.empty() && (is_small || (is_scoped && from.kind == message_kind::list)) ? "vmem" : std::string{};
}

diagnosis diagnose(const memory_message& from) {
    diagnosis shortage;
    if (!small_memory_of(from).empty()) {
        shortage.what = shortage_kind::on_chip;
        if (from[figure::exceeded])
            shortage.missing = range_of(*from[figure::exceeded]);
        else if (from[figure::asked] && from[figure::capacity])
            shortage.missing = difference(*from[figure::asked], *from[figure::capacity]);
    } else if (from.of_compiler()) {
        diagnose_compiler(from, shortage);
        diagnose_program(from, shortage);
    } else {
        if (from[figure::asked] && from[figure::free]) diagnose_attempt(from, shortage);
        diagnose_program(from, shortage);
    }
    // Nothing is missing by its sizes, however they were rounded.
    if (shortage.missing && shortage.missing->high == 0) {
        shortage.what = shortage_kind::unknown;
        shortage.missing.reset();
        shortage.contradicts = true;
    }
    return shortage;
}

rounded_size possible_in(const memory_message& from, const rounded_size& room) {
    return sum(reserved_of(from), room);
}

std::optional<rounded_size> need_of_program(const memory_message& from, const diagnosis& shortage) {
    optional_size need = from[figure::asked];
    for (const figure each : {figure::total, figure::program, figure::requirement})
        if (!need) need = from[each];
    if (!need || from.kind == message_kind::sizes) return need;
    // The memory of a generation is without what the system reserves.
    if (shortage.counts_reserved) need = size_of(difference(*need, *from[figure::system_reserved]));
    return shortage.fresh_outputs ? sum(*need, size_of(*shortage.fresh_outputs)) : need;
}

}  // namespace hbm::compare
