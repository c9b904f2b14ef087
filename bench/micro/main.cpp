/// hbm_micro: what an operation costs, compared with peers in the same run.

#include <array>
#include <benchmark/benchmark.h>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <vector>

#include "micro/processor.hpp"
#include "micro/sections.hpp"

namespace hbm::micro {

namespace {

constexpr std::array section_names{"speed", "tail", "footprint", "metadata", "growth",
                                   "run",   "fork", "plans",     "explain"};

void print_help() {
    std::fputs("hbm_micro: what an operation costs, next to peers in the same run.\n"
               "\n"
               "Usage: hbm_micro [SECTION]... [--full] [--seed N] [--benchmark_OPTION]...\n"
               "\n"
               "Sections: speed tail footprint metadata growth run fork plans explain; without any, all.\n"
               "  --full    a million blocks and all recorded traces as well\n"
               "  --seed N  other workloads of the same kinds\n"
               "\n"
               "The speed section is Google Benchmark's: --benchmark_filter='W1_10k/.*', --benchmark_repetitions=9,\n"
               "--benchmark_list_tests and so on. How to read the report: bench/README.md.\n",
               stdout);
}

/// Reads all options but those of Google Benchmark; false, after a message, if an argument is unknown.
bool read_options(int count, char** words, report_options& options) {
    for (int at = 1; at < count; ++at) {
        const std::string_view word = words[at];
        bool known = word == "--full";
        if (known) options.full = true;
        for (const std::string_view section : section_names) {
            if (section != word) continue;
            options.sections.emplace_back(word);
            known = true;
        }
        if (word == "--seed" && at + 1 < count) {
            const std::string_view number = words[++at];
            known = std::from_chars(number.data(), number.data() + number.size(), options.seed).ec == std::errc{};
        }
        if (known) continue;
        std::fprintf(stderr, "hbm_micro: found %s, expected a section or an option: see --help\n", words[at]);
        return false;
    }
    return true;
}

bool report(const report_options& options) {
    catalogue workloads(options);
    const auto selected = [&](std::string_view section) {
        for (const std::string& name : options.sections)
            if (name == section) return true;
        return options.sections.empty();
    };
    std::printf("On %s.\n\n", machine().c_str());
    bool good = true;
    if (selected("speed")) good &= report_speed(workloads);
    if (selected("tail")) good &= report_tail(workloads);
    if (selected("footprint")) good &= report_footprint(workloads);
    if (selected("metadata")) good &= report_metadata(workloads);
    if (selected("growth")) good &= report_growth(options);
    if (selected("run")) good &= report_run(options);
    if (selected("fork")) good &= report_fork(options);
    if (selected("plans")) good &= report_plans(options);
    if (selected("explain")) good &= report_explain(options);
    return good;
}

}  // namespace

}  // namespace hbm::micro

int main(int argc, char** argv) {
    // By default the cells run interleaved in random order, so that a slow phase of the machine affects all of them.
    char interleaving[] = "--benchmark_enable_random_interleaving=true";
    char repetitions[] = "--benchmark_repetitions=5";
    std::vector<char*> words{argv[0], interleaving, repetitions};
    bool filters = false;
    for (int at = 1; at < argc; ++at) {
        if (std::strcmp(argv[at], "--help") == 0) {
            hbm::micro::print_help();
            return 0;
        }
        filters |= std::strncmp(argv[at], "--benchmark_filter", 18) == 0;
        filters |= std::strncmp(argv[at], "--benchmark_list_tests", 22) == 0;
        words.push_back(argv[at]);
    }
    auto count = static_cast<int>(words.size());
    words.push_back(nullptr);
    benchmark::Initialize(&count, words.data());
    hbm::micro::report_options options;
    if (!hbm::micro::read_options(count, words.data(), options)) return 2;
    if (filters && options.sections.empty()) options.sections.emplace_back("speed");
    return hbm::micro::report(options) ? 0 : 1;
}
