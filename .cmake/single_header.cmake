# The target hbm_single_header writes the library as two files to copy: single/hbm.hpp, which is <hbm/hbm.hpp> with all
# policies, and single/hbm_report.hpp, which adds <hbm/explain/explain.hpp> and the mesh, and includes hbm.hpp.
set(hbm_single_header_directory "${PROJECT_BINARY_DIR}/single")
file(GLOB_RECURSE hbm_single_header_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/include/hbm/*.hpp")
add_custom_command(
    OUTPUT "${hbm_single_header_directory}/hbm.hpp" "${hbm_single_header_directory}/hbm_report.hpp"
    COMMAND "${CMAKE_COMMAND}" "-DINCLUDE=${PROJECT_SOURCE_DIR}/include" "-DVERSION=${PROJECT_VERSION}"
        "-DDIRECTORY=${hbm_single_header_directory}" -P "${PROJECT_SOURCE_DIR}/.cmake/write_single_header.cmake"
    DEPENDS ${hbm_single_header_sources} "${PROJECT_SOURCE_DIR}/.cmake/write_single_header.cmake"
    COMMENT "Writing the library as single headers into ${hbm_single_header_directory}"
    VERBATIM)
add_custom_target(hbm_single_header DEPENDS "${hbm_single_header_directory}/hbm.hpp")
