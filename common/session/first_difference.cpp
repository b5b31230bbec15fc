// Owns what counts as the first difference of two logs.
#include "common/session/first_difference.h"

#include <algorithm>
#include <utility>

#include "common/codec/command_codec.h"

namespace orrery {
namespace {

bool are_equal(const TickRecord& a, const TickRecord& b) {
  return a.hash == b.hash && std::equal(a.commands.begin(), a.commands.end(), b.commands.begin(),
                                        b.commands.end(), packs_alike);
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
  TickRecord record_a;
  TickRecord record_b;
  while (true) {
    bool more_a = a.next(record_a);
    bool more_b = b.next(record_b);
    // Of ticks that one has lost the other says nothing that could be compared.
    while (more_a && more_b && record_a.tick < record_b.tick) more_a = a.next(record_a);
    while (more_a && more_b && record_b.tick < record_a.tick) more_b = b.next(record_b);
    if (!more_a && !more_b) return {};
    if (!more_a || !more_b || !are_equal(record_a, record_b)) {
      LogDifference found;
      found.tick = more_a ? record_a.tick : record_b.tick;
      if (more_a && more_b) {
        found.image_a = image_of(a, found.tick);
        found.image_b = image_of(b, found.tick);
      }
      if (more_a) found.a = std::move(record_a);
      if (more_b) found.b = std::move(record_b);
      return found;
    }
    progress();
  }
}

}  // namespace orrery
