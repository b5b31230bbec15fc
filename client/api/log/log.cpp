// Opens session logs, and reads their records.
#include <algorithm>
#include <cstring>

#include "client/api/commands.h"
#include "client/api/log/log_handle.h"
#include "client/api/machine/machine.h"
#include "client/api/structs.h"

namespace orrery::api {
namespace {

// The segments of a log in memory, in order. A missing segment is empty.
using Segments = std::vector<std::vector<std::uint8_t>>;

// The bytes of a segment in memory. All sources of the segment share them.
class SharedBytes final : public session::ByteSource {
 public:
  explicit SharedBytes(std::shared_ptr<const std::vector<std::uint8_t>> bytes)
      : bytes_(std::move(bytes)) {}

  std::size_t read(std::span<std::uint8_t> into) override {
    const std::size_t count = std::min(into.size(), bytes_->size() - at_);
    if (count > 0) std::memcpy(into.data(), bytes_->data() + at_, count);
    at_ += count;
    return count;
  }
  bool seek(std::uint64_t offset) override {
    if (offset > bytes_->size()) return false;
    at_ = static_cast<std::size_t>(offset);
    return true;
  }
  std::uint64_t size() const override { return bytes_->size(); }

 private:
  std::shared_ptr<const std::vector<std::uint8_t>> bytes_;
  std::size_t at_ = 0;
};

session::OpenSegment opener_of(Segments bytes) {
  const auto segments = std::make_shared<const Segments>(std::move(bytes));
  return [segments](std::uint32_t number) -> Result<std::unique_ptr<session::ByteSource>> {
    const bool is_missing =
        number >= segments->size() || (number > 0 && (*segments)[number].empty());
    if (is_missing) return std::unique_ptr<session::ByteSource>();
    return plain_segment(std::make_unique<SharedBytes>(
        std::shared_ptr<const std::vector<std::uint8_t>>(segments, &(*segments)[number])));
  };
}

// Reads a log to its end.
Result<LogSummary> summarize(const session::OpenSegment& open_segment) {
  Result<session::OpenedLog> opened = session::open_log(open_segment);
  if (!opened) return opened.error();
  session::OpenedLog& log = opened.value();
  const Result<Scene> scene = session::recorded_scene(log.header);
  if (!scene) return scene.error();
  LogSummary found{std::move(log.header), scene.value().tick_rate, scene.value().name, 0, {}};
  session::TickRecord record;
  while (log.reader->next(record)) {
    if (found.first_tick == 0) found.first_tick = record.tick.value;
  }
  found.tail = log.reader->tail();
  return found;
}

orrery_log_info describe(const orrery_log& log) {
  const LogSummary& from = log.summary;
  orrery_log_info info{};
  info.rules = from.header.rules;
  info.tick_rate = from.tick_rate;
  info.segments = from.tail.segment + 1;
  info.first_tick = from.first_tick;
  info.last_tick = from.tail.tick.value;
  info.lost_ticks = from.tail.lost_ticks + from.tail.removed_ticks;
  info.lost_bytes = from.tail.lost_bytes;
  info.initial_hash = from.header.initial_hash;
  info.scene_bytes = from.header.scene.size();
  info.kept_bytes = log.kept->bytes();
  info.closed = from.tail.closed ? 1 : 0;
  info.damaged = from.tail.damaged ? 1 : 0;
  std::copy(from.header.session.begin(), from.header.session.end(), info.session);
  copy_text(from.scene.c_str(), info.scene, sizeof info.scene);
  copy_text(from.header.build.c_str(), info.build, sizeof info.build);
  copy_text(session::describe(from.tail).c_str(), info.fault, sizeof info.fault);
  return info;
}

// Reads the next record into `unread`, unless `unread` has one. Returns false at the end of the
// log.
bool fetch(orrery_log& log) {
  if (log.unread) return true;
  session::TickRecord record;
  if (!log.records->reader->next(record)) return false;
  log.unread = std::move(record);
  return true;
}

std::int32_t rewind(orrery_log& log) {
  log.unread.reset();
  Result<session::OpenedLog> opened = session::open_log(log.open_segment);
  if (!opened) return fail(log, ORRERY_BAD_LOG, "the log %s", opened.error().text().c_str());
  log.records = std::move(opened.value());
  return ORRERY_OK;
}

}  // namespace

std::int32_t open_log(session::OpenSegment open_segment, orrery_log** log, char* why,
                      std::uint32_t why_size) {
  return created(log, why, why_size, [&](std::int32_t& code) -> orrery_log* {
    Result<LogSummary> found = summarize(open_segment);
    if (found) return new orrery_log(std::move(open_segment), std::move(found.value()));
    copy_text(("the log " + found.error().text()).c_str(), why, why_size);
    code = ORRERY_BAD_LOG;
    return nullptr;
  });
}

}  // namespace orrery::api

