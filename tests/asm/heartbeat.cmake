# What the compiler makes of one fork (x86-64, optimised, whatever the build type; sanitizers would be seen in it).
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64" AND BB_SANITIZE STREQUAL "")
  add_executable(heartbeat_fork_asm asm/heartbeat_fork_asm.cpp)
  target_compile_options(heartbeat_fork_asm PRIVATE -O3 -DNDEBUG)
  target_link_libraries(heartbeat_fork_asm PRIVATE bb_options bb_heartbeat)
  add_test(NAME heartbeat_fork_asm_runs COMMAND heartbeat_fork_asm)
  add_test(NAME heartbeat_fork_asm
           COMMAND python3 ${CMAKE_CURRENT_SOURCE_DIR}/asm/heartbeat_fork.py $<TARGET_FILE:heartbeat_fork_asm>)
  set_tests_properties(heartbeat_fork_asm heartbeat_fork_asm_runs PROPERTIES LABELS asm)
endif()
