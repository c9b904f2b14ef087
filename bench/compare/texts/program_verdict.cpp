#include <hbm/core/bytes.hpp>
#include <hbm/explain/words.hpp>
#include <hbm/tpu/generations.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "compare/read/xla/program/program.hpp"
#include "compare/replay/numbers.hpp"
#include "compare/workloads/programs.hpp"

namespace hbm::compare {

namespace {

using imported::rounded_size;
using imported::scheduled_program;

std::string range_in_words(const rounded_size& size) {
    const std::string low = size_in_words(size.low);
    const std::string high = size_in_words(size.high);
    return low == high ? size_in_words(size.bytes) : low + " to " + high;
}

/// Returns the need of all programs, as exact as the rounded sizes in their files.
rounded_size need_of(const std::vector<scheduled_program>& of, std::uint64_t min_bytes) {
    std::uint64_t below = 0;
    std::uint64_t above = 0;
    for (const scheduled_program& each : of) {
        const rounded_size need = imported::xla::sums_of(each.what).need;
        below = saturating_add(below, need.bytes - need.low);
        above = saturating_add(above, need.high - need.bytes);
    }
    return {min_bytes, min_bytes - (below < min_bytes ? below : min_bytes), saturating_add(min_bytes, above)};
}

/// Returns the sizes that no file has, each kind once: `code, constants`.
std::string unknown_in_words(const std::vector<scheduled_program>& of) {
    std::vector<std::string> kinds;
    for (const scheduled_program& program : of)
        for (const imported::xla::unknown_fact& each : program.what.unknown) {
            bool is_new = true;
            for (const std::string& kind : kinds) is_new = is_new && kind != each.what;
            if (is_new) kinds.push_back(each.what);
        }
    std::string words;
    for (const std::string& kind : kinds) words += (words.empty() ? "" : ", ") + kind;
    return words;
}

/// `Fits v4 (30.75G), v6e (31.25G); not v2, v3.` Without the code, which is small as a rule: `Without its code it fits
/// ...`. What else is unknown may be most of it: then nothing is said to fit.
std::string generations_in_words(const rounded_size& need, const std::string& unknown) {
    const bool is_bound = !unknown.empty() && unknown != "code";
    std::string fits;
    std::string open;
    std::string not_enough;
    for (const memory_spec& each : tpu::generations) {
        const bool is_enough = need.high <= each.capacity && !is_bound;
        std::string& into = is_enough ? fits : need.low <= each.capacity ? open : not_enough;
        (into += into.empty() ? "" : ", ") += each.name;
        if (&into != &not_enough) into += " (" + size_in_words(each.capacity) + ")";
    }
    if (is_bound && !open.empty())
        return (not_enough.empty() ? "No TPU is ruled out by that: "
                                   : "Certainly too large for " + not_enough + "; not ruled out: ") +
               open + ".";
    std::string words = fits.empty() ? "" : (unknown.empty() ? "Fits " : "Without its code it fits ") + fits;
    const auto add = [&](const std::string& what, const char* first, const char* later, const char* end) {
        if (!what.empty()) words += (words.empty() ? first : later) + what + end;
    };
    add(open, "Perhaps fits ", "; perhaps ", ", which depends on how sizes were rounded");
    add(not_enough, "Fits no TPU: not ", "; not ", "");
    return words + ".";
}

}  // namespace

std::string program_verdict(const std::vector<scheduled_program>& of, std::uint64_t min_bytes, std::uint64_t capacity,
                            bool is_assumed) {
    const rounded_size need = need_of(of, min_bytes);
    const std::string unknown = unknown_in_words(of);
    std::string words = of.size() == 1 ? program_label(of.front()) + " needs "
                                       : "The " + grouped(of.size()) + " programs together need ";
    if (!unknown.empty()) words += "at least ";
    words += range_in_words(need);
    if (!unknown.empty()) words += " (" + unknown + " unknown)";
    words += ". " + generations_in_words(need, unknown);
    if (is_assumed) return words + " No --capacity was given: " + tpu::v5e.name + " is assumed.";
    if (capacity != 0 && capacity < need.low) words += " The given " + size_in_words(capacity) + " cannot be enough.";
    return words;
}

}  // namespace hbm::compare
