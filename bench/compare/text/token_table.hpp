#pragma once
// Turns tokens into dense numbers, in order of first appearance. Open addressing with linear probing over 8-byte
// slots; a slot keeps 32 bits of the hash, so that a probe rarely touches the token itself.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hbm::trace {

/// Set of distinct tokens, numbered from 0 in the order in which they were added. Each operation is O(1) on average,
/// except `forget`, after which new tokens take the numbers of forgotten ones.
class token_table {
public:
    /// Number of a token that is not in the table.
    static constexpr std::uint32_t absent = ~std::uint32_t{0};

    /// Returns the number of numbers.
    std::size_t size() const { return tokens_.size(); }

    /// Returns true if the next new token takes the number of a forgotten one.
    bool has_free_number() const { return !free_.empty(); }

    /// Returns the number of the token, or `absent`.
    std::uint32_t find(std::string_view token) const;

    /// Returns the number of the token, and adds a new token.
    std::uint32_t intern(std::string_view token);

    /// Removes the latest token, which has this number.
    void take_back(std::uint32_t number);

    /// Removes the tokens of these numbers, as many as `size()`, and of no others. Cost: O(size).
    void forget(const std::vector<bool>& numbers);

    /// Returns all tokens, in order; the table is empty afterwards.
    std::vector<std::string> take();

private:
    struct slot {
        std::uint32_t hash = 0;
        std::uint32_t number = absent;
    };

    // 64-bit FNV-1a, folded: tokens are short, and the low bits must be well distributed.
    static std::uint32_t hash_of(std::string_view token);

    std::size_t slot_of(std::string_view token, std::uint32_t hash) const;
    // Empties the slots, of which there are then this many, and places all tokens that are not forgotten.
    void place_all(std::size_t slots);

    std::vector<std::string> tokens_;
    std::vector<std::uint32_t> free_;  // numbers without a token
    std::vector<slot> slots_;
};

}  // namespace hbm::trace
