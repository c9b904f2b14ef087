/// The function that the page calls in addition to the program: the kind of a file.

#include <new>
#include <string>
#include <string_view>

#include "compare/command_line/file_options.hpp"

/// Returns the options, with blanks between them, that a file at `path` gets without an option; those of a trace if
/// memory does not suffice to look: the run then reports that. The text is valid until the next call.
extern "C" [[gnu::used, gnu::visibility("default")]] const char* hbm_options_of(const char* path) {
    static std::string words;
    words.clear();
    try {
        for (const std::string_view name : hbm::compare::options_of_file(path))
            words += (words.empty() ? "" : " ") + std::string(name);
    } catch (const std::bad_alloc&) {
        return "--trace";
    }
    return words.c_str();
}
