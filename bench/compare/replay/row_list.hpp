#pragma once
// Rows of a workload. A trace may have a hundred million.

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

#include "compare/text/number_list.hpp"

namespace hbm::trace {

/// Operation of a row. The trace grammar has its meaning (see read/csv.hpp).
enum class op : std::uint8_t { alloc, free, load, run, unload, pin, unpin, sync, import };

/// Dense number of an id token: below `workload::ids.size()`, and one number for all equal tokens.
using id = std::uint32_t;

/// Value of an empty cell of a number.
inline constexpr std::uint64_t unspecified = ~std::uint64_t{0};

/// Value of `row::detail` for a row without details.
inline constexpr std::uint32_t no_detail = ~std::uint32_t{0};

/// Data row.
struct row {
    std::uint64_t bytes = 0;           ///< alloc, load, import: size in bytes; free: the cell, or `unspecified`; else 0
    id subject = 0;                    ///< buffer or program; unused for sync
    std::uint32_t detail = no_detail;  ///< index into `workload::details` for load, run and import
    std::uint32_t tag = 0;             ///< index into `workload::tags`; 0 is the empty tag
    op what = op::alloc;               ///< operation
    std::uint8_t kind = 0;             ///< alloc: index into `workload::kinds`; 0 is the device's memory

    friend bool operator==(const row&, const row&) = default;
};

/// List of rows that grows at its end. A row of an allocation or a free takes 5 to 8 bytes.
class row_list {
public:
    row_list() = default;
    /// Constructs a list of these rows.
    row_list(const std::vector<row>& rows) {
        for (const row& entry : rows) push_back(entry);
    }

    [[nodiscard]] std::size_t size() const noexcept { return subjects_.size(); }
    [[nodiscard]] bool empty() const noexcept { return subjects_.empty(); }

    /// Returns a row. Requires: `at` is below `size()`. Cost: O(1).
    [[nodiscard]] row operator[](std::size_t at) const noexcept {
        const std::uint64_t label = labels_[at];
        const std::uint64_t detail = details_[at];
        return {.bytes = sizes_[at] - 1,
                .subject = static_cast<id>(subjects_[at]),
                .detail = static_cast<std::uint32_t>(detail >> 8U) - 1,
                .tag = static_cast<std::uint32_t>(label >> 4U),
                .what = static_cast<op>(label & 15U),
                .kind = static_cast<std::uint8_t>(detail)};
    }
    /// Returns the first or the last row. Requires: the list is not empty.
    [[nodiscard]] row front() const noexcept { return (*this)[0]; }
    [[nodiscard]] row back() const noexcept { return (*this)[size() - 1]; }

    /// Appends a row. Cost: O(1) on average.
    void push_back(const row& entry) {
        sizes_.push_back(entry.bytes + 1);
        subjects_.push_back(entry.subject);
        details_.push_back(std::uint64_t{entry.detail + 1} << 8U | entry.kind);
        labels_.push_back(std::uint64_t{entry.tag} << 4U | static_cast<std::uint64_t>(entry.what));
    }

    /// Position in a list, which must outlive it.
    class iterator {
    public:
        using iterator_category = std::input_iterator_tag;
        using value_type = row;
        using difference_type = std::ptrdiff_t;
        using pointer = const row*;
        using reference = row;

        iterator(const row_list& list, std::size_t at) : list_(&list), at_(at) {}
        row operator*() const noexcept { return (*list_)[at_]; }
        iterator& operator++() noexcept { return ++at_, *this; }
        friend bool operator==(const iterator&, const iterator&) = default;

    private:
        const row_list* list_;
        std::size_t at_;
    };

    [[nodiscard]] iterator begin() const noexcept { return {*this, 0}; }
    [[nodiscard]] iterator end() const noexcept { return {*this, size()}; }

    friend bool operator==(const row_list&, const row_list&) = default;

private:
    number_list sizes_;     // bytes plus 1, so that `unspecified` is 0
    number_list subjects_;  // ids
    number_list details_;   // detail plus 1, so that `no_detail` is 0; and in the lowest 8 bits the kind
    number_list labels_;    // tag, and in the lowest 4 bits the operation
};

}  // namespace hbm::trace
