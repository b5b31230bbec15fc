// Simulates the disk of a fleet's server, and power cuts.
#include "tests/fleet/disk.h"

#include "common/core/hash.h"
#include "common/host/disk/log_segments.h"
#include "tests/fleet/held_memory.h"

namespace orrery::fleet {
namespace {

constexpr const char* kLog = "session.orrery";
// A size so small that a run has several segments.
constexpr std::size_t kSegmentBytes = std::size_t{128} << 10;
// More than the calls that write() makes.
constexpr std::uint32_t kCallsMax = 8;

}  // namespace

void Disk::open() {
  writer_.emplace(files_, kLog, kSegmentBytes);
  waiting_.clear();
}

bool Disk::begin(const codec::LogHeader& header, const session::LogRecord* checkpoint) {
  const CountsAsTest not_of_the_server;
  return waiting_.begin(header, checkpoint);
}

bool Disk::append(const session::LogRecord& record) {
  const CountsAsTest not_of_the_server;
  return waiting_.append(record);
}

void Disk::write() {
  writer_->commit(waiting_);
  waiting_.clear();
}

Tick Disk::crash() {
  using Kind = test::DiskFault::Kind;
  files_.set_faults({{.call = files_.calls() + 1 + random_.below(kCallsMax),
                      .kind = random_.below(2) == 0 ? Kind::stopped : Kind::io_error,
                      .for_ever = true}});
  write();
  const Tick durable = writer_->state().durable;
  writer_.reset();
  files_.set_faults({});
  if (random_.below(2) == 0) files_.cut_power();
  return durable;
}

Result<session::Recovered> Disk::recover() {
  SerialExecutor executor;
  Result<host::ResumableLog> log = host::recover_log(kLog, executor, files_);
  if (!log) return log.error();
  return std::move(log.value().recovered);
}

session::OpenSegment Disk::segments() { return host::segments_of(kLog, files_); }

std::uint64_t Disk::digest() {
  std::uint64_t digest = 0;
  for (const auto& [path, bytes] : files_.content()) digest = checksum(bytes, digest);
  return digest;
}

}  // namespace orrery::fleet
