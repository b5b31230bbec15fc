// Encodes and decodes connect tokens. All integers are little-endian, even the groups of an IPv6
// address.
#include "common/net/packet/connect_token.h"

#include <algorithm>

namespace orrery::net {
namespace {

constexpr std::uint8_t kIpv4 = 1;
constexpr std::uint8_t kIpv6 = 2;

// The mark in front of the creation time. It begins at byte 1 of the user data.
constexpr std::array<std::uint8_t, 7> kCreated = {'C', 'R', 'E', 'A', 'T', 'E', 'D'};
static_assert(1 + kCreated.size() + 8 + kOwnDataBytes == kUserDataBytes);

// The bytes in front of a TicketMark. They follow the user data, where the standard has zeros.
constexpr std::array<std::uint8_t, 8> kTicket = {'T', 'I', 'C', 'K', 'E', 'T', 'O', 'R'};

constexpr std::size_t kPrivateTextBytes = kPrivateTokenBytes - kSealBytes;
// The mark has room after the longest list of addresses.
static_assert(8 + 4 + 4 + AddressList::kMax * 19 + 2 * kKeyBytes + kUserDataBytes + kTicket.size() +
                  3 * 8 <=
              kPrivateTextBytes);

// Returns the associated data with which the private part is sealed.
std::array<std::uint8_t, 29> associated_of(const TokenHead& head) {
  std::array<std::uint8_t, 29> bytes;
  std::copy(kNetcodeVersion.begin(), kNetcodeVersion.end(), bytes.begin());
  store_little_endian<8>(bytes.data() + 13, head.protocol_id);
  store_little_endian<8>(bytes.data() + 21, head.expires);
  return bytes;
}

void write_addresses(const AddressList& list, ByteWriter& writer) {
  ORRERY_ASSERT(list.size() >= 1);
  writer.u32(static_cast<std::uint32_t>(list.size()));
  for (const Address& address : list.span()) {
    if (is_ipv4(address)) {
      writer.u8(kIpv4);
      writer.bytes(Bytes(address.ip).subspan(kMappedIpv4.size()));
    } else {
      writer.u8(kIpv6);
      for (std::size_t i = 0; i < 16; i += 2) {
        writer.u16(static_cast<std::uint16_t>(address.ip[i] << 8 | address.ip[i + 1]));
      }
    }
    writer.u16(address.port);
  }
}

bool read_address(ByteReader& reader, Address& address) {
  const std::uint8_t type = reader.u8();
  if (type == kIpv4) {
    std::copy(kMappedIpv4.begin(), kMappedIpv4.end(), address.ip.begin());
    for (std::size_t i = kMappedIpv4.size(); i < 16; ++i) address.ip[i] = reader.u8();
  } else if (type == kIpv6) {
    for (std::size_t i = 0; i < 16; i += 2) {
      const std::uint16_t group = reader.u16();
      address.ip[i] = static_cast<std::uint8_t>(group >> 8);
      address.ip[i + 1] = static_cast<std::uint8_t>(group);
    }
  } else {
    return false;
  }
  address.port = reader.u16();
  return reader.ok();
}

bool read_addresses(ByteReader& reader, AddressList& list) {
  const std::uint32_t count = reader.u32();
  if (count < 1 || count > AddressList::kMax) return false;
  for (std::uint32_t i = 0; i < count; ++i) {
    Address address;
    if (!read_address(reader, address)) return false;
    list.add(address);
  }
  return true;
}

template <std::size_t kCount>
void read_array(ByteReader& reader, std::array<std::uint8_t, kCount>& out) {
  const Bytes bytes = reader.bytes(kCount);
  std::copy(bytes.begin(), bytes.end(), out.begin());
}

void seal_private_token(const Cipher& cipher, const Key& key, const TokenHead& head,
                        const PrivateToken& token,
                        std::array<std::uint8_t, kPrivateTokenBytes>& sealed) {
  std::vector<std::uint8_t> text;
  text.reserve(kPrivateTextBytes);
  ByteWriter writer(text);
  writer.u64(token.client_id);
  writer.u32(static_cast<std::uint32_t>(token.timeout_seconds));
  write_addresses(token.servers, writer);
  writer.bytes(token.client_to_server);
  writer.bytes(token.server_to_client);
  writer.bytes(token.user_data);
  if (token.ticket) {
    writer.bytes(kTicket);
    writer.u64(token.ticket->run);
    writer.u64(token.ticket->number);
    writer.u64(token.ticket->created);
  }
  ORRERY_ASSERT(text.size() <= kPrivateTextBytes);
  text.resize(kPrivateTextBytes);
  const ErasedAtEnd erased(text);
  cipher.seal(key, head.nonce, associated_of(head), text, sealed.data());
}

// Reads the mark after the user data, if there is one.
std::optional<TicketMark> read_ticket_mark(ByteReader& reader) {
  const Bytes mark_of = reader.bytes(kTicket.size());
  if (!std::equal(mark_of.begin(), mark_of.end(), kTicket.begin(), kTicket.end())) {
    return std::nullopt;
  }
  TicketMark mark;
  mark.run = reader.u64();
  mark.number = reader.u64();
  mark.created = reader.u64();
  return mark;
}

}  // namespace

void mark_created(PrivateToken& token, std::uint64_t created) {
  std::copy(kCreated.begin(), kCreated.end(), token.user_data.begin() + 1);
  store_little_endian<8>(token.user_data.data() + 1 + kCreated.size(), created);
}

std::optional<std::uint64_t> created_of(const PrivateToken& token) {
  if (!std::equal(kCreated.begin(), kCreated.end(), token.user_data.begin() + 1)) {
    return std::nullopt;
  }
  return load_little_endian<8>(token.user_data.data() + 1 + kCreated.size());
}

Bytes own_data_of(const UserData& data) {
  Bytes own = Bytes(data).last(kOwnDataBytes);
  ORRERY_ASSERT(own.size() < data.size());
  while (!own.empty() && own.back() == 0) own = own.first(own.size() - 1);
  return own;
}

ConnectToken make_connect_token(const Cipher& cipher, const Key& key, const TokenHead& head,
                                std::uint64_t created, const PrivateToken& token,
                                const AddressList& send_to) {
  ORRERY_ASSERT(created <= head.expires);
  ConnectToken made{.head = head,
                    .created = created,
                    .timeout_seconds = token.timeout_seconds,
                    .servers = send_to,
                    .client_to_server = token.client_to_server,
                    .server_to_client = token.server_to_client};
  seal_private_token(cipher, key, head, token, made.sealed);
  return made;
}

std::optional<PrivateToken> open_private_token(const Cipher& cipher, const Key& key,
                                               const TokenHead& head, Bytes sealed) {
  ORRERY_ASSERT(sealed.size() == kPrivateTokenBytes);
  std::array<std::uint8_t, kPrivateTextBytes> text;
  const ErasedAtEnd erased(text);
  if (!cipher.open(key, head.nonce, associated_of(head), sealed, text.data())) return std::nullopt;
  ByteReader reader(text);
  PrivateToken token;
  token.client_id = reader.u64();
  token.timeout_seconds = static_cast<std::int32_t>(reader.u32());
  if (!read_addresses(reader, token.servers)) return std::nullopt;
  read_array(reader, token.client_to_server);
  read_array(reader, token.server_to_client);
  read_array(reader, token.user_data);
  token.ticket = read_ticket_mark(reader);
  ORRERY_ASSERT(reader.ok());  // the plaintext has room for AddressList::kMax addresses
  return token;
}

std::vector<std::uint8_t> encode_connect_token(const ConnectToken& token) {
  std::vector<std::uint8_t> bytes;
  bytes.reserve(kConnectTokenBytes);
  ByteWriter writer(bytes);
  writer.bytes(kNetcodeVersion);
  writer.u64(token.head.protocol_id);
  writer.u64(token.created);
  writer.u64(token.head.expires);
  writer.bytes(token.head.nonce);
  writer.bytes(token.sealed);
  writer.u32(static_cast<std::uint32_t>(token.timeout_seconds));
  write_addresses(token.servers, writer);
  writer.bytes(token.client_to_server);
  writer.bytes(token.server_to_client);
  ORRERY_ASSERT(bytes.size() <= kConnectTokenBytes);
  bytes.resize(kConnectTokenBytes);
  return bytes;
}

std::optional<ConnectToken> decode_connect_token(Bytes bytes) {
  if (bytes.size() != kConnectTokenBytes) return std::nullopt;
  ByteReader reader(bytes);
  const Bytes version = reader.bytes(kNetcodeVersion.size());
  if (!std::equal(version.begin(), version.end(), kNetcodeVersion.begin())) return std::nullopt;
  ConnectToken token;
  token.head.protocol_id = reader.u64();
  token.created = reader.u64();
  token.head.expires = reader.u64();
  read_array(reader, token.head.nonce);
  read_array(reader, token.sealed);
  token.timeout_seconds = static_cast<std::int32_t>(reader.u32());
  if (token.created > token.head.expires) return std::nullopt;
  if (!read_addresses(reader, token.servers)) return std::nullopt;
  read_array(reader, token.client_to_server);
  read_array(reader, token.server_to_client);
  ORRERY_ASSERT(reader.ok());
  return token;
}

}  // namespace orrery::net
