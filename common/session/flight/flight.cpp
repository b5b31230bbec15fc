// The last ticks of a follower, up to the first in which it differs from its server.
#include "common/session/flight/flight.h"

#include "common/session/replay/replay.h"

namespace orrery::session {

Divergence explain(const Flight& flight, std::string_view build, Executor& executor) {
  const FlightTick& last = flight.recorder.at(flight.mismatch.tick.value);
  ORRERY_ASSERT(last.tick == flight.mismatch.tick);
  Result<World> before = initial_world(flight.header);
  ORRERY_ASSERT(before.ok());
  const bool known = replay_to(last.tick.value - 1, flight.recorder, before.value(), executor);
  TickRecord record;
  const bool decoded = decode_tick(last.record, record, RecordType::tick);
  ORRERY_ASSERT(decoded);
  const TickSide server{record.commands, flight.mismatch.theirs, flight.header.build, ""};
  const TickSide own{record.commands, flight.mismatch.ours, build, "",
                     last.image,      flight.mismatch.ours};
  return explain(known ? &before.value() : nullptr, last.tick, server, own, executor);
}

bool is_own_fault(const Divergence& found) {
  ORRERY_ASSERT(found.hash_a != found.hash_b);
  return found.source_a == Source::replay;
}

std::vector<FlightTick> ticks_to_save(const Flight& flight, const Divergence& found) {
  FlightRecorder recorder = flight.recorder;
  std::vector<FlightTick> ticks = recorder.take();
  ORRERY_ASSERT(ticks.size() >= 2);
  ORRERY_ASSERT(ticks.back().tick == found.tick);
  if (is_own_fault(found)) return ticks;
  ticks.back().hash = flight.mismatch.theirs;
  ticks.back().image.clear();
  return ticks;
}

}  // namespace orrery::session
