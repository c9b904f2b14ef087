# What the packaging tests share. Each needs SOURCE (the project), BUILD (its build folder), CONFIGURATION (what is built
# there), VERSION, COMPILER and SCRATCH (a folder that is emptied first).
cmake_minimum_required(VERSION 3.22)

set(consumer "${CMAKE_CURRENT_LIST_DIR}/consumer")
# The warnings of a strict consumer.
set(strict -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wsign-conversion -Werror)
file(REMOVE_RECURSE "${SCRATCH}")
file(MAKE_DIRECTORY "${SCRATCH}")

# Runs a command; what it printed is in `output`.
function(step what)
    execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
    if(NOT status EQUAL 0)
        message(FATAL_ERROR "${what} failed (${status}):\n${output}")
    endif()
    set(output "${output}" PARENT_SCOPE)
endfunction()

# Runs a consumer, which says that it works.
function(run program)
    step("running" "${program}" ${ARGN})
    if(NOT output MATCHES "hbm ${VERSION}: 6.00G of 15.75G\n")
        message(FATAL_ERROR "the program printed\n${output}")
    endif()
    set(output "${output}" PARENT_SCOPE)
endfunction()

# Configures, builds and runs the consumer in the given folder.
function(build_and_run folder)
    step("configuring" "${CMAKE_COMMAND}" -S "${consumer}/${folder}" -B "${SCRATCH}/build"
        "-DCMAKE_CXX_COMPILER=${COMPILER}" "-DPACKAGE_VERSION_EXPECTED=${VERSION}" ${ARGN})
    step("building" "${CMAKE_COMMAND}" --build "${SCRATCH}/build")
    run("${SCRATCH}/build/consumer")
endfunction()

# Installs everything, or the given component.
function(install_to prefix)
    set(arguments --prefix "${prefix}")
    if(CONFIGURATION)
        list(APPEND arguments --config "${CONFIGURATION}")
    endif()
    if(ARGN)
        list(APPEND arguments --component ${ARGN})
    endif()
    step("installing" "${CMAKE_COMMAND}" --install "${BUILD}" ${arguments})
endfunction()

# Ends the test, with the reason.
macro(leave_out why)
    message(STATUS "left out: ${why}")
    return()
endmacro()
