# The project as a Meson subproject of somebody else's, with the wrap file of the page on packages.
include("${CMAKE_CURRENT_LIST_DIR}/steps.cmake")

find_program(MESON meson)
find_program(NINJA NAMES ninja ninja-build)
if(NOT MESON OR NOT NINJA)
    leave_out("meson was not found, or no ninja (Debian: apt-get install meson ninja-build)")
endif()

# Its address is never asked for: the folder is there already.
file(READ "${SOURCE}/examples/packaging/README.md" page)
if(NOT page MATCHES "\n```ini\n(\\[wrap-git\\]\n[^`]*)```\n")
    message(FATAL_ERROR "examples/packaging/README.md shows no wrap file")
endif()
set(wrap "${CMAKE_MATCH_1}")

set(project "${SCRATCH}/meson")
file(COPY "${consumer}/meson/meson.build" "${consumer}/main.cpp" DESTINATION "${project}")
file(MAKE_DIRECTORY "${project}/subprojects")
file(CREATE_LINK "${SOURCE}" "${project}/subprojects/hbm" SYMBOLIC)
file(WRITE "${project}/subprojects/hbm.wrap" "${wrap}")
set(ENV{CXX} "${COMPILER}")
step("configuring" "${MESON}" setup --buildtype plain "${project}/build" "${project}")
step("building" "${NINJA}" -C "${project}/build")
run("${project}/build/consumer")
