#include "compare/read/stack_frame.hpp"

#include <cstddef>

#include "compare/text/text.hpp"

namespace hbm::imported {

frame_rank rank_of(const stack_frame& frame) noexcept {
    constexpr std::size_t most = 1024;
    const std::string_view file = frame.file.substr(frame.file.size() < most ? 0 : frame.file.size() - most);
    const std::string_view function = frame.function.substr(0, most);
    constexpr std::string_view recorders[] = {"unwind", "CapturedTraceback", "gather_with_cpp", "CachingAllocator",
                                              "local_raw_delete"};
    constexpr std::string_view frameworks[] = {"/jax/", "/jaxlib/", "/torch/", "/torch_xla/", "/numpy/"};
    constexpr std::string_view packages[] = {"/site-packages/", "/dist-packages/"};
    constexpr std::string_view standard[] = {"/lib/python", "/lib64/python"};
    // A cell of a notebook is a temporary file or has a name in angle brackets; frozen code is Python's own.
    const bool is_cell = file.starts_with("<ipython") || file == "<stdin>";
    if (!file.ends_with(".py") && !is_cell) {
        const bool says_nothing = function.empty() || function == "??" || has_any(function, recorders);
        return says_nothing ? frame_rank::nothing : frame_rank::native;
    }
    if (has_any(file, packages)) return has_any(file, frameworks) ? frame_rank::framework : frame_rank::library;
    return has_any(file, standard) ? frame_rank::framework : frame_rank::own;
}

std::string shortened(std::string_view text) {
    constexpr std::size_t longest = 80;
    if (text.size() <= longest) return std::string(text);
    return std::string(first_characters(text, longest - 3)) + "...";
}

std::string tag_of(const stack_frame& frame) {
    std::string words = shortened(frame.function);
    const std::string file = shortened(frame.file.substr(frame.file.find_last_of("/\\") + 1));
    if (!file.empty() && file != "??") {
        words += " (" + file;
        if (frame.line != 0) words += ':' + trace::decimal(frame.line);
        words += ')';
    }
    for (char& letter : words) {
        if (letter == ',') letter = ';';
        if (static_cast<unsigned char>(letter) < ' ' || letter == '\x7f') letter = '?';
    }
    return words;
}

}  // namespace hbm::imported
