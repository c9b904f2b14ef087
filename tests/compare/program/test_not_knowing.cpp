// Fate and not knowing: what the packing with everything known needs, and what managers need beyond that.

#include <cstdint>
#include <string>

#include "compare/tables/offline_report.hpp"
#include "compare_program.hpp"

namespace hbm::test::not_knowing_tests {

namespace {

/// Four weights, and steps: activations, each beside scratch that is gone at once, then back through them.
std::string repeating(std::size_t steps) {
    std::string text = "op,id,bytes\n";
    const auto ask = [&](const std::string& id, std::size_t quanta) {
        text += "alloc," + id + ',' + std::to_string(512 * quanta) + '\n';
    };
    std::size_t weight = 0;
    for (const std::size_t size : {64u, 96u, 32u, 80u}) ask("w" + std::to_string(weight++), size);
    for (std::size_t step = 0; step < steps; ++step) {
        for (std::size_t layer = 0; layer < 12; ++layer) {
            const std::string name = std::to_string(step) + "_" + std::to_string(layer);
            ask("s" + name, 40 + 6 * layer);
            ask("a" + name, 16 + layer % 3);
            text += "free,s" + name + ",\n";
        }
        for (std::size_t layer = 12; layer-- != 0;)
            text += "free,a" + std::to_string(step) + "_" + std::to_string(layer) + ",\n";
    }
    return text;
}

}  // namespace

TEST_CASE("the table says what is fate, and what is not knowing") {
    const workplace here;
    here.write("t.csv", repeating(12));
    const std::string job = "--trace t.csv --rounds 0 --manager best_fit --manager 'compacting<best_fit>' ";
    const std::string table = here.run(job, "COLUMNS=300").out;
    CHECK(count_of(table, "\noffline ") == 1);
    CHECK(count_of(table, "not knowing") == 1);
    const std::string json = here.run(job + "--offline --format json").out;
    const auto number = [&](const char* manager, const char* key) { return std::stoull(value_of(json, manager, key)); };
    CHECK(number("best_fit", "fate_bytes") ==
          number("best_fit", "offline_bytes") - number("best_fit", "peak_live_bytes"));
    for (const char* manager : {"best_fit", "compacting<best_fit>"})
        CHECK(number(manager, "not_knowing_bytes") ==
              number(manager, "min_capacity_bytes") - number(manager, "offline_bytes"));
    CHECK(number("best_fit", "not_knowing_bytes") > number("compacting<best_fit>", "not_knowing_bytes"));
    // What a manager needs is not known where a capacity was given, and with programs no packing is.
    CHECK(here.run(job + "--capacity 1MiB").out.find("\noffline ") == std::string::npos);
}

}  // namespace hbm::test::not_knowing_tests
