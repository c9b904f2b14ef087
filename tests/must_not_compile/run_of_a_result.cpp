// expect: a result is no value yet: test it, then take the value with *
#include <hbm/hbm.hpp>

auto run(hbm::manager<hbm::best_fit>& memory) {
    auto step = memory.load({.code = 1});
    return memory.run(step, {});
}
