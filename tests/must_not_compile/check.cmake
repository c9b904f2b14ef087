# Compiles SNIPPET with COMPILER and INCLUDE, and compares the outcome with what its first lines say.
cmake_minimum_required(VERSION 3.25)

file(STRINGS "${SNIPPET}" expectations REGEX "^// expect: ")
file(STRINGS "${SNIPPET}" compiles REGEX "^// compiles")
if((expectations AND compiles) OR NOT (expectations OR compiles))
    message(FATAL_ERROR "${SNIPPET}: begin it with either `// expect: SENTENCE` or `// compiles`")
endif()

execute_process(
    COMMAND "${COMPILER}" -std=c++20 -fno-exceptions -fno-rtti -Wall -Wextra -fsyntax-only "-I${INCLUDE}" "${SNIPPET}"
    RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)

if(compiles)
    if(NOT status EQUAL 0)
        message(FATAL_ERROR "${SNIPPET} must compile, but does not:\n${output}")
    endif()
    return()
endif()

if(status EQUAL 0)
    message(FATAL_ERROR "${SNIPPET} compiles, but must not")
endif()
foreach(expectation IN LISTS expectations)
    string(REGEX REPLACE "^// expect: *" "" sentence "${expectation}")
    string(FIND "${output}" "${sentence}" position)
    if(position EQUAL -1)
        if(NOT output MATCHES "${sentence}")
            message(FATAL_ERROR "${SNIPPET}: the compiler did not print\n  ${sentence}\nbut\n${output}")
        endif()
    endif()
endforeach()
