# bb_runtime(NAME [FIND package] [LINK targets] [HEADER header] [MISSING text] [PACKAGE debian-package] [SUMMARY text]
#            [DEFINE ...] [MODULES name...])
#
# Adds runtimes/NAME.cpp as one row, an object library with flags and packages of its own. If what it needs is not
# there, or MISSING says so, the row is `absent` with the reason instead. The order of the calls is the order of the
# rows. MODULES are targets of bb_module(): the row is a description, and they hold its code.
set_property(GLOBAL PROPERTY bb_rows "")

# One adapter compiled with the flags of all rows.
function(bb_row_library name)
  add_library(bb_row_${name} OBJECT ${CMAKE_CURRENT_SOURCE_DIR}/${name}.cpp)
  target_include_directories(bb_row_${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(bb_row_${name} PRIVATE bb_options nlohmann_json::nlohmann_json ${ARGN})
endfunction()

function(bb_runtime name)
  cmake_parse_arguments(arg "SKELETON" "HEADER;MISSING;PACKAGE;SUMMARY" "FIND;LINK;DEFINE;MODULES" ${ARGN})
  if(arg_SKELETON)  # compiled, so that it cannot rot, but no row of any program
    bb_row_library(${name})
    return()
  endif()
  set(missing "${arg_MISSING}")
  if(arg_FIND)
    find_package(${arg_FIND} QUIET)
    list(GET arg_FIND 0 package)
    if(NOT ${package}_FOUND)
      set(missing "${package} was not found")
    endif()
  endif()
  if(arg_HEADER)
    include(CheckIncludeFileCXX)
    string(MAKE_C_IDENTIFIER "BB_HAS_${arg_HEADER}" has)
    if(NOT ${has})
      unset(${has} CACHE)  # look again: the package may have come since
    endif()
    check_include_file_cxx(${arg_HEADER} ${has})
    if(NOT ${has})
      set(missing "<${arg_HEADER}> was not found")
    endif()
  endif()
  if(missing)
    if(arg_PACKAGE)
      # No semicolon: it would part this entry of the list of rows into two.
      string(APPEND missing " when bb was built: apt-get install ${arg_PACKAGE}, then build again")
    endif()
    set_property(GLOBAL APPEND PROPERTY bb_rows "absent|${name}|${arg_SUMMARY}|${missing}")
    return()
  endif()
  bb_row_library(${name} ${arg_LINK})
  target_compile_definitions(bb_row_${name} PRIVATE ${arg_DEFINE})
  if(arg_MODULES)
    target_compile_options(bb_row_${name} PRIVATE -Wno-unknown-pragmas)
    add_dependencies(bb_row_${name} ${arg_MODULES})
  endif()
  set_property(GLOBAL APPEND PROPERTY bb_rows "row|${name}|${arg_LINK}")
endfunction()

# bb_module(ROW NAME COMPILER path [FLAGS ...] [LINK ...] [DEFINE ...])
#
# runtimes/ROW.cpp as a module (harness/module.hpp): a shared library bb_ROW_NAME.so, compiled by COMPILER, whichever
# compiler builds the rest, with the flags of all rows. One translation unit, all symbols bound inside, so that it calls
# as directly as a linked row does. Sanitizers are left out: the compilers' runtimes do not mix.
function(bb_module row name)
  cmake_parse_arguments(arg "" "COMPILER" "FLAGS;LINK;DEFINE" ${ARGN})
  string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
  separate_arguments(flags UNIX_COMMAND "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${type}}")
  get_target_property(options bb_options INTERFACE_COMPILE_OPTIONS)
  list(FILTER options EXCLUDE REGEX "sanitize|[$]<")  # conditions on the compiler are about the other one
  get_target_property(json nlohmann_json::nlohmann_json INTERFACE_INCLUDE_DIRECTORIES)
  list(TRANSFORM json PREPEND -isystem)
  list(FILTER json EXCLUDE REGEX "^-isystem/usr/include$")
  list(TRANSFORM arg_DEFINE PREPEND -D)
  set(base ${CMAKE_CURRENT_BINARY_DIR}/bb_${row}_${name})
  add_custom_command(OUTPUT ${base}.so DEPFILE ${base}.d
    COMMAND ${CMAKE_CXX_COMPILER_LAUNCHER} ${arg_COMPILER} -std=c++20 ${flags} ${options} ${arg_FLAGS} ${arg_DEFINE}
            -DBB_MODULE -I${PROJECT_SOURCE_DIR} ${json} -fPIC -fvisibility=hidden -fvisibility-inlines-hidden
            -MD -MF ${base}.d -MT bb_${row}_${name}.so -c ${CMAKE_CURRENT_SOURCE_DIR}/${row}.cpp -o ${base}.o
    COMMAND ${arg_COMPILER} -shared -Wl,-z,defs ${base}.o -o ${base}.so ${arg_LINK}
    DEPENDS ${row}.cpp COMMENT "Building the module ${row}_${name}" VERBATIM)
  add_custom_target(bb_module_${row}_${name} DEPENDS ${base}.so)
endfunction()

# bb_program(TARGET [EXTRA row...]): an executable with main.cpp and all rows that runtimes/ lists, then EXTRA ones.
function(bb_program target)
  cmake_parse_arguments(arg "" "" "EXTRA" ${ARGN})
  get_property(all GLOBAL PROPERTY bb_rows)
  set(declarations "")
  set(rows "")
  add_executable(${target} ${PROJECT_SOURCE_DIR}/harness/main.cpp)
  foreach(entry ${all} ${arg_EXTRA})
    string(REPLACE "|" ";" parts "${entry}")
    list(GET parts 0 kind)
    list(GET parts 1 name)
    if(kind STREQUAL "row")
      string(APPEND declarations "bb::row bb_row_${name}();\n")
      string(APPEND rows "  rows.push_back(bb_row_${name}());\n")
      list(LENGTH parts length)
      target_link_libraries(${target} PRIVATE bb_row_${name})
    else()
      list(GET parts 2 summary)
      list(GET parts 3 reason)
      string(APPEND rows "  rows.push_back({.id = \"${name}\", .summary = \"${summary}\", .absent = \"${reason}\"});\n")
    endif()
  endforeach()
  configure_file(${PROJECT_SOURCE_DIR}/harness/registry_rows.cpp.in ${target}_rows.cpp @ONLY)
  target_sources(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/${target}_rows.cpp)
  target_link_libraries(${target} PRIVATE bb_core)
endfunction()
