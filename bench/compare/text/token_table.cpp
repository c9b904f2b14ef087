#include "compare/text/token_table.hpp"

#include <utility>

namespace hbm::trace {

std::uint32_t token_table::find(std::string_view token) const {
    return slots_.empty() ? absent : slots_[slot_of(token, hash_of(token))].number;
}

std::uint32_t token_table::intern(std::string_view token) {
    if (free_.empty() && slots_.size() < 2 * (tokens_.size() + 1)) place_all(slots_.empty() ? 64 : 2 * slots_.size());
    const std::uint32_t hash = hash_of(token);
    slot& place = slots_[slot_of(token, hash)];
    if (place.number != absent) return place.number;
    place = {hash, static_cast<std::uint32_t>(tokens_.size())};
    if (free_.empty()) {
        tokens_.emplace_back(token);
    } else {
        place.number = free_.back();
        free_.pop_back();
        tokens_[place.number] = token;
    }
    return place.number;
}

void token_table::take_back(std::uint32_t number) {
    // No token was placed after the latest token, so no probe sequence passes its slot.
    slots_[slot_of(tokens_[number], hash_of(tokens_[number]))].number = absent;
    if (number + 1 == tokens_.size())
        tokens_.pop_back();
    else
        free_.push_back(number);
}

void token_table::forget(const std::vector<bool>& numbers) {
    free_.clear();
    for (std::size_t number = tokens_.size(); number-- > 0;)
        if (numbers[number]) free_.push_back(static_cast<std::uint32_t>(number));
    place_all(slots_.size());
}

std::vector<std::string> token_table::take() {
    slots_.clear();
    return std::exchange(tokens_, {});
}

std::uint32_t token_table::hash_of(std::string_view token) {
    std::uint64_t hash = 14695981039346656037U;
    for (const char each : token) {
        hash = (hash ^ static_cast<unsigned char>(each)) * 1099511628211U;
    }
    return static_cast<std::uint32_t>(hash ^ (hash >> 32U));
}

std::size_t token_table::slot_of(std::string_view token, std::uint32_t hash) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t place = hash & mask;
    while (slots_[place].number != absent && (slots_[place].hash != hash || tokens_[slots_[place].number] != token)) {
        place = (place + 1) & mask;
    }
    return place;
}

void token_table::place_all(std::size_t slots) {
    slots_.assign(slots, slot{});
    std::vector<bool> is_free(tokens_.size());
    for (const std::uint32_t number : free_) is_free[number] = true;
    for (std::size_t number = 0; number < tokens_.size(); ++number) {
        if (is_free[number]) continue;
        const std::uint32_t hash = hash_of(tokens_[number]);
        slots_[slot_of(tokens_[number], hash)] = {hash, static_cast<std::uint32_t>(number)};
    }
}

}  // namespace hbm::trace
