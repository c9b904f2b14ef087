// The C interface against the model of its random tests: two managers, each with the handles of the other as foreign.
#include <hbm/c.h>

#include <cstddef>
#include <cstdint>

#include "c_face/fuzzed_manager.hpp"
#include "fuzz/fuzzing.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace hbm;
    test::numbers numbers(data, size);
    std::size_t managers = 0;
    while (hbm_manager_name(managers) != nullptr) ++managers;
    const char* const names[] = {hbm_manager_name(numbers.below(managers)), hbm_manager_name(numbers.below(managers))};
    test::fuzzed_manager first(names[0], numbers, numbers.once_in(2) ? 0 : 6);
    test::fuzzed_manager second(names[1], numbers, 0);
    for (int step = 0; step < 200 && !numbers.is_empty(); ++step) {
        test::fuzzed_manager& called = numbers.once_in(4) ? second : first;
        called.step(&called == &first ? second : first);
        called.check_all();
        test::expect(called.broken() == nullptr, called.broken());
    }
    return 0;
}
