// Steps of the records of several streams. Their order and fences are tested through managers:
// manager/test_streams.cpp.
#include <hbm/state/stream_records.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hbm::test::stream_records_tests {

namespace {

/// Holds that count the items that a change moves.
struct counted_holds {
    std::vector<std::uint32_t> items;
    std::size_t moved = 0;

    [[nodiscard]] std::size_t size() const { return items.size(); }
    void reposition(std::size_t from, std::size_t to) { move_range(from, from + 1, to); }
    void move_last(std::size_t count, std::size_t to) { move_range(items.size() - count, items.size(), to); }

private:
    void move_range(std::size_t first, std::size_t last, std::size_t to) {
        if (first != to) moved += last - to;
        const std::vector<std::uint32_t> range(items.begin() + static_cast<std::ptrdiff_t>(first),
                                               items.begin() + static_cast<std::ptrdiff_t>(last));
        items.erase(items.begin() + static_cast<std::ptrdiff_t>(first),
                    items.begin() + static_cast<std::ptrdiff_t>(last));
        items.insert(items.begin() + static_cast<std::ptrdiff_t>(to), range.begin(), range.end());
    }
};

struct counted_records {
    trivial_queue<flight> flights;
    counted_holds held;
};

/// Adds work that lasts `nanoseconds` and holds `count` blocks, numbered from `first` on.
void begin(counted_records& records, stream_records<2>& streams, std::uint32_t stream, std::uint64_t nanoseconds,
           std::uint32_t first, std::uint32_t count) {
    const fence over{records.flights.size() + 1};
    for (std::uint32_t at = 0; at < count; ++at) records.held.items.push_back(first + at);
    records.flights.push_back({.over = over, .holds = count, .nanoseconds = nanoseconds});
    streams.begin(records, stream);
}

}  // namespace

TEST_CASE("stream_records: moves each hold at most once when work ends before others") {
    constexpr std::uint32_t count = 1000;
    counted_records records;
    stream_records<2> streams;
    begin(records, streams, 0, 100, 0, count);
    begin(records, streams, 0, 100, count, count);
    CHECK(records.held.moved == 0);
    begin(records, streams, 1, 150, 2 * count, count);  // between the two
    CHECK(records.held.moved <= 2 * count);
    REQUIRE(records.flights.size() == 3);
    CHECK(records.flights[0].over == fence{1});
    CHECK(records.flights[1].over == fence{3});
    CHECK(records.flights[2].over == fence{2});
    CHECK(records.flights[1].nanoseconds == 50);
    CHECK(records.flights[2].nanoseconds == 50);
    bool in_order = true;
    for (std::uint32_t at = 0; at < count; ++at)
        in_order = in_order && records.held.items[at] == at && records.held.items[count + at] == 2 * count + at &&
                   records.held.items[2 * count + at] == count + at;
    CHECK(in_order);
}

}  // namespace hbm::test::stream_records_tests
