// Writes a session log as segments on storage that may fail.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/core/ids.h"
#include "common/session/writer/record_sink.h"
#include "common/session/writer/segment_store.h"
#include "common/session/writer/segment_writer.h"

namespace orrery::session {

// A segment whose file may have bytes after the durable ones, because the storage failed or another
// program changed the file.
struct CutSegment {
  std::uint32_t segment = 0;
  std::uint64_t bytes = 0;  // durable bytes at its start
};

// Ticks whose records were removed to save space. No replay can show them.
struct RemovedTicks {
  Tick first;
  Tick last;  // 0: none
};

// The state of a log on its storage.
struct LogState {
  // The storage has all ticks up to this one, except lost ticks. If a segment is damaged, this is a
  // tick before the damage.
  Tick durable;
  std::uint32_t segment = 0;        // number of the segment that is written now or next
  std::uint64_t segment_bytes = 0;  // bytes of that segment that the storage has
  std::uint64_t failures = 0;       // calls of the storage that failed
  std::uint64_t lost_ticks = 0;     // ticks dropped because too many waited for the storage
  bool skipping = false;            // records are dropped until the next checkpoint
  std::string failure;              // the last failure, in one line
  bool failing = false;             // true if nothing was stored since the last failure
  std::string damage;               // the first damage by another program, in one line; or empty
  RemovedTicks removed;             // by the owner of the storage
  std::vector<CutSegment> cut;      // in order; each is a file, so the disk limits their number
};

// Returns the bytes at the start of a segment that the storage has: 0 if there is no such segment,
// and the maximum if all of its file is durable.
std::uint64_t durable_bytes(const LogState& log, std::uint32_t segment);

// An interface for keyed hashes over the records of a session (common/host/disk/log_seal.h).
struct RecordSealer {
  virtual ~RecordSealer() = default;
  // Adds the next record: the header of the first segment, a tick, a checkpoint, a seal or the end.
  virtual void add(RecordType type, Bytes payload) = 0;
  // Returns the seal of all records so far.
  virtual LogSeal seal() const = 0;
};

// The writer of a log in segments.
//
// A segment ends before a checkpoint if it has become large or records were dropped. It also ends
// where the storage failed or another program damaged the file. Records that may be missing after a
// failure are written again to the next segment, whose header names the last record before them.
// Records are lost only if too many wait for the storage. A file that failed once is never trusted
// again (Rebello et al., "Can Applications Recover from fsync Failures?", USENIX ATC 2020). A
// checkpoint or the end is stored only after all records before it, so that a power cut never looks
// like damage.
class SegmentedLog {
 public:
  // Writes to `store`. A segment that has reached `segment_bytes` bytes ends at the next
  // checkpoint. REQUIRES: `store` outlives the log.
  SegmentedLog(SegmentStore& store, std::size_t segment_bytes)
      : store_(store), segment_bytes_max_(segment_bytes) {}

  // Adds seals to the log: after the first header, after each checkpoint and after the end. A
  // resumed session writes its first checkpoint twice before the seal. The second copy shows that
  // this seal also covers ticks from before the resume (schema/log.md 4.3). REQUIRES: nothing was
  // committed; `sealer` has already added the records of earlier segments.
  void seal_with(std::unique_ptr<RecordSealer> sealer) { sealer_ = std::move(sealer); }

  // Stores these records and all that an earlier call could not store. If the storage refuses
  // records, keeps them for the next call.
  // REQUIRES: the first batch that is not empty has a header.
  void commit(const RecordBatch& records);

  // Drops all records up to the next checkpoint. Call it if the caller has lost records.
  void skip_to_checkpoint() { state_.skipping = true; }

  // Returns the state after the last commit().
  const LogState& state() const { return state_; }

  // Returns the numbers of the segments that became large and ended since the last call. Nothing is
  // written to these segments any more.
  std::vector<std::uint32_t> take_closed() { return std::exchange(closed_, {}); }

 private:
  // The place of the last durable record.
  struct Position {
    Tick tick;
    std::uint64_t checksum = 0;
  };
  enum class Index : std::uint8_t { without, with };

  void begin(const codec::LogHeader& header);
  void take(const LogRecord& record);
  // Ends the segment before this checkpoint, if the segment is large enough or records were
  // dropped. The next segment then starts with the checkpoint.
  void end_segment(Tick checkpoint);
  void keep(const LogRecord& record);
  void keep_seal(Tick tick);
  // Asks the storage for damage by other programs. If the current segment is damaged, ends it. The
  // next segment continues after the last durable record of the damaged one, so the log is whole
  // again if somebody puts the file back.
  void look_for_damage();
  // Frames and stores all pending records. Returns false if the storage failed.
  bool flush(Index index = Index::without);
  bool store();
  void leave_segment();
  // Leaves a segment that failed or was damaged, and remembers how much of it is durable.
  void cut_segment();

  SegmentStore& store_;
  const std::size_t segment_bytes_max_;
  std::unique_ptr<RecordSealer> sealer_;
  codec::LogHeader header_;           // of the segment that is written now or next
  bool begun_ = false;                // begin() was called
  bool open_ = false;                 // the segment of `header_` exists and has never failed
  bool repeats_checkpoint_ = false;   // write the next record twice: a sealed session was resumed
  Position durable_;                  // pending records come after it
  RecordBatch pending_;               // records that are not known to be durable yet
  SegmentWriter segment_;             // of the open segment
  std::vector<std::uint8_t> framed_;  // reused buffer: the bytes to store
  std::vector<std::uint32_t> closed_;
  LogState state_;
  Tick whole_{~std::uint64_t{0}};  // ticks up to this one are in undamaged segments
};

}  // namespace orrery::session
