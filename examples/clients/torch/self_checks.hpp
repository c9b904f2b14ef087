#pragma once

#include <c10/core/Allocator.h>

/// What PyTorch expects of any allocator, asked of `checked`: aligned memory of one's own, nothing for no bytes, an
/// error for too many bytes after which all goes on, and frees by other threads. Says what is wrong, and returns
/// whether all is right. All memory has been freed when it returns.
[[nodiscard]] bool behaves_as_allocator(c10::Allocator& checked, const char* name);
