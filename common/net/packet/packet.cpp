// Encodes and decodes the packets of netcode 1.02, plain and sealed ones.
#include "common/net/packet/packet.h"

#include <algorithm>
#include <bit>

namespace orrery::net {
namespace {

// Returns true if a packet of the type may have a plaintext of this size, in bytes.
bool is_text_size(PacketType type, std::size_t size) {
  switch (type) {
    case PacketType::denied:
      return size <= 2;
    case PacketType::disconnect:
      return size == 0;
    case PacketType::challenge:
    case PacketType::response:
      return size == kChallengeTextBytes;
    case PacketType::keep_alive:
      return size == kKeepAliveBytes;
    case PacketType::payload:
    case PacketType::piece:
      return size >= 1 && size <= kPayloadBytesMax;
    case PacketType::request:
    case PacketType::move:
    case PacketType::moved:
      break;
  }
  return false;
}

// Returns the number of sequence bytes in a packet. High zero bytes are omitted.
std::size_t sequence_bytes(std::uint64_t sequence) {
  return std::max<std::size_t>(1, (static_cast<std::size_t>(std::bit_width(sequence)) + 7) / 8);
}

}  // namespace

void encode_request(const ConnectToken& token, std::vector<std::uint8_t>& out, PacketType type) {
  ORRERY_ASSERT(type == PacketType::request || type == PacketType::move);
  const std::size_t begin = out.size();
  ByteWriter writer(out);
  writer.u8(static_cast<std::uint8_t>(type));
  writer.bytes(kNetcodeVersion);
  writer.u64(token.head.protocol_id);
  writer.u64(token.head.expires);
  writer.bytes(token.head.nonce);
  writer.bytes(token.sealed);
  ORRERY_ASSERT(out.size() == begin + kRequestBytes);
}

std::optional<Request> decode_request(Bytes datagram, PacketType type) {
  if (datagram.size() != kRequestBytes) return std::nullopt;
  ByteReader reader(datagram);
  if (reader.u8() != static_cast<std::uint8_t>(type)) return std::nullopt;
  const Bytes version = reader.bytes(kNetcodeVersion.size());
  if (!std::equal(version.begin(), version.end(), kNetcodeVersion.begin())) return std::nullopt;
  Request request;
  request.head.protocol_id = reader.u64();
  request.head.expires = reader.u64();
  const Bytes nonce = reader.bytes(request.head.nonce.size());
  std::copy(nonce.begin(), nonce.end(), request.head.nonce.begin());
  request.sealed = reader.bytes(kPrivateTokenBytes);
  ORRERY_ASSERT(reader.ok() && reader.at_end());
  return request;
}

namespace {

using ChallengeToken = std::array<std::uint8_t, kChallengeTokenBytes - kSealBytes>;

// Builds the plain challenge token. The seal of the connect token and the address take the place of
// the standard's user data. Only the server decrypts a challenge token, and it knows the user data
// already.
ChallengeToken token_for(const ChallengeSubject& whom) {
  ChallengeToken token{};
  static_assert(sizeof(token) >= 8 + kSealBytes + 16 + 2);
  store_little_endian<8>(token.data(), whom.client_id);
  std::uint8_t* const seal = token.data() + 8;
  std::uint8_t* const ip = std::copy(whom.seal.begin(), whom.seal.end(), seal);
  std::uint8_t* const port = std::copy(whom.address.ip.begin(), whom.address.ip.end(), ip);
  store_little_endian<2>(port, whom.address.port);
  return token;
}

}  // namespace

ChallengeText make_challenge(const Cipher& cipher, const Key& key, std::uint64_t sequence,
                             const ChallengeSubject& whom) {
  ChallengeText text;
  store_little_endian<8>(text.data(), sequence);
  cipher.seal(key, sequence, {}, token_for(whom), text.data() + 8);
  return text;
}

bool is_challenge(const Cipher& cipher, const Key& key, Bytes text, const ChallengeSubject& whom) {
  ORRERY_ASSERT(text.size() == kChallengeTextBytes);
  ChallengeToken token;
  const std::uint64_t sequence = load_little_endian<8>(text.data());
  return cipher.open(key, sequence, {}, text.subspan(8), token.data()) && token == token_for(whom);
}

std::optional<Denial> decode_denial(Bytes text) {
  if (text.empty()) return Denial{};
  if (text[0] == 0 || text[0] >= kDenialReasons) return std::nullopt;
  const EndReason reason = denial_reason(text[0]);
  const bool gone = reason == EndReason::forgotten;
  if (text.size() != (gone ? 2 : 1)) return std::nullopt;
  return Denial{reason, gone ? text[1] : std::uint8_t{0}};
}

void encode_moved_head(std::uint32_t index, std::vector<std::uint8_t>& out) {
  ByteWriter writer(out);
  writer.u8(static_cast<std::uint8_t>(PacketType::moved));
  writer.u32(index);
}

std::optional<Moved> decode_moved(Bytes datagram) {
  ByteReader reader(datagram);
  const bool is_moved = reader.u8() == static_cast<std::uint8_t>(PacketType::moved);
  const std::uint32_t index = reader.u32();
  if (!reader.ok() || !is_moved) return std::nullopt;
  return Moved{index, reader.rest()};
}

std::optional<PacketPrefix> decode_prefix(Bytes datagram) {
  if (datagram.empty() || datagram.size() > kPacketBytesMax) return std::nullopt;
  const auto type = static_cast<PacketType>(datagram[0] & 0xf);
  const std::size_t count = datagram[0] >> 4;
  const std::size_t overhead = 1 + count + kSealBytes;
  if (count < 1 || count > 8 || datagram.size() < overhead) return std::nullopt;
  PacketPrefix prefix{type, 0, 1 + count};
  if (!is_text_size(prefix.type, datagram.size() - overhead)) return std::nullopt;
  for (std::size_t i = 0; i < count; ++i) {
    prefix.sequence |= std::uint64_t{datagram[1 + i]} << 8 * i;
  }
  return prefix;
}

std::size_t packet_bytes(std::uint64_t sequence, std::size_t text_bytes) {
  return 1 + sequence_bytes(sequence) + text_bytes + kSealBytes;
}

std::array<std::uint8_t, 22> PacketSealer::associated_of(std::uint8_t first_byte) const {
  std::array<std::uint8_t, 22> bytes;
  std::copy(kNetcodeVersion.begin(), kNetcodeVersion.end(), bytes.begin());
  store_little_endian<8>(bytes.data() + 13, protocol_id_);
  bytes[21] = first_byte;
  return bytes;
}

void PacketSealer::seal(const Key& key, PacketType type, std::uint64_t sequence, Bytes text,
                        std::vector<std::uint8_t>& out, Carrier carrier) const {
  ORRERY_ASSERT(is_text_size(type, text.size()));
  const std::size_t begin = out.size();
  const std::size_t count = sequence_bytes(sequence);
  const auto first = static_cast<std::uint8_t>(count << 4 | static_cast<std::size_t>(type));
  out.resize(begin + packet_bytes(sequence, text.size()));
  std::uint8_t* const at = out.data() + begin;
  at[0] = first;
  for (std::size_t i = 0; i < count; ++i) at[1 + i] = static_cast<std::uint8_t>(sequence >> 8 * i);
  cipher_of(carrier).seal(key, sequence, associated_of(first), text, at + 1 + count);
}

std::optional<Bytes> PacketSealer::open(const Key& key, const PacketPrefix& prefix, Bytes datagram,
                                        std::span<std::uint8_t> out, Carrier carrier) const {
  ORRERY_ASSERT(out.size() >= kPacketBytesMax);
  ORRERY_ASSERT(prefix.bytes >= 2 && datagram.size() >= prefix.bytes + kSealBytes);
  const Bytes sealed = datagram.subspan(prefix.bytes);
  const auto associated = associated_of(datagram[0]);
  if (!cipher_of(carrier).open(key, prefix.sequence, associated, sealed, out.data())) {
    return std::nullopt;
  }
  return Bytes(out).first(sealed.size() - kSealBytes);
}

}  // namespace orrery::net
