# find_package(bb) exports the runtime libraries, usable without the harness:
#   find_package(bb REQUIRED COMPONENTS heartbeat)
#   target_link_libraries(program PRIVATE bb::heartbeat)     # #include <bb/heartbeat/heartbeat.hpp>
# Without the harness:  cmake -B build -DBB_HARNESS=OFF -DBB_TESTS=OFF && cmake --install build --prefix DIR
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(bb_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/bb)

# One export set for each library, so that a library that is not built is just a component that is not there.
function(bb_install_library name)
  if(NOT TARGET bb_${name})
    return()
  endif()
  install(TARGETS bb_${name} EXPORT bb_${name} COMPONENT ${name}
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
          INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/runtimes/${name}/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/bb/${name}
          COMPONENT ${name} FILES_MATCHING PATTERN "*.hpp")
  install(EXPORT bb_${name} NAMESPACE bb:: DESTINATION ${bb_package_dir} FILE bb-${name}.cmake COMPONENT ${name})
endfunction()

bb_install_library(heartbeat)

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/bb-config.cmake.in ${PROJECT_BINARY_DIR}/bb-config.cmake
                              INSTALL_DESTINATION ${bb_package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/bb-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/bb-config.cmake ${PROJECT_BINARY_DIR}/bb-config-version.cmake
        DESTINATION ${bb_package_dir})

if(BB_TESTS)
  add_test(NAME package_test
           COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -DWORK=${PROJECT_BINARY_DIR}/package
                   -DCXX=${CMAKE_CXX_COMPILER} -DGENERATOR=${CMAKE_GENERATOR}
                   -P ${PROJECT_SOURCE_DIR}/tests/package/package_test.cmake)
  set_tests_properties(package_test PROPERTIES LABELS package TIMEOUT 600)
endif()
