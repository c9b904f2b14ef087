// The named managers, compared with what real TPUs did. A stream has a line for each allocation, with its address.
#include <hbm/hbm.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

namespace hbm::test::managers_tests {

/// Blocks of a stream that lie at its addresses, of all blocks that a manager placed.
struct agreement {
    int equal = 0;
    int all = 0;
};

/// A device of a stream.
struct device {
    explicit device(const memory_spec& spec) : memory(spec) {}

    tpu::runtime_memory memory;
    std::map<std::string, buffer> buffers;
    std::map<std::string, program> programs;
    std::uint64_t scratch = 0;  ///< bytes reserved so far

    /// Carries out a line.
    void follow(char operation, const std::string& name, std::istringstream& rest, agreement& found) {
        std::uint64_t bytes = 0;
        std::uint64_t address = 0;
        std::uint64_t reserved = 0;
        if (operation == 'F') {
            REQUIRE(memory.free(buffers.at(name)));
        } else if (operation == 'U') {
            REQUIRE(memory.unload(programs.at(name)));
        } else if (operation == 'P') {
            REQUIRE(memory.unpin(buffers.at(name)));
        } else if (rest >> bytes >> address; operation == 'I') {
            const auto live = memory.import({address, bytes});
            REQUIRE(live);
            buffers.insert_or_assign(name, *live);
        } else if (operation == 'A') {
            const auto made = memory.allocate(bytes);
            REQUIRE(made);
            buffers.insert_or_assign(name, *made);
            count(memory.where(*made).offset == address, found);
        } else if (rest >> reserved; operation == 'L') {
            // A program that raises the reservation needs that much scratch; of the others the need is unknown.
            const auto loaded =
                memory.load({.name = name.c_str(), .code = bytes, .scratch = reserved > scratch ? reserved : 0});
            REQUIRE(loaded);
            programs.insert_or_assign(name, *loaded);
            scratch = reserved;
            count(memory.where(*loaded).offset == address, found);
        } else {
            FAIL("unknown operation " << operation);
        }
    }

    static void count(bool is_equal, agreement& found) {
        found.equal += is_equal;
        found.all += 1;
    }
};

/// Follows a stream on devices of this kind.
agreement follow(const std::filesystem::path& path, const memory_spec& spec) {
    std::ifstream stream(path);
    REQUIRE_MESSAGE(stream, path);
    std::map<int, device> devices;
    agreement found;
    for (std::string line; std::getline(stream, line);) {
        if (line.starts_with('#')) continue;
        CAPTURE(line);
        std::istringstream cells(line);
        int number = 0;
        char operation = 0;
        std::string name;
        cells >> number >> operation >> name;
        REQUIRE(cells);
        devices.try_emplace(number, spec).first->second.follow(operation, name, cells, found);
    }
    return found;
}

std::filesystem::path source_directory() {
    return std::getenv("HBM_SOURCE_DIRECTORY");
}

TEST_CASE("runtime_memory takes the measured rule's choice in every kind of decision") {
    const agreement found =
        follow(source_directory() / "tests/tpu/decisions.stream", {.capacity = 32_KiB, .quantum = tpu::v6e.quantum});
    CHECK(found.all == 27);
    CHECK(found.equal == found.all);
}

TEST_CASE("runtime_memory puts 903 of 903 blocks where TPUs put them") {
    const std::filesystem::path profiles = source_directory().parent_path() / "shared/profiles";
    if (!std::filesystem::exists(profiles)) {
        MESSAGE("left out: no profiles of TPUs lie beside the project");
        return;
    }
    const agreement v6e = follow(profiles / "v6e_inference2.stream", tpu::v6e);
    CHECK(v6e.equal == 453);
    CHECK(v6e.all == 453);
    const agreement v5p = follow(profiles / "v5p_training.stream", tpu::v5p);
    CHECK(v5p.equal == 450);
    CHECK(v5p.all == 450);
}

TEST_CASE("generations state what was measured") {
    CHECK(tpu::v6e.capacity == 31'996_MiB);
    CHECK(tpu::v5p.capacity == 98'041_MiB);
    CHECK(tpu::v5e.capacity == 16'909'332'480);
    CHECK(tpu::v6e.quantum == 128);
    CHECK(tpu::v5p.quantum == 128);
    for (const memory_spec& each : tpu::generations) CHECK(each.capacity % each.quantum == 0);
}

}  // namespace hbm::test::managers_tests
