#include "harness/seat.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

#include "harness/cpu_list.hpp"
#include "harness/cpu_mask.hpp"

namespace bb {
namespace {

/// Runtimes that start a thread per operation must not make the record grow without end.
constexpr std::size_t max_threads_remembered = 65536;

std::string describe(const std::optional<std::vector<unsigned>>& mask) {
  return mask ? format_cpu_list(*mask) : std::string("an unreadable mask");
}

std::string refusal(unsigned cpu) {
  const std::string why = std::strerror(errno);
  return fmt::format("CPU {} refused: {} (taken offline, or outside the cpuset?)", cpu, why);
}

/// Binds the calling thread strictly; skips the call when it is already there.
std::string bind_here(seat& taken) {
  const std::vector<unsigned> wanted{static_cast<unsigned>(taken.planned)};
  auto mask = get_affinity(0);
  if (mask != wanted) {
    if (!set_affinity(0, wanted)) return refusal(wanted.front());
    mask = get_affinity(0);
  }
  if (mask && mask->size() == 1) taken.actual = static_cast<int>(mask->front());
  if (mask != wanted)
    return fmt::format("asked for CPU {}, got {}", wanted.front(), describe(mask));
  return {};
}

/// Field `processor` of the thread's stat file; -1 when the thread has ended. The name in
/// parentheses may hold anything, so fields are counted from its end: state is the first after it,
/// processor the 37th (proc(5)).
int last_cpu_of(pid_t tid) {
  std::ifstream file(fmt::format("/proc/self/task/{}/stat", tid));
  std::string line;
  std::getline(file, line);
  constexpr int fields_after_name = 37;
  auto at = line.rfind(')');
  for (int field = 0; field < fields_after_name && at != std::string::npos; ++field)
    at = line.find(' ', at + 1);
  return at == std::string::npos ? -1 : std::atoi(line.c_str() + at);
}

std::string judge(const pin_plan& plan, const seat_report& report) {
  for (const auto& one : report.seats) {
    if (!one.problem.empty()) return fmt::format("worker {}: {}", one.worker, one.problem);
  }
  for (const auto& one : report.seats) {
    if (one.tid == 0) return fmt::format("worker {} of {} never started", one.worker, plan.threads);
  }
  if (report.threads_seen < plan.threads) {
    return fmt::format("{} threads asked, {} distinct ones seen", plan.threads,
                       report.threads_seen);
  }
  const auto wanted = plan.binds() ? plan.used().size() : 0;
  if (report.pus_seen < wanted)
    return fmt::format("{} CPUs planned, {} distinct ones seen", wanted, report.pus_seen);
  return {};
}

nlohmann::ordered_json or_null(int pu) {
  return pu < 0 ? nlohmann::ordered_json() : nlohmann::ordered_json(pu);
}

}  // namespace

seats::seats(pin_plan plan) : plan_(std::move(plan)), seats_(plan_.threads) {
  for (unsigned worker = 0; worker < plan_.threads; ++worker) {
    seats_[worker].worker = worker;
    if (plan_.binds()) seats_[worker].planned = static_cast<int>(plan_.pus[worker]);
  }
}

void seats::sit(unsigned worker) noexcept {
  seat taken;
  taken.worker = worker;
  taken.tid = ::gettid();
  if (plan_.binds()) {
    taken.planned = static_cast<int>(plan_.pus[worker % plan_.pus.size()]);
    taken.problem = bind_here(taken);
  }
  taken.last = ::sched_getcpu();
  if (worker >= plan_.threads)
    taken.problem = fmt::format("is one more than the {} planned", plan_.threads);
  const std::lock_guard lock(mutex_);
  remember(taken);
}

void seats::remember(const seat& taken) {
  if (threads_.size() < max_threads_remembered) threads_.insert(taken.tid);
  if (const int pu = plan_.binds() ? taken.actual : taken.last; pu >= 0) pus_.insert(pu);
  if (first_problem_.empty() && !taken.problem.empty()) {
    first_problem_ = fmt::format("worker {}: {}", taken.worker, taken.problem);
  }
  if (taken.worker < seats_.size()) seats_[taken.worker] = taken;
}

seat_report seats::report() const {
  seat_report result;
  std::set<int> pus;
  {
    const std::lock_guard lock(mutex_);
    result = {seats_, static_cast<unsigned>(threads_.size()), 0, first_problem_};
    pus = pus_;
  }
  for (auto& one : result.seats) {
    if (const int now = one.tid == 0 ? -1 : last_cpu_of(one.tid); now >= 0) one.last = now;
    if (!plan_.binds() && one.last >= 0) pus.insert(one.last);
  }
  result.pus_seen = static_cast<unsigned>(pus.size());
  if (result.problem.empty()) result.problem = judge(plan_, result);
  return result;
}

std::optional<std::string> confine_process(const pin_plan& plan) {
  if (!plan.binds()) return std::nullopt;
  const auto wanted = plan.used();
  if (!set_affinity(0, wanted))
    return fmt::format("process mask {}: {}", plan.taskset(), std::strerror(errno));
  // Other threads exist only by tools (a sanitizer's helper); one that ends meanwhile is no error.
  std::error_code ignored;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task", ignored)) {
    (void)set_affinity(std::atoi(task.path().filename().c_str()), wanted);
  }
  const auto mask = get_affinity(0);
  if (mask == wanted) return std::nullopt;
  return fmt::format("process mask: asked for {}, got {}", plan.taskset(), describe(mask));
}

nlohmann::ordered_json to_json(const pin_plan& plan, const seat_report& report) {
  auto planned = nlohmann::ordered_json::array();
  auto actual = planned, last = planned;
  for (const auto& one : report.seats) {
    planned.push_back(or_null(one.planned));
    actual.push_back(or_null(one.actual));
    last.push_back(or_null(one.last));
  }
  return {{"policy", plan.policy},
          {"taskset", plan.taskset()},
          {"oversubscribed", plan.oversubscribed},
          {"planned", planned},
          {"actual", actual},
          {"last", last},
          {"threads_seen", report.threads_seen},
          {"pus_seen", report.pus_seen}};
}

}  // namespace bb
