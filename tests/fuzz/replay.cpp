// The main function of fuzz targets without libFuzzer: replays the files of a folder. Fails if there are none.
// With `--random COUNT SEED` it makes COUNT inputs of random bytes instead, long enough that a target makes all its
// calls.
#include <hbm/testing/random.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

std::size_t replay_files(const char* folder) {
    std::size_t files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        std::ifstream file(entry.path(), std::ios::binary);
        const std::vector<char> bytes(std::istreambuf_iterator<char>(file), {});
        std::fprintf(stderr, "%s\n", entry.path().filename().c_str());
        LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
        ++files;
    }
    return files;
}

void make_random_inputs(std::uint64_t count, std::uint64_t seed) {
    hbm::testing::random_numbers random(seed);
    std::vector<std::uint8_t> bytes(4096);
    for (std::uint64_t input = 0; input < count; ++input) {
        for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random.next());
        LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
    }
    std::printf("%llu random inputs of seed %llu\n", static_cast<unsigned long long>(count),
                static_cast<unsigned long long>(seed));
}

}  // namespace

int main(int count, char** arguments) {
    if (count == 4 && std::string_view(arguments[1]) == "--random") {
        make_random_inputs(std::strtoull(arguments[2], nullptr, 10), std::strtoull(arguments[3], nullptr, 10));
        return 0;
    }
    const std::size_t files = count == 2 ? replay_files(arguments[1]) : 0;
    std::printf("%zu files replayed\n", files);
    return files == 0 ? 1 : 0;
}
