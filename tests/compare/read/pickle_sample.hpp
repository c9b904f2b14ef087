#pragma once
// Writes pickles by hand for tests, and shares no code with the reader.

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace hbm::test::sample {

/// A piece of a pickle that leaves one value on the stack.
using pickled = std::string;

inline std::string little(std::uint64_t value, std::size_t bytes) {
    std::string text;
    for (std::size_t at = 0; at < bytes; ++at) text.push_back(static_cast<char>(value >> (8 * at)));
    return text;
}

/// LONG1 with eight bytes.
inline pickled integer(std::uint64_t value) {
    return "\x8a\x08" + little(value, 8);
}

/// SHORT_BINUNICODE.
inline pickled text(const std::string& words) {
    return "\x8c" + little(words.size(), 1) + words;
}

/// EMPTY_LIST MARK items APPENDS.
inline pickled list(const std::vector<pickled>& items) {
    std::string made = "](";
    for (const pickled& each : items) made += each;
    return made + "e";
}

/// EMPTY_DICT MARK keys and values SETITEMS.
inline pickled dictionary(const std::vector<std::pair<std::string, pickled>>& items) {
    std::string made = "}(";
    for (const auto& [key, value] : items) made += text(key) + value;
    return made + "u";
}

/// PROTO, value, STOP.
inline std::string whole(const pickled& value, char protocol = 4) {
    return std::string("\x80") + protocol + value + ".";
}

inline pickled frame(const std::string& name, const std::string& file, std::uint64_t line) {
    return dictionary({{"name", text(name)}, {"filename", text(file)}, {"line", integer(line)}});
}

inline pickled block(std::uint64_t address, std::uint64_t size, std::uint64_t requested, const std::string& state,
                     const std::vector<pickled>& frames = {}) {
    return dictionary({{"address", integer(address)},
                       {"size", integer(size)},
                       {"requested_size", integer(requested)},
                       {"state", text(state)},
                       {"frames", list(frames)}});
}

inline pickled segment(std::uint64_t address, std::uint64_t size, const std::vector<pickled>& blocks,
                       std::uint64_t device = 0) {
    return dictionary({{"device", integer(device)},
                       {"address", integer(address)},
                       {"total_size", integer(size)},
                       {"stream", integer(0)},
                       {"blocks", list(blocks)}});
}

inline pickled entry(const std::string& action, std::uint64_t address, std::uint64_t size, std::uint64_t time,
                     const std::vector<pickled>& frames = {}) {
    return dictionary({{"action", text(action)},
                       {"addr", integer(address)},
                       {"size", integer(size)},
                       {"stream", integer(0)},
                       {"time_us", integer(time)},
                       {"frames", list(frames)}});
}

inline std::string snapshot(const std::vector<pickled>& segments, const std::vector<std::vector<pickled>>& traces) {
    std::vector<pickled> lists;
    for (const auto& each : traces) lists.push_back(list(each));
    return whole(dictionary({{"segments", list(segments)}, {"device_traces", list(lists)}}));
}

/// One device with buffers older than the trace, an address that is used twice, and a segment with a hole.
inline std::string small_snapshot() {
    const pickled own = frame("train_step", "/home/ann/train.py", 12);
    const pickled torch = frame("empty", "/usr/lib/python3.11/site-packages/torch/empty.py", 7);
    const pickled unwind = frame("torch::unwind::unwind()", "??", 0);
    return snapshot(
        {segment(0x20000, 4096,
                 {block(0x20000, 512, 500, "active_allocated", {unwind, torch, own}),
                  block(0x20200, 1024, 0, "inactive"), block(0x20600, 2560, 2500, "active_pending_free")}),
         segment(0x10000, 1024, {block(0x10000, 1024, 1000, "active_allocated", {unwind, torch})})},
        {{entry("segment_alloc", 0x20000, 4096, 100), entry("free_requested", 0x30000, 70, 101),
          entry("free_completed", 0x30000, 70, 103), entry("alloc", 0x20000, 300, 105, {unwind, own}),
          entry("free_requested", 0x20000, 300, 106), entry("free_completed", 0x20000, 300, 107),
          entry("alloc", 0x20000, 500, 110, {unwind, torch, own}), entry("alloc", 0x20600, 2500, 120, {unwind, torch}),
          entry("free_requested", 0x20600, 2500, 130)}});
}

}  // namespace hbm::test::sample
