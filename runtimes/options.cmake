# bb_options: code-generation and warning flags, the same for every row and library, so that no runtime wins by its
# flags. `bb --version` and every result tell them.
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O3 -DNDEBUG")
set(CMAKE_CXX_FLAGS_RELWITHASSERT "-O2 -g")

add_library(bb_options INTERFACE)
target_compile_features(bb_options INTERFACE cxx_std_20)
# Loop and function alignment decide sub-nanosecond rankings; fix them for all instead of leaving them to chance.
set(BB_ALIGNMENT -falign-functions=64 -falign-loops=32)
target_compile_options(bb_options INTERFACE -Wall -Wextra ${BB_ALIGNMENT})
# g++ 12 takes std::string concatenation for overlapping copies (GCC bug 105651).
target_compile_options(bb_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
if(BB_WERROR)
  target_compile_options(bb_options INTERFACE -Werror)
endif()
if(BB_SANITIZE STREQUAL "address")
  set(bb_sanitize -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
elseif(BB_SANITIZE STREQUAL "thread")
  set(bb_sanitize -fsanitize=thread -fno-omit-frame-pointer)
elseif(NOT BB_SANITIZE STREQUAL "")
  message(FATAL_ERROR "BB_SANITIZE='${BB_SANITIZE}' is unknown; use address or thread, or leave it empty")
endif()
target_compile_options(bb_options INTERFACE ${bb_sanitize})
target_link_options(bb_options INTERFACE ${bb_sanitize})
find_package(Threads REQUIRED)
target_link_libraries(bb_options INTERFACE Threads::Threads)
