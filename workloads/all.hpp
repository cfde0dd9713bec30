#pragma once
// THE list of workloads: one line each.

#include "harness/workload.hpp"
#include "workloads/fanout.hpp"
#include "workloads/fib.hpp"
#include "workloads/fork.hpp"
#include "workloads/grain.hpp"
#include "workloads/integrate.hpp"
#include "workloads/matmul.hpp"
#include "workloads/mergesort.hpp"
#include "workloads/nqueens.hpp"
#include "workloads/skynet.hpp"
#include "workloads/tree.hpp"
#include "workloads/uts.hpp"

namespace bb {

using all_workloads = workload_list<  //
    tree,                             //
    fork_series,                      //
    grain,                            //
    fib,                              //
    skynet,                           //
    nqueens,                          //
    matmul,                           //
    mergesort,                        //
    integrate,                        //
    uts,                              //
    fanout                            //
    >;

}  // namespace bb
