// Encodes and decodes messages about values of the session and about notices.
#include "common/codec/value_codec.h"

#include "common/codec/reliable_type.h"
#include "common/core/limits.h"

namespace orrery::codec {
namespace {

template <std::size_t kMax>
void put(const BoundedBytes<kMax>& bytes, ByteWriter& out) {
  out.varint(bytes.view().size());
  out.bytes(bytes.view());
}

// Reads the bytes of a key or value. Returns false if there are too many.
template <std::size_t kMax>
bool get(ByteReader& in, BoundedBytes<kMax>& bytes) {
  const std::uint64_t size = in.varint();
  if (size > kMax) return false;
  bytes = BoundedBytes<kMax>(in.bytes(static_cast<std::size_t>(size)));
  return in.ok();
}

// Starts to read a message of this type, and returns its tick.
std::optional<Tick> read_head(ByteReader& in, ReliableType type) {
  const std::uint8_t first = in.u8();
  const Tick tick{in.varint()};
  const bool sound = in.ok() && first == static_cast<std::uint8_t>(type);
  return sound ? std::optional(tick) : std::nullopt;
}

}  // namespace

void encode_values_head(Tick tick, bool whole, std::vector<std::uint8_t>& out) {
  ByteWriter writer(out);
  writer.u8(static_cast<std::uint8_t>(ReliableType::values));
  writer.varint(tick.value);
  writer.u8(whole ? 1 : 0);
}

void encode_value(const command::Key& key, const command::Value& value,
                  std::vector<std::uint8_t>& out) {
  ORRERY_ASSERT(!key.empty());
  ByteWriter writer(out);
  put(key, writer);
  put(value, writer);
}

void encode_notice(Tick tick, const command::Value& text, std::vector<std::uint8_t>& out) {
  ORRERY_ASSERT(!text.empty());
  ByteWriter writer(out);
  writer.u8(static_cast<std::uint8_t>(ReliableType::notice));
  writer.varint(tick.value);
  writer.bytes(text.view());
}

std::optional<message::Values> decode_values(Bytes bytes) {
  ByteReader in(bytes);
  const std::optional<Tick> tick = read_head(in, ReliableType::values);
  const std::uint8_t whole = in.u8();
  if (!tick || !in.ok() || whole > 1) return {};
  message::Values out{*tick, whole == 1, {}};
  const std::size_t most = out.whole ? limits::kValuesMax : limits::kCommandsPerTickMax;
  while (!in.at_end()) {
    NamedValue v;
    if (out.values.size() == most || !get(in, v.key) || !get(in, v.value)) return {};
    const bool ascends = out.values.empty() || out.values.back().key < v.key;
    if (v.key.empty() || (out.whole && (v.value.empty() || !ascends))) return {};
    out.values.push_back(v);
  }
  return out;
}

std::optional<message::Notice> decode_notice(Bytes bytes) {
  ByteReader in(bytes);
  const std::optional<Tick> tick = read_head(in, ReliableType::notice);
  if (!tick || in.at_end() || in.rest().size() > limits::kValueBytesMax) return {};
  return message::Notice{*tick, command::Value(in.rest())};
}

}  // namespace orrery::codec
