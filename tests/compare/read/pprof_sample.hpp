#pragma once
// Writes device memory profiles by hand for tests, and shares no code with the reader.

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace hbm::test::sample {

inline std::string varint(std::uint64_t value) {
    std::string text;
    while (value > 127) {
        text.push_back(static_cast<char>(128 + value % 128));
        value /= 128;
    }
    text.push_back(static_cast<char>(value));
    return text;
}

inline std::string number_field(unsigned number, std::uint64_t value) {
    return varint(number * 8) + varint(value);
}

inline std::string bytes_field(unsigned number, const std::string& bytes) {
    return varint(number * 8 + 2) + varint(bytes.size()) + bytes;
}

/// A profile under construction. Strings, functions and locations get numbers as they come.
struct pprof {
    std::string body;
    std::vector<std::string> strings{""};
    std::uint64_t functions = 0;
    std::uint64_t locations = 0;

    std::uint64_t text(const std::string& words) {
        for (std::uint64_t at = 0; at < strings.size(); ++at)
            if (strings[at] == words) return at;
        strings.push_back(words);
        return strings.size() - 1;
    }

    pprof& type(const std::string& name, const std::string& unit) {
        body += bytes_field(1, number_field(1, text(name)) + number_field(2, text(unit)));
        return *this;
    }

    std::uint64_t frame(const std::string& function, const std::string& file, std::uint64_t line) {
        ++functions;
        body +=
            bytes_field(5, number_field(1, functions) + number_field(2, text(function)) + number_field(4, text(file)));
        ++locations;
        // Ids of locations need not be small.
        body += bytes_field(4, number_field(1, locations * 1000) +
                                   bytes_field(4, number_field(1, functions) + number_field(2, line)));
        return locations * 1000;
    }

    pprof& sample(std::uint64_t count, std::int64_t space, const std::string& kind, const std::string& device,
                  std::initializer_list<std::uint64_t> stack, bool packed = true) {
        std::string made;
        std::string ids;
        for (const std::uint64_t each : stack) ids += packed ? varint(each) : number_field(1, each);
        const auto bytes = static_cast<std::uint64_t>(space);
        made += packed ? bytes_field(1, ids) : ids;
        made +=
            packed ? bytes_field(2, varint(count) + varint(bytes)) : number_field(2, count) + number_field(2, bytes);
        made += bytes_field(3, number_field(1, text("kind")) + number_field(2, text(kind)));
        if (!device.empty()) made += bytes_field(3, number_field(1, text("device")) + number_field(2, text(device)));
        body += bytes_field(2, made);
        return *this;
    }

    std::string bytes() const {
        std::string whole = body;
        for (const std::string& each : strings) whole += bytes_field(6, each);
        return whole;
    }
};

/// A profile with the two types of JAX.
inline pprof jax_profile() {
    pprof made;
    made.type("allocations", "count").type("space", "bytes");
    return made;
}

/// Two devices and executables of known and unknown size.
inline std::string small_profile() {
    pprof made = jax_profile();
    const std::uint64_t dispatch =
        made.frame("apply_primitive", "/usr/lib/python3.11/site-packages/jax/_src/dispatch.py", 87);
    const std::uint64_t own = made.frame("train_step", "/home/ann/train.py", 120);
    const std::uint64_t main = made.frame("<module>", "/home/ann/train.py", 200);
    made.sample(3, 3072, "buffer", "TPU_0(process=0,(0,0,0,0))", {dispatch, own, main});
    made.sample(1, 4096, "buffer", "TPU_1(process=0,(0,0,0,1))", {dispatch, main}, false);
    made.sample(2, 1000, "executable", "", {dispatch});
    made.sample(5, -5, "executable", "", {own});
    made.sample(4, 0, "executable", "", {});
    made.sample(1, 0, "buffer", "TPU_0(process=0,(0,0,0,0))", {});
    return made.bytes();
}

}  // namespace hbm::test::sample
