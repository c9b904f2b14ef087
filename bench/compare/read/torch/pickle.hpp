#pragma once
// Reads pickles of plain data: dictionaries, lists, tuples, texts, numbers, truths and None, in protocols 2 to 5. A
// pickle is a program for a stack machine, and some of its instructions call functions; here these are refused and
// nothing is ever called. The instructions are described in Lib/pickletools.py of https://github.com/python/cpython.

#include <string>
#include <string_view>

#include "compare/read/reading.hpp"
#include "compare/read/torch/pickle_value.hpp"

namespace hbm::imported {

/// Reads a pickle of plain data; `text` must outlive the data. `file` is for messages. Cost: O(length), without
/// recursion.
[[nodiscard]] outcome<pickle_data> read_pickle(std::string_view text, std::string file);

}  // namespace hbm::imported
