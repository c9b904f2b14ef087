# What the library adds to an object file at -O2: a manager that neither moves nor evicts is small and knows no planner;
# the README's program with all of it is bounded. Needs INCLUDE, README, COMPILER (g++), SCRATCH (a folder to write to).
cmake_minimum_required(VERSION 3.22)

# Sizes are about one compiler's code.
if(COMPILER MATCHES "clang")
    return()
endif()

# Bytes of text, as `size` counts them.
set(plain_bound 24576)
set(readme_bound 98304)
# What belongs to planning only.
set(planning "::planner|planning|_search|layout|need_packer|window_bound|compactor|problem_of|section_packer")

find_program(SIZE size REQUIRED)
find_program(NM nm REQUIRED)
file(MAKE_DIRECTORY "${SCRATCH}")

file(WRITE "${SCRATCH}/plain.cpp" "#include <hbm/hbm.hpp>
int main() {
    hbm::manager<hbm::best_fit> memory{hbm::tpu::v5e};
    const auto held = memory.allocate(std::uint64_t{1} << 20);
    return held && memory.free(*held) ? 0 : 1;
}
")
# The first program of the README, from its first include to the end of its main.
file(READ "${README}" readme)
string(FIND "${readme}" "```cpp\n" begin)
string(SUBSTRING "${readme}" ${begin} -1 readme)
string(SUBSTRING "${readme}" 7 -1 readme)
string(FIND "${readme}" "```" end)
string(SUBSTRING "${readme}" 0 ${end} readme)
file(WRITE "${SCRATCH}/readme.cpp" "${readme}")

set(mistakes)
foreach(program IN ITEMS plain readme)
    set(object "${SCRATCH}/${program}.o")
    execute_process(COMMAND "${COMPILER}" -std=c++20 -O2 "-I${INCLUDE}" -c "${SCRATCH}/${program}.cpp" -o "${object}"
        RESULT_VARIABLE status ERROR_VARIABLE error)
    if(NOT status EQUAL 0)
        message(FATAL_ERROR "${program}.cpp does not compile:\n${error}")
    endif()
    execute_process(COMMAND "${SIZE}" "${object}" OUTPUT_VARIABLE sizes COMMAND_ERROR_IS_FATAL ANY)
    string(REGEX MATCH "\n *([0-9]+)" text "${sizes}")
    set(text ${CMAKE_MATCH_1})
    message(STATUS "${program}.cpp: ${text} bytes of text, ${${program}_bound} allowed")
    if(text GREATER ${program}_bound)
        list(APPEND mistakes "${program}.cpp has ${text} bytes of text, more than ${${program}_bound}")
    endif()
endforeach()

execute_process(COMMAND "${NM}" -C --defined-only "${SCRATCH}/plain.o" OUTPUT_VARIABLE symbols
    COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^\n]*(${planning})[^\n]*" found "${symbols}")
foreach(symbol IN LISTS found)
    list(APPEND mistakes "a manager that neither moves nor evicts holds ${symbol}")
endforeach()
execute_process(COMMAND "${NM}" -C --defined-only "${SCRATCH}/readme.o" OUTPUT_VARIABLE symbols
    COMMAND_ERROR_IS_FATAL ANY)
if(NOT symbols MATCHES "${planning}")
    list(APPEND mistakes "the README's program shows no symbol of search or planning: are they called otherwise now?")
endif()

if(mistakes)
    list(JOIN mistakes "\n  " mistakes)
    message(FATAL_ERROR "object code:\n  ${mistakes}")
endif()