using namespace orrery::api;  // NOLINT: all functions of this file are of the C interface

int32_t orrery_log_from_bytes(const void* bytes, uint64_t bytes_size, orrery_log** log, char* why,
                              uint32_t why_size) {
  return orrery_log_from_segments(&bytes, &bytes_size, 1, log, why, why_size);
}

int32_t orrery_log_from_segments(const void* const* segments, const uint64_t* sizes,
                                 uint32_t segments_count, orrery_log** log, char* why,
                                 uint32_t why_size) {
  const auto refuse = [&](const char* reason) {
    copy_text(reason, why, why_size);
    if (log != nullptr) *log = nullptr;
    return ORRERY_BAD_ARGUMENT;
  };
  if (segments == nullptr || sizes == nullptr) return refuse("the segments or sizes are null");
  if (segments_count == 0) return refuse("the log has no segment");
  for (std::uint32_t i = 0; i < segments_count; ++i) {
    if (segments[i] == nullptr && (i == 0 || sizes[i] > 0)) return refuse("the bytes are null");
    if (sizes[i] > PTRDIFF_MAX) return refuse("the log is larger than all memory");
  }
  return created(log, why, why_size, [&](std::int32_t& code) -> orrery_log* {
    Segments copies(segments_count);
    for (std::uint32_t i = 0; i < segments_count; ++i) {
      const auto* const first = static_cast<const std::uint8_t*>(segments[i]);
      if (sizes[i] > 0) copies[i].assign(first, first + static_cast<std::size_t>(sizes[i]));
    }
    orrery_log* opened = nullptr;
    code = open_log(opener_of(std::move(copies)), &opened, why, why_size);
    return opened;
  });
}

void orrery_log_destroy(orrery_log* log) {
  if (log != nullptr && log->type == orrery_log::kType) delete log;
}

int32_t orrery_get_log_info(orrery_log* log, orrery_log_info* info) {
  return give(log, info, "info", [](const orrery_log& l) { return describe(l); });
}

int32_t orrery_log_scene(orrery_log* log, void* bytes, uint64_t capacity) {
  return guarded(log, [&](orrery_log& l) -> std::int32_t {
    if (bytes == nullptr) return fail(l, ORRERY_BAD_ARGUMENT, "bytes is null");
    return give_bytes(l, l.summary.header.scene, bytes, capacity, "the scene");
  });
}

int32_t orrery_log_next(orrery_log* log, orrery_record* record, orrery_command* commands,
                        uint32_t capacity) {
  return guarded(log, [&](orrery_log& l) -> std::int32_t {
    std::int32_t code = check_struct(l, record, "record", false);
    if (code == ORRERY_OK && !l.records) code = rewind(l);
    if (code != ORRERY_OK) return code;
    if (!fetch(l)) return ORRERY_END;
    const auto& list = l.unread->commands;
    if (commands != nullptr) {
      code = give_list(l, list, commands, capacity, "command",
                       [&](const orrery::Command& from) { return command_out(l.space, from); });
    }
    if (code != ORRERY_OK && code != ORRERY_SHORT_BUFFER) return code;
    write_struct(
        record, {0, static_cast<std::uint32_t>(list.size()), l.unread->tick.value, l.unread->hash});
    if (code == ORRERY_OK) l.unread.reset();
    return code;
  });
}

int32_t orrery_log_rewind(orrery_log* log) {
  return guarded(log, [](orrery_log& l) { return rewind(l); });
}
