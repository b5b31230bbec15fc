// Owns what counts as the first difference of two logs.
#include "common/session/first_difference.h"

#include <algorithm>
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
  // Of the checkpoint of this tick, the last if there are several; empty if there is none.
  const std::vector<std::uint8_t>& image() const { return image_; }

 private:
  void read_ahead() {
    image_.clear();
    Checkpoint checkpoint;
    std::optional<RecordType> type;
    while ((type = log_.next(ahead_, checkpoint)) == RecordType::checkpoint) {
      if (checkpoint.tick != record_.tick) continue;  // ticks are lost before it
      image_.assign(checkpoint.image.begin(), checkpoint.image.end());
    }
    has_ahead_ = type.has_value();
  }

  LogReader& log_;
  TickRecord record_;
  TickRecord ahead_;
  bool has_ahead_ = false;
  std::vector<std::uint8_t> image_;
};

bool are_equal(const TickReader& in_a, const TickReader& in_b) {
  const TickRecord& a = in_a.record();
  const TickRecord& b = in_b.record();
  const bool both_have_images = !in_a.image().empty() && !in_b.image().empty();
  return a.hash == b.hash &&
         std::equal(a.commands.begin(), a.commands.end(), b.commands.begin(), b.commands.end(),
                    packs_alike) &&
         (!both_have_images || in_a.image() == in_b.image());
}

}  // namespace

std::vector<std::uint8_t> image_of(LogReader& log, Tick tick) {
  TickRecord record;
  Checkpoint checkpoint;
  const std::optional<RecordType> type = log.next(record, checkpoint);
  if (type != RecordType::checkpoint || checkpoint.tick != tick) return {};
  return {checkpoint.image.begin(), checkpoint.image.end()};
}

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
        found.image_a = in_a.image();
        found.image_b = in_b.image();
      }
      return found;
    }
    progress();
  }
}

}  // namespace orrery
