// Largest allocations of a message by operation and source line, and answers as JSON.

#include <doctest/doctest.h>

#include <string>

#include "compare/answers/message/answer.hpp"
#include "compare/answers/message/json.hpp"
#include "compare/answers/message/largest.hpp"
#include "compare/read/message/message.hpp"

namespace hbm::test::largest_tests {

using namespace hbm::imported;

namespace {

std::string entry(int rank, const std::string& size, const std::string& operation, const std::string& line) {
    return "  " + std::to_string(rank) + ". Size: " + size + "\n     Operator: op_name=\"jit(train)/jit(main)/" +
           operation + "\" source_file=\"/home/me/model/attention.py\" source_line=" + line +
           "\n     Shape: f32[32,4096]{1,0:T(8,128)}\n     Unpadded size: " + size + "\n     XLA label: %fusion." +
           std::to_string(rank) +
           " = f32[32,4096]{1,0} fusion(%x)\n     Allocation type: HLO temp\n     ==========================\n\n";
}

const std::string list =
    "Ran out of memory in memory space hbm. Used 18.00G of 15.75G hbm. Exceeded hbm capacity by 2.25G.\n\n"
    "  Largest program allocations in hbm:\n\n" +
    entry(1, "3.00G", "embed", "7") + entry(2, "2.00G", "dot_general", "59") + entry(3, "2.00G", "dot_general", "59") +
    entry(4, "2.00G", "dot_general", "60");

found_messages read(const std::string& text) {
    const reading<found_messages> result = read_messages("log", text);
    REQUIRE(result);
    return *result;
}

}  // namespace

TEST_CASE("largest_groups: joins equal sizes, shapes, operations and lines, most bytes first") {
    const found_messages result = read(list);
    const std::vector<allocation_group> groups = largest_groups(result.messages.front());
    REQUIRE(groups.size() == 3);
    CHECK(groups[0].count == 2);
    CHECK(groups[0].source == "attention.py:59");
    CHECK(groups[1].count == 1);
    CHECK(groups[1].source == "attention.py:7");
    CHECK(groups[2].source == "attention.py:60");
}

TEST_CASE("message_json: states sizes in bytes, null if the text does not, and flags of remedies") {
    CHECK(
        message_json(read(list))
            .starts_with(
                R"({"schema":"hbm-message/1","unread":null,"messages":[{"class":"too_large","text":"The program does not fit, even into empty memory: it needs 18.00G of 15.75G, 2.25G too much)"));
    const std::string json = message_json(read(list));
    for (
        const std::string part :
        {R"("line":1,"times":1,"device":null,"space":"hbm","program":"jit_train")",
         R"("requested_bytes":19327352832,"free_bytes":null,"available_bytes":16911433728,"missing_bytes":2415919104)",
         R"({"bytes":2147483648,"count":2,"shape":"f32[32,4096]","operation":"jit(train)/jit(main)/dot_general","source":"attention.py:59"})",
         R"("flag":"--xla_tpu_max_hbm_size_mib","value":"15321")"})
        CHECK_MESSAGE(json.find(part) != std::string::npos, part, "\n", json);
    const std::string cut = message_json(read("Ran out of memory in memory space hbm."));
    CHECK(cut.find(
              R"("requested_bytes":null,"free_bytes":null,"available_bytes":null,"missing_bytes":null,"largest":[])") !=
          std::string::npos);
    CHECK(cut.find(R"("value":"N")") == std::string::npos);
}

}  // namespace hbm::test::largest_tests
