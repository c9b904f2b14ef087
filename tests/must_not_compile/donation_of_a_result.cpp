// expect: a result is no value yet: test it, then take the value with *
#include <hbm/hbm.hpp>

auto run(hbm::manager<hbm::best_fit>& memory, hbm::program step) {
    auto weights = memory.allocate(1);
    return memory.run(step, {.donated = {weights}, .outputs = {1}});
}
