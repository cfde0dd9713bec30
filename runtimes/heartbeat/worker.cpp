#include "worker.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "context.hpp"
#include "team.hpp"

namespace heartbeat::detail {
namespace {

constexpr std::size_t header_size = (sizeof(worker) + line_size - 1) / line_size * line_size;

}  // namespace

worker::worker(team& t, unsigned index, std::byte* region) noexcept
    : begin(reinterpret_cast<entry*>(region + header_size)),
      end(reinterpret_cast<entry*>(region + region_size) - 1),
      owner_team(t),
      number(index),
      floor(begin) {
  head = begin;
  ready();
}

worker::~worker() {
  while (job* j = free_jobs) {
    free_jobs = j->next_free;
    delete j;
  }
}

void worker::ready() noexcept {
  thread = this_thread();
  limit.store_relaxed(owner_team.settings.beat_always ? nullptr
                                                      : end);  // relaxed: a beat carries no data
}

void worker::begin_run() noexcept {
  floor = begin;
  ready();
  pulse.store_relaxed(pulse.load_relaxed() + 1);  // relaxed: single writer, readers guess
}

void worker::end_run() noexcept {
  require(head == begin, "a run ends while a fork is still open");
  pulse.store_relaxed(pulse.load_relaxed() + 1);  // relaxed: single writer, readers guess
}

bool worker::on_owner() const noexcept { return thread == this_thread(); }

// --- A beat.

entry* worker::poll(entry* next) noexcept {
  next = std::min(next, end);
  require(head <= next, "entries are out of order");
  const bool always = owner_team.settings.beat_always;
  if (!always)
    limit.store_relaxed(end);  // relaxed: a beat that comes right now is lost, the next one is not
  if (head < next && owner_team.members.vacant(*this) &&
      (always || (old() && owner_team.members.demand())))
    promote();
  return next;
}

void worker::promote() noexcept {
  job* const j = new_job();
  if (j == nullptr) return;  // out of memory: the branch just stays here
  j->function = head->function;
  j->argument = head->argument;
  j->done.store_relaxed(false);  // relaxed: published by the offer
  head->argument = reinterpret_cast<std::uint64_t>(j);
  ++head;
  owner_team.members.offer(*this, *j);
}

job* worker::new_job() noexcept {
  job* j = free_jobs;
  if (j != nullptr) {
    free_jobs = j->next_free;
  } else if ((j = new (std::nothrow) job) != nullptr) {
    j->owner = this;
  }
  return j;
}

void recycle(job& j) noexcept {
  require(j.owner->on_owner(), "a job is recycled by another thread than its owner's");
  j.next_free = j.owner->free_jobs;
  j.owner->free_jobs = &j;
}

// --- A join that finds its entry promoted.

job& worker::settle(entry* tail) noexcept {
  job* const j = promoted_at(tail);
  if (take_back(*j)) {
    head = tail;
    j->function(*j, context_access::make(tail));
  } else {
    wait_for(*j, tail + 1);
    head = tail;
  }
  return *j;
}

job* worker::call_off(entry* tail) noexcept {
  job* const j = promoted_at(tail);
  const bool dropped = take_back(*j);
  if (!dropped) wait_for(*j, tail + 1);
  head = tail;
  if (!dropped) return j;
  recycle(*j);
  return nullptr;
}

job* worker::promoted_at(entry* tail) noexcept {
  require(head == tail + 1, "joins are out of order");
  return reinterpret_cast<job*>(tail->argument);
}

// The slot can only hold the job of the innermost promoted entry: what is promoted later lies above
// and has been joined, and nothing is promoted while an older job still stands there.
bool worker::take_back(job& j) noexcept {
  job* const back = owner_team.members.take_back(*this);
  require(back == nullptr || back == &j, "the slot holds a job of another fork");
  return back != nullptr;
}

// Helps others meanwhile, with contexts from `context` up.
void worker::wait_for(job& j, entry* context) noexcept {
  context = std::min(context, end);
  // ORDER(hb.done): acquire, pairs with the store in run_stolen(); without it the result may be
  // read before it is there.
  while (!j.done.load_acquire()) {
    if (helping == helping_max) {
      // ORDER(hb.done): seq_cst (acquire side), pairs with the store in run_stolen(), see there.
      owner_team.members.wait(*this, [&j] { return j.done.load_seq_cst(); });
    } else if (job* other = find_work(&j)) {
      run_stolen(*other, context);
    }
  }
}

// --- Work of others.

void worker::serve() noexcept {
  while (job* j = find_work(nullptr)) run_stolen(*j, begin);
}

void worker::run_stolen(job& j, entry* tail) noexcept {
  team& t = owner_team;
  require(head == tail || tail == end, "a job starts among open entries");
  entry* const outer_floor = std::exchange(floor, tail);
  // Expand at once: whoever gets a large job should not wait for a beat of its own before it can
  // share.
  if (t.patience.load_relaxed() == 0 && t.members.demand()) beat();  // relaxed: a heuristic
  ++helping;
  const std::int64_t start_ns = os_platform::now_ns();
  j.function(j, context_access::make(tail));
  const bool worth_while = os_platform::now_ns() - start_ns >= worth_while_ns;
  --helping;
  floor = outer_floor;
  t.be_patient(!worth_while);

  worker& owner = *j.owner;  // read before `done`: `last touch`
  // ORDER(hb.done): seq_cst (release side), pairs with the loads in wait_for() and find_work(); the
  // result is there before `done`. seq_cst because of hb.park: the owner may be about to sleep.
  j.done.store_seq_cst(true);
  owner.parker.notify();
}

}  // namespace heartbeat::detail
