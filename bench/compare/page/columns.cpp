#include "compare/page/columns.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "compare/replay/steps.hpp"
#include "compare/text/json_writer.hpp"

#ifdef HBM_HAVE_ZLIB
#include <zlib.h>
#endif

namespace hbm::compare {

namespace {

/// Limit of the numbers that a double, and so the page, represents exactly.
constexpr std::uint64_t max_exact_number = std::uint64_t{1} << 53;

using numbers = std::vector<std::uint64_t>;

/// Appends a column: the count in four bytes, the number of planes in one, and then the planes: the lowest byte of
/// every number, the next byte of every number, up to the highest that is not zero everywhere. Equal bytes lie beside
/// each other this way, and deflate to a third of what the numbers themselves do.
void add_column(std::string& bytes, const numbers& column) {
    for (unsigned shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(column.size() >> shift & 0xff);
    std::uint64_t all = 0;
    for (const std::uint64_t number : column) all |= number;
    char planes = 0;
    for (; all >> (8 * planes) != 0 && planes < 8;) ++planes;
    bytes += planes;
    for (char plane = 0; plane < planes; ++plane)
        for (const std::uint64_t number : column) bytes += static_cast<char>(number >> (8 * plane) & 0xff);
}

template <class Items, class Number>
void add_column(std::string& bytes, const Items& items, Number number_of) {
    numbers column;
    column.reserve(items.size());
    for (const auto& item : items) column.push_back(number_of(item));
    add_column(bytes, column);
}

/// Appends a column of numbers that never decrease, as their differences.
template <class Items, class Number>
void add_rising(std::string& bytes, const Items& items, Number number_of) {
    std::uint64_t last = 0;
    add_column(bytes, items, [&](const auto& item) {
        const std::uint64_t difference = number_of(item) - last;
        last += difference;
        return difference;
    });
}

/// Returns the numbers of a list.
template <class List>
numbers all_of(const List& list) {
    numbers result;
    for (std::size_t at = 0; at < list.size(); ++at) result.push_back(list[at]);
    return result;
}

std::string deflated([[maybe_unused]] std::string_view bytes) {
#ifdef HBM_HAVE_ZLIB
    uLongf size = compressBound(static_cast<uLong>(bytes.size()));
    std::string stream(size, '\0');
    const int error =
        compress2(reinterpret_cast<Bytef*>(stream.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()),
                  static_cast<uLong>(bytes.size()), Z_BEST_COMPRESSION);
    stream.resize(size);
    if (error == Z_OK) return stream;
#endif
    return {};
}

}  // namespace

std::string base64(std::string_view bytes) {
    constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t at = 0; at < bytes.size(); at += 3) {
        std::uint32_t group = 0;
        for (std::size_t byte = at; byte < at + 3; ++byte)
            group = group << 8 | (byte < bytes.size() ? static_cast<unsigned char>(bytes[byte]) : 0U);
        for (std::size_t digit = 0; digit < 4; ++digit)
            text += at + digit <= bytes.size() ? digits[group >> (18 - 6 * digit) & 63] : '=';
    }
    return text;
}

std::string packed_part(const std::string& id, std::string_view bytes) {
    const std::string stream = deflated(bytes);
    const std::string how = stream.empty() ? "" : " data-format=\"deflate\"";
    return "<script type=\"text/plain\" id=\"" + id + "\"" + how + ">" + base64(stream.empty() ? bytes : stream) +
           "</script>\n";
}

std::optional<std::uint64_t> duration_of(const trace::workload& load) {
    if (load.times.empty()) return std::nullopt;
    const std::uint64_t passed = load.times.back() - load.times.front();
    if (passed >= max_exact_number / 2) return std::nullopt;
    return passed + std::max<std::uint64_t>(passed / load.times.size(), 1);
}

std::string packed_workload(const trace::workload& load) {
    std::string bytes;
    const numbers times = duration_of(load) ? all_of(load.times) : numbers{};
    add_rising(bytes, times, [&](std::uint64_t time) { return time - times.front(); });
    add_rising(bytes, all_of(load.lines), [](std::uint64_t line) { return line; });
    add_rising(bytes, trace::marked_steps_of(load).ends, [](std::size_t end) { return std::uint64_t{end}; });
    json_writer json;
    json.begin_array();
    for (std::size_t at = 0; at < load.ids.size(); ++at) json.value(load.ids[at]);
    json.end_array();
    return bytes + json.text();
}

std::string packed_history(const trace::history& made, std::uint64_t quantum) {
    using trace::recorded_block;
    using trace::recorded_place;
    using trace::recorded_relief;
    std::string bytes;
    add_column(bytes, made.blocks, [](const recorded_block& block) {
        return block.subject == trace::no_subject ? std::uint64_t{0} : block.subject + std::uint64_t{1};
    });
    add_column(bytes, made.blocks, [](const recorded_block& block) { return std::uint64_t{block.tag}; });
    add_column(bytes, made.blocks, [](const recorded_block& block) { return static_cast<std::uint64_t>(block.kind); });
    add_column(bytes, made.places, [](const recorded_place& place) { return std::uint64_t{place.block}; });
    add_rising(bytes, made.places, [](const recorded_place& place) { return std::uint64_t{place.begin}; });
    add_column(bytes, made.places, [](const recorded_place& place) { return std::uint64_t{place.end - place.begin}; });
    add_column(bytes, made.places, [&](const recorded_place& place) { return place.where.offset / quantum; });
    add_column(bytes, made.places, [&](const recorded_place& place) { return place.where.size / quantum; });
    add_column(bytes, made.reliefs,
               [](const recorded_relief& relief) { return static_cast<std::uint64_t>(relief.kind); });
    add_rising(bytes, made.reliefs, [](const recorded_relief& relief) { return std::uint64_t{relief.row}; });
    add_column(bytes, made.reliefs, [](const recorded_relief& relief) { return std::uint64_t{relief.block}; });
    add_column(bytes, made.readings,
               [&](const trace::recorded_reading& reading) { return reading.highest_end / quantum; });
    return bytes;
}

}  // namespace hbm::compare
