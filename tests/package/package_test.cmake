# Run by ctest: installs the libraries from a build of their own, without the harness, then builds and runs an outside
# project against the prefix. Moves the prefix in between, so that nothing refers to where it was made.
#   cmake -DSOURCE=... -DWORK=... -DCXX=... -DGENERATOR=... -P package_test.cmake
function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    list(JOIN ARGV " " command)
    message(FATAL_ERROR "${command}\nfailed (${result}):\n${output}")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK})
set(tools -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_BUILD_TYPE=Release)
run(${CMAKE_COMMAND} -S ${SOURCE} -B ${WORK}/bb ${tools} -DBB_HARNESS=OFF -DBB_TESTS=OFF)
run(${CMAKE_COMMAND} --build ${WORK}/bb)
run(${CMAKE_COMMAND} --install ${WORK}/bb --prefix ${WORK}/made)
file(RENAME ${WORK}/made ${WORK}/prefix)

run(${CMAKE_COMMAND} -S ${SOURCE}/tests/package -B ${WORK}/outside ${tools} -DCMAKE_PREFIX_PATH=${WORK}/prefix)
run(${CMAKE_COMMAND} --build ${WORK}/outside)
run(${WORK}/outside/outside)

# The harness stays out of it.
file(GLOB_RECURSE headers ${WORK}/prefix/include/*)
foreach(header ${headers})
  file(READ ${header} text)
  if(text MATCHES "#include \"(harness|workloads|runtimes)/")
    message(FATAL_ERROR "${header} includes a file that is not installed: ${CMAKE_MATCH_0}")
  endif()
endforeach()
