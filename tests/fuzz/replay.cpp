// The main function of fuzz targets without libFuzzer: replays the files of a folder. Fails if there are none.
// With `--damaged` each file is then cut in many places, and damaged at random.
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
#include <span>
#include <string>
#include <string_view>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

void run(const std::string& bytes) {
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

/// Returns what is put into inputs: signs that some format minds, and a few words.
std::vector<std::string_view> pieces() {
    constexpr std::string_view signs("\n\r\t ,.:|=\"'\\/%*<>()[]{}-09ST\x80\xff\0", 31);
    std::vector<std::string_view> all{"18446744073709551615", "1e400", "nan", "((((((((", "allocation 0: size 1:\n"};
    for (std::size_t at = 0; at < signs.size(); ++at) all.push_back(signs.substr(at, 1));
    return all;
}

/// Returns the bytes with one to four changes: a byte changed, one of `pieces` put in, a part left out or doubled,
/// rarely the end cut off.
std::string damaged(std::string bytes, std::span<const std::string_view> pieces, hbm::testing::random_numbers& random) {
    const auto place = [&] { return static_cast<std::size_t>(random.below(bytes.size() + 1)); };
    for (std::uint64_t change = 1 + random.below(4); change != 0; --change) {
        const std::size_t at = place();
        const std::size_t length = 1 + static_cast<std::size_t>(random.below(random.once_in(2) ? 4 : 40));
        const std::uint64_t kind = random.below(6);
        if (kind == 0 && at < bytes.size())
            bytes[at] = static_cast<char>(bytes[at] ^ (1 << random.below(8)));
        else if (kind == 1 && at < bytes.size())
            bytes[at] = static_cast<char>(random.below(256));
        else if (kind == 2)
            bytes.insert(at, pieces[static_cast<std::size_t>(random.below(pieces.size()))]);
        else if (kind == 3)
            bytes.insert(at, bytes.substr(place(), 5 * length));
        else if (kind == 4)
            bytes.erase(at, length);
        else if (random.once_in(4))
            bytes.resize(at);
    }
    return bytes;
}

void run_damaged(const std::string& bytes) {
    for (std::size_t length = 0; length < bytes.size(); length += 3) {
        run(bytes.substr(0, length));
        run(bytes.substr(length));
    }
    hbm::testing::random_numbers random(bytes.size());
    const std::vector<std::string_view> inserted = pieces();
    for (int count = 0; count < 100; ++count) run(damaged(bytes, inserted, random));
}

std::size_t replay_files(const char* folder, bool damages) {
    std::size_t files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        std::ifstream file(entry.path(), std::ios::binary);
        const std::string bytes(std::istreambuf_iterator<char>(file), {});
        std::fprintf(stderr, "%s\n", entry.path().filename().c_str());
        run(bytes);
        if (damages) run_damaged(bytes);
        ++files;
    }
    return files;
}

void make_random_inputs(std::uint64_t count, std::uint64_t seed) {
    hbm::testing::random_numbers random(seed);
    std::string bytes(4096, '\0');
    for (std::uint64_t input = 0; input < count; ++input) {
        for (char& byte : bytes) byte = static_cast<char>(random.next());
        run(bytes);
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
    const bool damages = count == 3 && std::string_view(arguments[1]) == "--damaged";
    const std::size_t files = count == 2 || damages ? replay_files(arguments[count - 1], damages) : 0;
    std::printf("%zu files replayed\n", files);
    return files == 0 ? 1 : 0;
}
