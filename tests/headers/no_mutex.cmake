# With `no_mutex` a call through `synchronized` costs nothing: the same program with either type has no more instructions in
# any function at -O2, and no more bytes of text. Needs INCLUDE, COMPILER, SCRATCH (a folder to write to).
cmake_minimum_required(VERSION 3.25)

find_program(OBJDUMP objdump REQUIRED)
find_program(SIZE size REQUIRED)
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

set(functions allocate free_buffer pin run free_bytes where object_size)
foreach(program IN ITEMS manager no_mutex counting)
    set(object "${SCRATCH}/${program}.o")
    execute_process(COMMAND "${COMPILER}" -std=c++20 -O2 "-I${INCLUDE}" -c "${SCRATCH}/${program}.cpp" -o "${object}"
        RESULT_VARIABLE status ERROR_VARIABLE error)
    if(NOT status EQUAL 0)
        message(FATAL_ERROR "${program}.cpp does not compile:\n${error}")
    endif()
    execute_process(COMMAND "${SIZE}" "${object}" OUTPUT_VARIABLE sizes COMMAND_ERROR_IS_FATAL ANY)
    string(REGEX MATCH "\n *([0-9]+)" text "${sizes}")
    set(text_of_${program} ${CMAKE_MATCH_1})
    foreach(function IN LISTS functions)
        # From the function's label to the next blank line: a line for each instruction.
        execute_process(COMMAND "${OBJDUMP}" --disassemble=${function} --no-show-raw-insn "${object}"
            OUTPUT_VARIABLE code COMMAND_ERROR_IS_FATAL ANY)
        string(REGEX MATCHALL "\n +[0-9a-f]+:\t[^\n]*" instructions "${code}")
        list(LENGTH instructions ${function}_of_${program})
        if(${function}_of_${program} EQUAL 0)
            message(FATAL_ERROR "${program}.o: objdump shows no instruction of the function ${function}:\n${code}")
        endif()
    endforeach()
endforeach()

# Not the bytes of the instructions: compilers choose other registers where there is a function more to inline.
set(mistakes)
set(seen FALSE)
foreach(what IN ITEMS text ${functions})
    set(plain ${${what}_of_manager})
    set(locked ${${what}_of_no_mutex})
    message(STATUS "${what}: ${plain} of the manager, ${locked} with no_mutex, ${${what}_of_counting} with a mutex")
    if(locked GREATER plain)
        list(APPEND mistakes "${what}: ${plain} of the manager, but ${locked} with no_mutex")
    endif()
    if(NOT what STREQUAL "text" AND ${what}_of_counting GREATER plain)
        set(seen TRUE)
    endif()
endforeach()
if(mistakes)
    list(JOIN mistakes "\n  " mistakes)
    message(FATAL_ERROR "more code with no_mutex (text in bytes, functions in instructions):\n  ${mistakes}")
endif()
if(NOT seen)
    message(FATAL_ERROR "a mutex that counts adds no instruction: this test would see nothing")
endif()
