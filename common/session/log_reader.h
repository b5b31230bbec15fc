// Reads a session log across its segments, and classifies its end: closed, torn or damaged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/codec/log_codec.h"
#include "common/core/ids.h"
#include "common/core/result.h"
#include "common/session/byte_source.h"
#include "common/session/log_records.h"
#include "common/session/log_tail.h"
#include "common/session/record_stream.h"
#include "common/session/segment_chain.h"
#include "common/session/segment_checkpoints.h"

namespace orrery::session {

// The position of a checkpoint in a log.
struct CheckpointLocation {
  std::uint32_t segment = 0;
  CheckpointEntry place;
};

// A build, and the first tick that it recorded. Its ticks end before `from` of the next entry.
struct RecordedBy {
  Tick from;
  std::string build;
};

// Returns the build that recorded `tick`. REQUIRES: `builds` is LogReader::builds(), and `tick`
// lies in the segments that it covers.
const std::string& build_of(const std::vector<RecordedBy>& builds, Tick tick);

// A reader of one session log. It returns one record at a time, in order, and verifies each
// checksum.
//
//   LogReader log(source, open_segment);
//   Result<LogHeader> header = log.read_header();
//   TickRecord record;
//   while (log.next(record)) ...
//   // log.tail() says why reading ended
//
// Reading ends at the first record that is incomplete or breaks the chain, unless the next segment
// continues from there. It also ends at a record of the chain with malformed contents. Reading
// continues after a gap that the writer left: after a disk error, ticks are missing and the next
// record is a checkpoint. Bytes of the log are untrusted: none of them can crash the reader.
class LogReader {
 public:
  // `source` is segment 0. Without `open_segment` the reader reads no other segment. REQUIRES: the
  // source outlives the reader.
  explicit LogReader(ByteSource& source, OpenSegment open_segment = {});

  // Reads the preamble and the header. Call it first, once. Returns an Error if the log cannot be
  // read: a source fails or is no log, its format version is unknown, its header is bad, or it is a
  // later segment. The code is `damaged` if valid records follow a broken header.
  Result<codec::LogHeader> read_header();

  // Reads the next tick, checkpoint or seal, and returns its type. Stores a tick in `record` and a
  // checkpoint in `checkpoint`. The bytes of a seal are last_payload(). The seal after the end
  // record is not returned but is in tail().seal. Returns nothing at the end of the longest valid
  // prefix, and tail() is final then. checkpoint.image is valid until the next call.
  std::optional<RecordType> next_record(TickRecord& record, Checkpoint& checkpoint);

  // Does the same as next_record(), but skips seals.
  std::optional<RecordType> next(TickRecord& record, Checkpoint& checkpoint);

  // Reads the next tick and skips everything else. Returns false at the end.
  bool next(TickRecord& record);

  // Moves to a checkpoint. The next call of next() returns it, with after_gap set. Records before
  // the checkpoint are not checked. Returns false, without moving, in these cases:
  // - The log has no `open_segment`.
  // - There is no valid checkpoint at this position.
  // - The writer abandoned the segment after the record before the checkpoint.
  // - This segment or the next one cannot be read.
  //
  // REQUIRES: read_header() succeeded.
  bool go_to(const CheckpointLocation& at);

  // Returns the position after the last record read, with the checksum of that record.
  LogPosition place() const;
  // Moves to a position that place() returned. Returns false, without moving, if the segment cannot
  // be opened, or if another record now precedes the position. REQUIRES: read_header() succeeded.
  bool go_to(const LogPosition& place);

  // Moves back to the first record. Returns false if the source cannot seek, or if its header can
  // no longer be read. In both cases nothing more can be read. REQUIRES: read_header() succeeded.
  bool go_to_start();

  // Returns the end of the log as known so far. It is final after next() returned nothing. After
  // go_to(), complete_bytes counts all bytes from the start of the segment that it moved to.
  const LogTail& tail() const { return tail_; }

  // Returns the payload of the last record as stored. It is valid until the next record is read.
  Bytes last_payload() const { return stream_.last_payload(); }

  // Returns the builds that recorded the segments read so far. A resumed session may have several.
  // Segments that go_to() skipped or moved to are missing, unless they were read before.
  const std::vector<RecordedBy>& builds() const { return builds_; }

  // Return the last tick read, and the position of the last checkpoint.
  Tick tick() const { return tail_.tick; }
  const std::optional<CheckpointLocation>& last_checkpoint() const { return last_checkpoint_; }

 private:
  // Adds the record at the front of `stream_` to the byte counts of `tail_`, and moves past it.
  void accept(const RecordFrame& frame);
  // Decodes the record at the front of `stream_` into `record` or `checkpoint`, by its type.
  // Returns false if its payload is invalid, or it does not belong at this place.
  bool decode(const RecordFrame& frame, TickRecord& record, Checkpoint& checkpoint);
  // If the read failed, ends the reading, stores the error in tail_ and returns true.
  bool failed(const Status& read);
  // Returns true if this segment was abandoned after the last record read. Returns false after a
  // gap, until the checkpoint that follows the gap was read.
  bool is_abandoned_here() const { return !gap_ && abandoned_after_ == stream_.chain(); }
  // Reads the seal after the end record, if there is one.
  void read_seal();
  // Continues in the next segment, or ends the reading. Ignores records in the rest of this
  // segment.
  void end_segment();
  void enter(LaterSegment segment);
  // Continues reading after `tick` in a segment that go_to() has opened; `gap` is as for start().
  void resume(std::unique_ptr<ByteSource> source, RecordStream stream, std::uint32_t segment,
              Tick tick, bool gap);
  // Starts to read segment `segment` at the position of `stream_`, after `tick`. With `gap`, a
  // checkpoint must be next, because the state before it is unknown. `whole`: the segment is read
  // from its start.
  void start(std::uint32_t segment, Tick tick, bool gap, bool whole = true);

  ByteSource& first_source_;
  SegmentChain segments_;
  std::unique_ptr<ByteSource> source_;  // the current segment; null: it is first_source_
  RecordStream stream_;
  std::uint32_t format_ = 0;  // of segment 0
  std::vector<RecordedBy> builds_;
  std::optional<std::uint64_t> abandoned_after_;  // SegmentChain::abandoned_after() of this one
  bool ended_ = false;
  bool gap_ = false;  // the next record must be a checkpoint
  std::optional<CheckpointLocation> last_checkpoint_;
  SegmentCheckpoints checkpoints_;
  LogTail tail_;
};

// A session log that is open for reading, and can be opened again.
struct OpenedLog {
  OpenSegment open_segment;
  std::unique_ptr<ByteSource> source;  // segment 0
  std::unique_ptr<LogReader> reader;   // positioned after the header
  codec::LogHeader header;
};

// Opens a log and reads its header. Returns an Error if that fails.
Result<OpenedLog> open_log(OpenSegment open_segment);

}  // namespace orrery::session
