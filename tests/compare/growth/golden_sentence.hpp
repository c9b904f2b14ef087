#pragma once

#include <doctest/doctest.h>

#include <string>

#include "compare/growth/text.hpp"
#include "support/golden_text.hpp"

namespace hbm::test {

/// Checks the whole sentence of a summary against its section of sentences.txt.
inline void check_sentence(const std::string& section, const growth_summary& summary) {
    const std::string text = sentence(summary) + "\n";
    CHECK(text == golden_text("compare/growth/sentences.txt", section, text));
}

}  // namespace hbm::test
