#include "compare/text/token_table.hpp"

#include <utility>

namespace hbm::trace {

std::uint32_t token_table::find(std::string_view token) const {
    return slots_.empty() ? absent : slots_[slot_of(token, hash_of(token))].number;
}

std::uint32_t token_table::intern(std::string_view token) {
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

void token_table::shrink(std::size_t count) {
    // No token was placed after the latest token, so no probe sequence passes its slot.
    while (tokens_.size() > count) {
        slots_[slot_of(tokens_.back(), hash_of(tokens_.back()))].number = absent;
        tokens_.pop_back();
    }
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

void token_table::grow() {
    slots_.assign(slots_.empty() ? 64 : 2 * slots_.size(), slot{});
    // In order, so that the latest token is placed last.
    for (std::size_t number = 0; number < tokens_.size(); ++number) {
        const std::uint32_t hash = hash_of(tokens_[number]);
        slots_[slot_of(tokens_[number], hash)] = {hash, static_cast<std::uint32_t>(number)};
    }
}

}  // namespace hbm::trace
