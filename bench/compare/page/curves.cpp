#include "compare/page/curves.hpp"

#include <hbm/explain/words.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "compare/page/packed/trace_blocks.hpp"

namespace hbm::compare {

namespace {

constexpr std::size_t curve_width = 480;
constexpr std::uint64_t curve_height = 120;

/// Colours of blocks, from those of the smallest.
constexpr std::array<picture_colour, 7> by_size{0xf2d645, 0xcebc60, 0xaaa67a, 0x88928d, 0x687f98, 0x466b9b, 0x265496};

}  // namespace

replay_curves::replay_curves(std::size_t rows)
    : rows_(rows),
      columns_(std::min(curve_width, std::max<std::size_t>(rows, 1)), {.largest_free = ~std::uint64_t{0}}) {}

void replay_curves::add(const trace::history& part) {
    std::size_t column = part.first_row * columns_.size() / std::max<std::size_t>(rows_, 1);
    for (const trace::recorded_reading& now : part.readings) {
        while (column + 1 < columns_.size() && (column + 1) * rows_ / columns_.size() <= added_) ++column;
        trace::recorded_reading& kept = columns_[column];
        kept.used = std::max(kept.used, now.used);
        kept.highest_end = std::max(kept.highest_end, now.highest_end);
        kept.largest_free = std::min(kept.largest_free, now.largest_free);
        ++added_;
    }
}

std::uint64_t replay_curves::highest() const noexcept {
    std::uint64_t result = 0;
    for (const trace::recorded_reading& column : columns_) result = std::max(result, column.highest_end);
    return result;
}

/// Returns a path that keeps its value until the next column.
template <class Value>
std::string replay_curves::path(std::uint64_t top, std::string_view name, Value value_of) const {
    std::string commands;
    std::uint64_t last = ~std::uint64_t{0};
    for (std::size_t column = 0; column * rows_ / columns_.size() < added_ && column < columns_.size(); ++column) {
        const std::uint64_t y =
            curve_height -
            static_cast<std::uint64_t>(trace::wide_unsigned{value_of(columns_[column])} * curve_height / top);
        const std::size_t x = column * curve_width / columns_.size();
        const std::string high = std::to_string(y);
        if (column == 0)
            commands += "M0 " + high;
        else if (y != last)
            commands += "H" + std::to_string(x) + "V" + high;
        last = y;
    }
    const std::size_t right = rows_ == 0 ? 0 : added_ * curve_width / rows_;
    return commands.empty()
               ? std::string{}
               : "<path class=\"" + std::string(name) + "\" d=\"" + commands + "H" + std::to_string(right) + "\"/>";
}

std::string replay_curves::svg(std::optional<std::uint64_t> capacity) const {
    const std::uint64_t top = std::max({std::uint64_t{1}, highest(), capacity.value_or(0)});
    std::string text = "<svg class=\"curves\" viewBox=\"-1 -1 482 122\" preserveAspectRatio=\"none\" role=\"img\" "
                       "aria-label=\"Bytes in use, highest end" +
                       std::string(capacity ? " and largest free block" : "") + " over the events; the upper edge is " +
                       size_in_words(top) + "\">";
    text += path(top, "live", [](const auto& each) { return each.used; });
    text += path(top, "end", [](const auto& each) { return each.highest_end; });
    if (capacity) text += path(top, "largest", [](const auto& each) { return each.largest_free; });
    return text + "</svg>";
}

namespace {

std::uint32_t crc32(std::string_view bytes) {
    std::uint32_t value = 0xffffffff;
    for (const char each : bytes) {
        value ^= static_cast<unsigned char>(each);
        for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ ((value & 1) != 0 ? 0xedb88320 : 0);
    }
    return ~value;
}

void add_chunk(std::string& file, std::string_view kind, std::string_view content) {
    add_big_endian(file, static_cast<std::uint32_t>(content.size()));
    const std::size_t begin = file.size();
    file.append(kind).append(content);
    add_big_endian(file, crc32(std::string_view(file).substr(begin)));
}

/// Axis of `count` pixels. It measures the part of each pixel that a range covers, in 1/65,536.
class axis {
public:
    axis(std::uint64_t whole, std::uint32_t count) : whole_(std::max<std::uint64_t>(whole, 1)), count_(count) {}

