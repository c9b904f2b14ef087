# After installation: the plain compiler with what pkg-config says, and Meson, which finds the library by pkg-config.
include("${CMAKE_CURRENT_LIST_DIR}/steps.cmake")

find_program(PKG_CONFIG pkg-config)
if(NOT PKG_CONFIG)
    leave_out("pkg-config was not found (Debian: apt-get install pkg-config)")
endif()

# Moved after installation: nothing may depend on the prefix.
install_to("${SCRATCH}/first" Unspecified) # the headers and package files
file(RENAME "${SCRATCH}/first" "${SCRATCH}/prefix")
set(ENV{PKG_CONFIG_PATH} "${SCRATCH}/prefix/share/pkgconfig")

step("asking for the version" "${PKG_CONFIG}" --modversion hbm)
if(NOT output STREQUAL "${VERSION}\n")
    message(FATAL_ERROR "pkg-config says version ${output}")
endif()
step("asking for the flags" "${PKG_CONFIG}" --cflags --libs "hbm >= 0.1")
separate_arguments(flags UNIX_COMMAND "${output}")
step("compiling" "${COMPILER}" -std=c++20 ${strict} -fno-exceptions -fno-rtti "${consumer}/main.cpp"
    "-DPACKAGE_VERSION_EXPECTED=\"${VERSION}\"" ${flags} -o "${SCRATCH}/consumer")
run("${SCRATCH}/consumer")

find_program(MESON meson)
find_program(NINJA NAMES ninja ninja-build)
if(MESON AND NINJA)
    file(COPY "${consumer}/pkg_config/meson.build" "${consumer}/pkg_config/meson_options.txt"
        DESTINATION "${SCRATCH}/project")
    set(ENV{CXX} "${COMPILER}")
    # What was compiled above need not be compiled again.
    step("configuring with Meson" "${MESON}" setup "${SCRATCH}/build" "${SCRATCH}/project"
        "-Dprefix_of_hbm=${SCRATCH}/prefix")
endif()
