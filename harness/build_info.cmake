# Writes build_info.hpp: what `bb --version` and every result say of the build.
execute_process(COMMAND git -C ${SOURCE} describe --always --dirty --abbrev=12 OUTPUT_VARIABLE COMMIT
                OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT COMMIT)
  set(COMMIT "unknown")
endif()
set(text "#pragma once
namespace bb::build_info {
inline constexpr const char* version = \"${VERSION}\";
inline constexpr const char* commit = \"${COMMIT}\";
inline constexpr const char* type = \"${TYPE}\";
inline constexpr const char* flags = \"${FLAGS}\";
inline constexpr const char* sanitizers = \"${SANITIZERS}\";
}  // namespace bb::build_info
")
file(CONFIGURE OUTPUT ${OUT} CONTENT "${text}" @ONLY)
