#include <doctest/doctest.h>

#include "compare/read/description.hpp"

namespace hbm::test::description_tests {

namespace {

using namespace hbm::imported;

std::string json_of(const description& found) {
    hbm::json_writer json;
    write_description(json, "a \"file\"", found);
    return json.text();
}

TEST_CASE("what a file does not say is null, and nothing is not unknown") {
    description found;
    found.kind = file_kind::message;
    found.temp_bytes = 0;
    found.outputs.emplace();
    CHECK(json_of(found) ==
          R"({"file":"a \"file\"","kind":"oom","name":null,"argument_bytes":null,"output_bytes":null,)"
          R"("alias_bytes":null,"temp_bytes":0,"constant_bytes":null,"peak_bytes":null,)"
          R"("arguments":null,"outputs":[],"aliases":null})");
}

TEST_CASE("arguments, outputs, aliases and the fields of a kind") {
    description found;
    found.kind = file_kind::module;
    found.name = "jit_f";
    found.arguments = {{2, {0, 1}, 18446744073709551615U, {{"memory_space", "5"}}}};
    found.outputs.emplace(1);
    found.aliases = {{{1}, 2, {0, 1}, "may-alias"}};
    found.more = {{"tiled", "true"}};
    CHECK(json_of(found) ==
          R"({"file":"a \"file\"","kind":"module","name":"jit_f","argument_bytes":null,"output_bytes":null,)"
          R"("alias_bytes":null,"temp_bytes":null,"constant_bytes":null,"peak_bytes":null,)"
          R"("arguments":[{"parameter":2,"index":[0,1],"bytes":18446744073709551615,"memory_space":5}],)"
          R"("outputs":[{"index":[],"bytes":null}],)"
          R"("aliases":[{"output":[1],"parameter":2,"index":[0,1],"kind":"may-alias"}],"tiled":true})");
}

}  // namespace

}  // namespace hbm::test::description_tests
