#pragma once

#include <c10/core/Allocator.h>

/// What PyTorch expects of an allocator, asked of `checked`: aligned memory of its own for each tensor, none for no
/// bytes, an error for too many bytes after which all goes on, and frees by other threads. Says what is wrong, and
/// returns whether all is right. All memory has been freed when it returns.
[[nodiscard]] bool behaves_as_allocator(c10::Allocator& checked, const char* name);

/// Frees three wrong addresses. PyTorch's own allocator would end the program; here the blocks in use stay as they are.
[[nodiscard]] bool wrong_frees_do_no_harm(c10::Allocator& checked);
