#pragma once

/// A range of addresses from the operating system. Needs POSIX.

#include <hbm/adapt/address_range.hpp>
#include <hbm/core/bytes.hpp>
#include <hbm/core/result.hpp>

#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <sys/mman.h>
#include <unistd.h>

namespace hbm {

/// Why no addresses were mapped. `in_words` of address_words.hpp says it in a sentence.
struct mapping_failure {
    int number = 0;               ///< as in `errno`
    std::uint64_t bytes = 0;      ///< that were asked for
    std::uint64_t alignment = 0;  ///< that was asked for

    friend constexpr bool operator==(const mapping_failure&, const mapping_failure&) = default;
};

/// Private memory of this process that the operating system reserves as addresses and backs with pages, all zero, when
/// they are first touched. It is moved only, and given back when it ends.
class mapped_range {
public:
    /// The size of a huge page on x86-64, and on ARM with the usual pages, in bytes.
    static constexpr std::uint64_t huge_page = 2_MiB;

    /// Maps `bytes`, rounded up to a page, from an address that is a multiple of `alignment`, a power of two; 0 is that
    /// of a huge page where there is room for a huge page, else that of a page. Huge pages are asked for where the
    /// system knows them; without them all works as well. Fails with `EINVAL` for no bytes and for an alignment that is
    /// no power of two, with `ENOMEM` where the system has not so many addresses. O(1).
    [[nodiscard]] static basic_result<mapped_range, mapping_failure> map(std::uint64_t bytes,
                                                                         std::uint64_t alignment = 0) noexcept {
        const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
        mapping_failure why{.number = EINVAL, .bytes = bytes, .alignment = alignment};
        if (bytes == 0 || (alignment != 0 && !std::has_single_bit(alignment))) return why;
        if (alignment == 0 && bytes >= huge_page) alignment = huge_page;
        if (alignment < page) alignment = page;

        // What lies before the first multiple of the alignment, and after the end, is given back at once.
        why.number = ENOMEM;
        const std::optional<std::uint64_t> length = round_up(bytes, page);
        if (!length || *length > ~std::uint64_t{0} - (alignment - page)) return why;
        const std::uint64_t all = *length + (alignment - page);
        if (all > static_cast<std::uint64_t>(PTRDIFF_MAX)) return why;
        int flags = MAP_PRIVATE | MAP_ANONYMOUS;
#ifdef MAP_NORESERVE
        flags |= MAP_NORESERVE;
#endif
        void* const found = ::mmap(nullptr, static_cast<std::size_t>(all), PROT_READ | PROT_WRITE, flags, -1, 0);
        if (found == MAP_FAILED) {
            why.number = errno;
            return why;
        }
        auto* const first = static_cast<std::byte*>(found);
        const std::uint64_t before = (0 - std::uint64_t{reinterpret_cast<std::uintptr_t>(first)}) & (alignment - 1);
        give_back(first, before);
        give_back(first + before + *length, all - before - *length);

        mapped_range made;
        made.range_ = {first + before, *length};
#ifdef MADV_HUGEPAGE
        made.huge_pages_ =
            *length >= huge_page && ::madvise(first + before, static_cast<std::size_t>(*length), MADV_HUGEPAGE) == 0;
#endif
        return made;
    }

    /// No memory.
    mapped_range() = default;
    mapped_range(const mapped_range&) = delete;
    mapped_range& operator=(const mapped_range&) = delete;
    mapped_range(mapped_range&& other) noexcept {
        swap(other);
    }
    mapped_range& operator=(mapped_range&& other) noexcept {
        swap(other);
        return *this;
    }
    ~mapped_range() {
        give_back(range_.base, range_.bytes);
    }

    void swap(mapped_range& other) noexcept {
        const address_range range = range_;
        const bool huge_pages = huge_pages_;
        range_ = other.range_, huge_pages_ = other.huge_pages_;
        other.range_ = range, other.huge_pages_ = huge_pages;
    }

    /// The addresses; an empty range if there is no memory. O(1).
    [[nodiscard]] address_range range() const noexcept {
        return range_;
    }
    /// True when the system took the wish for huge pages; it may still back the range with others. O(1).
    [[nodiscard]] bool asked_for_huge_pages() const noexcept {
        return huge_pages_;
    }

private:
    static void give_back(void* begin, std::uint64_t bytes) noexcept {
        if (bytes != 0) ::munmap(begin, static_cast<std::size_t>(bytes));
    }

    address_range range_;
    bool huge_pages_ = false;
};

static_assert(address_memory<mapped_range>);

}  // namespace hbm
