#include "compare/read/message/key_words.hpp"

#include <algorithm>

#include "compare/read/message/window.hpp"

namespace hbm::imported {

std::vector<key_place> find_key_words(std::string_view text) {
    std::vector<key_place> places;
    const window all{text};
    for (const key_words& each : all_key_words) {
        const std::string_view first = each.words.substr(0, each.words.find(' '));
        for (std::size_t at = text.find(first); at != window::nowhere; at = text.find(first, at + 1)) {
            const std::size_t end = all.end_of(each.words, at);
            if (end == window::nowhere) continue;
            if (each.part == message_part::item) {
                std::size_t before = at;
                while (before > 0 && window::is_space(text[before - 1])) --before;
                if (before < 2 || text[before - 1] != '.' || !window::is_digit(text[before - 2])) continue;
            }
            if (each.part == message_part::statistics && at > 0 && text[at - 1] == '_') continue;  // peak_bytes_in_use
            places.push_back({at, end, each.part});
        }
    }
    std::sort(places.begin(), places.end(), [](const key_place& a, const key_place& b) { return a.begin < b.begin; });
    return places;
}

}  // namespace hbm::imported
