#pragma once
// THE list of workloads: one line each.

#include "harness/workload.hpp"
#include "workloads/tree.hpp"

namespace bb {

using all_workloads = workload_list<  //
    tree                              //
    >;

}  // namespace bb
