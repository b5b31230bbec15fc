// Owns how records are written and chained.
#include "common/session/log_writer.h"

#include "common/codec/command_codec.h"
#include "common/codec/scene_codec.h"
#include "common/core/hash.h"
#include "common/session/versions.h"
#include "common/world/image/image.h"

namespace orrery::session {
namespace {

constexpr std::size_t kTickPayloadMax = 8 + limits::kCommandsPerTickMax * codec::kCommandBytesMax;
static_assert(kTickPayloadMax <= limits::kLogRecordBytesMax);

}  // namespace

codec::LogHeader make_log_header(const World& world, std::string build,
                                 const codec::SessionId& session) {
  ORRERY_ASSERT(world.tick.value == 0);
  codec::LogHeader header;
  header.rules = kRulesVersion;
  header.build = std::move(build);
  header.session = session;
  codec::encode_scene(world.scene, header.scene);
  header.initial_hash = world.hash;
  return header;
}

SessionLog::SessionLog(ByteSink& sink, const codec::LogHeader& header) : sink_(sink) {
  ORRERY_ASSERT(header.segment == 0);
  start(header);
  send();
  payload_ = {};  // no other record is as large as the scene may be
  framed_ = {};
}

SessionLog::SessionLog(ByteSink& sink, const codec::LogHeader& header, const World& world)
    : sink_(sink) {
  ORRERY_ASSERT(header.segment > 0 && header.scene.empty());
  ORRERY_ASSERT(header.after_tick == world.tick);
  start(header);
  const bool has_image = take_image(world);
  ORRERY_ASSERT(has_image);  // recover() has seen that it fits
  append_checkpoint(world);
}

void SessionLog::start(const codec::LogHeader& header) {
  header_ = header;
  header_.scene = {};
  ticks_ = header.after_tick.value;
  checkpoints_.reserve(kIndexedMax);
  append_preamble(framed_);
  segment_bytes_ = framed_.size();
  chain_ = checksum(framed_);
  codec::encode_log_header(header, payload_);
  frame(RecordType::header, payload_);
}

bool SessionLog::append_tick(const World& world) {
  ORRERY_ASSERT(!closed_);
  ORRERY_ASSERT(world.tick.value == ticks_ + 1);
  tick_.clear();
  ByteWriter out(tick_);
  encode_tick(world.hash, world.applied, out);
  ++ticks_;
  if (!append(RecordType::tick, tick_)) return false;
  const bool due = ticks_ % (kCheckpointSeconds * world.scene.tick_rate) == 0;
  return !due || !take_image(world) || append_checkpoint(world);
}

bool SessionLog::add_checkpoint(const World& world) {
  ORRERY_ASSERT(!closed_);
  const bool there = !checkpoints_.empty() && checkpoints_.back().tick == world.tick;
  return there || (take_image(world) && append_checkpoint(world));
}

void SessionLog::close() {
  ORRERY_ASSERT(!closed_);
  append_index();
  encode_end(Tick{ticks_}, payload_);
  append(RecordType::end, payload_);
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
  add_to_index(checkpoints_, {world.tick, segment_bytes_});
  encode_checkpoint(world.tick, world.hash, payload_);
  return append(RecordType::checkpoint, payload_, image_);
}

bool SessionLog::append_index() {
  encode_index(checkpoints_, segment_bytes_, payload_);
  return append(RecordType::index, payload_);
}

void SessionLog::frame(RecordType type, Bytes payload, Bytes more) {
  ORRERY_ASSERT(more.empty() || type == RecordType::checkpoint);
  const std::size_t before = framed_.size();
  chain_ = append_record(type, payload, more, chain_, framed_);
  segment_bytes_ += framed_.size() - before;
}

bool SessionLog::send() {
  const bool taken = sink_.append(framed_);
  framed_.clear();
  return taken;
}

bool SessionLog::append(RecordType type, Bytes payload, Bytes more) {
  frame(type, payload, more);
  return send();
}

}  // namespace orrery::session
