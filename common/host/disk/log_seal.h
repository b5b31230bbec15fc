// Seals session logs with a keyed hash (schema/log.md 4) and checks their seals.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/core/bytes.h"
#include "common/core/ids.h"
#include "common/core/result.h"
#include "common/host/disk/file_system.h"
#include "common/net/packet/cipher.h"
#include "common/session/log_reader.h"
#include "common/session/writer/segmented_log.h"

namespace orrery::host {

// A keyed BLAKE2b hash over the records of a session, in order. It does not depend on how the
// records are divided into segments. Without the key nobody can change a record and compute a seal
// that fits.
class LogSealer final : public session::RecordSealer {
 public:
  explicit LogSealer(const net::Key& key);
  ~LogSealer() override;
  LogSealer(LogSealer&& other) noexcept;
  LogSealer& operator=(LogSealer&& other) noexcept;

  // Adds the next record. Ignores indexes, which say nothing about the session.
  void add(session::RecordType type, Bytes payload) override;

  // Returns the seal of all records so far.
  session::LogSeal seal() const override;

  // Compares `seal` with the seal of all records so far, in constant time.
  bool fits(const session::LogSeal& seal) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The result of checking the seals of a log with a key.
enum class SealVerdict : std::uint8_t {
  intact,      // no sealed record was changed, added, left out, moved or cut
  unfinished,  // intact up to the last seal, but there is no seal after the end: the session did
               // not end on purpose, or its end was cut off
  unsealed,    // no seal was read: there is none, or the log is damaged before it
  broken,      // a seal does not fit the records before it and this key, or records are damaged
               // after a seal that fits
  loose        // all seals fit, but some bytes belong to no record
};

// A range of ticks that a crash left without a seal. The first seal after the resume covers them.
struct SealedLate {
  Tick first;
  Tick last;
};

// The findings about the seals of a log.
struct SealReport {
  SealVerdict verdict = SealVerdict::unsealed;
  std::optional<Tick> proved;  // everything up to this tick is as it was recorded
  std::optional<Tick> misfit;  // the tick of the first seal that does not fit
  // Ticks that are proved only from the resume on: a change between the crash and the resume goes
  // unnoticed.
  std::vector<SealedLate> late;
};

// Describes a report in one line.
std::string to_line(const SealReport& report);

// A check of the seals of a log while its records are read.
class SealCheck {
 public:
  // `checkpoint_ticks` is the number of ticks from one due checkpoint to the next; if it is 0,
  // ticks that were sealed late are not found.
  explicit SealCheck(const net::Key& key, std::uint64_t checkpoint_ticks = 0)
      : sealer_(key), checkpoint_ticks_(checkpoint_ticks) {}

  // Adds the record that `log` has read last: the header, or the result of next_record().
  void add(session::RecordType type, const session::LogReader& log);

  // Returns the report at the end of the log. No add() may follow.
  // REQUIRES: the log was read to its end.
  SealReport finish(const session::LogTail& tail);

  // Returns the sealer of all records so far. No other call may follow.
  LogSealer take_sealer() { return std::move(sealer_); }

 private:
  void compare(const session::LogSeal& seal, Tick at);
  // Returns true for the checkpoint with which a resumed session began. It is the second one of its
  // tick, or (in logs of earlier builds) it is at a tick where no checkpoint is due.
  bool is_of_resume(Tick checkpoint) const;

  LogSealer sealer_;
  const std::uint64_t checkpoint_ticks_;
  std::optional<Tick> checkpoint_;  // tick of the last checkpoint
  bool resumed_ = false;            // the session was resumed after the last seal
  SealReport report_;
};

// Reads a log to its end and checks its seals. Returns an Error if the log cannot be read.
// REQUIRES: only the header of `log` was read.
Result<SealReport> check_seals(session::LogReader& log, SealCheck& check);

// The sealer of a sealed session that is resumed.
struct ResumedSealer {
  LogSealer sealer;  // the hash of all records of the log so far
  Tick proved;       // no seal covers ticks after this one yet
};

// Returns the sealer for the continuation of the log at `path`. Returns an Error that starts with
// the path if the log cannot be read, or if its verdict is not `unfinished`: a closed log has no
// continuation.
Result<ResumedSealer> resume_sealer(const std::string& path, const net::Key& key,
                                    FileSystem& files = file_system());

}  // namespace orrery::host
