// Compares two logs record by record.
#include "common/session/explain/first_difference.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "common/codec/command_codec.h"

namespace orrery::session {
namespace {

KeptCheckpoint keep(const Checkpoint& checkpoint) {
  return {checkpoint.hash, {checkpoint.image.begin(), checkpoint.image.end()}};
}

// A reader that returns the states of a log one by one, from state 0. Each state comes with its
// checkpoints.
class StateReader {
 public:
  StateReader(LogReader& log, std::uint64_t initial_hash) : log_(log) {
    state_.record.hash = initial_hash;
    read_ahead();
  }

  // Moves to the next state. Returns false at the end.
  bool next() {
    if (!has_ahead_) return false;
    std::swap(state_, ahead_);
    read_ahead();
    return true;
  }

  Tick tick() const { return state_.record.tick; }
  // Returns the tick record. It has no commands if only a checkpoint describes the state.
  const TickRecord& record() const { return state_.record; }
  bool has_commands() const { return state_.has_commands; }
  // Returns the first tick of the gap before this state, if there is a gap.
  const std::optional<Tick>& lost_from() const { return state_.lost_from; }
  // Returns a checkpoint of this state that differs from `like`. If there is none, returns the
  // first checkpoint of this state, or an empty one if it has no checkpoint.
  const KeptCheckpoint& checkpoint_unlike(const KeptCheckpoint& like) const {
    return state_.other.image.empty() || state_.first != like ? state_.first : state_.other;
  }
  const KeptCheckpoint& checkpoint() const { return state_.first; }

 private:
  struct State {
    TickRecord record;
    bool has_commands = false;
    std::optional<Tick> lost_from = {};
    KeptCheckpoint first;  // a crash can leave two or more checkpoints of one tick
    KeptCheckpoint other;  // first checkpoint that differs from `first`
  };

  void read_ahead() {
    Checkpoint checkpoint;
    std::optional<RecordType> type;
    while ((type = log_.next(ahead_.record, checkpoint)) == RecordType::checkpoint) {
      if (checkpoint.tick != tick()) break;  // a gap: the ticks between these two states are lost
      add(checkpoint);
    }
    has_ahead_ = type.has_value();
    ahead_.has_commands = type && is_tick(*type);
    ahead_.lost_from.reset();
    ahead_.first = {};
    ahead_.other = {};
    if (type != RecordType::checkpoint) return;
    ORRERY_ASSERT(checkpoint.tick > tick());
    ahead_.record = {checkpoint.tick, checkpoint.hash, {}};
    ahead_.lost_from = Tick{tick().value + 1};
    ahead_.first = keep(checkpoint);
  }

  void add(const Checkpoint& checkpoint) {
    KeptCheckpoint kept = keep(checkpoint);
    if (state_.first.image.empty()) {
      if (!state_.has_commands) state_.record.hash = checkpoint.hash;  // there is no tick record
      state_.first = std::move(kept);
    } else if (state_.other.image.empty() && kept != state_.first) {
      state_.other = std::move(kept);
    }
  }

  LogReader& log_;
  State state_;
  State ahead_;
  bool has_ahead_ = false;
};

// Returns one checkpoint of the present state from each log. The two differ if any checkpoint of
// log a differs from any checkpoint of log b.
std::pair<const KeptCheckpoint&, const KeptCheckpoint&> checkpoints_of(const StateReader& a,
                                                                       const StateReader& b) {
  const KeptCheckpoint& in_a = a.checkpoint_unlike(b.checkpoint());
  return {in_a, b.checkpoint_unlike(in_a)};
}

bool are_equal(const StateReader& in_a, const StateReader& in_b) {
  ORRERY_ASSERT(in_a.tick() == in_b.tick());
  const TickRecord& a = in_a.record();
  const TickRecord& b = in_b.record();
  const auto [checkpoint_a, checkpoint_b] = checkpoints_of(in_a, in_b);
  const bool both_have_commands = in_a.has_commands() && in_b.has_commands();
  const bool both_have_any = !checkpoint_a.image.empty() && !checkpoint_b.image.empty();
  return a.hash == b.hash &&
         (!both_have_commands ||
          std::equal(a.commands.begin(), a.commands.end(), b.commands.begin(), b.commands.end(),
                     codec::encodes_equally)) &&
         (!both_have_any || checkpoint_a == checkpoint_b);
}

}  // namespace

std::optional<LogDifference> first_difference(LogReader& a, LogReader& b,
                                              std::uint64_t initial_hash,
                                              const std::function<void()>& progress) {
  ORRERY_ASSERT(&a != &b);
  StateReader in_a(a, initial_hash);
  StateReader in_b(b, initial_hash);
  bool more_a = true;
  bool more_b = true;
  while (more_a || more_b) {
    // A state that one log has lost has no counterpart to compare with.
    while (more_a && more_b && in_a.tick() < in_b.tick()) more_a = in_a.next();
    while (more_a && more_b && in_b.tick() < in_a.tick()) more_b = in_b.next();
    if (more_a && more_b && in_a.tick() != in_b.tick()) continue;  // both have lost ticks
    if (!more_a || !more_b || !are_equal(in_a, in_b)) {
      LogDifference found;
      found.tick = more_a ? in_a.tick() : in_b.tick();
      if (more_a) found.a = in_a.record();
      if (more_b) found.b = in_b.record();
      if (more_a && more_b) {
        std::tie(found.checkpoint_a, found.checkpoint_b) = checkpoints_of(in_a, in_b);
        found.lost_in_a = in_a.lost_from();
        found.lost_in_b = in_b.lost_from();
      }
      return found;
    }
    if (in_a.has_commands() && in_b.has_commands()) progress();
    more_a = in_a.next();
    more_b = in_b.next();
  }
  return {};
}

}  // namespace orrery::session
