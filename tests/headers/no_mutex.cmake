# With `no_mutex` a call through `synchronized` costs nothing: the same program with either type compiles to the same
# instructions at -O2, function by function. Needs INCLUDE, COMPILER, SCRATCH (a folder to write to).
cmake_minimum_required(VERSION 3.22)

find_program(OBJDUMP objdump)
if(NOT OBJDUMP)
    message(STATUS "left out: objdump was not found (Debian: apt-get install binutils)")
    return()
endif()
file(MAKE_DIRECTORY "${SCRATCH}")

set(calls "#include <cstdint>
extern \"C\" {
bool allocate(memory_type& memory, std::uint64_t bytes, hbm::buffer& made) {
    const auto placed = memory.allocate(bytes);
    if (placed) made = *placed;
    return placed.has_value();
}
bool free_buffer(memory_type& memory, hbm::buffer freed) { return memory.free(freed).has_value(); }
bool pin(memory_type& memory, hbm::buffer pinned) { return memory.pin(pinned).has_value(); }
bool load(memory_type& memory, const hbm::program_spec& spec, hbm::program& made) {
    const auto loaded = memory.load(spec);
    if (loaded) made = *loaded;
    return loaded.has_value();
}
bool run(memory_type& memory, hbm::program step, const hbm::run_spec& spec, hbm::run_result& ran) {
    return memory.run(step, spec, ran).has_value();
}
std::uint64_t free_bytes(const memory_type& memory) { return memory.free_bytes(); }
std::uint64_t where(const memory_type& memory, hbm::buffer held) { return memory.where(held).offset; }
std::uint64_t object_size() { return sizeof(memory_type); }
}
")
file(WRITE "${SCRATCH}/manager.cpp" "#include <hbm/hbm.hpp>
using memory_type = hbm::manager<hbm::best_fit>;
${calls}")
file(WRITE "${SCRATCH}/no_mutex.cpp" "#include <hbm/adapt/synchronized.hpp>
#include <hbm/hbm.hpp>
using memory_type = hbm::synchronized<hbm::manager<hbm::best_fit>, hbm::no_mutex>;
${calls}")
# A mutex that does something must show: otherwise this test compares nothing.
file(WRITE "${SCRATCH}/counting.cpp" "#include <hbm/adapt/synchronized.hpp>
#include <hbm/hbm.hpp>
struct counting {
    void lock() { ++locked; }
    void unlock() { --locked; }
    int locked = 0;
};
using memory_type = hbm::synchronized<hbm::manager<hbm::best_fit>, counting>;
${calls}")

# The instructions of each function of a program, a list in the order of the functions' names: each has a section of its
# own, so that addresses begin at 0. Constants are numbered in the order of the functions, which may be another.
function(list_functions program into)
    set(object "${SCRATCH}/${program}.o")
    execute_process(COMMAND "${COMPILER}" -std=c++20 -O2 -ffunction-sections "-I${INCLUDE}" -c "${SCRATCH}/${program}.cpp"
        -o "${object}" RESULT_VARIABLE status ERROR_VARIABLE error)
    if(NOT status EQUAL 0)
        message(FATAL_ERROR "${program}.cpp does not compile:\n${error}")
    endif()
    execute_process(COMMAND "${OBJDUMP}" -drw --no-show-raw-insn "${object}" OUTPUT_VARIABLE code
        COMMAND_ERROR_IS_FATAL ANY)
    string(REPLACE ";" "," code "${code}")
    string(REGEX REPLACE "^.*file format ([^\n]*)\n" "" code "${code}")
    string(REGEX REPLACE "\n +[0-9a-f]+:\t" "\n\t" code "${code}")
    string(REGEX REPLACE "\t[0-9a-f]+: R_" "\tR_" code "${code}")
    string(REGEX REPLACE "([ \t*\n])[0-9a-f]+ <" "\\1<" code "${code}")
    string(REGEX REPLACE "\\.LC(PI)?[0-9_]+" ".LC" code "${code}")
    # g++ writes the operands of a comparison for equality in either order.
    string(REGEX REPLACE "\tcmp +(%[a-z0-9]+),([^\n]*\\([^)\n]*\\))\n\t(jn?e)" "\tcmp    \\2,\\1\n\t\\3" code "${code}")
    string(REPLACE "\nDisassembly of section " ";" code "${code}")
    list(SORT code)
    set(${into} "${code}" PARENT_SCOPE)
endfunction()

list_functions(manager plain)
list_functions(no_mutex without)
list_functions(counting counted)
list(LENGTH plain count)
if(NOT ";${plain}" MATCHES ";\\.text\\.run:" OR plain STREQUAL counted)
    message(FATAL_ERROR "a mutex that counts changes none of ${count} functions: this test would see nothing")
endif()
message(STATUS "${count} functions")
if(NOT plain STREQUAL without)
    set(only_plain ${plain})
    set(only_without ${without})
    list(REMOVE_ITEM only_plain ${without})
    list(REMOVE_ITEM only_without ${plain})
    list(JOIN only_plain "\n" only_plain)
    list(JOIN only_without "\n" only_without)
    message(FATAL_ERROR "other instructions with no_mutex.\n== of the manager:\n${only_plain}\n== with no_mutex:\n${only_without}")
endif()
