# The comparison after installation: somebody else's policy beside the shipped managers, on the installed traces.
include("${CMAKE_CURRENT_LIST_DIR}/steps.cmake")

if(NOT HAS_COMPARE)
    leave_out("this build is without the comparison (-DHBM_BUILD_BENCH=ON)")
endif()

# Moved after installation: the traces must be found all the same.
install_to("${SCRATCH}/first")
file(RENAME "${SCRATCH}/first" "${SCRATCH}/prefix")

step("configuring" "${CMAKE_COMMAND}" -S "${consumer}/compare" -B "${SCRATCH}/build" "-DCMAKE_CXX_COMPILER=${COMPILER}"
    "-DCMAKE_PREFIX_PATH=${SCRATCH}/prefix")
step("building" "${CMAKE_COMMAND}" --build "${SCRATCH}/build")

# All default workloads, recorded and generated.
unset(ENV{HBM_TRACE_DIRECTORY})
step("comparing" "${SCRATCH}/build/consumer" --manager lowest_fit --manager first_fit -q --format csv)
foreach(expected IN ITEMS resnet18_sgd llm_serving "lowest_fit" "first_fit")
    if(NOT output MATCHES "${expected}")
        message(FATAL_ERROR "expected ${expected} in\n${output}")
    endif()
endforeach()
# The consumer's policy is the same as first_fit, so its figures are the same.
string(REGEX MATCHALL "[^\n]*,lowest_fit,[^\n]*" own "${output}")
string(REGEX MATCHALL "[^\n]*,first_fit,[^\n]*" shipped "${output}")
string(REPLACE "lowest_fit" "first_fit" own "${own}")
if(NOT own OR NOT own STREQUAL shipped)
    message(FATAL_ERROR "the figures differ:\n${own}\n${shipped}")
endif()

# So are the explanations of its failures, which the library has compiled already.
step("explaining" "${SCRATCH}/build/consumer" --workload llm_serving --manager lowest_fit --manager first_fit -q
    --on-oom "${SCRATCH}/failures.txt")
file(READ "${SCRATCH}/failures.txt" failures)
string(REPLACE "\n\n\n==" "\n==" failures "${failures}")
string(FIND "${failures}" "\n== llm_serving" second REVERSE)
string(SUBSTRING "${failures}" 0 ${second} shipped)
string(SUBSTRING "${failures}" ${second} -1 own)
string(REPLACE "lowest_fit" "first_fit" own "${own}")
# What was in memory stands once, for it is the same.
string(FIND "${own}" "Memory contents omitted; same failure as first_fit above." folded)
string(SUBSTRING "${own}" 0 ${folded} own)
string(STRIP "${own}" own)
string(STRIP "${shipped}" shipped)
string(LENGTH "${own}" length)
string(SUBSTRING "${shipped}" 0 ${length} shipped)
if(folded EQUAL -1 OR NOT own STREQUAL shipped OR NOT own MATCHES "Remedies")
    message(FATAL_ERROR "the explanations differ:\n${failures}")
endif()

step("asking the installed program" "${SCRATCH}/prefix/bin/hbm_compare" --version)
if(NOT output STREQUAL "hbm_compare ${VERSION}\n")
    message(FATAL_ERROR "the installed program says ${output}")
endif()
