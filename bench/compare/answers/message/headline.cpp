#include "compare/answers/message/headline.hpp"

#include <hbm/core/handle.hpp>
#include <hbm/core/trivial_vector.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "compare/answers/message/diagnosis.hpp"
#include "compare/answers/message/remedy_parts.hpp"
#include "compare/answers/message/special.hpp"
#include "compare/text/rounded_size.hpp"

namespace hbm::imported {

std::string program_of(const memory_message& from) {
    return from.program.empty() ? "the program" : "program '" + from.program + "'";
}

namespace {

std::string capital(std::string text) {
    if (!text.empty() && text.front() >= 'a' && text.front() <= 'z')
        text.front() = static_cast<char>(text.front() - 'a' + 'A');
    return text;
}

/// Returns true if a part of the requested reservation exists already.
bool reserves(const memory_message& from) {
    return reserved_of(from).bytes != 0;
}

/// Returns the sentence about two sizes that are printed alike, or nearly, and the conclusion from the wording.
std::string of_rounding(const memory_message& from, const diagnosis& shortage) {
    if (!shortage.rests_on_rounding) return {};
    const bool alike = in_words(*from.asked) == in_words(possible_in(from, *from.free)) && !reserves(from);
    return std::string(alike ? " Both are printed as " + in_words(*from.asked) + ": which is larger"
                             : " The two are so close that rounding could hide which is larger; it") +
           " follows from the wording, which " +
           (shortage.what == shortage_kind::shortage || shortage.what == shortage_kind::crowded
                ? "says nothing of pieces that are too short."
                : "says that the pieces are too short.");
}

/// Returns the sentence about a message by whose own sizes nothing is missing.
std::string of_contradiction(const memory_message& from) {
    const std::optional<rounded_size>& piece = from.kind == message_kind::reservation ? from.reservable : from.largest;
    std::optional<rounded_size> enough = from.of_compiler() || !piece ? from.capacity : piece;
    if (enough && !from.of_compiler()) enough = possible_in(from, *enough);
    return "The message contradicts itself: " + in_words(*from.asked) +
           (from.of_compiler() ? " is needed" : " was requested") +
           (enough ? ", and " + in_words(*enough) + " is reported as too little" : ", and nothing is missing") +
           ". It may be cut, or two messages may be mixed in it: bring the whole message, as it was printed.";
}

std::string of_runtime(const memory_message& from, const diagnosis& shortage) {
    const std::string asked = in_words(*from.asked);
    const std::string free = in_words(*from.free);
    const std::string missing = shortage.missing ? in_words(*shortage.missing) : "an unknown amount";
    switch (shortage.what) {
    case shortage_kind::shortage:
        return "The device is full. Requested " + asked + "; " + free + " is free: " + missing + " short." +
               of_rounding(from, shortage);
    case shortage_kind::fragmentation:
        return "Enough memory is free, but not in one piece. Requested " + asked + "; " + free + " is free" +
               (from.largest
                    ? ", but the longest piece has " + in_words(*from.largest) + ", which is " + missing + " too short."
                    : ". The message does not say how long the longest piece is.") +
               of_rounding(from, shortage);
    case shortage_kind::crowded:
        if (from.kind == message_kind::reservation)
            return capital(program_of(from)) + " does not fit next to what is in memory: it needs " + asked +
                   " of scratch memory while it runs, " +
                   (reserves(from) ? "of which " + in_words(*from.reserved) + " is reserved already, " : "") + "and " +
                   free + " is free: " + missing + " short." + of_rounding(from, shortage);
        return capital(program_of(from)) + " does not fit next to what is in memory: it needs " + asked +
               (from.ledger ? "" : " for its code and constants") + ", and " + free + " is free: " + missing +
               " short." + of_rounding(from, shortage);
    case shortage_kind::blocked_bottom:
        return "Enough memory is free, but something is in the way: " + program_of(from) + " needs " + asked +
               " of scratch memory at the bottom of the device's memory, where" +
               (reserves(from) ? " " + in_words(*from.reserved) + " is reserved already and" : "") +
               (from.reservable ? " the free piece " + std::string(reserves(from) ? "above it " : "") + "has " +
                                      in_words(*from.reservable) + ", which is " + missing + " too short. In all " +
                                      free + " is free."
                                : " no free piece is long enough.") +
               of_rounding(from, shortage);
    default: return {};
    }
}

/// Returns the sentence about a program that is too large even without temporaries.
std::string of_arguments(const memory_message& from) {
    if (!arguments_exceed(from)) return {};
    return " Its arguments alone are " + in_words(difference(*from.usage->arguments, *from.capacity)) +
           " more than the device has: weights, optimizer state and batch.";
}

/// Returns `with its arguments `, and the like, for what a compiler's total has in it; empty if it does not say.
std::string parts_of(const memory_message& from, const diagnosis& shortage) {
    if (!from.usage || !from.usage->arguments || shortage.arguments_not_stated) return {};
    return shortage.counts_reserved ? "with its arguments and what the system reserves, " : "with its arguments ";
}

std::string of_compiler(const memory_message& from, const diagnosis& shortage) {
    const std::string asked = from.asked ? in_words(*from.asked) : "an unknown amount";
    const std::string capacity = from.capacity ? in_words(*from.capacity) : "an unknown amount";
    const std::string missing = shortage.missing ? in_words(*shortage.missing) : "an unknown amount";
    const std::string factor =
        from.asked && from.capacity ? times_in_words(from.asked->bytes, from.capacity->bytes) : "more than";
    switch (from.kind) {
    case message_kind::compile:
        return "The program does not fit, even into empty memory: " + parts_of(from, shortage) + "it needs " +
               (from.asked && from.capacity ? asked + " of " + capacity + ", " + missing + " too much"
                                            : missing + " more than the device has") +
               ". Freeing memory does not help: the program itself has to become smaller." + of_arguments(from);
    case message_kind::early_abort:
        return "The program is far too large: the compiler expects to need " + asked + ", " + factor + " the " +
               capacity + " that the device has, and gave up.";
    case message_kind::cores:
        return "The program is too large: TensorCore and SparseCore together need " + missing +
               " more than the device has.";
    case message_kind::exceeds:
        // Only slightly too large: as a factor it would be 1.0.
        if (from.asked && from.capacity && shortage.missing && from.asked->bytes / 10 < from.capacity->bytes / 9)
            return "A single array of the program takes " + asked + ", which is " + missing +
                   " more than all the memory of the device (" + capacity + ").";
        return "A single array of the program takes " + asked + ", " + factor + " all the memory of the device (" +
               capacity + ").";
    default: break;
    }
    const std::optional<rounded_size> total = stated_total(from);
    if (!total) return "This is a list of what a program uses. The line that says how much the device has is missing.";
    const std::string fit = generations_with(*total);
    return "The program uses " + in_words(*total) + " or more. The line that says how much the device has is missing" +
           (fit.empty() ? ", but no TPU known here has as much for a device." : "; it would fit into: " + fit + ".");
}

using figures = std::vector<std::pair<std::string, std::string>>;

void add(figures& all, const std::optional<rounded_size>& size, std::string meaning) {
    if (size) all.emplace_back(in_words(*size), std::move(meaning));
}

/// Adds a computed size; if rounding matters, its bounds stand behind the meaning.
void add(figures& all, const byte_range& size, std::string meaning) {
    const std::string words = in_words(size);
    const std::size_t bounds = words.find(" (");
    if (bounds != std::string::npos) meaning += words.substr(bounds);
    all.emplace_back(words.substr(0, bounds), std::move(meaning));
}

void of_runtime(const memory_message& from, const diagnosis& shortage, figures& all) {
    const bool is_buffer = from.kind == message_kind::buffer;
    const bool is_scratch = from.kind == message_kind::reservation;
    add(all, from.asked,
        is_buffer     ? "requested, in one piece: an array put on the device, or an output of a program"
        : is_scratch  ? "requested: scratch memory for temporaries while the program runs, at the bottom of memory"
        : from.ledger ? "requested: the program, with its temporaries"
                      : "requested: code and constants of the program, placed like an array");
    add(all, from.free, "free in all at the time of the request");
    add(all, from.largest, "the longest free piece");
    add(all, from.reserved,
        std::string("reserved at the bottom already, for programs that were loaded before") +
            (reserves(from) ? "; shared, and so part of the request" : ""));
    add(all, from.reservable, "free in one piece directly above that");
    if (shortage.missing) {
        const bool in_piece =
            shortage.what == shortage_kind::fragmentation || shortage.what == shortage_kind::blocked_bottom;
        add(all, *shortage.missing,
            in_piece ? "missing in that piece" : "missing: at least this much must become free");
    }
    if (!from.ledger) return add(all, from.around.memory, "all memory of the device, by the log around the message");
    if (from.requirement) add(all, from.requirement->temporaries, "of the program: temporaries");
    add(all, from.ledger->allocated, "in use by arrays and programs");
    add(all, from.ledger->outputs, "of that, or more: outputs of programs that ran");
    add(all, from.ledger->arguments, "of that, or more: arguments of the program");
    add(all, from.ledger->top_reserved, "reserved at the top of memory, for the system");
    add(all, from.ledger->capacity, "all memory of the device");
}

void of_whole_program(const memory_message& from, const diagnosis& shortage, figures& all) {
    add(all, from.usage->total, "the program in all: arguments, temporaries, code, and outputs that take over nothing");
    add(all, from.usage->arguments, "arguments: weights, optimizer state, batch");
    add(all, from.requirement->temporaries, "temporaries, such as activations and gradients");
    if (shortage.fresh_outputs) add(all, *shortage.fresh_outputs, "outputs that take over no argument");
    add(all, from.requirement->global, "code and constants");
}

void of_compiler(const memory_message& from, const diagnosis& shortage, figures& all) {
    if (lists_whole_program(from)) return of_whole_program(from, shortage, all);
    add(all, from.asked, from.kind == message_kind::exceeds ? "the array" : "needed by the program");
    add(all, from.tensor_core, "of it for the TensorCore");
    add(all, from.sparse_core, "of it for the SparseCore");
    add(all, from.capacity, shortage.counts_reserved ? "all memory of the device" : "available to programs");
    if (shortage.missing && from.kind != message_kind::exceeds) add(all, *shortage.missing, "too much");
    if (from.usage) {
        add(all, from.usage->reserved,
            shortage.counts_reserved ? "reserved by the system, and part of the need"
                                     : "reserved by the system, and in neither of the above");
        const bool is_stated = !shortage.arguments_not_stated;
        if (is_stated) add(all, from.usage->arguments, "arguments: weights, optimizer state, batch");
        if (from.usage->arguments && !is_stated)
            all.emplace_back("unknown", "arguments (0B means that the message omits them)");
        if (!from.usage->arguments && from.usage->program)
            all.emplace_back("unknown", "arguments: the message does not state them, and leaves them out of its total");
        add(all, from.usage->program, "the program itself, with its temporaries");
    }
    if (from.requirement) {
        add(all, from.requirement->temporaries, "of that: temporaries, such as activations and gradients");
        if (from.requirement->padded && from.requirement->unpadded) {
            const byte_range padding = difference(*from.requirement->padded, *from.requirement->unpadded);
            if (padding.bytes != 0) add(all, padding, "of the temporaries: padding");
        }
        if (from.requirement->fragmentation && from.requirement->fragmentation->bytes != 0)
            add(all, from.requirement->fragmentation, "of the temporaries: lost in gaps between them");
        add(all, from.requirement->global, "of the program: constants and the like");
    }
    if (outputs_matter(from, shortage))
        add(all, *shortage.fresh_outputs,
            "outputs that take over no argument: needed in addition, and in no total above");
}

}  // namespace

std::string headline(const memory_message& from, const diagnosis& shortage) {
    if (std::string text = special_headline(from, shortage); !text.empty()) return text;
    if (shortage.contradicts && from.asked) return of_contradiction(from);
    return from.of_compiler() ? of_compiler(from, shortage) : of_runtime(from, shortage);
}

std::vector<std::pair<std::string, std::string>> figures_of(const memory_message& from, const diagnosis& shortage) {
    figures all;
    if (shortage.what == shortage_kind::on_chip) return all;
    if (from.of_compiler())
        of_compiler(from, shortage, all);
    else if (from.asked && from.free)
        of_runtime(from, shortage, all);
    return all;
}

namespace {

/// A line: a size of the message.
struct bar {
    std::string_view name;
    rounded_size size;
};

std::vector<bar> bars_of(const memory_message& from) {
    std::vector<bar> all;
    const auto add = [&](std::string_view name, const std::optional<rounded_size>& size) {
        if (size) all.push_back({name, *size});
    };
    if (from.of_compiler()) {
        add("needed", from.asked);
        if (from.usage && !diagnose(from).arguments_not_stated) add("arguments", from.usage->arguments);
        if (from.requirement) add("temporaries", from.requirement->temporaries);
        add("TensorCore", from.tensor_core);
        add("SparseCore", from.sparse_core);
        const bool is_of_host = from.space.find("host") != std::string::npos;
        add(from.is_setting           ? "allowed"
            : from.of_device_memory() ? "device"
            : is_of_host              ? "host"
                                      : "on the chip",
            from.capacity);
    } else {
        add("requested", from.asked);
        add("free in one piece", from.kind == message_kind::reservation ? from.reservable : from.largest);
        add("free in all", from.free);
        add("reserved", from.reserved);
        if (from.ledger) add("in use", from.ledger->allocated);
    }
    return all;
}

}  // namespace

std::string bars(const memory_message& from) {
    constexpr std::size_t max_cells = 48;
    if (!from.asked || diagnose(from).contradicts) return {};
    const std::vector<bar> all = bars_of(from);
    std::uint64_t longest = 0;
    std::size_t width = 0;
    for (const bar& each : all) {
        longest = std::max(longest, each.size.bytes);
        width = std::max(width, each.name.size());
    }
    if (all.size() < 2 || longest == 0) return {};
    std::string text;
    for (const auto& [name, size] : all) {
        // Rounded down, so that only the longest fills the line; but never to nothing.
        const auto cells = static_cast<std::size_t>(wide{size.bytes} * max_cells / longest);
        const std::string cell_text(size.bytes == 0 ? 0 : std::max<std::size_t>(cells, 1), '#');
        text += "  " + std::string(name) + std::string(width - name.size() + 2, ' ') + cell_text +
                (cell_text.empty() ? "" : " ") + in_words(size) + "\n";
    }
    return text;
}

}  // namespace hbm::imported
