#pragma once

/// Questions before anything is loaded: will programs and buffers fit, and how large can caches be?

#include <hbm/explain/words.hpp>
#include <hbm/fits.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace hbm {

namespace detail {

/// A memory before the caches are allocated, and what is to be allocated after them.
template <class Manager>
class cache_trial {
public:
    using memory_type = typename Manager::forked;

    constexpr cache_trial(const memory_spec& spec, const start_spec& contents) : before_(spec), contents_(contents) {
        possible_ = contents.order == start_order::buffers_first
                        ? before_.allocate(contents.buffers)
                        : before_.load(contents.programs) && before_.allocate(contents.buffers);
    }
    /// An upper bound in bytes for all caches together.
    [[nodiscard]] constexpr std::uint64_t room() const noexcept { return before_.room(); }
    /// The quantum of the spec, or the default if that of the spec is not a power of two.
    [[nodiscard]] constexpr std::uint64_t quantum() const noexcept { return before_.memory.spec().quantum; }
    [[nodiscard]] constexpr bool fits_with(const buffer_spec& caches) const {
        if (!possible_) return false;
        starting<memory_type> trial = before_;
        if (!trial.allocate(caches, 0)) return false;
        return contents_.order == start_order::programs_first || trial.load(contents_.programs);
    }

    /// The largest size in quanta, up to `max_size`, of which `count` caches fit; 0 if none. By bisection.
    [[nodiscard]] constexpr std::uint64_t largest(std::uint64_t max_size, std::uint64_t count) const {
        std::uint64_t good = 0;
        for (std::uint64_t bad = max_size + 1; bad - good > 1;) {
            const std::uint64_t middle = good + (bad - good) / 2;
            (fits_with({.bytes = middle * quantum(), .count = count}) ? good : bad) = middle;
        }
        return good;
    }

    /// An upper bound on how many caches of that size fit.
    [[nodiscard]] constexpr std::uint64_t bound(std::uint64_t bytes) const noexcept {
        return before_.max_of(bytes, room());
    }
    /// The largest number of caches of that size, up to `max_count`, that fit: by doubling, then by bisection. Caches
    /// that are known to fit stay allocated while more are tried, so that each is allocated only a few times.
    [[nodiscard]] constexpr std::uint64_t max_that_fit(std::uint64_t bytes, std::uint64_t max_count) const {
        if (!possible_) return 0;
        starting<memory_type> there = before_;
        std::uint64_t good = 0;
        for (std::uint64_t bad = max_count + 1; bad - good > 1;) {
            const std::uint64_t middle = good + (bad - good) / 2;
            const std::uint64_t twice = good == 0 ? 1 : 2 * good;
            const std::uint64_t tried = twice < middle ? twice : middle;
            starting<memory_type> trial = there;
            if (!trial.allocate({.bytes = bytes, .count = tried - good}, 0)) {
                bad = good + (trial.report.buffers - there.report.buffers) + 1;
                continue;
            }
            if (contents_.order == start_order::buffers_first) {
                starting<memory_type> whole = trial;
                if (!whole.load(contents_.programs)) {
                    bad = tried;
                    continue;
                }
            }
            there = static_cast<starting<memory_type>&&>(trial);
            good = tried;
        }
        return good;
    }

private:
    starting<memory_type> before_;
    start_spec contents_;
    bool possible_ = false;
};

}  // namespace detail

/// The largest size in bytes of `count` further buffers with which the whole start fits; they are allocated after its
/// other buffers. The result fits, and a quantum more does not; 0 if a quantum does not fit either. A still larger size
/// may fit with managers under which a smaller buffer does not always fit where a larger buffer does; this was seen
/// with powers of two, a reservation and eviction before moving in combination.
///
/// By bisection on a manager of that type: the other buffers are allocated once; all programs are loaded and `count`
/// caches allocated O(log(quanta / count)) times, where quanta is what the other buffers leave.
template <class Manager>
[[nodiscard]] constexpr std::uint64_t largest_cache(const memory_spec& spec, const start_spec& contents,
                                                    std::uint64_t count = 1) {
    const detail::cache_trial<Manager> trial(spec, contents);
    const std::uint64_t max_size = count == 0 ? 0 : trial.room() / trial.quantum() / count;
    return trial.quantum() * trial.largest(max_size, count);
}

/// How many further buffers of `bytes` each fit together with the whole start; they are allocated after its other
/// buffers. At most `max_buffers_tried` are tried, so that result means "at least"; otherwise another buffer does not
/// fit.
///
/// Cost: for a result of n, O(n) allocations, and O(log(n)) times all programs are loaded, on a copy of the memory.
template <class Manager>
[[nodiscard]] constexpr std::uint64_t max_caches(const memory_spec& spec, const start_spec& contents,
                                                 std::uint64_t bytes) {
    const detail::cache_trial<Manager> trial(spec, contents);
    const std::uint64_t bound = trial.bound(bytes);
    return trial.max_that_fit(bytes, bound < max_buffers_tried ? bound : max_buffers_tried);
}

