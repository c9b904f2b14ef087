# The single headers, copied into somebody else's folder.
include("${CMAKE_CURRENT_LIST_DIR}/steps.cmake")

step("writing" "${CMAKE_COMMAND}" --build "${BUILD}" --target hbm_single_header)
file(COPY "${BUILD}/single/hbm.hpp" DESTINATION "${SCRATCH}/one")
file(COPY "${BUILD}/single/hbm.hpp" "${BUILD}/single/hbm_report.hpp" DESTINATION "${SCRATCH}/two")
file(STRINGS "${SCRATCH}/one/hbm.hpp" first LIMIT_COUNT 1)
if(NOT first MATCHES "^// hbm ${VERSION}: ")
    message(FATAL_ERROR "the first line does not name the version: ${first}")
endif()

set(flags -std=c++20 ${strict} -fno-exceptions -fno-rtti "-DPACKAGE_VERSION_EXPECTED=\"${VERSION}\"")
file(READ "${consumer}/main.cpp" program)
string(REPLACE "<hbm/hbm.hpp>" "\"hbm.hpp\"" program "${program}")
file(WRITE "${SCRATCH}/one/main.cpp" "${program}")
step("compiling" "${COMPILER}" ${flags} "${SCRATCH}/one/main.cpp" -o "${SCRATCH}/one/consumer")
run("${SCRATCH}/one/consumer")

# With reports, in two translation units.
string(REPLACE "\"hbm.hpp\"\n" "\"hbm.hpp\"\n#include \"hbm_report.hpp\"\n" program "${program}")
string(REPLACE "    if (!weights" "    std::puts(hbm::explain(device, too_much.error()).c_str());\n    if (!weights" program
    "${program}")
file(WRITE "${SCRATCH}/two/main.cpp" "${program}")
file(WRITE "${SCRATCH}/two/second.cpp" "#include \"hbm_report.hpp\"\n")
step("compiling with reports" "${COMPILER}" ${flags} "${SCRATCH}/two/main.cpp" "${SCRATCH}/two/second.cpp"
    -o "${SCRATCH}/two/consumer")
run("${SCRATCH}/two/consumer")
if(NOT output MATCHES "RESOURCE_EXHAUSTED: .*Alternatives")
    message(FATAL_ERROR "the explanation is\n${output}")
endif()
