#pragma once
// Many short texts one after the other.

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "compare/text/number_list.hpp"

namespace hbm::trace {

/// List of texts that grows at its end. Each takes its characters and few bits.
class token_list {
public:
    token_list() = default;
    /// Constructs a list of these texts.
    token_list(std::initializer_list<std::string_view> tokens) {
        for (const std::string_view token : tokens) push_back(token);
    }

    [[nodiscard]] std::size_t size() const noexcept { return ends_.size(); }

    /// Returns a text, which is valid until the list changes. Requires: `at` is below `size()`. Cost: O(1).
    [[nodiscard]] std::string_view operator[](std::size_t at) const noexcept {
        const std::size_t begin = at % together == 0 ? 0 : static_cast<std::size_t>(ends_[at - 1]);
        return std::string_view(texts_[at / together]).substr(begin, static_cast<std::size_t>(ends_[at]) - begin);
    }
    [[nodiscard]] std::string_view back() const noexcept { return (*this)[size() - 1]; }

    /// Appends a text. Cost: O(length) on average.
    void push_back(std::string_view token);

    /// Removes the last text. Requires: the list is not empty.
    void pop_back();

    friend bool operator==(const token_list&, const token_list&) = default;

private:
    static constexpr std::size_t together = 1024;  // texts in a string

    std::vector<std::string> texts_;
    number_list ends_;  // end of each text in its string
};

}  // namespace hbm::trace
