# hbm::c: the C interface, compiled only for those who link it. They may be C, or C++ older than C++20.
function(hbm_add_c_interface include)
    add_library(hbm_c STATIC EXCLUDE_FROM_ALL "${include}/hbm/c.cpp")
    add_library(hbm::c ALIAS hbm_c)
    target_compile_features(hbm_c PRIVATE cxx_std_20)
    target_include_directories(hbm_c PUBLIC "$<BUILD_INTERFACE:${include}>")
    target_compile_options(hbm_c PRIVATE -fno-exceptions -fno-rtti)
    set_target_properties(hbm_c PROPERTIES CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON)
    # The runtime of C++, for a project that is C alone.
    set(runtime ${CMAKE_CXX_IMPLICIT_LINK_LIBRARIES})
    list(FILTER runtime INCLUDE REGEX "^(stdc|c)[+][+]$")
    target_link_libraries(hbm_c INTERFACE ${runtime})
endfunction()
