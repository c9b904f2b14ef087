# An overlay port: the sources are the clone that holds it.
cmake_path(SET SOURCE_PATH NORMALIZE "${CURRENT_PORT_DIR}/../../../..")
set(VCPKG_BUILD_TYPE release) # headers only
vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}"
    OPTIONS -DHBM_BUILD_TESTS=OFF -DHBM_BUILD_BENCH=OFF -DHBM_BUILD_EXAMPLES=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH share/cmake/hbm)
vcpkg_fixup_pkgconfig()
# No licence has been chosen yet, so that there is no file of it.
set(VCPKG_POLICY_SKIP_COPYRIGHT_CHECK enabled)
