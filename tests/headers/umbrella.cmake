# What <hbm/hbm.hpp> costs those who include it: no standard header beyond a short list.
# Needs INCLUDE (the include folder), COMPILER, SCRATCH (a folder to write to).
cmake_minimum_required(VERSION 3.25)

set(standard_headers array bit compare concepts cstddef cstdint cstdio initializer_list limits optional source_location span
    type_traits utility vector)

file(MAKE_DIRECTORY "${SCRATCH}")
list(TRANSFORM standard_headers REPLACE "^(.+)$" "#include <\\1>\n" OUTPUT_VARIABLE standard_includes)
list(JOIN standard_includes "" standard_includes)
file(WRITE "${SCRATCH}/standard.cpp" "${standard_includes}")
file(WRITE "${SCRATCH}/umbrella.cpp" "#include <hbm/hbm.hpp>\n")

# The headers that a file pulls in, without ours.
function(list_headers result file)
    execute_process(COMMAND "${COMPILER}" -std=c++20 "-I${INCLUDE}" -M "${file}" OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
    string(REGEX REPLACE "[ \\\n]+" ";" files "${text}")
    list(FILTER files INCLUDE REGEX "^/")
    list(FILTER files EXCLUDE REGEX "\\.cpp$|/hbm/")
    set(${result} ${files} PARENT_SCOPE)
endfunction()

list_headers(allowed "${SCRATCH}/standard.cpp")
list_headers(found "${SCRATCH}/umbrella.cpp")
list(REMOVE_ITEM found ${allowed})
if(found)
    list(JOIN found "\n  " found)
    list(JOIN standard_headers ", " standard_headers)
    message(FATAL_ERROR "<hbm/hbm.hpp> pulls in more than ${standard_headers}:\n  ${found}")
endif()
