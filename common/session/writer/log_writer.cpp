// Writes the records of a session: a header, one record a tick, checkpoints and an end.
#include "common/session/writer/log_writer.h"

#include "common/codec/command_codec.h"
#include "common/codec/scene_codec.h"
#include "common/session/versions.h"
#include "common/world/image/image.h"

namespace orrery::session {
namespace {

constexpr std::size_t kTickPayloadMax = 8 + limits::kCommandsPerTickMax * codec::kCommandBytesMax;
static_assert(kTickPayloadMax <= limits::kLogRecordBytesMax);

codec::LogHeader without_scene(codec::LogHeader header) {
  header.scene = {};
  return header;
}

}  // namespace

codec::LogHeader make_log_header(const World& world, std::string build,
                                 const codec::SessionId& session) {
  ORRERY_ASSERT(world.tick().value == 0);
  codec::LogHeader header;
  header.rules = kRulesVersion;
  header.build = std::move(build);
  header.session = session;
  codec::encode_scene(world.scene(), header.scene);
  header.initial_hash = world.hash();
  return header;
}

SessionLog::SessionLog(RecordSink& sink, const codec::LogHeader& header)
    : sink_(sink), header_(without_scene(header)) {
  ORRERY_ASSERT(header.segment == 0);
  sink_.begin(header, nullptr);
}

SessionLog::SessionLog(RecordSink& sink, const codec::LogHeader& header, const World& world)
    : sink_(sink), header_(header), ticks_(header.after_tick.value) {
  ORRERY_ASSERT(header.segment > 0 && header.scene.empty());
  const bool has_image = take_image(world);
  ORRERY_ASSERT(has_image);  // recover() has checked that it fits
  const LogRecord first = checkpoint(world);
  sink_.begin(header, &first);
}

bool SessionLog::append_tick(const World& world) {
  ORRERY_ASSERT(!closed_);
  ORRERY_ASSERT(world.tick().value == ticks_ + 1);
  tick_.clear();
  ByteWriter out(tick_);
  encode_tick(world.hash(), world.applied(), out);
  ++ticks_;
  if (!sink_.append({RecordType::tick, world.tick(), tick_})) return false;
  const bool due = ticks_ % (kCheckpointSeconds * world.scene().tick_rate) == 0;
  return !due || !take_image(world) || sink_.append(checkpoint(world));
}

void SessionLog::close() {
  ORRERY_ASSERT(!closed_);
  encode_end(Tick{ticks_}, payload_);
  sink_.append({RecordType::end, Tick{ticks_}, payload_});
  closed_ = true;
}

bool SessionLog::take_image(const World& world) {
  ORRERY_ASSERT(world.tick().value == ticks_);
  save_image(world, image_);
  return image_.size() <= kImageBytesMax;
}

LogRecord SessionLog::checkpoint(const World& world) {
  ORRERY_ASSERT(begins_as_image(image_));
  encode_checkpoint(world.tick(), world.hash(), payload_);
  return {RecordType::checkpoint, world.tick(), payload_, image_};
}

}  // namespace orrery::session
