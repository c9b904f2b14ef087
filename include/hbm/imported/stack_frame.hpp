#pragma once
// The frame of a recorded stack that says most to the person who owns the program.

#include <hbm/trace/text.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace hbm::imported {

/// A frame of a stack as profilers record it.
struct stack_frame {
    std::string_view function;
    std::string_view file;
    std::uint64_t line = 0;  ///< 0 if it is not known
};

/// How much a frame says about who allocated: the higher the better.
enum class frame_rank : std::uint8_t {
    nothing,    ///< no name, or a part of the allocator or of the recorder itself
    native,     ///< compiled code, the frameworks and the interpreter
    framework,  ///< Python code of JAX or PyTorch, or of Python itself
    library,    ///< Python code of another installed package
    own,        ///< Python code of the person
};

namespace stack_frame_detail {

template <std::size_t Count>
[[nodiscard]] bool has_any(std::string_view text, const std::string_view (&parts)[Count]) noexcept {
    for (const std::string_view part : parts)
        if (text.find(part) != std::string_view::npos) return true;
    return false;
}

}  // namespace stack_frame_detail

/// How much a frame says. O(1): of a long name only the part that matters is looked at.
[[nodiscard]] inline frame_rank rank_of(const stack_frame& frame) noexcept {
    constexpr std::size_t most = 1024;
    const std::string_view file = frame.file.substr(frame.file.size() < most ? 0 : frame.file.size() - most);
    const std::string_view function = frame.function.substr(0, most);
    using stack_frame_detail::has_any;
    constexpr std::string_view recorders[] = {"unwind", "CapturedTraceback", "gather_with_cpp", "CachingAllocator",
                                              "local_raw_delete"};
    constexpr std::string_view frameworks[] = {"/jax/", "/jaxlib/", "/torch/", "/torch_xla/", "/numpy/"};
    constexpr std::string_view packages[] = {"/site-packages/", "/dist-packages/"};
    constexpr std::string_view standard[] = {"/lib/python", "/lib64/python"};
    // A cell of a notebook is a temporary file or has a name in angle brackets; what Python has frozen is its own.
    const bool is_cell = file.starts_with("<ipython") || file == "<stdin>";
    if (!file.ends_with(".py") && !is_cell) {
        const bool says_nothing = function.empty() || function == "??" || has_any(function, recorders);
        return says_nothing ? frame_rank::nothing : frame_rank::native;
    }
    if (has_any(file, packages)) return has_any(file, frameworks) ? frame_rank::framework : frame_rank::library;
    return has_any(file, standard) ? frame_rank::framework : frame_rank::own;
}

/// A text of at most 80 bytes: of a longer one the first part and `...`, not cut inside a character of UTF-8.
[[nodiscard]] inline std::string shortened(std::string_view text) {
    constexpr std::size_t longest = 80;
    if (text.size() <= longest) return std::string(text);
    std::size_t end = longest - 3;
    while (end != 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80) --end;
    return std::string(text.substr(0, end)) + "...";
}

/// The frame as a tag of a trace: `train_step (train.py:120)`. Commas become semicolons and control characters question
/// marks, since a tag has neither; a long name is cut.
[[nodiscard]] inline std::string tag_of(const stack_frame& frame) {
    std::string words = shortened(frame.function);
    const std::string file = shortened(frame.file.substr(frame.file.find_last_of("/\\") + 1));
    if (!file.empty() && file != "??") {
        words += " (" + file;
        if (frame.line != 0) words += ':' + trace::decimal(frame.line);
        words += ')';
    }
    for (char& each : words) {
        if (each == ',') each = ';';
        if (static_cast<unsigned char>(each) < ' ' || each == '\x7f') each = '?';
    }
    return words;
}

}  // namespace hbm::imported
