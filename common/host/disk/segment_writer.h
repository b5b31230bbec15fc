// Owns how the records of a session become segments on a disk that may fail.
//
// Records come as SessionLog makes them, as if the log were one file. A segment ends at a
// checkpoint when it has become large, or where the disk failed: what may not have arrived is then
// written again, to the next segment, which names the record that it goes on behind. So nothing is
// lost unless memory runs out too, and a file that failed once is never trusted again (Rebello et
// al., "Can Applications Recover from fsync Failures?", USENIX ATC 2020). A checkpoint and the end
// are written once all before them is on the disk, so that a power cut never looks like damage.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/codec/log_codec.h"
#include "common/core/bytes.h"
#include "common/core/ids.h"
#include "common/host/disk/file_system.h"
#include "common/host/disk/log_seal.h"
#include "common/host/disk/segment_watch.h"
#include "common/session/log_format.h"
#include "common/session/log_records.h"

namespace orrery::host {

// How a log stands on the disk.
struct LogState {
  Tick durable;                  // the disk has all ticks up to here, but for those lost;
                                 // behind a damaged segment it has none that counts
  std::uint32_t segment = 0;     // that is written, or will be
  std::uint64_t failures = 0;    // of the disk
  std::uint64_t lost_ticks = 0;  // for which there was no memory while the disk failed
  bool skipping = false;         // more are being lost, until the next checkpoint
  std::string failure;           // the last one
  bool failing = false;          // since that one nothing has come to the disk
  std::string damage;            // what another program did to a segment first; empty: nothing
};

class SegmentWriter {
 public:
  // Writes the log at `path`. A segment of `segment_bytes` ends at the next checkpoint. `files`
  // outlives the writer.
  SegmentWriter(FileSystem& files, std::string path, std::size_t segment_bytes);
  ~SegmentWriter();
  SegmentWriter(const SegmentWriter&) = delete;
  SegmentWriter& operator=(const SegmentWriter&) = delete;

  // Takes what comes next, whole records (at first in one call the preamble, the header and, of a
  // session that goes on, the checkpoint), and brings all that there is to the disk. What that
  // refuses is kept for the next call.
  void commit(Bytes records);

  // Removes what this writer has written: its segments and its draft. Nothing may follow.
  void discard();

  // Records are missing from here to the next checkpoint.
  void skip_to_checkpoint() { state_.skipping = true; }

  // Puts seals into the log: behind its first header, each checkpoint and its end; and of a session
  // that goes on, its checkpoint twice. Before anything is committed; `sealer` has what earlier
  // segments hold.
  void seal_with(LogSealer sealer) { sealer_ = std::move(sealer); }

  const LogState& state() const { return state_; }

  // Segments that ended whole since the last call: nothing is written to them any more.
  std::vector<std::uint32_t> take_closed() { return std::exchange(closed_, {}); }

 private:
  // Behind which record, and in which state.
  struct Position {
    Tick tick;
    std::uint64_t checksum = 0;
  };

  Bytes take_start(Bytes records);
  // Watches the segments that earlier runs of the session have written.
  void watch_earlier();
  // Places the checkpoint that the records begin with, without a seal, before it is taken: the seal
  // behind both shows that it covers ticks that no earlier one did (host/disk/log_seal.h).
  void mark_resume(Bytes records);
  void take(const session::RecordFrame& frame, Bytes record);
  void take_checkpoint(Tick tick);
  // Puts a record behind the others of this segment, in its chain.
  void place(const session::RecordFrame& frame, Bytes record);
  void place_index();
  // Puts a seal of all so far behind it.
  void place_seal();
  void append(session::RecordType type, Bytes payload);

  // A segment that another program has damaged is written no more: the next one goes on behind the
  // same record, so that the log is whole if somebody puts the file back.
  void look_for_damage();
  void flush();
  bool make_segment();
  // Gives the segment its name.
  bool publish(const std::string& draft, const std::string& path);
  // Places anew, in a new segment, what is pending. Returns how the segment starts.
  std::vector<std::uint8_t> begin_segment();
  void leave_segment();
  bool write_all(Bytes bytes);
  bool sync();
  // True if the call went well; else keeps why not, and whether of the draft.
  bool succeeded(std::int64_t returned, bool of_draft = false);

  FileSystem& files_;
  const std::string path_;
  const std::size_t segment_bytes_max_;
  codec::LogHeader header_;            // of the next segment
  int descriptor_ = -1;                // of a segment that never failed
  std::uint32_t first_segment_ = 0;    // that this writer makes
  bool name_is_ours_ = false;          // what has the name of the segment may be replaced,
  bool draft_is_ours_ = false;         // and what has that of its draft
  Position durable_;                   // what is pending comes behind it
  std::vector<std::uint8_t> pending_;  // records that the disk may not have
  Position end_;                       // of what is pending
  std::uint64_t segment_bytes_ = 0;    // with what is pending
  std::vector<session::CheckpointEntry> index_;
  std::vector<std::uint32_t> closed_;
  std::vector<std::uint8_t> payload_;  // scratch
  LogState state_;
  std::optional<LogSealer> sealer_;
  SegmentWatch watch_;
  Tick whole_{~std::uint64_t{0}};  // up to which no segment is damaged
};

}  // namespace orrery::host
