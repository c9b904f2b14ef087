#include "compare/answers/message/bars.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "compare/answers/message/diagnosis.hpp"
#include "compare/answers/message/remedy_parts.hpp"
#include "compare/text/byte_range.hpp"
#include "compare/text/rounded_size.hpp"

namespace hbm::imported {

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
        add("device", from.capacity);
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
