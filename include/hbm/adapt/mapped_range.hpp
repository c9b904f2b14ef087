#pragma once

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
#include <utility>

namespace hbm::inline v0 {

/// The failure of a mapping; see `in_words` of address_words.hpp.
struct mapping_failure {
    int number = 0;               ///< error number, as in `errno`
    std::uint64_t bytes = 0;      ///< requested size
    std::uint64_t alignment = 0;  ///< requested alignment

    friend constexpr bool operator==(const mapping_failure&, const mapping_failure&) = default;
};

/// A range of addresses that the operating system reserves, and backs with zeroed pages when they are first accessed.
/// Needs POSIX. Move-only; unmapped by the destructor.
class mapped_range {
public:
    /// The size in bytes of a huge page on x86-64, and on ARM with 4 KiB pages.
    static constexpr std::uint64_t huge_page = 2_MiB;

    /// Maps `bytes`, rounded up to whole pages, at an address that is a multiple of `alignment` bytes. An alignment of
    /// 0 stands for a huge page if `bytes` fill one, else for a page. Requests huge pages if the system supports them.
    /// Fails: `EINVAL` for 0 bytes, or an alignment that is neither 0 nor a power of two; `ENOMEM` if the address space
    /// is used up.
    [[nodiscard]] static basic_result<mapped_range, mapping_failure> map(std::uint64_t bytes,
                                                                         std::uint64_t alignment = 0) noexcept {
        const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
        mapping_failure why{.number = EINVAL, .bytes = bytes, .alignment = alignment};
        if (bytes == 0 || (alignment != 0 && !std::has_single_bit(alignment))) return why;
        if (alignment == 0 && bytes >= huge_page) alignment = huge_page;
        if (alignment < page) alignment = page;

        // The parts before the first multiple of the alignment and after the end are unmapped at once.
        why.number = ENOMEM;
        const std::optional<std::uint64_t> length = round_up(bytes, page);
        if (!length || *length > ~std::uint64_t{0} - (alignment - page)) return why;
        const std::uint64_t all = *length + (alignment - page);
        if (all > static_cast<std::uint64_t>(PTRDIFF_MAX)) return why;
        int flags = MAP_PRIVATE | MAP_ANONYMOUS;
#ifdef MAP_NORESERVE
        flags |= MAP_NORESERVE;
#endif
        void* const mapping = ::mmap(nullptr, static_cast<std::size_t>(all), PROT_READ | PROT_WRITE, flags, -1, 0);
        if (mapping == MAP_FAILED) {
            why.number = errno;
            return why;
        }
        auto* const first = static_cast<std::byte*>(mapping);
        const std::uint64_t before = (0 - std::uint64_t{reinterpret_cast<std::uintptr_t>(first)}) & (alignment - 1);
        give_back(first, before);
        give_back(first + before + *length, all - before - *length);

        mapped_range result;
        result.range_ = {first + before, *length};
#ifdef MADV_HUGEPAGE
        if (*length >= huge_page) ::madvise(first + before, static_cast<std::size_t>(*length), MADV_HUGEPAGE);
#endif
        return result;
    }

    mapped_range() = default;
    mapped_range(const mapped_range&) = delete;
    mapped_range& operator=(const mapped_range&) = delete;
    mapped_range(mapped_range&& other) noexcept : range_(std::exchange(other.range_, {})) {}
    mapped_range& operator=(mapped_range&& other) noexcept {
        std::swap(range_, other.range_);
        return *this;
    }
    ~mapped_range() {
        give_back(range_.base, range_.bytes);
    }

    /// Returns the addresses; empty if nothing is mapped.
    [[nodiscard]] address_range range() const noexcept {
        return range_;
    }

private:
    static void give_back(void* begin, std::uint64_t bytes) noexcept {
        if (bytes != 0) ::munmap(begin, static_cast<std::size_t>(bytes));
    }

    address_range range_;
};

static_assert(address_memory<mapped_range>);

}  // namespace hbm::inline v0
