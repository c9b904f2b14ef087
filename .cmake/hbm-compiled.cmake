# The parts that are compiled, each only for those who link it.
function(hbm_add_compiled include)
    # hbm::explain: explanations compiled once, for hbm/explain/explained.hpp, and the planner, for hbm::c.
    add_library(hbm_explain STATIC EXCLUDE_FROM_ALL "${include}/hbm/explain.cpp")
    add_library(hbm::explain ALIAS hbm_explain)
    target_compile_features(hbm_explain PUBLIC cxx_std_20)
    target_include_directories(hbm_explain PUBLIC "$<BUILD_INTERFACE:${include}>")
    set_target_properties(hbm_explain PROPERTIES CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON)

    # hbm::c: the C interface. Its users may be C, or C++ older than C++20.
    add_library(hbm_c STATIC EXCLUDE_FROM_ALL "${include}/hbm/c.cpp")
    add_library(hbm::c ALIAS hbm_c)
    target_compile_features(hbm_c PRIVATE cxx_std_20)
    target_include_directories(hbm_c PUBLIC "$<BUILD_INTERFACE:${include}>")
    target_compile_options(hbm_c PRIVATE -fno-exceptions -fno-rtti)
    set_target_properties(hbm_c PROPERTIES CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON)
    # The runtime of C++, for a project that is C alone.
    set(runtime ${CMAKE_CXX_IMPLICIT_LINK_LIBRARIES})
    list(FILTER runtime INCLUDE REGEX "^(stdc|c)[+][+]$")
    target_link_libraries(hbm_c PRIVATE hbm_explain INTERFACE ${runtime})
endfunction()
