#pragma once
// The verbs of the command line; main has the table of them.

#include <string>
#include <vector>

#include "harness/registry.hpp"

namespace bb {

using arguments = std::vector<std::string>;  // without program and verb

int verb_run(const registry& table, const arguments& args);
int verb_list(const registry& table, const arguments& args);
int verb_show(const registry& table, const arguments& args);
int verb_topology(const registry& table, const arguments& args);
int verb_doctor(const registry& table, const arguments& args);
int verb_resume(const registry& table, const arguments& args);
int verb_tax(const registry& table, const arguments& args);
int verb_plot(const registry& table, const arguments& args);

}  // namespace bb
