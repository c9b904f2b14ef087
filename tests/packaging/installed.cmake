# Install, look at what was installed, and build somebody else's program on it.
include("${CMAKE_CURRENT_LIST_DIR}/steps.cmake")

install_to("${SCRATCH}/prefix" Unspecified) # the headers and package files

file(GLOB_RECURSE ours RELATIVE "${SOURCE}/include" "${SOURCE}/include/hbm/*.hpp")
file(GLOB_RECURSE installed RELATIVE "${SCRATCH}/prefix/include" "${SCRATCH}/prefix/include/*")
set(missing ${ours})
list(REMOVE_ITEM missing ${installed})
list(REMOVE_ITEM installed ${ours})
if(missing OR installed)
    message(FATAL_ERROR "installed, but none of our headers: ${installed}\nours, but not installed: ${missing}")
endif()

if(NOT EXISTS "${SCRATCH}/prefix/share/hbm/debuggers/hbm_gdb.py" OR NOT EXISTS "${SCRATCH}/prefix/share/hbm/debuggers/hbm_view.py")
    message(FATAL_ERROR "The printers for debuggers are not installed")
endif()

# Moved after installation: nothing may depend on the prefix.
file(RENAME "${SCRATCH}/prefix" "${SCRATCH}/moved")
build_and_run(installed "-DCMAKE_PREFIX_PATH=${SCRATCH}/moved")
