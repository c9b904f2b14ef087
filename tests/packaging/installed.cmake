# Install, look at what was installed, and build somebody else's program on it.
include("${CMAKE_CURRENT_LIST_DIR}/steps.cmake")

step("installing" "${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${SCRATCH}/prefix")

file(GLOB_RECURSE ours RELATIVE "${SOURCE}/include" "${SOURCE}/include/hbm/*.hpp")
file(GLOB_RECURSE installed RELATIVE "${SCRATCH}/prefix/include" "${SCRATCH}/prefix/include/*")
set(missing ${ours})
list(REMOVE_ITEM missing ${installed})
list(REMOVE_ITEM installed ${ours})
if(missing OR installed)
    message(FATAL_ERROR "installed, but none of our headers: ${installed}\nours, but not installed: ${missing}\n"
        "(headers added since the last configure run count as not installed)")
endif()

build_and_run(installed "-DCMAKE_PREFIX_PATH=${SCRATCH}/prefix")
