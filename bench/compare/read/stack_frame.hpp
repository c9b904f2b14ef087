#pragma once
// Selection of the most informative frame of a recorded stack for the owner of the program.

#include <cstdint>
#include <string>
#include <string_view>

namespace hbm::imported {

/// A frame of a stack as profilers record it.
struct stack_frame {
    std::string_view function;
    std::string_view file;
    std::uint64_t line = 0;  ///< line in the file; 0 if unknown
};

/// Rank of a frame by how well it identifies the allocating code; higher is better.
enum class frame_rank : std::uint8_t {
    nothing,    ///< no name, or a part of the allocator or of the recorder itself
    native,     ///< compiled code, the frameworks and the interpreter
    framework,  ///< Python code of JAX or PyTorch, or of Python itself
    library,    ///< Python code of another installed package
    own,        ///< Python code of the user
};

/// Returns the rank of a frame. Cost: O(1), since only the decisive part of a long name is read.
[[nodiscard]] frame_rank rank_of(const stack_frame& frame) noexcept;

/// Returns a text of at most 80 bytes: a longer one is cut, outside of UTF-8 sequences, and gets `...`.
[[nodiscard]] std::string shortened(std::string_view text);

/// Returns the frame as a tag of a trace: `train_step (train.py:120)`. Commas become semicolons and control characters
/// question marks, since a tag has neither; a long name is cut.
[[nodiscard]] std::string tag_of(const stack_frame& frame);

}  // namespace hbm::imported
