// Removes the records of old segments of a log.
#include "common/host/disk/segment_remover.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "common/host/disk/log_segments.h"
#include "common/session/segment_start.h"
#include "common/session/writer/segment_writer.h"

namespace orrery::host {
namespace {

// The start of a segment.
struct Start {
  codec::LogHeader header;
  std::optional<session::RemovedRecords> removed;  // its records were removed
  bool can_begin = false;                          // a replay can begin in the segment, or after it
};

std::optional<Start> read_segment_start(const std::string& path, std::uint32_t number,
                                        FileSystem& files) {
  const auto source = segments_of(path, files)(number);
  if (!source || !source.value()) return {};
  session::RecordStream stream(*source.value());
  Result<codec::LogHeader> header = session::read_start(stream);
  if (!header || header.value().segment != number) return {};
  Start start{std::move(header.value()), {}, false};
  start.can_begin = session::begins_with_checkpoint(stream, start.header.after_tick);
  if (!session::begins_with_removal(stream)) return start;
  start.removed = session::decode_removed(stream.payload(*stream.front()));
  start.can_begin = start.removed.has_value();
  return start;
}

// Returns the bytes of a segment of which only the header and a removal are left.
std::vector<std::uint8_t> without_records(const codec::LogHeader& header,
                                          const session::RemovedRecords& removed) {
  std::vector<std::uint8_t> payload;
  session::encode_removed(removed, payload);
  std::vector<std::uint8_t> bytes;
  session::SegmentWriter writer;
  writer.start(header, bytes);
  writer.append({session::RecordType::removed, removed.last, payload}, bytes);
  return bytes;
}

// Writes a new file. Returns false if the disk fails; the file may then exist.
bool write_file(FileSystem& files, const std::string& path, Bytes bytes) {
  const int descriptor = files.create(path, true);
  if (descriptor < 0) return false;
  std::int64_t written = 0;
  for (; !bytes.empty() && written >= 0; bytes = bytes.subspan(static_cast<std::size_t>(written))) {
    written = files.write(descriptor, bytes);
    if (written <= 0) break;
  }
  const bool synced = bytes.empty() && files.sync(descriptor) == 0;
  return files.close(descriptor) == 0 && synced;
}

}  // namespace

session::RemovedTicks SegmentRemover::enforce(std::uint32_t newest, std::uint64_t now) {
  pass_removed(newest);
  if (first_ >= newest) return removed_;
  const std::uint32_t end = first_to_keep(newest, now);
  // From the newest to the oldest: a removed segment needs a checkpoint or a removed one after it.
  for (std::uint32_t segment = end; segment > first_; --segment) {
    if (!remove(segment - 1)) return removed_;
  }
  pass_removed(end);
  first_ = std::max(first_, end);
  return removed_;
}

std::uint32_t SegmentRemover::first_to_keep(std::uint32_t newest, std::uint64_t now) const {
  ORRERY_ASSERT(first_ <= newest);
  const auto look = [this](std::uint32_t segment) {
    FileLook found;
    return files_.look(segment_path(path_, segment), found) == 0 ? found : FileLook{};
  };
  std::uint64_t total = look(0).size;
  for (std::uint32_t segment = first_; segment <= newest; ++segment) total += look(segment).size;
  std::uint32_t keep = first_;
  for (; keep < newest; ++keep) {
    const FileLook found = look(keep);
    const auto modified = static_cast<std::uint64_t>(std::max<std::int64_t>(found.modified, 0));
    const bool too_old = limit_.seconds != 0 && now > modified + limit_.seconds;
    const bool too_much = limit_.bytes != 0 && total > limit_.bytes;
    if (!too_old && !too_much) break;
    total -= std::min(total, found.size);
  }
  return keep;
}

void SegmentRemover::pass_removed(std::uint32_t newest) {
  for (; first_ < newest; ++first_) {
    const std::optional<Start> start = read_segment_start(path_, first_, files_);
    if (!start || !start->removed) return;
    if (removed_.last.value == 0) removed_.first.value = start->header.after_tick.value + 1;
    removed_.last = start->removed->last;
  }
}

bool SegmentRemover::remove(std::uint32_t segment) {
  const std::optional<Start> start = read_segment_start(path_, segment, files_);
  const std::optional<Start> next = read_segment_start(path_, segment + 1, files_);
  if (!start || start->removed || !next || !next->can_begin) return true;
  if (!session::of_one_session(start->header, next->header)) return true;
  const std::string path = segment_path(path_, segment);
  const std::string draft = draft_path(path);
  const auto bytes =
      without_records(start->header, {next->header.after_tick, next->header.after_checksum});
  const bool replaced = write_file(files_, draft, bytes) && files_.rename(draft, path, true) == 0;
  if (!replaced) files_.remove(draft);
  return replaced && files_.sync_folder_of(path) == 0;
}

}  // namespace orrery::host
