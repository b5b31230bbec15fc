// Encodes and decodes log headers as FlatBuffers.
#include "common/codec/log_codec.h"

#include <algorithm>

#include "common/core/limits.h"
#include "schema/log_generated.h"

namespace orrery::codec {
namespace {

constexpr std::size_t kBuildBytesMax = 256;
// A FlatBuffer has room for a scene, a build name and a fault of the greatest length.
static_assert(limits::kSceneBytesMax + kBuildBytesMax + kFaultBytesMax <
              FLATBUFFERS_MAX_BUFFER_SIZE);

}  // namespace

void encode_log_header(const LogHeader& header, std::vector<std::uint8_t>& out) {
  ORRERY_ASSERT(header.build.size() <= kBuildBytesMax);
  ORRERY_ASSERT(header.scene.empty() == (header.segment > 0));
  ORRERY_ASSERT(header.scene.size() <= limits::kSceneBytesMax);
  flatbuffers::FlatBufferBuilder fbb;
  const bool first = header.segment == 0;
  const auto scene = first ? fbb.CreateVector(header.scene) : 0;
  const auto session = fbb.CreateVector(header.session.data(), header.session.size());
  const auto build = fbb.CreateString(header.build);
  ORRERY_ASSERT(header.fault.size() <= kFaultBytesMax);
  const auto fault = header.fault.empty() ? 0 : fbb.CreateString(header.fault);
  wire::FinishLogHeaderBuffer(
      fbb, wire::CreateLogHeader(fbb, header.rules, build, session, scene, header.initial_hash,
                                 fault, header.segment, header.after_tick.value,
                                 header.after_checksum, header.after_loss));
  out.assign(fbb.GetBufferPointer(), fbb.GetBufferPointer() + fbb.GetSize());
}

Result<LogHeader> decode_log_header(Bytes bytes) {
  constexpr std::size_t kSmallest = sizeof(flatbuffers::uoffset_t) + 4;
  const std::vector<std::uint8_t> aligned(bytes.begin(), bytes.end());
  flatbuffers::Verifier verifier(aligned.data(), aligned.size(), 4, 4);
  if (aligned.size() < kSmallest || !wire::VerifyLogHeaderBuffer(verifier)) {
    return Error{"the header is not one of a session log"};
  }
  const wire::LogHeader& in = *wire::GetLogHeader(aligned.data());
  LogHeader header;
  if (!in.build() || in.build()->size() > kBuildBytesMax || !in.session() ||
      in.session()->size() != header.session.size() || !in.scene() != (in.segment() > 0)) {
    return Error{"the header lacks its build, session or scene"};
  }
  if (in.fault() && in.fault()->size() > kFaultBytesMax) {
    return Error{"the header has a fault that is none"};
  }
  header.rules = in.rules();
  header.build = in.build()->str();
  std::copy(in.session()->begin(), in.session()->end(), header.session.begin());
  if (in.scene()) header.scene.assign(in.scene()->begin(), in.scene()->end());
  header.initial_hash = in.initial_hash();
  if (in.fault()) header.fault = in.fault()->str();
  header.segment = in.segment();
  header.after_tick.value = in.after_tick();
  header.after_checksum = in.after_checksum();
  header.after_loss = in.after_loss();
  return header;
}

}  // namespace orrery::codec
