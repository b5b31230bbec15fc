// Owns how records are written and chained.
#include "common/session/log_writer.h"

#include "common/codec/command_codec.h"
#include "common/codec/scene_codec.h"
#include "common/core/hash.h"
#include "common/session/versions.h"
#include "common/world/image.h"

namespace orrery {
namespace {

constexpr std::size_t kTickPayloadMax = 8 + limits::kCommandsPerTickMax * kCommandBytesMax;
static_assert(kTickPayloadMax <= limits::kLogRecordBytesMax);

}  // namespace

LogHeader make_log_header(const World& world, std::string build, const SessionId& session) {
  ORRERY_ASSERT(world.tick.value == 0);
  LogHeader header;
  header.rules = kRulesVersion;
  header.build = std::move(build);
  header.session = session;
  encode_scene(world.scene, header.scene);
  header.initial_hash = world.hash;
  return header;
}

SessionLog::SessionLog(ByteSink& sink, const LogHeader& header) : sink_(sink) {
  ORRERY_ASSERT(header.segment == 0);
  checkpoints_.reserve(kIndexedMax);
  start(header, nullptr);
}

SessionLog::SessionLog(ByteSink& sink, const LogHeader& header, const World& world) : sink_(sink) {
  ORRERY_ASSERT(header.segment > 0 && header.scene.empty());
  ORRERY_ASSERT(header.after_tick == world.tick);
  checkpoints_.reserve(kIndexedMax);
  ticks_ = world.tick.value;
  const bool has_image = take_image(world);
  ORRERY_ASSERT(has_image);  // the log that the session goes on from holds one
  start(header, &world);
}

bool SessionLog::start(const LogHeader& header, const World* world) {
  ticks_ = header.after_tick.value;
  checkpoints_.clear();
  record_.clear();
  append_preamble(record_);
  encode_log_header(header, payload_);
  chain_ = append_record(RecordType::header, payload_, {}, checksum(record_), record_);
  segment_bytes_ = record_.size();
  const bool taken = sink_.append(record_);
  header_ = header;
  if (world) return taken && append_checkpoint(*world);
  header_.scene = {};  // ticks are small, the scene need not be
  payload_ = {};
  record_ = {};
  return taken;
}

bool SessionLog::append_tick(const World& world) {
  ORRERY_ASSERT(!closed_);
  ORRERY_ASSERT(world.tick.value == ticks_ + 1);
  payload_.clear();
  ByteWriter out(payload_);
  encode_tick(world.hash, world.applied, out);
  ++ticks_;
  if (!append(RecordType::tick)) return false;
  const bool due = ticks_ % (kCheckpointSeconds * world.scene.tick_rate) == 0;
  return !due || !take_image(world) || append_checkpoint(world);
}

bool SessionLog::add_checkpoint(const World& world) {
  ORRERY_ASSERT(!closed_);
  const bool there = !checkpoints_.empty() && checkpoints_.back().tick == world.tick;
  return there || (take_image(world) && append_checkpoint(world));
}

bool SessionLog::begin_segment(const World& world) {
  ORRERY_ASSERT(!closed_);
  ORRERY_ASSERT(world.tick.value == ticks_);
  if (!take_image(world)) return false;
  append_index();
  if (!sink_.begin_segment(header_.segment + 1)) return false;
  LogHeader header = header_;
  ++header.segment;
  header.after_tick = world.tick;
  header.after_checksum = chain_;
  header.after_loss = false;
  return start(header, &world);
}

void SessionLog::close() {
  ORRERY_ASSERT(!closed_);
  append_index();
  encode_end(Tick{ticks_}, payload_);
  append(RecordType::end);
  closed_ = true;
}

bool SessionLog::take_image(const World& world) {
  ORRERY_ASSERT(world.tick.value == ticks_);
  save_image(world, image_);
  return image_.size() <= kImageBytesMax;
}

bool SessionLog::append_checkpoint(const World& world) {
  ORRERY_ASSERT(world.tick.value == ticks_);
  ORRERY_ASSERT(begins_as_image(image_));
  if (checkpoints_.size() < kIndexedMax) checkpoints_.push_back({world.tick, segment_bytes_});
  encode_checkpoint(world.tick, world.hash, payload_);
  return append(RecordType::checkpoint, image_);
}

bool SessionLog::append_index() {
  encode_index(checkpoints_, segment_bytes_, payload_);
  return append(RecordType::index);
}

bool SessionLog::append(RecordType type, Bytes more) {
  record_.clear();
  chain_ = append_record(type, payload_, more, chain_, record_);
  segment_bytes_ += record_.size();
  return sink_.append(record_);
}

}  // namespace orrery
