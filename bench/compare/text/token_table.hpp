#pragma once
// Turns tokens into dense numbers, in order of first appearance. Open addressing with linear probing over 8-byte
// slots; a slot keeps 32 bits of the hash, so that a probe rarely touches the token itself.

#include <hbm/core/language.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hbm::trace {

/// A set of distinct tokens, numbered from 0 in the order in which they were added. Each operation is O(1) on average.
class token_table {
public:
    /// The number of a token that is not in the table.
    static constexpr std::uint32_t absent = ~std::uint32_t{0};

    /// How many tokens there are.
    std::size_t size() const { return tokens_.size(); }

    /// The token with this number, which must be below `size()`.
    const std::string& operator[](std::uint32_t number) const { return tokens_[number]; }

    /// Number of the token, or `absent`.
    std::uint32_t find(std::string_view token) const {
        return slots_.empty() ? absent : slots_[slot_of(token, hash_of(token))].number;
    }

    /// Number of the token; a new token is added.
    std::uint32_t intern(std::string_view token) {
        if (slots_.size() < 2 * (tokens_.size() + 1)) {
            grow();
        }
        const std::uint32_t hash = hash_of(token);
        slot& place = slots_[slot_of(token, hash)];
        if (place.number == absent) {
            place = {hash, static_cast<std::uint32_t>(tokens_.size())};
            tokens_.emplace_back(token);
        }
        return place.number;
    }

    /// Removes the latest tokens, so that `count` remain.
    void shrink(std::size_t count) {
        // No token was placed after the latest token, so no probe sequence passes its slot.
        while (tokens_.size() > count) {
            slots_[slot_of(tokens_.back(), hash_of(tokens_.back()))].number = absent;
            tokens_.pop_back();
        }
    }

    /// All tokens, in order; the table is empty afterwards.
    std::vector<std::string> take() {
        slots_.clear();
        return std::exchange(tokens_, {});
    }

private:
    struct slot {
        std::uint32_t hash = 0;
        std::uint32_t number = absent;
    };

    // 64-bit FNV-1a, folded: tokens are short, and the low bits must be well distributed.
    static std::uint32_t hash_of(std::string_view token) {
        std::uint64_t hash = 14695981039346656037U;
        for (const char each : token) {
            hash = (hash ^ static_cast<unsigned char>(each)) * 1099511628211U;
        }
        return static_cast<std::uint32_t>(hash ^ (hash >> 32U));
    }

    std::size_t slot_of(std::string_view token, std::uint32_t hash) const {
        const std::size_t mask = slots_.size() - 1;
        std::size_t place = hash & mask;
        while (slots_[place].number != absent &&
               (slots_[place].hash != hash || tokens_[slots_[place].number] != token)) {
            place = (place + 1) & mask;
        }
        return place;
    }

    void grow() {
        slots_.assign(slots_.empty() ? 64 : 2 * slots_.size(), slot{});
        // In order, so that the latest token is placed last.
        for (std::size_t number = 0; number < tokens_.size(); ++number) {
            const std::uint32_t hash = hash_of(tokens_[number]);
            slots_[slot_of(tokens_[number], hash)] = {hash, static_cast<std::uint32_t>(number)};
        }
    }

    std::vector<std::string> tokens_;
    std::vector<slot> slots_;
};

}  // namespace hbm::trace
