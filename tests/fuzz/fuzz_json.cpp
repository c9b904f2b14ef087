// JSON: a text is read or refused, and what was read can be put into words.
#include <cstddef>
#include <cstdint>

#include "compare/read/json_reader.hpp"
#include "fuzz/described.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace hbm;
    compare::json_value value;
    trace::read_error error;
    if (compare::read_json("x", test::text_of(data, size), value, error))
        test::expect(compare::json_words(value).size() < 200, "the words of a value are short");
    else
        test::expect_error(error);
    return 0;
}
