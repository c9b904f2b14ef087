# Embed the project by add_subdirectory in somebody else's, which checks that nothing else came along.
include("${CMAKE_CURRENT_LIST_DIR}/steps.cmake")

build_and_run(embedded "-DHBM_SOURCE_DIRECTORY=${SOURCE}" "-DCMAKE_INSTALL_PREFIX=${SCRATCH}/prefix")

step("installing" "${CMAKE_COMMAND}" --install "${SCRATCH}/build")
if(EXISTS "${SCRATCH}/prefix")
    message(FATAL_ERROR "an embedded project must install nothing")
endif()
