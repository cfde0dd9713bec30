# Tests of the tree itself: lint, format, the scripts' own tests, and headers that compile alone.

# The first Python that has what the scripts need; the one first on PATH may lack it.
foreach(candidate /usr/bin/python3 python3)
  execute_process(COMMAND ${candidate} -c "import pytest, jsonschema, matplotlib" RESULT_VARIABLE result
                  OUTPUT_QUIET ERROR_QUIET)
  if(result EQUAL 0)
    set(python ${candidate})
    break()
  endif()
endforeach()

if(python)
  add_test(NAME lint/rules COMMAND ${python} ${PROJECT_SOURCE_DIR}/scripts/lint.py)
  set_tests_properties(lint/rules PROPERTIES LABELS lint TIMEOUT 60)
  file(GLOB scripts CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*_test.py)
  foreach(script ${scripts})
    get_filename_component(name ${script} NAME_WE)
    add_test(NAME pytest/${name} COMMAND ${python} -B -m pytest -q -p no:cacheprovider ${script})
    set_tests_properties(pytest/${name} PROPERTIES LABELS pytest TIMEOUT 600
      ENVIRONMENT "BB_SOURCE_DIR=${PROJECT_SOURCE_DIR};BB_BINARY_DIR=${PROJECT_BINARY_DIR}")
    if(name MATCHES "^cli_")
      set_tests_properties(pytest/${name} PROPERTIES PROCESSORS 2)  # they measure: nothing beside them
    endif()
  endforeach()
else()
  message(STATUS "lint and pytest are left out: no python3 with pytest, jsonschema, matplotlib (scripts/setup)")
endif()

find_program(BB_CLANG_FORMAT clang-format-14)
if(BB_CLANG_FORMAT)
  set(sources)
  foreach(folder harness workloads runtimes tests)
    file(GLOB_RECURSE found CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.[ch]pp)
    list(APPEND sources ${found})
  endforeach()
  if(sources)
    add_test(NAME lint/format COMMAND ${BB_CLANG_FORMAT} --dry-run -Werror ${sources})
    set_tests_properties(lint/format PROPERTIES LABELS lint TIMEOUT 60)
  endif()
else()
  message(STATUS "formatting is not checked: no clang-format-14 (scripts/setup test)")
endif()

# Each header alone, without warnings: the libraries' with every compiler that they promise, ours with the one in use.
function(bb_check_headers compiler)
  find_program(BB_HEADERS_${compiler} ${compiler})
  if(NOT BB_HEADERS_${compiler})
    message(STATUS "headers are not checked with ${compiler}: not installed (scripts/setup test)")
    return()
  endif()
  foreach(header ${ARGN})
    set(name headers/${compiler}/${header})
    add_test(NAME ${name} COMMAND ${BB_HEADERS_${compiler}} -std=c++20 -fsyntax-only -Wall -Wextra -Werror
      -I ${PROJECT_SOURCE_DIR} -I ${PROJECT_SOURCE_DIR}/runtimes -include ${PROJECT_SOURCE_DIR}/${header}
      -x c++ /dev/null)
    set_tests_properties(${name} PROPERTIES LABELS headers TIMEOUT 120)
  endforeach()
endfunction()

file(GLOB libraries CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/runtimes/*/*.hpp)
foreach(compiler g++-12 clang++-14 clang++-16 clang++-19)
  bb_check_headers(${compiler} ${libraries})
endforeach()
file(GLOB ours CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/harness/*.hpp
  ${PROJECT_SOURCE_DIR}/workloads/*.hpp)
bb_check_headers(clang++-19 ${ours})
