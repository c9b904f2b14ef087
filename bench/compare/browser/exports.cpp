/// The function that the page calls in addition to the program: the kind of a file.

#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>

#include "compare/command_line/errors.hpp"
#include "compare/command_line/file_options.hpp"

namespace {

/// Ends the program as `compare_main` does without memory: nothing is caught here. Allocates nothing.
[[noreturn]] void end_without_memory() {
    std::fprintf(stderr, "hbm_compare: %s\n", hbm::compare::no_memory);
    std::_Exit(hbm::compare::exit_status::failed);
}

[[maybe_unused]] const std::new_handler former_handler = std::set_new_handler(end_without_memory);

}  // namespace

extern "C" {

/// Returns the options, with blanks between them, that a file at `path` gets without an option. The text is valid until
/// the next call.
[[gnu::used, gnu::visibility("default")]] const char* hbm_options_of(const char* path) {
    static std::string words;
    words.clear();
    for (const std::string& name : hbm::compare::options_of_file(path)) words += (words.empty() ? "" : " ") + name;
    return words.c_str();
}
}
