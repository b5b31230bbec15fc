// Writes the last seconds of a session, from a flight recorder, as a log.
#include "common/host/disk/flight_file.h"

#include <cerrno>
#include <charconv>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>

#include "common/core/printable.h"
#include "common/host/disk/log_segments.h"
#include "common/host/disk/segment_files.h"
#include "common/host/process/build.h"
#include "common/session/log_records.h"
#include "common/session/replay/replay.h"
#include "common/session/writer/log_writer.h"
#include "common/session/writer/segmented_log.h"

namespace orrery::host {
namespace {

// A log under a path that was not in use, and the lock of that log.
struct UnusedLog {
  std::string path;
  std::unique_ptr<LogLock> lock;
};

// Claims the first free path of PATH, PATH-2, PATH-3, ...
Result<UnusedLog> claim_unused_name(const std::string& wanted, FileSystem& files) {
  constexpr int kAttempts = 100;
  for (int i = 1;; ++i) {
    const std::string path = wanted + (i == 1 ? "" : "-" + std::to_string(i));
    LogClaim claim = claim_log(path, files);
    const int error_number = claim.name.error_number;
    if (error_number == 0) return UnusedLog{path, std::move(claim.lock)};
    const bool taken = error_number == EEXIST || error_number == EWOULDBLOCK;
    if (!taken || i == kAttempts) return claim.name.error(path);
  }
}

// Appends the records of a tick. The first tick has only a checkpoint.
void append_records(const session::FlightTick& tick, bool is_first, session::RecordBatch& records) {
  std::vector<std::uint8_t> payload;
  if (!is_first) {
    session::TickRecord record;
    // An invalid record gives the commands before its fault.
    static_cast<void>(session::decode_tick(tick.record, record, session::RecordType::tick));
    ByteWriter out(payload);
    session::encode_tick(tick.hash, record.commands, out);
    records.append({session::RecordType::tick, tick.tick, payload});
  }
  if (tick.image.empty() || tick.image.size() > session::kImageBytesMax) return;
  session::encode_checkpoint(tick.tick, tick.hash, payload);
  records.append({session::RecordType::checkpoint, tick.tick, payload, tick.image});
}

// Returns the shortest text that reads back as this number.
std::string text_of(double value) {
  char text[32];
  const auto [end, error] = std::to_chars(text, text + sizeof text, value);
  ORRERY_ASSERT(error == std::errc());
  return {text, end};
}

}  // namespace

Result<std::string> write_flight(const std::string& path, const Scene& scene,
                                 const std::string& build, const codec::SessionId& session,
                                 const std::vector<session::FlightTick>& ticks, FileSystem& files) {
  constexpr std::size_t kBatchBytes = std::size_t{4} << 20;
  ORRERY_ASSERT(!ticks.empty() && !ticks.front().image.empty());
  const Result<UnusedLog> log = claim_unused_name(path, files);
  if (!log) return log.error();
  const std::string& name = log.value().path;
  SegmentFiles segments(files, name);
  session::SegmentedLog written(segments, std::numeric_limits<std::size_t>::max());
  session::RecordBatch records;
  records.begin(session::make_log_header(World(scene), build, session), nullptr);
  written.commit(records);
  written.skip_to_checkpoint();  // the next segment starts with the first image
  records.clear();
  for (const session::FlightTick& tick : ticks) {
    append_records(tick, &tick == &ticks.front(), records);
    if (records.bytes() < kBatchBytes) continue;
    written.commit(records);
    records.clear();
  }
  std::vector<std::uint8_t> payload;
  session::encode_end(ticks.back().tick, payload);
  records.append({session::RecordType::end, ticks.back().tick, payload});
  written.commit(records);
  const session::LogState& state = written.state();
  if (!state.failing && state.durable == ticks.back().tick) return name;
  segments.discard();  // the disk may be full
  if (state.failing) return Error{state.failure};
  return Error{"the state is too large for a log"}.in(name);
}

SavedFlight save_flight(const session::Flight& flight, const std::string& path) {
  SerialExecutor executor;
  const std::string build = build_name();
  session::Divergence found = session::explain(flight, build, executor);
  const Result<World> world = session::initial_world(flight.header);
  ORRERY_ASSERT(world.ok());
  Result<std::string> file = write_flight(
      path, world.value().scene(), session::is_own_fault(found) ? build : flight.header.build,
      flight.header.session, session::ticks_to_save(flight, found));
  return {std::move(found), std::move(file)};
}

std::string describe(const SavedFlight& saved) {
  std::string text;
  if (saved.found.body) text += "body " + std::to_string(saved.found.body->value);
  if (const auto& field = saved.found.field) {
    text += ", " + std::string(field_name(field->field)) + ": " + text_of(field->b) + " here, " +
            text_of(field->a) + " there";
  }
  if (!text.empty()) text += "; ";
  return saved.file ? text + "the last ten seconds are in " + printable(saved.file.value())
                    : text + "the last ten seconds were not saved: " + saved.file.error().text();
}

std::string save_and_describe(const session::Flight& flight) {
  return describe(
      save_flight(flight, "follower.flight-" + std::to_string(flight.mismatch.tick.value)));
}

}  // namespace orrery::host
