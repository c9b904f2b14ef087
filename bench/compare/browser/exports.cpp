/// Functions that the page calls in addition to the program: the kind of a file, and the devices to choose from.

#include <hbm/tpu/generations.hpp>

#include <string>

#include "compare/command_line/file_options.hpp"

extern "C" {

/// Returns the options, with blanks between them, that a file at `path` gets without an option. The text is valid until
/// the next call.
[[gnu::used, gnu::visibility("default")]] const char* hbm_options_of(const char* path) {
    static std::string words;
    words.clear();
    for (const std::string& name : hbm::compare::options_of_file(path)) words += (words.empty() ? "" : " ") + name;
    return words.c_str();
}

/// Returns the names of the devices that --capacity takes, with blanks between them.
[[gnu::used, gnu::visibility("default")]] const char* hbm_generations() {
    static std::string words;
    words.clear();
    for (const hbm::memory_spec& device : hbm::tpu::generations)
        words += (words.empty() ? "" : " ") + std::string(device.name);
    return words.c_str();
}
}
