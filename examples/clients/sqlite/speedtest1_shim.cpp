// Gives SQLite an allocator before the main function of its speed test begins: that which the environment variable
// HBM_SQLITE names. Linked with the test, of which no line has to be changed.
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "sqlite_memory.hpp"

namespace {

template <class Placement>
void configure() {
    // Quanta of 32 bits: 16 bytes each are 64 GiB.
    using memory = sqlite_client::sqlite_memory<hbm::manager<Placement>, 16>;
    memory::capacity = std::uint64_t{8} << 30;
    if (sqlite3_config(SQLITE_CONFIG_MALLOC, memory::methods()) != SQLITE_OK) std::abort();
}

struct configured {
    configured() {
        const char* const named = std::getenv("HBM_SQLITE");
        const std::string_view name = named == nullptr ? "good_fit" : named;
        if (name == "best_fit")
            configure<hbm::best_fit>();
        else if (name == "best_fit_lifo")
            configure<hbm::best_fit_lifo>();
        else if (name == "good_fit")
            configure<hbm::good_fit>();
        else if (name == "buddy")
            configure<hbm::buddy>();
        else if (name != "default") {
            std::fputs("HBM_SQLITE is default, best_fit, best_fit_lifo, good_fit or buddy\n", stderr);
            std::exit(2);
        }
    }
} const before_main;

}  // namespace