/// How many of the programs, counted from the first, fit together with all buffers. O(programs) starts.
template <class Manager>
[[nodiscard]] constexpr std::uint32_t max_programs(const memory_spec& spec, const start_spec& contents) {
    start_spec fewer = contents;
    for (std::size_t count = contents.programs.size(); count > 0; --count) {
        fewer.programs = {contents.programs.begin(), count};
        if (fits<Manager>(spec, fewer)) return static_cast<std::uint32_t>(count);
    }
    return 0;
}

/// The answers about a start. Sizes in bytes.
struct preflight_report {
    start_report start;               ///< the result of the start, with the caches as the last of its buffers
    std::uint32_t programs = 0;       ///< how many of the programs, from the first, fit together with all buffers
    std::uint64_t largest_cache = 0;  ///< the largest size of the given number of caches with which all of it fits; 0:
                                      ///< none
    std::uint64_t max_caches = 0;     ///< how many caches of the given size fit together with everything else
    bool maybe_more_caches = false;   ///< `max_caches` means "at least": more were not tried

    friend constexpr bool operator==(const preflight_report&, const preflight_report&) = default;
};

/// Answers all questions about a start: `contents` is everything besides the caches. Cost of the functions above. The
/// given number of caches is tried in any case; beyond it, at most `max_buffers_tried`.
template <class Manager>
[[nodiscard]] constexpr preflight_report preflight(const memory_spec& spec, const start_spec& contents,
                                                   const buffer_spec& caches) {
    std::vector<buffer_spec> buffers(contents.buffers.begin(), contents.buffers.end());
    buffers.push_back(caches);
    start_spec all = contents;
    all.buffers = buffers;
    preflight_report found;
    found.start = try_start<Manager>(spec, all);
    found.programs = found.start.fits() ? found.start.programs : max_programs<Manager>(spec, all);
    found.largest_cache = largest_cache<Manager>(spec, contents, caches.count);
    found.max_caches = max_caches<Manager>(spec, contents, caches.bytes);
    if (found.max_caches == max_buffers_tried) {
        found.maybe_more_caches = true;
        if (found.start.fits() && found.max_caches < caches.count) found.max_caches = caches.count;
    }
    return found;
}

/// The answers as text, for the same start and caches: what does not fit, and what would.
[[nodiscard]] inline std::string in_words(const preflight_report& found, const start_spec& contents,
                                          const buffer_spec& caches) {
    const auto total = [](std::uint64_t bytes, std::uint64_t count) {
        const bool overflows = count != 0 && bytes > ~std::uint64_t{0} / count;
        return size_in_words(overflows ? ~std::uint64_t{0} : bytes * count);
    };
    const auto each = [&](std::uint64_t bytes, std::uint64_t count) {
        return std::to_string(count) + (count == 1 ? " cache of " : " caches of ") + size_in_words(bytes) +
               (count == 1 ? "" : " each, " + total(bytes, count) + " together");
    };
    const auto counted = [](std::uint64_t count, const char* what) {
        return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
    };
    const auto named = [](const char* name) { return std::string(name == nullptr ? "" : name); };
    const std::size_t programs = contents.programs.size();
    std::string text;
    if (const start_report& start = found.start; start.fits()) {
        text = "All of it fits: " + counted(start.buffers, "buffer") + " and " + counted(programs, "program") +
               ", with " + each(caches.bytes, caches.count) + ".";
    } else {
        const bool is_cache = !start.is_program && start.index >= contents.buffers.size();
        const buffer_spec& buffers = is_cache || start.is_program ? caches : contents.buffers[start.index];
        const std::string name = named(start.is_program ? contents.programs[start.index].name : buffers.name);
        text = std::string(start.is_program ? "Program"
                           : is_cache       ? "Cache"
                                            : "Buffer") +
               (start.together ? "s '" : " '") + name + "' (";
        if (start.together)
            text += "all " + std::to_string(buffers.count) + " together";
        else
            text += "number " + std::to_string(start.is_program ? start.programs + 1 : start.buffers + 1) + " of the " +
                    (start.is_program ? "programs" : "buffers");
        text += std::string(") will not fit") + (start.by_eviction ? " while all programs stay: " : ": ") +
                message(start.why, name);
        if (!start.is_program && contents.order == start_order::buffers_first)
            text += "\nThe buffers alone do not fit" +
                    std::string(programs == 0 ? "." : ", so that no program was tried beside them.");
        else if (found.programs == 0)
            text += programs == 0 ? "" : "\nBeside all buffers fits no program.";
        else
            text += "\nBeside all buffers fit " + std::to_string(found.programs) + " of " +
                    counted(programs, "program") + ", counted from the first.";
    }
    if (caches.count == 0) return text;
    if (found.largest_cache == 0) return text + "\nWith no size of these caches does all of it fit.";
    return text + "\nAll of it fits with " + (found.start.fits() ? "as much as " : "no more than ") +
           each(found.largest_cache, caches.count) +
           (found.max_caches == 0 || caches.bytes == 0 ? "."
            : found.maybe_more_caches
                ? "; or with " + each(caches.bytes, found.max_caches) + ", and more that were not tried."
                : "; or with up to " + each(caches.bytes, found.max_caches) + ".");
}

}  // namespace hbm
