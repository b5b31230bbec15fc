// Owns the reading of a session log over its segments, and the judgement of its tail: closed, torn
// or damaged (what each means: schema/README.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/codec/log_codec.h"
#include "common/core/ids.h"
#include "common/core/result.h"
#include "common/session/byte_sink.h"
#include "common/session/log_records.h"
#include "common/session/record_stream.h"

namespace orrery {

// What lies behind the last complete record, and what was left out before it.
struct LogTail {
  Tick tick;                         // the last one before it
  bool closed = false;               // the end record is there: the session was closed on purpose
  std::optional<LogSeal> seal;       // behind that record
  bool damaged = false;              // a record that the disk had is broken, or one means nothing
  std::string reason;                // of damage that no record behind it shows
  std::uint64_t complete_bytes = 0;  // the valid prefix of each segment, summed up
  std::uint64_t lost_bytes = 0;      // behind it
  std::uint64_t given_up_bytes = 0;  // passed over where the next segment goes on before them
  std::uint64_t lost_ticks = 0;      // in gaps that the session knew of
  std::uint32_t segment = 0;         // the last one that counts,
  std::uint64_t segment_bytes = 0;   // and its valid prefix
  // A read that failed, which ended the reading: what lies behind it is not known.
  std::optional<Error> unreadable = {};
};

// So many segments in a row may be missing from among others, and it is seen.
inline constexpr std::uint32_t kSegmentsMissingMax = 64;

// Opens segment `number` (1, 2, ...) of a log; a null pointer if there is none.
using OpenSegment = std::function<Result<std::unique_ptr<ByteSource>>(std::uint32_t number)>;

// Where a log has a checkpoint.
struct CheckpointAt {
  std::uint32_t segment = 0;
  CheckpointPlace place;
};

// A place between two records, behind a tick.
struct LogPlace {
  std::uint32_t segment = 0;
  std::uint64_t offset = 0;    // in the segment
  std::uint64_t checksum = 0;  // of the record before
  Tick tick;
};

// The build that recorded the ticks from one on, as far as another does not follow.
struct RecordedBy {
  Tick from;
  std::string build;
};

// Reads a log one record at a time: front to back, or from a checkpoint on.
class LogReader {
 public:
  // The source, which is segment 0, outlives the reader. Without `open_segment` the log has no
  // others.
  explicit LogReader(ByteSource& source, OpenSegment open_segment = {});

  // First of all. An Error says why there is nothing to read; then tail().damaged tells a damaged
  // header with valid records behind it from all else: no log, another version, a cut header.
  Result<LogHeader> read_header();

  // The next record: a tick or a checkpoint, into one of the two, or a seal, which is the last
  // payload; nothing at the end of the longest valid prefix, and then tail() is known. The image of
  // the checkpoint is good until the next call.
  std::optional<RecordType> next_record(TickRecord& record, Checkpoint& checkpoint);

  // The next tick or checkpoint.
  std::optional<RecordType> next(TickRecord& record, Checkpoint& checkpoint);

  // The next tick; false at the end.
  bool next(TickRecord& record);

  // Goes to a checkpoint, which next() gives then, as one to go on from. False if none is there
  // that counts, or the log has no `open_segment`: then the reader is where it was. What lies
  // before the checkpoint is not looked at. Only after read_header().
  bool go_to(const CheckpointAt& at);

  // The place behind the last record read, and going back there. False if the log has no
  // `open_segment`, or another record there: then the reader is where it was.
  LogPlace place() const;
  bool go_to(const LogPlace& place);

  // Goes back to where read_header() left the reader. False if the source has no going back, or has
  // changed: then there is nothing to read.
  bool go_to_start();

  const LogTail& tail() const { return tail_; }

  // How far reading has come: the bytes of the preambles and records so far.
  std::uint64_t bytes_read() const { return tail_.complete_bytes; }

  // The payload of the record that was read last, as it stands: good until the next call.
  Bytes last_payload() const { return stream_.last_payload(); }

  // The builds that recorded the segments so far: another comes where one has resumed the session.
  // Of segments that go_to() has passed over they are not known.
  const std::vector<RecordedBy>& builds() const { return builds_; }
  // That of a tick in those segments.
  const std::string& build_of(Tick tick) const;

  // The last tick read, the checksum of the last record, and where the last checkpoint is.
  Tick tick() const { return tail_.tick; }
  std::uint64_t last_checksum() const { return stream_.chain(); }
  const std::optional<CheckpointAt>& last_checkpoint() const { return last_checkpoint_; }

 private:
  // A segment to go on in: its header and the checkpoint behind it are sound. One that goes on
  // where the disk failed need not begin with a checkpoint.
  struct Segment {
    std::uint32_t number = 0;
    std::unique_ptr<ByteSource> source;
    RecordStream stream;  // behind the header
    LogHeader header;
  };

  // Counts the record at the front, and moves on past it.
  void accept(const RecordFrame& frame);
  // Reads the record at the front into one of the two; false if it means nothing.
  bool decode(const RecordFrame& frame, TickRecord& record, Checkpoint& checkpoint);
  // True if the read failed: then the reading ends, and tail_ says why.
  bool failed(const Status& read);
  // True if the places are those of all the checkpoints read in this segment.
  bool lists_what_was_read(const std::vector<CheckpointPlace>& places) const;
  // Behind which record a segment was given up, if it was: the checksum. It may hold more. An Error
  // if the one behind it cannot be read.
  Result<std::optional<std::uint64_t>> given_up_behind(std::uint32_t segment) const;
  // True if this segment was given up behind the last record read.
  bool is_given_up_here() const { return !gap_ && given_up_behind_ == stream_.chain(); }
  // Behind the end record: reads the seal, if there is one.
  void read_seal();
  // Nothing that counts follows in this segment: goes on in the next one, or ends the reading.
  void end_segment();
  // The next segment; nothing if there is none, or if tail_.reason says why.
  std::optional<Segment> find_next_segment();
  // True of a segment that goes on where the one before was given up; and, for misfit() to name, if
  // that does not go so far.
  bool needs_no_checkpoint(const LogHeader& header) const;
  // Why the log does not go on in the segment; empty if it does. `damaged`: the one before is.
  std::string misfit(const LogHeader& header, std::uint32_t number, bool damaged) const;
  void enter(Segment segment);
  // Goes on in a stream over a segment that was opened anew, behind a tick; `gap` as for start().
  void resume(std::unique_ptr<ByteSource> source, RecordStream stream, std::uint32_t segment,
              Tick tick, bool gap);
  // Starts to read where `stream_` is, in a segment, behind a tick. `gap`: the state after that is
  // known from the checkpoint alone that must come next.
  void start(std::uint32_t segment, Tick tick, bool gap);

  ByteSource& first_source_;
  OpenSegment open_segment_;
  std::unique_ptr<ByteSource> source_;  // of segments 1, 2, ...
  RecordStream stream_;
  std::uint32_t format_ = 0;  // of segment 0
  LogHeader first_;           // of segment 0, without the scene
  std::vector<RecordedBy> builds_;
  std::optional<std::uint64_t> given_up_behind_;  // this segment
  bool ended_ = false;
  bool gap_ = false;  // only a checkpoint may follow, from which replay goes on
  std::optional<CheckpointAt> last_checkpoint_;
  std::vector<CheckpointPlace> places_;  // of the checkpoints of this segment
  bool from_start_ = true;               // it is read from there
  std::vector<CheckpointPlace> index_;   // scratch
  LogTail tail_;
};

}  // namespace orrery
