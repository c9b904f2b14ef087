# Runs the tests of packages and clients in the folder BUILD with the program CTEST, and then lists for each what came of
# it. A test that is left out has printed "left out: WHY".
cmake_minimum_required(VERSION 3.22)

execute_process(COMMAND "${CTEST}" -C "${CONFIGURATION}" -R "^(packaging|clients)\\." --output-on-failure --timeout 600 --parallel 2
    WORKING_DIRECTORY "${BUILD}" RESULT_VARIABLE status OUTPUT_VARIABLE results ECHO_OUTPUT_VARIABLE)
file(READ "${BUILD}/Testing/Temporary/LastTest.log" log)

set(listing "")
string(REGEX MATCHALL "Test +#[0-9]+: [^ \n]+ [^\n]* sec" results "${results}")
foreach(result IN LISTS results)
    string(REGEX MATCH "#[0-9]+: ([^ ]+) .* ([0-9.]+) sec" result "${result}")
    set(name "${CMAKE_MATCH_1}")
    set(outcome "FAILED")
    if(result MATCHES "[. ]Passed ")
        string(REGEX MATCH "([0-9.]+) sec" seconds "${result}")
        set(outcome "built and ran, ${seconds}")
    elseif(result MATCHES "\\*Skipped ")
        string(FIND "${log}" "Testing: ${name}\n" begin)
        string(SUBSTRING "${log}" ${begin} -1 rest)
        string(REGEX MATCH "\n(-- )?(left out: [^\n]*)" why "${rest}")
        set(outcome "${CMAKE_MATCH_2}")
    endif()
    string(APPEND listing "  ${name}: ${outcome}\n")
endforeach()

if(NOT results)
    message(FATAL_ERROR "no test was run")
endif()
message("\nWays into another project, faces and clients:\n${listing}")
if(NOT status EQUAL 0)
    message(FATAL_ERROR "not all of them work")
endif()
