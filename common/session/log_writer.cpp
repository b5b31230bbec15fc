// Owns how records are written and chained.
#include "common/session/log_writer.h"

#include "common/codec/command_codec.h"
#include "common/codec/scene_codec.h"
#include "common/core/hash.h"
#include "common/session/versions.h"

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
  ByteWriter preamble(record_);
  preamble.bytes(kLogMagic);
  preamble.u32(kLogFormatVersion);
  ORRERY_ASSERT(record_.size() == kPreambleBytes);
  chain_ = checksum(record_);
  sink_.append(record_);
  encode_log_header(header, payload_);
  ORRERY_ASSERT(payload_.size() <= kHeaderPayloadMax);
  append(RecordType::header);
  payload_ = {};  // ticks are small, the scene need not be
  record_ = {};
}

bool SessionLog::append_tick(const World& world) {
  ORRERY_ASSERT(!closed_);
  ORRERY_ASSERT(world.tick.value == ticks_ + 1);
  payload_.clear();
  ByteWriter out(payload_);
  out.u64(world.hash);
  for (const Command& command : world.applied) encode_command(command, out);
  ++ticks_;
  return append(RecordType::tick);
}

void SessionLog::close() {
  ORRERY_ASSERT(!closed_);
  payload_.clear();
  ByteWriter(payload_).u64(ticks_);
  append(RecordType::end);
  closed_ = true;
}

bool SessionLog::append(RecordType type) {
  ORRERY_ASSERT(payload_.size() <= payload_max(type));
  record_.clear();
  ByteWriter out(record_);
  out.u8(static_cast<std::uint8_t>(type));
  out.varint(payload_.size());
  out.bytes(payload_);
  chain_ = checksum(record_, chain_);
  out.u64(chain_);
  return sink_.append(record_);
}

}  // namespace orrery
