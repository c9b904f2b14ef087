#pragma once
// The frame of a recorded stack that says most to the person who owns the program.

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

/// How much a frame says. O(1): of a long name only the part that matters is looked at.
[[nodiscard]] frame_rank rank_of(const stack_frame& frame) noexcept;

/// A text of at most 80 bytes: of a longer one the first part and `...`, not cut inside a character of UTF-8.
[[nodiscard]] std::string shortened(std::string_view text);

/// The frame as a tag of a trace: `train_step (train.py:120)`. Commas become semicolons and control characters question
/// marks, since a tag has neither; a long name is cut.
[[nodiscard]] std::string tag_of(const stack_frame& frame);

}  // namespace hbm::imported
