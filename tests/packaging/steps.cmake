# What the packaging tests share. Each needs SOURCE (the project), BUILD (its build folder), VERSION, COMPILER and SCRATCH
# (a folder that is emptied first).
cmake_minimum_required(VERSION 3.25)

set(consumer "${CMAKE_CURRENT_LIST_DIR}/consumer")
file(REMOVE_RECURSE "${SCRATCH}")
file(MAKE_DIRECTORY "${SCRATCH}")

function(step what)
    execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
    if(NOT status EQUAL 0)
        message(FATAL_ERROR "${what} failed (${status}):\n${output}")
    endif()
endfunction()

# Configures, builds and runs the consumer in the given folder.
function(build_and_run folder)
    step("configuring" "${CMAKE_COMMAND}" -S "${consumer}/${folder}" -B "${SCRATCH}/build"
        "-DCMAKE_CXX_COMPILER=${COMPILER}" "-DHBM_VERSION=${VERSION}" ${ARGN})
    step("building" "${CMAKE_COMMAND}" --build "${SCRATCH}/build")
    step("running" "${SCRATCH}/build/consumer")
endfunction()
