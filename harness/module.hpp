#pragma once
// Runtimes that cannot share a process, such as two OpenMP libraries that export the same names. The code of such a row
// is a shared library next to the rows (`bb_module` in runtimes/rows.cmake), loaded RTLD_LOCAL by a trial of that row
// and by no other process. The driver itself holds only the row's description.
//
// A module is the adapter's own file compiled once more, with BB_MODULE defined, as one translation unit: it takes
// nothing from the program but headers, and gives one symbol, bb_module_row.

#include <memory>
#include <string>
#include <string_view>

#include "harness/cell_body.hpp"

namespace bb {

/// The row in module `name`, loaded now if it was not yet; it stays loaded, since its code is in use. Throws bb::error
/// when it cannot be loaded, with the loader's reason. Main thread alone.
const row& load_module(const std::string& name);

/// The body of one cell from module `name`.
std::unique_ptr<cell_body> make_from_module(const std::string& name, std::string_view workload,
                                            std::string_view variant, const erased_input& input,
                                            const config& c);

}  // namespace bb
