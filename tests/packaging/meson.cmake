# The project as a Meson subproject of somebody else's.
include("${CMAKE_CURRENT_LIST_DIR}/steps.cmake")

find_program(MESON meson)
find_program(NINJA NAMES ninja ninja-build)
if(NOT MESON OR NOT NINJA)
    message(STATUS "meson was not found, or no ninja")
    return()
endif()

file(COPY "${consumer}/meson/meson.build" "${consumer}/main.cpp" DESTINATION "${SCRATCH}/project")
file(MAKE_DIRECTORY "${SCRATCH}/project/subprojects")
file(CREATE_LINK "${SOURCE}" "${SCRATCH}/project/subprojects/hbm" SYMBOLIC)

set(ENV{CXX} "${COMPILER}")
step("configuring" "${MESON}" setup "${SCRATCH}/build" "${SCRATCH}/project")
step("building" "${NINJA}" -C "${SCRATCH}/build")
step("running" "${SCRATCH}/build/consumer")
