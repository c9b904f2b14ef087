# What `cmake --install` installs: the headers, the printers for debuggers, the package files for CMake and pkg-config,
# and, where it has been built, the comparison. Nothing has to be built for the headers.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(hbm_package_directory "${CMAKE_INSTALL_DATADIR}/cmake/hbm")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/hbm" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
    FILES_MATCHING PATTERN "*.hpp")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/examples/debuggers" DESTINATION "${CMAKE_INSTALL_DATADIR}/hbm"
    FILES_MATCHING PATTERN "*.py" PATTERN "*.natvis" PATTERN "__pycache__" EXCLUDE)
set_property(TARGET hbm PROPERTY INTERFACE_INCLUDE_DIRECTORIES "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>"
    "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
install(TARGETS hbm EXPORT hbm_targets)
install(EXPORT hbm_targets NAMESPACE hbm:: FILE hbm-targets.cmake DESTINATION "${hbm_package_directory}")

# hbm::compare has machine code and knows paths, so its files are beside the libraries.
set(hbm_compare_package_directory "${CMAKE_INSTALL_LIBDIR}/cmake/hbm")
set(hbm_compare_trace_directory "${CMAKE_INSTALL_DATADIR}/hbm/traces")
set(hbm_compare_library_pattern "${CMAKE_INSTALL_LIBDIR}/*hbm_compare.*")
if(TARGET hbm_compare_library)
    set(hbm_compare_include_directory "${CMAKE_INSTALL_INCLUDEDIR}/hbm_compare")
    target_include_directories(hbm_compare_library INTERFACE "$<INSTALL_INTERFACE:${hbm_compare_include_directory}>")
    install(FILES "${PROJECT_SOURCE_DIR}/bench/hbm_compare.hpp" DESTINATION "${hbm_compare_include_directory}"
        COMPONENT compare)
    install(DIRECTORY "${PROJECT_SOURCE_DIR}/bench/compare" DESTINATION "${hbm_compare_include_directory}"
        COMPONENT compare FILES_MATCHING PATTERN "*.hpp")
    install(DIRECTORY "${HBM_TRACE_DIRECTORY}/" DESTINATION "${hbm_compare_trace_directory}"
        COMPONENT compare FILES_MATCHING PATTERN "*.csv")
    # Optional: whoever wants only the headers need not build anything.
    install(TARGETS hbm_compare_library EXPORT hbm_compare_targets
        ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT compare OPTIONAL)
    if(TARGET hbm_compare)
        install(TARGETS hbm_compare RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT compare OPTIONAL)
    endif()
    install(EXPORT hbm_compare_targets NAMESPACE hbm:: FILE hbm-compare-targets.cmake
        DESTINATION "${hbm_compare_package_directory}" COMPONENT compare)
endif()

configure_package_config_file("${PROJECT_SOURCE_DIR}/.cmake/hbm-config.cmake.in" "${PROJECT_BINARY_DIR}/hbm-config.cmake"
    INSTALL_DESTINATION "${hbm_package_directory}"
    PATH_VARS hbm_compare_package_directory hbm_compare_trace_directory hbm_compare_library_pattern)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/hbm-config-version.cmake"
    COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES "${PROJECT_BINARY_DIR}/hbm-config.cmake" "${PROJECT_BINARY_DIR}/hbm-config-version.cmake"
    DESTINATION "${hbm_package_directory}")

# pkg-config finds the prefix from where the file is, so that the prefix may be chosen, or changed, after configuring.
file(RELATIVE_PATH hbm_up "${CMAKE_INSTALL_FULL_DATADIR}/pkgconfig" "${CMAKE_INSTALL_PREFIX}")
string(REGEX REPLACE "/$" "" hbm_up "${hbm_up}")
file(WRITE "${PROJECT_BINARY_DIR}/hbm.pc" "prefix=\${pcfiledir}/${hbm_up}
includedir=\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}

Name: hbm
Description: ${PROJECT_DESCRIPTION}
Version: ${PROJECT_VERSION}
Cflags: -I\${includedir}
")
install(FILES "${PROJECT_BINARY_DIR}/hbm.pc" DESTINATION "${CMAKE_INSTALL_DATADIR}/pkgconfig")
