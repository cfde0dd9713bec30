#pragma once
// What made a result: this program, its build, and the versions of the runtimes in it.

#include "harness/registry.hpp"
#include "harness/result.hpp"

namespace bb {

/// {name, version, commit, build: {compiler, flags, type, sanitizers, assertions}, runtimes: {id: version}}
json tool_record(const registry& table);

std::string version_text();
bool debug_build();

}  // namespace bb