    template <class Visit>
    void for_each(std::uint64_t begin, std::uint64_t end, Visit visit) const {
        const std::uint64_t from = scaled(begin);
        const std::uint64_t to = std::max(scaled(end), from + 1);
        for (std::uint64_t at = from >> 16; at < count_ && at << 16 < to; ++at)
            visit(static_cast<std::size_t>(at), std::min(to, (at + 1) << 16) - std::max(from, at << 16));
    }

private:
    [[nodiscard]] std::uint64_t scaled(std::uint64_t value) const {
        return static_cast<std::uint64_t>((trace::wide_unsigned{value} * count_ << 16) / whole_);
    }
    std::uint64_t whole_;
    std::uint32_t count_;
};

}  // namespace

std::string png(std::uint32_t width, std::uint32_t height, std::string_view pixels,
                std::span<const picture_colour> palette) {
    std::string header;
    add_big_endian(header, width);
    add_big_endian(header, height);
    header += std::string("\x08\x03\x00\x00\x00", 5);  // eight bits a pixel, with a palette
    std::string colours;
    std::string opacities;
    for (const picture_colour each : palette) {
        for (int shift = 16; shift >= 0; shift -= 8) colours += static_cast<char>(each >> shift & 0xff);
        opacities += static_cast<char>(each >> 24);
    }
    std::string lines;
    for (std::uint32_t line = 0; line < height; ++line)
        (lines += '\0') += pixels.substr(std::size_t{line} * width, width);
    std::string file = "\x89PNG\r\n\x1a\n";
    add_chunk(file, "IHDR", header);
    add_chunk(file, "PLTE", colours);
    add_chunk(file, "tRNS", opacities);
    add_chunk(file, "IDAT", zlib_stream(lines));
    add_chunk(file, "IEND", {});
    return file;
}

replay_picture::replay_picture(std::size_t rows, std::uint64_t top)
    : rows_(rows), top_(top), covered_(std::size_t{picture_width} * picture_height) {}

void replay_picture::add(const trace::history& part) {
    if (largest_ == 0) {
        largest_ = 1;
        for (const trace::recorded_place& each : part.places) largest_ = std::max(largest_, each.where.size);
    }
    const auto colour_of = [&](std::uint64_t size) {
        return static_cast<std::uint64_t>(std::bit_width(std::min(size, largest_))) * by_size.size() /
               (static_cast<std::uint64_t>(std::bit_width(largest_)) + 1);
    };
    const axis across(rows_, picture_width);
    const axis up(top_, picture_height);
    for (const trace::recorded_place& each : part.places) {
        const std::uint64_t colour = colour_of(each.where.size);
        up.for_each(each.where.offset, each.where.end(), [&](std::size_t y, std::uint64_t high) {
            cover* const line = covered_.data() + (picture_height - 1 - y) * picture_width;
            across.for_each(each.begin, each.end, [&](std::size_t x, std::uint64_t wide) {
                line[x].area += wide * high;
                line[x].colours += wide * high * colour;
            });
        });
    }
}

std::string replay_picture::png_file() const {
    constexpr std::uint64_t faintest = 40;
    constexpr std::uint64_t steps = 8;  // steps of opacity, few so that the file is small
    std::vector<picture_colour> palette{0};
    for (const picture_colour each : by_size)
        for (std::uint64_t step = 0; step <= steps; ++step)
            palette.push_back(each | static_cast<picture_colour>(faintest + step * (255 - faintest) / steps) << 24);
    std::string pixels;
    for (const cover& each : covered_) {
        const std::uint64_t step = std::min<std::uint64_t>(((each.area >> 16) * steps + 65535) >> 16, steps);
        const std::uint64_t colour = each.area == 0 ? 0 : (each.colours + each.area / 2) / each.area;
        pixels += static_cast<char>(each.area == 0 ? 0 : 1 + colour * (steps + 1) + step);
    }
    return png(picture_width, picture_height, pixels, palette);
}

}  // namespace hbm::compare
