#include "compare/answers/message/headline.hpp"

#include <hbm/core/handle.hpp>
#include <hbm/core/trivial_vector.hpp>
#include <hbm/explain/filled_text.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "compare/answers/message/diagnosis.hpp"
#include "compare/answers/message/remedy_parts.hpp"
#include "compare/answers/message/special.hpp"
#include "compare/answers/message/texts.hpp"
#include "compare/text/rounded_size.hpp"

namespace hbm::imported {

namespace texts = message_texts;

std::string program_of(const memory_message& from) {
    return from.program.empty() ? std::string(texts::unnamed_program)
                                : filled(texts::named_program, {{"name", from.program}});
}

namespace {

std::string capital(std::string text) {
    if (!text.empty() && text.front() >= 'a' && text.front() <= 'z')
        text.front() = static_cast<char>(text.front() - 'a' + 'A');
    return text;
}

std::string text_or_empty(const std::optional<rounded_size>& size) {
    return size ? in_words(*size) : std::string{};
}

std::string text_or_empty(const std::optional<byte_range>& size) {
    return size ? in_words(*size) : std::string{};
}

/// Returns true if a part of the requested reservation exists already.
bool reserves(const memory_message& from) {
    return reserved_of(from).bytes != 0;
}

/// Returns the sentence about two sizes that are printed alike, or nearly, and the conclusion from the wording.
std::string of_rounding(const memory_message& from, const diagnosis& shortage) {
    if (!shortage.rests_on_rounding) return {};
    const bool are_alike = in_words(*from.asked) == in_words(possible_in(from, *from.free)) && !reserves(from);
    const bool in_pieces =
        shortage.what == shortage_kind::fragmentation || shortage.what == shortage_kind::blocked_bottom;
    return filled(texts::rounding[are_alike ? 0 : 1][in_pieces ? 1 : 0], {{"asked", in_words(*from.asked)}});
}

/// Returns the sentence about a message by whose own sizes nothing is missing.
std::string of_contradiction(const memory_message& from) {
    const std::optional<rounded_size>& piece = from.kind == message_kind::reservation ? from.reservable : from.largest;
    std::optional<rounded_size> enough = from.capacity;
    if (!from.of_compiler() && piece) enough = possible_in(from, *piece);
    return filled(!enough              ? texts::contradiction_of_unknown
                  : from.of_compiler() ? texts::contradiction_of_need
                                       : texts::contradiction_of_request,
                  {{"asked", in_words(*from.asked)}, {"enough", text_or_empty(enough)}});
}

std::string_view text_of_runtime(const memory_message& from, const diagnosis& shortage) {
    switch (shortage.what) {
    case shortage_kind::shortage: return texts::shortage;
    case shortage_kind::fragmentation: return from.largest ? texts::fragmentation : texts::fragmentation_of_unknown;
    case shortage_kind::crowded:
        if (from.kind == message_kind::reservation) return texts::crowded_scratch[reserves(from) ? 1 : 0];
        return from.ledger ? texts::crowded : texts::crowded_code;
    case shortage_kind::blocked_bottom:
        return (from.reservable ? texts::blocked : texts::blocked_by_unknown)[reserves(from) ? 1 : 0];
    default: return {};
    }
}

std::string of_runtime(const memory_message& from, const diagnosis& shortage) {
    if (!from.asked || !from.free) return {};
    return filled(text_of_runtime(from, shortage),
                  {{"program", program_of(from)},
                   {"Program", capital(program_of(from))},
                   {"asked", in_words(*from.asked)},
                   {"free", in_words(*from.free)},
                   {"missing", text_or_empty(shortage.missing)},
                   {"piece", text_or_empty(from.kind == message_kind::reservation ? from.reservable : from.largest)},
                   {"reserved", text_or_empty(from.reserved)},
                   {"rounding", of_rounding(from, shortage)}});
}

std::string_view text_of_compiler(const memory_message& from, const diagnosis& shortage) {
    const bool is_compared = from.asked && from.capacity;
    switch (from.kind) {
    case message_kind::compile:
        return is_compared ? texts::too_large : shortage.missing ? texts::too_large_by : texts::too_large_for_unknown;
    case message_kind::early_abort: return is_compared ? texts::far_too_large : texts::far_too_large_for_unknown;
    case message_kind::cores: return shortage.missing ? texts::cores_too_large : texts::cores_too_large_for_unknown;
    case message_kind::exceeds:
        if (!is_compared) return texts::array_too_large_for_unknown;
        // Only slightly too large: as a factor it would be 1.0.
        return shortage.missing && from.asked->bytes / 10 < from.capacity->bytes / 9 ? texts::array_just_too_large
                                                                                     : texts::array_too_large;
    default: break;
    }
    const std::optional<rounded_size> total = stated_total(from);
    if (!total) return texts::list_alone;
    return generations_with(*total).empty() ? texts::list_too_large : texts::list_with_total;
}

std::string of_compiler(const memory_message& from, const diagnosis& shortage) {
    const bool counts_arguments = from.usage && from.usage->arguments && !shortage.arguments_not_stated;
    const std::string_view parts = texts::counted_parts[!counts_arguments ? 0 : shortage.counts_reserved ? 2 : 1];
    const std::string arguments =
        arguments_exceed(from)
            ? filled(texts::arguments_exceed, {{"bytes", in_words(difference(*from.usage->arguments, *from.capacity))}})
            : std::string{};
    const std::optional<rounded_size> total = stated_total(from);
    return filled(text_of_compiler(from, shortage),
                  {{"counting", std::string(parts)},
                   {"asked", text_or_empty(from.asked)},
                   {"capacity", text_or_empty(from.capacity)},
                   {"missing", text_or_empty(shortage.missing)},
                   {"arguments", arguments},
                   {"factor", from.asked && from.capacity ? times_in_words(from.asked->bytes, from.capacity->bytes)
                                                          : std::string{}},
                   {"total", text_or_empty(total)},
                   {"devices", total ? generations_with(*total) : std::string{}}});
}

using figures = std::vector<std::pair<std::string, std::string>>;

void add(figures& all, const std::optional<rounded_size>& size, std::string_view meaning) {
    if (size) all.emplace_back(in_words(*size), meaning);
}

/// Adds a computed size; if rounding matters, its bounds stand behind the meaning.
void add(figures& all, const byte_range& size, std::string_view meaning) {
    const std::string words = in_words(size);
    const std::size_t bounds = std::min(words.find(" ("), words.size());
    all.emplace_back(words.substr(0, bounds), std::string(meaning) + words.substr(bounds));
}

void of_runtime(const memory_message& from, const diagnosis& shortage, figures& all) {
    add(all, from.asked,
        from.kind == message_kind::buffer        ? texts::requested_array
        : from.kind == message_kind::reservation ? texts::requested_scratch
        : from.ledger                            ? texts::requested_program
                                                 : texts::requested_code);
    add(all, from.free, texts::free_in_all);
    add(all, from.largest, texts::longest_piece);
    add(all, from.reserved, texts::reserved[reserves(from) ? 1 : 0]);
    add(all, from.reservable, texts::reservable);
    if (shortage.missing) {
        const bool in_piece =
            shortage.what == shortage_kind::fragmentation || shortage.what == shortage_kind::blocked_bottom;
        add(all, *shortage.missing, texts::missing[in_piece ? 1 : 0]);
    }
    if (!from.ledger) return add(all, from.around.memory, texts::memory_by_log);
    if (from.requirement) add(all, from.requirement->temporaries, texts::ledger_temporaries);
    add(all, from.ledger->allocated, texts::ledger_allocated);
    add(all, from.ledger->outputs, texts::ledger_outputs);
    add(all, from.ledger->arguments, texts::ledger_arguments);
    add(all, from.ledger->top_reserved, texts::ledger_top_reserved);
    add(all, from.ledger->capacity, texts::memory_of_device);
}

void of_whole_program(const memory_message& from, const diagnosis& shortage, figures& all) {
    add(all, from.usage->total, texts::whole_program);
    add(all, from.usage->arguments, texts::arguments);
    add(all, from.requirement->temporaries, texts::temporaries);
    if (shortage.fresh_outputs) add(all, *shortage.fresh_outputs, texts::fresh_outputs);
    add(all, from.requirement->global, texts::code);
}

void of_compiler(const memory_message& from, const diagnosis& shortage, figures& all) {
    if (lists_whole_program(from)) return of_whole_program(from, shortage, all);
    add(all, from.asked, from.kind == message_kind::exceeds ? texts::the_array : texts::needed);
    add(all, from.tensor_core, texts::tensor_core);
    add(all, from.sparse_core, texts::sparse_core);
    add(all, from.capacity, shortage.counts_reserved ? texts::memory_of_device : texts::available);
    if (shortage.missing && from.kind != message_kind::exceeds) add(all, *shortage.missing, texts::too_much);
    if (from.usage) {
        add(all, from.usage->reserved, texts::system_reserved[shortage.counts_reserved ? 1 : 0]);
        const bool is_stated = !shortage.arguments_not_stated;
        if (is_stated) add(all, from.usage->arguments, texts::arguments);
        if (from.usage->arguments && !is_stated) all.emplace_back(texts::unknown, texts::arguments_omitted);
        if (!from.usage->arguments && from.usage->program) all.emplace_back(texts::unknown, texts::arguments_unstated);
        add(all, from.usage->program, texts::own_of_program);
    }
    if (from.requirement) {
        add(all, from.requirement->temporaries, texts::temporaries_of_that);
        if (from.requirement->padded && from.requirement->unpadded) {
            const byte_range padding = difference(*from.requirement->padded, *from.requirement->unpadded);
            if (padding.bytes != 0) add(all, padding, texts::padding_of_temporaries);
        }
        if (from.requirement->fragmentation && from.requirement->fragmentation->bytes != 0)
            add(all, from.requirement->fragmentation, texts::gaps_of_temporaries);
        add(all, from.requirement->global, texts::constants_of_program);
    }
    if (outputs_matter(from, shortage)) add(all, *shortage.fresh_outputs, texts::uncounted_outputs);
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
