// Owns how the last state of a log is found.
#include "common/session/recovery.h"

#include <span>

#include "common/session/replay.h"
#include "common/world/image.h"
#include "common/world/step.h"

namespace orrery {
namespace {

// The last checkpoint, and the ticks behind it.
struct LastStretch {
  std::vector<std::uint8_t> image;  // empty: the initial state
  std::vector<TickRecord> records;  // the first `ticks` of them; the rest is kept for its memory
  std::size_t ticks = 0;
};

LastStretch read_last_stretch(LogReader& log) {
  LastStretch last;
  TickRecord record;
  Checkpoint checkpoint;
  while (const std::optional<RecordType> type = log.next(record, checkpoint)) {
    if (*type == RecordType::checkpoint) {
      last.image.assign(checkpoint.image.begin(), checkpoint.image.end());
      last.ticks = 0;
    } else {
      if (last.ticks == last.records.size()) last.records.emplace_back();
      std::swap(last.records[last.ticks++], record);
    }
  }
  ORRERY_ASSERT(last.ticks <= last.records.size());
  return last;
}

Status step_through(World& world, std::span<const TickRecord> records, Executor& executor) {
  for (const TickRecord& record : records) {
    ORRERY_ASSERT(record.tick.value == world.tick.value + 1);
    step(world, record.commands, executor);
    if (world.hash != record.hash) {
      return Error{"diverges at tick " + std::to_string(record.tick.value) +
                   ": replay gives another state than was recorded"};
    }
  }
  return ok_status();
}

}  // namespace

Result<Recovered> recover(LogReader& log, Executor& executor) {
  Result<LogHeader> header = log.read_header();
  if (!header) return header.error();
  Result<World> initial = initial_world(header.value());
  if (!initial) return initial.error();
  World& world = initial.value();
  const LastStretch last = read_last_stretch(log);
  const LogTail& tail = log.tail();
  if (tail.unreadable) return *tail.unreadable;
  if (tail.closed) return Error{"was closed at its end; there is nothing to go on with"};
  if (tail.damaged) {
    return Error{"is damaged behind tick " + std::to_string(log.tick().value) +
                 ", with valid records behind that; orrery verify tells more"};
  }
  if (!last.image.empty()) {
    const Status restored = restore_image(world, last.image);
    if (!restored) return Error{"has an unusable checkpoint: " + restored.error().message};
  } else if (world.hash != header.value().initial_hash) {
    return Error{"diverges at tick 0: the initial state"};
  }
  const std::span<const TickRecord> ticks(last.records.data(), last.ticks);
  if (Status stepped = step_through(world, ticks, executor); !stepped) return stepped.error();
  ORRERY_ASSERT(world.tick == log.tick());
  LogHeader next = std::move(header.value());
  next.scene.clear();
  next.segment = tail.segment + 1;
  next.after_tick = world.tick;
  next.after_checksum = log.last_checksum();
  return Recovered{std::move(world), std::move(next)};
}

}  // namespace orrery
