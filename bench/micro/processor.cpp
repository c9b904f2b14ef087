#include "micro/processor.hpp"

#include <fstream>
#include <unistd.h>

namespace hbm::micro {

namespace {

/// Returns the value of the first "name : value" in the system's description of its processors, or an empty text.
std::string described(const std::string& name) {
    std::ifstream description("/proc/cpuinfo");
    for (std::string line; std::getline(description, line);) {
        const std::size_t colon = line.find(':');
        if (colon == std::string::npos || line.compare(0, name.size(), name) != 0) continue;
        if (line.find_first_not_of(" \t", name.size()) != colon) continue;
        const std::size_t value = line.find_first_not_of(" \t", colon + 1);
        return value == std::string::npos ? std::string{} : line.substr(value);
    }
    return {};
}

std::string cache(const char* level, long bytes) {
    return bytes <= 0 ? std::string{} : ", " + std::to_string(bytes / 1024) + " KiB of " + level;
}

}  // namespace

std::string machine() {
    std::string text = described("model name");
    if (text.empty()) text = "a processor without a name";
    if (const std::string family = described("cpu family"); !family.empty())
        text += ", family " + family + ", model " + described("model");
#ifdef _SC_LEVEL1_DCACHE_SIZE
    text += cache("L1", sysconf(_SC_LEVEL1_DCACHE_SIZE)) + cache("L2", sysconf(_SC_LEVEL2_CACHE_SIZE)) +
            cache("L3", sysconf(_SC_LEVEL3_CACHE_SIZE));
#endif
#if defined(__clang__)
    return text + "; clang " __clang_version__;
#else
    return text + "; g++ " __VERSION__;
#endif
}

}  // namespace hbm::micro
