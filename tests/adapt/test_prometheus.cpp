#include <hbm/hbm.hpp>

#include <doctest/doctest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <unistd.h>

#include "adapt/exposition.hpp"
#include "adapters/prometheus_file.hpp"

namespace hbm::test::prometheus_tests {

using namespace hbm::literals;

namespace {

template <class Observer>
using manager_with = hbm::manager<hbm::bottom_reserve<hbm::compacting<hbm::best_fit>>, hbm::evict_lru,
                                  hbm::donate_same_size, hbm::relieve_cheapest, hbm::no_device, Observer>;

constexpr hbm::memory_spec small{.name = "small", .capacity = 64_MiB};

std::string read(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// A folder that lives as long as the test.
struct folder {
    std::filesystem::path path =
        std::filesystem::temp_directory_path() / ("hbm_prometheus_" + std::to_string(getpid()));
    folder() {
        std::filesystem::remove_all(path);
        std::filesystem::create_directories(path);
    }
    ~folder() { std::filesystem::remove_all(path); }
};

}  // namespace

TEST_CASE("the text says what the manager says") {
    manager_with<hbm::no_events> memory{small};
    const auto first = memory.load({.name = "first", .code = 8_MiB, .scratch = 16_MiB});
    const auto second = memory.load({.name = "second", .code = 4_MiB, .scratch = 8_MiB});
    const auto low = memory.allocate(10_MiB, "low");
    const auto high = memory.allocate(10_MiB, "high");
    REQUIRE((first && second && low && high));
    REQUIRE(memory.free(*low));
    REQUIRE(memory.run(*second, {}));
    REQUIRE(memory.allocate(26_MiB, "large"));  // For which something has to give way.

    const exposition found{hbm::prometheus_text(memory)};
    const hbm::totals& done = memory.done_so_far();
    CHECK(done.evictions + done.moves != 0);
    const auto says = [&](const char* sample, std::uint64_t value) { return found[sample] == std::to_string(value); };
    CHECK(says("hbm_capacity_bytes", 64_MiB));
    CHECK(says("hbm_live_bytes", memory.live_bytes()));
    CHECK(says("hbm_peak_live_bytes", memory.peak_live_bytes()));
    CHECK(says("hbm_free_bytes", memory.free_bytes()));
    CHECK(says("hbm_largest_free_bytes", memory.largest_free_bytes()));
    CHECK(says("hbm_reserved_bytes", memory.reserved_bytes()));
    CHECK(says("hbm_reservable_bytes", memory.reservable_bytes()));
    CHECK(says("hbm_relieved_calls_total", done.relieved));
    CHECK(says("hbm_moves_total", done.moves));
    CHECK(says("hbm_moved_bytes_total", done.moved_bytes));
    CHECK(says("hbm_evictions_total", done.evictions));
    CHECK(says("hbm_evicted_bytes_total", done.evicted_bytes));
    CHECK(says("hbm_reloads_total", done.reloads));
    CHECK(found.type_of("hbm_moves_total") == "counter");
    CHECK(found.type_of("hbm_free_bytes") == "gauge");
    for (const auto& [name, handle] : {std::pair{"first", *first}, std::pair{"second", *second}}) {
        const hbm::program_record& record = memory.about(handle);
        const std::string labels = std::string(",program=") + name + "}";
        CHECK(says(("hbm_program_bytes{part=code" + labels).c_str(), record.resident ? record.code : 0));
        CHECK(says(("hbm_program_bytes{part=scratch" + labels).c_str(), record.resident ? record.scratch : 0));
        CHECK(says((std::string("hbm_program_resident{program=") + name + "}").c_str(), record.resident ? 1 : 0));
    }
}

TEST_CASE("fragmentation has six decimals") {
    hbm::manager<hbm::best_fit> memory{{.name = "tiny", .capacity = 8 * 512}};
    CHECK(exposition{hbm::prometheus_text(memory)}["hbm_fragmentation_ratio"] == "0.000000");
    const auto first = memory.allocate(512), wall = memory.allocate(512), rest = memory.allocate(6 * 512);
    REQUIRE((first && wall && rest));
    CHECK(exposition{hbm::prometheus_text(memory)}["hbm_fragmentation_ratio"] == "0.000000");
    REQUIRE((memory.free(*first) && memory.free(*rest)));
    CHECK(exposition{hbm::prometheus_text(memory)}["hbm_fragmentation_ratio"] == "0.142857");  // 1 / 7
}

TEST_CASE("names are escaped, mended where they are not UTF-8, and programs of a name counted together") {
    manager_with<hbm::no_events> memory{small};
    const std::string evil = "a\"b\\c\nd}{,=# \x01";
    REQUIRE(memory.load({.name = evil.c_str(), .code = 1_MiB}));
    REQUIRE(memory.load({.name = evil.c_str(), .code = 2_MiB}));
    REQUIRE(memory.load({.name = "bad\xff\xed\xa0\x80", .code = 1_MiB}));
    REQUIRE(memory.load({.name = "bad\xfe\xed\xa0\x80", .code = 4_MiB}));
    REQUIRE(memory.load({.name = "", .code = 1_MiB}));
    const exposition found{hbm::prometheus_text(memory, "TPU_0(\"x\")")};
    CHECK(found["hbm_capacity_bytes{device=TPU_0(\"x\")}"] == std::to_string(64_MiB));
    CHECK(found["hbm_program_bytes{device=TPU_0(\"x\"),part=code,program=" + evil + "}"] == std::to_string(3_MiB));
    CHECK(found["hbm_program_resident{device=TPU_0(\"x\"),program=" + evil + "}"] == "2");
    const std::string mended = "bad\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd";
    CHECK(found["hbm_program_bytes{device=TPU_0(\"x\"),part=code,program=" + mended + "}"] == std::to_string(5_MiB));
    CHECK(found["hbm_program_resident{device=TPU_0(\"x\"),program=}"] == "1");
}

TEST_CASE("growth by tag, and how many steps are left, where the manager watches it") {
    manager_with<hbm::growth_by_tag> memory{hbm::tpu::v5e};
    const auto step = memory.load({.name = "step", .code = 1_MiB});
    REQUIRE((step && memory.allocate(1_GiB, "weights")));
    CHECK(exposition{hbm::prometheus_text(memory)}["hbm_steps_left"] == "+Inf");
    for (int at = 0; at < 800; ++at) {
        REQUIRE(memory.allocate(1_MiB, "leak"));
        REQUIRE(memory.run(*step, {}));
    }
    const exposition found{hbm::prometheus_text(memory)};
    CHECK(found["hbm_steps_total"] == "800");
    CHECK(found["hbm_tag_bytes{of=buffers,tag=leak}"] == std::to_string(800_MiB));
    CHECK(found["hbm_tag_bytes{of=programs,tag=}"] == std::to_string(1_MiB));
    CHECK(found["hbm_tag_growth_bytes_per_step{of=buffers,tag=leak}"] == std::to_string(1_MiB) + ".000000");
    CHECK(found["hbm_tag_growth_bytes_per_step{of=buffers,tag=weights}"] == "0.000000");
    CHECK(found["hbm_growth_bytes_per_step"] == std::to_string(1_MiB) + ".000000");
    // A MiB a step: 16,128 fill 15.75 GiB, of which the leak, the weights and the program have 1,825.
    CHECK(std::stoull(found["hbm_steps_left"]) >= 16128 - 1825);
    CHECK(std::stoull(found["hbm_steps_left"]) <= 16128 - 1825 + 32);
}

TEST_CASE("the observer keeps a file up to date, at once when a request fails") {
    const folder here;
    const std::string path = here.path / "hbm.prom";
    manager_with<hbm::prometheus_file> memory{
        small, {.events = hbm::prometheus_file{{.path = path, .device = "TPU_3", .every = 10}}}};
    const auto live = [&] { return exposition{read(path)}["hbm_live_bytes{device=TPU_3}"]; };
    CHECK(live() == "0");
    for (int at = 1; at < 10; ++at) REQUIRE(memory.allocate(1_MiB));
    CHECK(live() == "0");
    REQUIRE(memory.allocate(1_MiB));
    CHECK(live() == std::to_string(10_MiB));
    REQUIRE(memory.allocate(1_MiB));
    CHECK(live() == std::to_string(10_MiB));
    CHECK(!memory.allocate(60_MiB));
    CHECK(live() == std::to_string(11_MiB));
    CHECK(memory.events().problem().empty());
    CHECK(memory.events().growth().total().bytes == 11_MiB);
    CHECK(std::distance(std::filesystem::directory_iterator(here.path), {}) == 1);  // no temporary file
}

TEST_CASE("a file that cannot be written is said, stops nothing, and leaves the old file as it was") {
    const folder here;
    const std::string path = here.path / "missing" / "hbm.prom";
    manager_with<hbm::prometheus_file> memory{small, {.events = hbm::prometheus_file{{.path = path, .every = 1}}}};
    CHECK(memory.events().problem().starts_with(path + ": found a file that cannot be written ("));
    CHECK(memory.allocate(1_MiB));
    std::filesystem::create_directories(here.path / "missing");
    CHECK(memory.allocate(1_MiB));
    CHECK(memory.events().problem().empty());
    CHECK(exposition{read(path)}["hbm_live_bytes"] == std::to_string(2_MiB));

    const std::string before = read(path);
    std::filesystem::create_directories(path + ".part");  // where the new text would have gone
    CHECK(memory.allocate(1_MiB));
    CHECK(!memory.events().problem().empty());
    CHECK(read(path) == before);
}

TEST_CASE("without a path nothing is written, and observers are values") {
    manager_with<hbm::prometheus_file> memory{small};
    CHECK(memory.allocate(1_MiB));
    CHECK(memory.events().problem().empty());
    CHECK(memory.events() == memory.events());
    CHECK_FALSE(memory.events() == hbm::prometheus_file{});
    manager_with<hbm::observers<hbm::statistics, hbm::prometheus_file>> both{small};
    CHECK(both.allocate(1_MiB));
    CHECK(both.events().get<hbm::prometheus_file>().growth().total().bytes == 1_MiB);
}

}  // namespace hbm::test::prometheus_tests
