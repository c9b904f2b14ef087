#pragma once

#include <hbm/blocks/block_map.hpp>
#include <hbm/core/bytes.hpp>
#include <hbm/core/extent.hpp>
#include <hbm/core/memory_spec.hpp>

#include <cstddef>
#include <cstdint>

namespace hbm::inline v0 {

/// The ranges of a buffer's bytes, in order: one, or up to three after an interrupted move. In bytes.
/// Their sum is the length of the block. `for (const extent& piece : memory.pieces(held))`.
struct buffer_pieces {
    extent parts[3] = {};
    std::uint32_t count = 0;

    constexpr void add(extent piece) noexcept {
        if (piece.size != 0) parts[count++] = piece;
    }
    [[nodiscard]] constexpr std::size_t size() const noexcept { return count; }
    [[nodiscard]] constexpr const extent& operator[](std::size_t at) const noexcept { return parts[at]; }
    [[nodiscard]] constexpr const extent* begin() const noexcept { return parts; }
    [[nodiscard]] constexpr const extent* end() const noexcept { return parts + count; }

    friend constexpr bool operator==(const buffer_pieces&, const buffer_pieces&) = default;
};

struct copying {
    std::uint64_t moved = 0;   ///< bytes that have arrived
    std::uint64_t copies = 0;  ///< count of copies that succeeded
    std::uint64_t nanoseconds = 0;
    bool failed = false;  ///< the last copy failed
};

/// A move of a block by copies of which none overlaps itself. Offsets and sizes in bytes.
/// Bytes go in order, the lowest first if the block moves down, the highest first if up. So a copy overwrites only free
/// bytes and bytes copied before. No byte is lost if a copy fails, provided that a failed copy keeps its source.
/// Between copies the bytes are in two places, or three with the bounce region (see `pieces`).
/// The block then owns the range from the lower place to the end of the upper one.
struct pending_move {
    block_index block = no_block;  ///< `no_block`: nothing is pending
    std::uint64_t from = 0;
    std::uint64_t to = 0;
    std::uint64_t bytes = 0;
    std::uint64_t moved = 0;    ///< bytes that have arrived
    std::uint64_t bounced = 0;  ///< next bytes, in the bounce region and perhaps nowhere else

    [[nodiscard]] constexpr explicit operator bool() const noexcept { return block != no_block; }
    [[nodiscard]] constexpr std::uint64_t left() const noexcept { return bytes - moved; }
    [[nodiscard]] constexpr bool goes_down() const noexcept { return to < from; }
    [[nodiscard]] constexpr std::uint64_t distance() const noexcept { return goes_down() ? from - to : to - from; }
    [[nodiscard]] constexpr extent both_places() const noexcept {
        return {goes_down() ? to : from, distance() + bytes};
    }

    [[nodiscard, gnu::cold]] constexpr buffer_pieces pieces(const memory_spec& spec) const noexcept {
        // Bytes go in order, so there are at most three pieces: what has arrived, what waits in the bounce region, and
        // what has not left. A block that moves down begins with what has arrived, one that moves up ends with it.
        const std::uint64_t after = left() - bounced;  // not copied yet
        buffer_pieces ranges;
        if (goes_down()) {
            ranges.add({to, moved});
            ranges.add({spec.bounce_offset(), bounced});
            ranges.add({from + bytes - after, after});
        } else {
            ranges.add({from, after});
            ranges.add({spec.bounce_offset(), bounced});
            ranges.add({to + left(), moved});
        }
        return ranges;
    }

    /// Moves up to `most` more bytes by `copy(to, from, bytes)`, the bounce region first, until a copy returns false.
    template <class Copy>
    [[gnu::cold]] constexpr copying advance(const memory_spec& spec, std::uint64_t most, Copy copy) {
        // A piece is no longer than the distance, so that source and target of a copy do not overlap; or, where that
        // would be very many copies, as long as the bounce region, and goes by way of it in two copies. What an
        // interrupted call left in the bounce region comes first: these bytes may be nowhere else.
        copying done;
        if (distance() == 0) moved = bytes;
        std::uint64_t back = 0;  // copied out of the bounce region
        const auto carry = [&](std::uint64_t target, std::uint64_t source, std::uint64_t size) {
            done.failed = !copy(target, source, size);
            if (done.failed) return false;
            ++done.copies;
            return true;
        };
        const auto come_back = [&] {
            const std::uint64_t target = goes_down() ? to + moved : to + left() - bounced;
            if (!carry(target, spec.bounce_offset(), bounced)) return false;
            back += bounced;
            moved += bounced;
            bounced = 0;
            return true;
        };
        std::uint64_t out = 0;  // copied out of the source
        const std::uint64_t before = moved;
        if (bounced == 0 || come_back()) {
            const std::uint64_t gone = moved - before;
            std::uint64_t length = most < gone ? 0 : most - gone < left() ? most - gone : left();
            const bool bounces = spec.bounces(length, distance());
            const std::uint64_t longest = bounces ? spec.bounce : distance();
            while (length != 0 && !done.failed) {
                const std::uint64_t size = length < longest ? length : longest;
                const std::uint64_t source = goes_down() ? from + moved : from + left() - size;
                if (!bounces) {
                    if (!carry(goes_down() ? to + moved : to + left() - size, source, size)) break;
                    moved += size;
                    out += size;
                } else {
                    if (!carry(spec.bounce_offset(), source, size)) break;
                    bounced = size;
                    out += size;
                    if (!come_back()) break;
                }
                length -= size;
            }
        }
        done.moved = moved - before;
        done.nanoseconds = spec.copying_nanoseconds(done.copies, out) + spec.copying_nanoseconds(0, back);
        return done;
    }
    /// Moves up to `most` more bytes without copying.
    [[gnu::cold]] constexpr copying advance(const memory_spec& spec, std::uint64_t most) noexcept {
        // Prices what the copies would have cost without making any: forks have no device.
        const std::uint64_t length = most < left() ? most : left();
        // A fork also has the bytes that a device has left in the bounce region.
        const std::uint64_t from_bounce = bounced;
        const std::uint64_t rest = length < from_bounce ? 0 : length - from_bounce;
        copying done{.moved = from_bounce + rest};
        if (from_bounce != 0) done = {from_bounce + rest, 1, spec.copying_nanoseconds(1, from_bounce)};
        if (rest != 0) {
            done.copies += spec.copies_of(rest, distance());
            done.nanoseconds = saturating_add(done.nanoseconds, spec.move_nanoseconds(rest, distance()));
        }
        moved += done.moved;
        bounced = 0;
        return done;
    }

    friend constexpr bool operator==(const pending_move&, const pending_move&) = default;
};

}  // namespace hbm::inline v0
