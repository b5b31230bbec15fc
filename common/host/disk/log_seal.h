// Owns the keyed hash with which a session log is sealed (schema/log.md 4), and what its seals
// prove.
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

namespace orrery::host {

// BLAKE2b over the records of a session in their order, whatever segments they are in. Whoever does
// not know the key can neither change a record nor say what the seal is then.
class LogSealer {
 public:
  explicit LogSealer(const net::Key& key);
  ~LogSealer();
  LogSealer(LogSealer&& other) noexcept;
  LogSealer& operator=(LogSealer&& other) noexcept;

  // Adds what comes next: the header of the first segment, a tick, a checkpoint, a seal, or the
  // end. Indexes say nothing about the session, and are passed over.
  void add(session::RecordType type, Bytes payload);

  // The seal of all that was added.
  session::LogSeal seal() const;

  // Whether that is this one, in a time that does not tell where they differ.
  bool fits(const session::LogSeal& seal) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// What a key says of a log.
enum class SealVerdict : std::uint8_t {
  intact,      // nothing was changed, added, left out, moved or cut
  unfinished,  // the same up to the last seal, but none is behind the end: the session did not end
               // on purpose, or that was cut off
  unsealed,    // there is no seal at all
  broken,      // a seal is not that of the records before it and this key, or records are damaged
  loose        // all seals fit, and there are bytes besides that are in no record
};

// Ticks that a crash left behind the last seal, and that were sealed with the next one.
struct SealedLate {
  Tick first;
  Tick last;
};

struct SealReport {
  SealVerdict verdict = SealVerdict::unsealed;
  std::optional<Tick> proved;  // all up to here is as it was recorded
  std::optional<Tick> misfit;  // where the first seal stands that does not fit
  // The ticks of these are proved as they stood when the session was resumed.
  std::vector<SealedLate> late;
};

// One line of what it means.
std::string to_line(const SealReport& report);

// Compares the seals of a log with its records as they are read.
class SealCheck {
 public:
  // With `checkpoint_ticks`, from one checkpoint that is due to the next, it finds what was sealed
  // late.
  explicit SealCheck(const net::Key& key, std::uint64_t checkpoint_ticks = 0)
      : sealer_(key), checkpoint_ticks_(checkpoint_ticks) {}

  // Takes the record that the log read last: the header, or what next_record() gave.
  void add(session::RecordType type, const session::LogReader& log);

  // What is so now that the log was read to its end. Once, and nothing is added then.
  SealReport finish(const session::LogTail& tail);

  // The sealer of all that was added.
  LogSealer take_sealer() { return std::move(sealer_); }

 private:
  void compare(const session::LogSeal& seal, Tick at);
  // True of a checkpoint with which a session was resumed: the second of its tick; or, as those of
  // earlier builds stand once, one where none is due.
  bool is_of_resume(Tick checkpoint) const;

  LogSealer sealer_;
  const std::uint64_t checkpoint_ticks_;
  std::optional<Tick> checkpoint_;  // the last one
  bool resumed_ = false;            // behind the last seal
  SealReport report_;
};

// Reads the log, of which only the header was read, to its end. An Error if that cannot be read.
Result<SealReport> check_seals(session::LogReader& log, SealCheck& check);

// What a session goes on with that was sealed.
struct ResumedSealer {
  LogSealer sealer;  // of all that the log has
  Tick proved;       // what is behind this tick, no seal has covered until now
};

// The sealer that goes on with the log at `path`, which was not closed. An Error, which starts with
// the path, if its seals are not of this key and these records from the first on.
Result<ResumedSealer> resume_sealer(const std::string& path, const net::Key& key,
                                    FileSystem& files = file_system());

}  // namespace orrery::host
