#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "compare/read/xla/donation.hpp"
#include "compare/read/xla/module.hpp"

namespace hbm::test::donation_advice_tests {

namespace {

using namespace hbm::imported;

donation_array array(std::uint64_t parameter, std::uint64_t bytes, std::string shape = "f32[1]{0}",
                     std::uint64_t space = 0) {
    donation_array made;
    made.parameter = parameter;
    made.bytes = bytes;
    made.unpadded_bytes = bytes;
    made.shape = std::move(shape);
    made.memory_space = space;
    return made;
}

donation_question question_of(const std::string& text) {
    return donation_question_of(read_module(text, "m.txt"));
}

/// A program of random sizes; some outputs take over arguments already, some arguments are donors.
donation_question random_question(std::mt19937_64& random) {
    const auto some = [&](std::vector<donation_array>& into) {
        const std::uint64_t count = random() % 12;
        for (std::uint64_t at = 0; at < count; ++at)
            into.push_back(array(at, 4 * (random() % 5), random() % 2 == 0 ? "f32[1]{0}" : "f32[2]{0}",
                                 random() % 8 == 0 ? 5 : 0));
    };
    donation_question made;
    some(made.arguments);
    some(made.outputs);
    std::vector<bool> taken(made.arguments.size(), false);
    for (std::size_t output = 0; output < made.outputs.size(); ++output)
        for (std::size_t argument = 0; argument < taken.size() && random() % 2 == 0; ++argument)
            if (!taken[argument] && made.arguments[argument].bytes == made.outputs[output].bytes &&
                made.arguments[argument].memory_space == made.outputs[output].memory_space) {
                taken[argument] = true;
                made.aliases.push_back({output, argument, true});
                break;
            }
    for (std::size_t argument = 0; argument < taken.size(); ++argument)
        if (!taken[argument] && random() % 6 == 0) made.donors.push_back(argument);
    return made;
}

TEST_CASE("random programs: each pair is allowed, there are as many as can be, and they save what they promise") {
    for (std::uint64_t seed = 0; seed < 3000; ++seed) {
        CAPTURE(seed);
        std::mt19937_64 random{seed};
        const donation_question in = random_question(random);
        const donation_advice advice = advise_donation(in);
        std::vector<int> argument_uses(in.arguments.size(), 0);
        std::vector<int> output_uses(in.outputs.size(), 0);
        for (const donation_pair& each : in.aliases) ++argument_uses[each.argument], ++output_uses[each.output];
        for (const std::size_t each : in.donors) ++argument_uses[each];
        // What is free, by size and memory; donors take outputs first.
        std::map<std::pair<std::uint64_t, std::uint64_t>, std::pair<long, long>> free;
        for (std::size_t at = 0; at < in.arguments.size(); ++at)
            if (argument_uses[at] == 0) ++free[{in.arguments[at].bytes, in.arguments[at].memory_space}].first;
        for (std::size_t at = 0; at < in.outputs.size(); ++at)
            if (output_uses[at] == 0) ++free[{in.outputs[at].bytes, in.outputs[at].memory_space}].second;
        for (const std::size_t each : in.donors)
            --free[{in.arguments[each].bytes, in.arguments[each].memory_space}].second;
        std::size_t expected = 0;
        for (const auto& [key, counts] : free)
            if (key.first != 0)
                expected += static_cast<std::size_t>(std::max(0L, std::min(counts.first, counts.second)));
        CHECK(advice.pairs.size() == expected);
        CHECK(advice.alternatives.size() == expected);
        // Needless donors, and no others, are more than the outputs of their size.
        std::size_t in_vain = 0;
        for (const auto& [key, counts] : free)
            if (key.first != 0) in_vain += static_cast<std::size_t>(std::max(0L, -counts.second));
        CHECK(advice.donated_in_vain.size() == in_vain);

        std::uint64_t before = ~std::uint64_t{0};
        for (const donation_pair& each : advice.pairs) {
            const donation_array& argument = in.arguments[each.argument];
            const donation_array& output = in.outputs[each.output];
            CHECK(argument.bytes == output.bytes);
            CHECK(argument.memory_space == output.memory_space);
            CHECK((!each.same_shape || argument.shape == output.shape));
            CHECK(++argument_uses[each.argument] == 1);
            CHECK(++output_uses[each.output] == 1);
            CHECK(output.bytes <= before);
            before = output.bytes;
        }
        const donation_question followed = follow(in, advice);
        CHECK(held_bytes(in) - held_bytes(followed) == advice.saved_bytes);
        CHECK(advise_donation(followed).pairs.empty());
    }
}

TEST_CASE("the same shape comes before the same size, each in its order") {
    donation_question in;
    in.arguments = {array(0, 8, "s32[2]{0}"), array(1, 8, "f32[2]{0}"), array(2, 8, "f32[2]{0:T(2)}"), array(3, 16)};
    in.outputs = {array(0, 8, "f32[2]{0}"), array(0, 8, "f64[1]{0}"), array(0, 32)};
    const donation_advice advice = advise_donation(in);
    REQUIRE(advice.pairs.size() == 2);
    CHECK(advice.pairs[0] == donation_pair{0, 1, true});
    CHECK(advice.pairs[1] == donation_pair{1, 0, false});
    CHECK(advice.saved_bytes == 16);
    CHECK(advice.alternatives == std::vector<std::size_t>{3, 3});
    CHECK(!advice.saved_share_bytes);
}

TEST_CASE("sizes near 2^64, and nothing at all") {
    donation_question in;
    CHECK(advise_donation(in).pairs.empty());
    CHECK(donation_text(in).empty());
    in.arguments = {array(0, (std::uint64_t{1} << 63U) - 1)};
    in.outputs = {array(0, (std::uint64_t{1} << 63U) - 1)};
    CHECK(advise_donation(in).saved_bytes == (std::uint64_t{1} << 63U) - 1);
    CHECK(held_bytes(in) == ~std::uint64_t{0} - 1);
    CHECK(donation_text(in).find("8.00E") != std::string::npos);
}

const std::string step =
    "HloModule step, entry_computation_layout={(f32[300,200]{1,0:T(8,128)}, f32[300,200]{1,0:T(8,128)}, "
    "f32[256,256]{1,0:T(8,128)}, s32[]{:T(128)})->(f32[300,200]{1,0:T(8,128)}, f32[300,200]{1,0:T(8,128)}, "
    "f32[65536]{0:T(1024)}, s32[]{:T(128)})}\n\n"
    "ENTRY main {\n"
    "  p0 = f32[300,200]{1,0} parameter(0), metadata={op_name=\"params[\\'w\\']\"}\n"
    "  p1 = f32[300,200]{1,0} parameter(1), metadata={op_name=\"params[\\'v\\']\"}\n"
    "  ROOT t = () tuple()\n"
    "}\n";

TEST_CASE("the text of the aliases is what a module understands, and saves what was promised") {
    const donation_question before = question_of(step);
    const donation_advice advice = advise_donation(before);
    const std::string aliases = alias_text(before, advice.pairs, advice.pairs.size());
    std::string followed = step;
    followed.insert(followed.find(", entry"), ", " + aliases);
    const donation_question after = question_of(followed);
    CHECK(after.aliases.size() == 4);
    CHECK(held_bytes(before) - held_bytes(after) == advice.saved_bytes);
    CHECK(advise_donation(after).pairs.empty());
    CHECK(donation_text(after).find("Donation") == std::string::npos);
}

TEST_CASE("of whole arrays, what one device saves is said if it is known") {
    const std::string sharded =
        "HloModule m, entry_computation_layout={(f32[8,4]{1,0})->f32[8,4]{1,0}}, num_partitions=4\n"
        "ENTRY main {\n  p = f32[8,4]{1,0} parameter(0), sharding={devices=[4,1]<=[4]}\n"
        "  ROOT r = f32[8,4]{1,0} negate(p)\n}\n";
    const donation_advice advice = advise_donation(question_of(sharded));
    CHECK(advice.saved_bytes == 128);
    CHECK(advice.saved_share_bytes == 32);
    std::string unsaid = sharded;
    unsaid.erase(unsaid.find(", sharding"), std::string(", sharding={devices=[4,1]<=[4]}").size());
    CHECK(!advise_donation(question_of(unsaid)).saved_share_bytes);
}

TEST_CASE("donation: bytes that are saved end at 2^64 - 1, on all devices and on each") {
    donation_question question;
    for (std::uint64_t parameter = 0; parameter < 2; ++parameter) {
        question.arguments.push_back(array(parameter, ~std::uint64_t{0}));
        question.arguments.back().share_bytes = ~std::uint64_t{0} - parameter;
        question.outputs.push_back(array(0, ~std::uint64_t{0}));
    }
    question.devices = 2;
    const donation_advice advice = advise_donation(question);
    CHECK(advice.pairs.size() == 2);
    CHECK(advice.saved_bytes == ~std::uint64_t{0});
    CHECK(advice.saved_share_bytes == ~std::uint64_t{0});
}

TEST_CASE("long lists are cut, and what is too small to matter is left out") {
    donation_question in;
    for (std::uint64_t at = 0; at < 40; ++at) {
        in.arguments.push_back(array(2 * at, 1000 * (at / 4 + 1), "f32[" + std::to_string(at / 4) + "]{0}"));
        in.outputs.push_back(in.arguments.back());
    }
    const std::string text = donation_text(in);
    CHECK(text.find("arguments 72, 74, 76, 78\n") != std::string::npos);
    CHECK(text.find("16 smaller arguments: 39.1K\n") != std::string::npos);
    CHECK(text.find("may-alias), ... }") != std::string::npos);
    CHECK(std::count(text.begin(), text.end(), '\n') == 11);
    // Where the list is whole, with the command.
    const std::string where = donation_text(in, "dump/it's.txt");
    CHECK(where.find("are under \"donation\" in what this prints:\n  hbm_compare --describe 'dump/it'\\''s.txt'\n") !=
          std::string::npos);
    CHECK(donation_text(in, "dump/m_1.txt").find("hbm_compare --describe dump/m_1.txt\n") != std::string::npos);
    donation_question four = in;
    four.arguments.resize(4);
    four.outputs.resize(4);
    CHECK(donation_text(four, "m.txt").find("--describe") == std::string::npos);  // nothing is cut
    in.arguments.push_back(array(100, 1'000'000'000));
    CHECK(donation_text(in).empty());
}

TEST_CASE("donors that no output can take over are named") {
    donation_question in;
    in.arguments = {array(0, 4096), array(1, 4096), array(2, 2048), array(3, 8192)};
    in.outputs = {array(0, 4096)};
    in.donors = {0, 1, 2};
    CHECK(advise_donation(in).donated_in_vain == std::vector<std::size_t>{1, 2});
}

}  // namespace

}  // namespace hbm::test::donation_advice_tests
