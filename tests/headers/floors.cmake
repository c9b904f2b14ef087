# Includes point downwards only: a header includes headers of its own folder or of floors below, and standard headers.
# Needs INCLUDE (the include folder).
cmake_minimum_required(VERSION 3.25)

# From the ground up. Folders in one line stand side by side and do not include each other.
set(floors
    "core fwd"
    "blocks"
    "index"
    "placement eviction donation device events search"
    "state pack"
    "relief"
    "manager"
    "fits mesh tpu"
    "better grid must_fit"
    "testing"
    "explain growth"
    "adapt"
    "c")
set(floor 0)
foreach(folders IN LISTS floors)
    math(EXPR floor "${floor} + 1")
    string(REPLACE " " ";" folders "${folders}")
    foreach(folder IN LISTS folders)
        set(floor_of_${folder} ${floor})
    endforeach()
endforeach()

# The folder of a header below include/hbm, or its own name when it stands there directly: fits.hpp, manager.hpp.
function(folder_of result header)
    string(REGEX REPLACE "^hbm/([^/.]+).*$" "\\1" folder "${header}")
    set(${result} "${folder}" PARENT_SCOPE)
endfunction()

set(mistakes)
file(GLOB_RECURSE headers RELATIVE "${INCLUDE}" "${INCLUDE}/hbm/*.hpp")
if(NOT headers)
    message(FATAL_ERROR "no headers in ${INCLUDE}")
endif()
foreach(header IN LISTS headers)
    folder_of(folder "${header}")
    if(folder STREQUAL "hbm")
        continue() # the umbrella stands above all floors
    endif()
    if(NOT DEFINED floor_of_${folder})
        list(APPEND mistakes "${header}: the folder ${folder} belongs to no floor yet: give it one in this test")
        continue()
    endif()
    file(STRINGS "${INCLUDE}/${header}" includes REGEX "^ *# *include")
    foreach(include IN LISTS includes)
        if(include MATCHES "\"")
            list(APPEND mistakes "${header}: ${include}: write <hbm/...>")
        elseif(include MATCHES "<(hbm/[^>]*)>")
            set(included "${CMAKE_MATCH_1}")
            folder_of(included_folder "${included}")
            if(included_folder STREQUAL folder)
                continue()
            elseif(NOT DEFINED floor_of_${included_folder} OR
                    NOT floor_of_${included_folder} LESS floor_of_${folder})
                list(APPEND mistakes "${header} includes ${included}, which is not on a floor below")
            endif()
        endif()
    endforeach()
endforeach()

if(mistakes)
    list(JOIN mistakes "\n  " mistakes)
    message(FATAL_ERROR "includes must point downwards:\n  ${mistakes}")
endif()
