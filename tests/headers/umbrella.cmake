# What <hbm/hbm.hpp> costs those who include it: no standard header beyond a short list, and a bounded number of lines.
# Needs INCLUDE (the include folder), COMPILER, SCRATCH (a folder to write to).
cmake_minimum_required(VERSION 3.25)

set(standard_headers array bit compare concepts cstddef cstdint cstdio initializer_list limits optional source_location span
    type_traits utility vector)
# Less than half of what the standard headers have.
set(own_lines_bound 9500)
# Lines of the headers that it reaches, comments included.
set(reached_lines_bound 13000)

file(MAKE_DIRECTORY "${SCRATCH}")
list(TRANSFORM standard_headers REPLACE "^(.+)$" "#include <\\1>\n" OUTPUT_VARIABLE standard_includes)
list(JOIN standard_includes "" standard_includes)
file(WRITE "${SCRATCH}/standard.cpp" "${standard_includes}")
file(WRITE "${SCRATCH}/umbrella.cpp" "#include <hbm/hbm.hpp>\n")

function(preprocess result)
    execute_process(COMMAND "${COMPILER}" -std=c++20 "-I${INCLUDE}" ${ARGN} OUTPUT_VARIABLE output ERROR_VARIABLE error
        RESULT_VARIABLE status)
    if(NOT status EQUAL 0)
        message(FATAL_ERROR "the compiler failed:\n${error}")
    endif()
    set(${result} "${output}" PARENT_SCOPE)
endfunction()

# Lines that hold anything; line markers and blank lines do not count.
function(count_lines result file)
    preprocess(text -E -P "${file}")
    string(REGEX REPLACE "[^\n]+" "x" text "${text}")
    string(REPLACE "\n" "" text "${text}")
    string(LENGTH "${text}" length)
    set(${result} ${length} PARENT_SCOPE)
endfunction()

# The headers that a file pulls in: those whose paths are ours, or those whose paths are not.
function(list_headers result ours file)
    preprocess(text -M "${file}")
    string(REGEX REPLACE "[ \\\n]+" ";" files "${text}")
    list(FILTER files INCLUDE REGEX "^/")
    list(FILTER files EXCLUDE REGEX "\\.cpp$")
    list(FILTER files ${ours} REGEX "/hbm/")
    set(${result} ${files} PARENT_SCOPE)
endfunction()

list_headers(allowed EXCLUDE "${SCRATCH}/standard.cpp")
list_headers(found EXCLUDE "${SCRATCH}/umbrella.cpp")
list(REMOVE_ITEM found ${allowed})
if(found)
    list(JOIN found "\n  " found)
    list(JOIN standard_headers ", " standard_headers)
    message(FATAL_ERROR "<hbm/hbm.hpp> pulls in more than ${standard_headers}:\n  ${found}")
endif()

count_lines(standard_lines "${SCRATCH}/standard.cpp")
count_lines(umbrella_lines "${SCRATCH}/umbrella.cpp")
math(EXPR own_lines "${umbrella_lines} - ${standard_lines}")
message(STATUS "preprocessed lines: ${umbrella_lines}, of which standard headers ${standard_lines}, ours ${own_lines}")
if(own_lines GREATER own_lines_bound)
    message(FATAL_ERROR "<hbm/hbm.hpp> adds ${own_lines} lines to its standard headers, more than ${own_lines_bound}")
endif()

set(reached_lines 0)
list_headers(reached INCLUDE "${SCRATCH}/umbrella.cpp")
foreach(header IN LISTS reached)
    file(READ "${header}" text)
    string(REGEX MATCHALL "\n" ends "${text}")
    list(LENGTH ends count)
    math(EXPR reached_lines "${reached_lines} + ${count}")
endforeach()
message(STATUS "lines of the headers reached: ${reached_lines}")
if(reached_lines GREATER reached_lines_bound)
    message(FATAL_ERROR "<hbm/hbm.hpp> reaches ${reached_lines} lines, more than ${reached_lines_bound}")
endif()
