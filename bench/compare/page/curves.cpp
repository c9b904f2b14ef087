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

/// Returns a path that keeps its value until the next column.
template <class Value>
std::string path(const trace::history& made, std::size_t rows, std::uint64_t top, std::string_view name, bool smallest,
                 Value value_of) {
    std::string commands;
    std::uint64_t last = ~std::uint64_t{0};
    const std::size_t columns = std::min(curve_width, std::max<std::size_t>(rows, 1));
    for (std::size_t column = 0; column < columns; ++column) {
        const std::size_t begin = column * rows / columns;
        const std::size_t end = std::min((column + 1) * rows / columns, made.readings.size());
        if (begin >= end) break;
        std::uint64_t value = value_of(made.readings[begin]);
        for (std::size_t row = begin; row < end; ++row) {
            const std::uint64_t here = value_of(made.readings[row]);
            value = smallest ? std::min(value, here) : std::max(value, here);
        }
        const std::uint64_t y =
            curve_height - static_cast<std::uint64_t>(trace::wide_unsigned{value} * curve_height / top);
        const std::size_t x = column * curve_width / columns;
        const std::string high = std::to_string(y);
        if (column == 0)
            commands += "M0 " + high;
        else if (y != last)
            commands += "H" + std::to_string(x) + "V" + high;
        last = y;
    }
    const std::size_t right = rows == 0 ? 0 : made.readings.size() * curve_width / rows;
    return commands.empty()
               ? std::string{}
               : "<path class=\"" + std::string(name) + "\" d=\"" + commands + "H" + std::to_string(right) + "\"/>";
}

}  // namespace

std::string curves_svg(const trace::history& made, std::size_t rows, bool is_limited) {
    std::uint64_t top = 1;
    for (const trace::recorded_reading& each : made.readings) top = std::max(top, each.highest_end);
    if (is_limited) top = std::max(top, made.capacity);
    std::string text = "<svg class=\"curves\" viewBox=\"-1 -1 482 122\" preserveAspectRatio=\"none\" role=\"img\" "
                       "aria-label=\"Bytes in use, highest end" +
                       std::string(is_limited ? " and largest free block" : "") +
                       " over the events; the upper edge is " + size_in_words(top) + "\">";
    text += path(made, rows, top, "live", false, [](const auto& each) { return each.used; });
    text += path(made, rows, top, "end", false, [](const auto& each) { return each.highest_end; });
    if (is_limited) text += path(made, rows, top, "largest", true, [](const auto& each) { return each.largest_free; });
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

std::string picture_of(const trace::history& made, std::size_t rows, std::uint64_t top) {
    constexpr std::array<picture_colour, 7> by_size{0xf2d645, 0xcebc60, 0xaaa67a, 0x88928d,
                                                    0x687f98, 0x466b9b, 0x265496};
    constexpr std::uint64_t faintest = 40;
    constexpr std::uint64_t steps = 8;  // steps of opacity, few so that the file is small
    std::vector<picture_colour> palette{0};
    for (const picture_colour each : by_size)
        for (std::uint64_t step = 0; step <= steps; ++step)
            palette.push_back(each | static_cast<picture_colour>(faintest + step * (255 - faintest) / steps) << 24);

    std::uint64_t largest = 1;
    for (const trace::recorded_place& each : made.places) largest = std::max(largest, each.where.size);
    const auto colour_of = [&](std::uint64_t size) {
        return static_cast<std::uint64_t>(std::bit_width(size)) * 7 /
               (static_cast<std::uint64_t>(std::bit_width(largest)) + 1);
    };
    struct cover {
        std::uint64_t area = 0;
        std::uint64_t colours = 0;  // times area
    };
    std::vector<cover> covered(std::size_t{picture_width} * picture_height);
    const axis across(rows, picture_width);
    const axis up(top, picture_height);
    for (const trace::recorded_place& each : made.places) {
        const std::uint64_t colour = colour_of(each.where.size);
        up.for_each(each.where.offset, each.where.end(), [&](std::size_t y, std::uint64_t high) {
            cover* const line = covered.data() + (picture_height - 1 - y) * picture_width;
            across.for_each(each.begin, each.end, [&](std::size_t x, std::uint64_t wide) {
                line[x].area += wide * high;
                line[x].colours += wide * high * colour;
            });
        });
    }
    std::string pixels;
    for (const cover& each : covered) {
        const std::uint64_t step = std::min<std::uint64_t>(((each.area >> 16) * steps + 65535) >> 16, steps);
        const std::uint64_t colour = each.area == 0 ? 0 : (each.colours + each.area / 2) / each.area;
        pixels += static_cast<char>(each.area == 0 ? 0 : 1 + colour * (steps + 1) + step);
    }
    return png(picture_width, picture_height, pixels, palette);
}

}  // namespace hbm::compare
