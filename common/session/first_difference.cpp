// Owns what counts as the first difference of two logs.
#include "common/session/first_difference.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "common/codec/command_codec.h"

namespace orrery {
namespace {

// Reads a log tick by tick, each with the checkpoint that follows it.
class TickReader {
 public:
  explicit TickReader(LogReader& log) : log_(log) { read_ahead(); }

  // Goes to the next tick; false at the end.
  bool next() {
    if (!has_ahead_) return false;
    std::swap(record_, ahead_);
    read_ahead();
    return true;
  }

  const TickRecord& record() const { return record_; }
  // The first checkpoint of this tick that is not `like`; the very first if each is like it.
  const KeptCheckpoint& checkpoint_unlike(const KeptCheckpoint& like) const {
    return other_.image.empty() || first_ != like ? first_ : other_;
  }
  const KeptCheckpoint& checkpoint() const { return first_; }

 private:
  void read_ahead() {
    first_ = {};
    other_ = {};
    Checkpoint checkpoint;
    std::optional<RecordType> type;
    while ((type = log_.next(ahead_, checkpoint)) == RecordType::checkpoint) {
      if (checkpoint.tick != record_.tick) continue;  // ticks are lost before it
      KeptCheckpoint kept{checkpoint.hash, {checkpoint.image.begin(), checkpoint.image.end()}};
      if (first_.image.empty()) {
        first_ = std::move(kept);
      } else if (other_.image.empty() && kept != first_) {
        other_ = std::move(kept);
      }
    }
    has_ahead_ = type.has_value();
  }

  LogReader& log_;
  TickRecord record_;
  TickRecord ahead_;
  bool has_ahead_ = false;
  KeptCheckpoint first_;  // of the checkpoints of the tick of `record_`: a crash leaves two of one
  KeptCheckpoint other_;  // the next that is not the same
};

// A checkpoint that each log has of the tick: two that differ, unless all are the same.
std::pair<const KeptCheckpoint&, const KeptCheckpoint&> checkpoints_of(const TickReader& a,
                                                                       const TickReader& b) {
  const KeptCheckpoint& in_a = a.checkpoint_unlike(b.checkpoint());
  return {in_a, b.checkpoint_unlike(in_a)};
}

bool are_equal(const TickReader& in_a, const TickReader& in_b) {
  const TickRecord& a = in_a.record();
  const TickRecord& b = in_b.record();
  const auto [checkpoint_a, checkpoint_b] = checkpoints_of(in_a, in_b);
  const bool both_have_any = !checkpoint_a.image.empty() && !checkpoint_b.image.empty();
  return a.hash == b.hash &&
         std::equal(a.commands.begin(), a.commands.end(), b.commands.begin(), b.commands.end(),
                    packs_alike) &&
         (!both_have_any || checkpoint_a == checkpoint_b);
}

}  // namespace

std::optional<LogDifference> first_difference(LogReader& a, LogReader& b,
                                              const std::function<void()>& progress) {
  TickReader in_a(a);
  TickReader in_b(b);
  while (true) {
    bool more_a = in_a.next();
    bool more_b = in_b.next();
    // Of ticks that one has lost the other says nothing that could be compared.
    while (more_a && more_b && in_a.record().tick < in_b.record().tick) more_a = in_a.next();
    while (more_a && more_b && in_b.record().tick < in_a.record().tick) more_b = in_b.next();
    if (!more_a && !more_b) return {};
    if (!more_a || !more_b || !are_equal(in_a, in_b)) {
      LogDifference found;
      found.tick = more_a ? in_a.record().tick : in_b.record().tick;
      if (more_a) found.a = in_a.record();
      if (more_b) found.b = in_b.record();
      if (more_a && more_b) {
        std::tie(found.checkpoint_a, found.checkpoint_b) = checkpoints_of(in_a, in_b);
      }
      return found;
    }
    progress();
  }
}

}  // namespace orrery
