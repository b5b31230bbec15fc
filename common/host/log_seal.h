// Owns the keyed hash with which a session log is sealed (schema/README.md).
#pragma once

#include <memory>

#include "common/core/bytes.h"
#include "common/net/cipher.h"
#include "common/session/log_reader.h"

namespace orrery {

// BLAKE2b over the records of a session in their order, whatever segments they are in. Whoever does
// not know the key can neither change a record nor say what the seal is then.
class LogSealer {
 public:
  explicit LogSealer(const Key& key);
  ~LogSealer();
  LogSealer(LogSealer&& other) noexcept;
  LogSealer& operator=(LogSealer&& other) noexcept;

  // Adds what comes next: the header of the first segment, a tick, a checkpoint, or the end. Other
  // records say nothing about the session, and are passed over.
  void add(RecordType type, Bytes payload);

  // Adds a log, of which only the header was read, up to the end of its longest valid prefix.
  void add_log(LogReader& log);

  // The seal of all that was added.
  LogSeal seal() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// What a key says of a log.
enum class SealVerdict {
  intact,    // nothing was changed, added, left out, moved or cut
  unsealed,  // there is no seal: the session was not sealed, did not end on purpose, or was cut
  broken,    // the seal is not that of these records and this key
  loose,     // the seal fits, and there are bytes besides that are in no record
};

// Reads the log, of which only the header was read.
SealVerdict check_seal(LogReader& log, const Key& key);

}  // namespace orrery
