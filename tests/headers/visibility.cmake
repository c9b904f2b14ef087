# A shared library that uses the headers, compiled as examples/guide/getting_started.md says, exports nothing of them.
# Needs INCLUDE, COMPILER, SCRATCH (a folder to write to).
cmake_minimum_required(VERSION 3.22)

find_program(NM nm REQUIRED)
file(MAKE_DIRECTORY "${SCRATCH}")
file(WRITE "${SCRATCH}/plugin.cpp" "#include <hbm/hbm.hpp>
extern \"C\" [[gnu::visibility(\"default\")]] bool fits(unsigned long bytes) {
    hbm::manager<hbm::bottom_reserve<hbm::compacting<hbm::best_fit>>, hbm::evict_lru> memory{hbm::tpu::v5e};
    return memory.allocate(bytes).has_value();
}
")
execute_process(COMMAND "${COMPILER}" -std=c++20 -O0 -fPIC -shared -fvisibility=hidden -fvisibility-inlines-hidden
    "-I${INCLUDE}" "${SCRATCH}/plugin.cpp" -o "${SCRATCH}/plugin.so" COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${NM}" -DC --defined-only "${SCRATCH}/plugin.so" OUTPUT_VARIABLE exported
    COMMAND_ERROR_IS_FATAL ANY)
if(NOT exported MATCHES " fits\n")
    message(FATAL_ERROR "the plugin does not export its own function:\n${exported}")
endif()
string(REGEX MATCHALL "[^\n]*hbm::[^\n]*" leaked "${exported}")
if(leaked)
    list(JOIN leaked "\n" leaked)
    message(FATAL_ERROR "the plugin exports symbols of the headers:\n${leaked}")
endif()
