# Writes DIRECTORY/hbm.hpp and DIRECTORY/hbm_report.hpp from the headers in INCLUDE, each header once and after all that
# it includes. Standard headers are included at the top, each once. VERSION is named in the first line.
cmake_minimum_required(VERSION 3.22)

# Appends a header and what it includes to `text`, and the standard headers to `standard`, unless `written` has them.
macro(add_header header)
    if(NOT "${header}" IN_LIST written)
        list(APPEND written "${header}")
        add_contents("${header}")
    endif()
endmacro()

function(add_contents header)
    file(READ "${INCLUDE}/${header}" contents)
    # An include that depends on the compiler stays where it is.
    string(REGEX REPLACE "(\n#(if|elif|else|error)[^\n]*\n)#include" "\\1# include" contents "${contents}")
    string(REGEX MATCHALL "\n#include [<\"][^>\"\n]+[>\"]" includes "${contents}")
    get_filename_component(folder "${header}" DIRECTORY)
    foreach(each IN LISTS includes)
        string(REGEX REPLACE "\n#include [<\"]([^>\"]+)[>\"]" "\\1" included "${each}")
        if(EXISTS "${INCLUDE}/${included}")
            add_header("${included}")
        elseif(EXISTS "${INCLUDE}/${folder}/${included}")
            add_header("${folder}/${included}")
        elseif(NOT included IN_LIST standard)
            list(APPEND standard "${included}")
        endif()
    endforeach()
    string(REGEX REPLACE "\n#include [^\n]*" "" contents "${contents}")
    string(REGEX REPLACE "^#pragma once\n+" "" contents "${contents}")
    if(contents MATCHES "\n *# *include *[<\"]hbm/")
        message(FATAL_ERROR "${header}: expected every include of another header at the start of a line, outside of "
            "conditions")
    endif()
    string(APPEND text "\n// ---- <${header}> ----\n\n${contents}")
    set(text "${text}" PARENT_SCOPE)
    set(standard "${standard}" PARENT_SCOPE)
    set(written "${written}" PARENT_SCOPE)
endfunction()

# Writes a file that has `text` and includes `standard`, after the given lines.
function(write_file name lines)
    list(SORT standard)
    list(TRANSFORM standard REPLACE "^(.+)$" "#include <\\1>\n")
    list(JOIN standard "" includes)
    # Blank lines where includes were.
    string(REGEX REPLACE "\n\n\n+" "\n\n" text "${text}")
    file(WRITE "${DIRECTORY}/${name}" "${lines}\n${includes}${text}")
endfunction()

set(written)
set(standard)
set(text "")
# The complaint about an older language comes before the standard headers complain.
add_header(hbm/core/language.hpp)
set(language "${text}")
set(text "")
add_header(hbm/hbm.hpp)
file(GLOB policies RELATIVE "${INCLUDE}" "${INCLUDE}/hbm/placement/*.hpp" "${INCLUDE}/hbm/planning/*.hpp"
    "${INCLUDE}/hbm/device/*.hpp")
foreach(policy IN LISTS policies)
    add_header("${policy}")
endforeach()
write_file(hbm.hpp "// hbm ${VERSION}: <hbm/hbm.hpp> and all policies, in one file. Made by the target hbm_single_header.
#pragma once
${language}")

set(standard)
set(text "")
add_header(hbm/mesh.hpp)
file(GLOB reports RELATIVE "${INCLUDE}" "${INCLUDE}/hbm/explain/*.hpp")
foreach(report IN LISTS reports)
    add_header("${report}")
endforeach()
write_file(hbm_report.hpp "// hbm ${VERSION}: <hbm/mesh.hpp> and <hbm/explain/*.hpp>, in one file. Made by the target hbm_single_header.
#pragma once

#include \"hbm.hpp\"
")
