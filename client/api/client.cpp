// Makes clients, and carries their datagrams and commands.
#include <cmath>
#include <cstring>

#include "client/api/client_handle.h"
#include "client/api/commands.h"
#include "client/api/make_client.h"
#include "client/api/structs.h"
#include "common/core/float_environment.h"
#include "common/math/range.h"

namespace orrery::api {

using client::ClientOptions;

std::optional<ClientOptions> options_in(const orrery_client_options* from, char* why,
                                        std::uint32_t why_size, std::int32_t& code) {
  constexpr double kReconnectSecondsMax = 1e6;
  ClientOptions options;
  if (from == nullptr) return options;
  if (!is_size_of<orrery_client_options>(from->size) || !rest_is_zero(from)) {
    copy_text(
        "options have the wrong size; set it to sizeof, and the fields that you do not use "
        "to 0",
        why, why_size);
    code = ORRERY_WRONG_SIZE;
    return std::nullopt;
  }
  const double most = from->command_max == 0 ? options.command_delay.max : from->command_max;
  if (!within(from->command_min, 0, most) || !within(most, 0, options.command_delay.max) ||
      !within(from->reconnect, -kReconnectSecondsMax, kReconnectSecondsMax)) {
    copy_text(
        "command_min and command_max must ascend from 0 to 120, and reconnect must be within "
        "1e6",
        why, why_size);
    code = ORRERY_BAD_ARGUMENT;
    return std::nullopt;
  }
  options.follow = from->follow != 0;
  options.events = from->events != 0;
  options.plain = from->plain != 0;
  options.command_delay = {from->command_min, most};
  if (from->reconnect < 0) options.reconnect = 0;
  if (from->reconnect > 0) {
    options.reconnect = static_cast<net::Nanoseconds>(from->reconnect * net::kSecond);
  }
  return options;
}

namespace {

// Checks that the thread may step the world of a follower.
std::int32_t check_float_mode(orrery_client& c) {
  if (!c.follows || float_environment_is_sound()) return ORRERY_OK;
  return fail(c, ORRERY_FLOAT_MODE, "%s", kFloatMode);
}

std::int32_t check_has_no_socket(orrery_client& c) {
  if (!c.socket) return ORRERY_OK;
  return fail(c, ORRERY_BAD_ARGUMENT, "this client has its own socket");
}

// Checks an address of the caller, and returns it.
std::int32_t check_address(orrery_client& c, const orrery_address* from, net::Address& address) {
  const std::int32_t code = check_struct(c, from, "the address", true);
  if (code != ORRERY_OK) return code;
  std::copy(std::begin(from->ip), std::end(from->ip), address.ip.begin());
  address.port = from->port;
  return ORRERY_OK;
}

// The source of tokens of a client without a socket: the token that the caller gave, once. If there
// is none, sets `wants_token`.
Result<client::TokenOffer> take_token(orrery_client& c) {
  c.wants_token = !c.token;
  return client::TokenOffer{std::exchange(c.token, std::nullopt)};
}

std::int32_t send_command(orrery_client& c, const orrery_command* command, std::uint64_t now) {
  std::int32_t code = check_struct(c, command, "the command", true);
  if (code != ORRERY_OK) return code;
  orrery_command mine = *command;
  mine.size = sizeof mine;
  mine.client = 1;  // any valid id: the server sets the real one
  mine.sequence = 1;
  code = read_commands(c, &mine, 1, c.commands);
  if (code != ORRERY_OK) return code;
  if (mine.kind == ORRERY_JOIN || mine.kind == ORRERY_LEAVE || mine.kind == ORRERY_DISOWN) {
    return fail(c, ORRERY_BAD_COMMAND, "only the server may give joins, leaves and disowns");
  }
  const client::Connection* const connection = c.client().connection();
  if (!connection || !connection->connected()) {
    return fail(c, ORRERY_NOT_READY, "the client is not connected");
  }
  if (c.client().command(c.commands.front().payload, c.time(now))) return ORRERY_OK;
  return fail(c, ORRERY_BUSY, "%u commands wait for the server", limits::kCommandsQueuedMax);
}

}  // namespace

}  // namespace orrery::api

using namespace orrery::api;  // NOLINT: all functions of this file are of the C interface

orrery_client::orrery_client(const orrery::client::ClientOptions& options,
                             std::unique_ptr<SocketClient> socket_in)
    : Handle(kType),
      follows(options.follow),
      socket(std::move(socket_in)),
      followed(nullptr),
      scene_view(nullptr) {
  if (!socket) own.emplace(client_environment(), options);
}

orrery::net::Nanoseconds orrery_client::time(std::uint64_t now) const {
  return socket ? socket->now() : now;
}

int32_t orrery_client_create(const orrery_client_options* options, orrery_client** client,
                             char* why, uint32_t why_size) {
  const auto make = [](const ClientOptions& read, std::int32_t&) {
    return new orrery_client(read, nullptr);
  };
  return make_client(client, options, why, why_size, make);
}

void orrery_client_destroy(orrery_client* client) {
  if (client != nullptr && client->type == orrery_client::kType) delete client;
}

int32_t orrery_client_connect(orrery_client* client, const void* token, uint32_t token_size,
                              uint64_t now) {
  return guarded(client, [&](orrery_client& c) -> std::int32_t {
    std::int32_t code = check_has_no_socket(c);
    if (code == ORRERY_OK) code = check_float_mode(c);
    if (code != ORRERY_OK) return code;
    if (token == nullptr) return fail(c, ORRERY_BAD_ARGUMENT, "the token is null");
    auto decoded =
        orrery::net::decode_connect_token({static_cast<const std::uint8_t*>(token), token_size});
    if (!decoded) {
      return fail(c, ORRERY_BAD_TOKEN, "the bytes are not a connect token of netcode 1.02");
    }
    const auto phase = c.own->phase();
    const bool is_first =
        phase == orrery::client::ClientPhase::idle || phase == orrery::client::ClientPhase::ended;
    if (!is_first && !c.wants_token) {
      return fail(c, ORRERY_BAD_TOKEN, "the client has a token, and wants no other");
    }
    c.token = *decoded;
    c.wants_token = false;
    c.change([&] {
      if (!is_first) return c.own->update(now);
      c.own->connect([&c] { return take_token(c); }, now);
    });
    return ORRERY_OK;
  });
}

int32_t orrery_client_disconnect(orrery_client* client, uint64_t now) {
  return guarded(client, [&](orrery_client& c) -> std::int32_t {
    c.change([&] {
      c.client().disconnect(c.time(now));
      if (c.socket) c.socket->update();
    });
    return ORRERY_OK;
  });
}

int32_t orrery_client_receive(orrery_client* client, const orrery_address* from, const void* bytes,
                              uint32_t bytes_size, uint64_t now) {
  return guarded(client, [&](orrery_client& c) -> std::int32_t {
    std::int32_t code = check_has_no_socket(c);
    orrery::net::Address address;
    if (code == ORRERY_OK) code = check_address(c, from, address);
    if (code != ORRERY_OK) return code;
    if (bytes == nullptr) return fail(c, ORRERY_BAD_ARGUMENT, "the datagram is null");
    code = check_float_mode(c);
    if (code != ORRERY_OK) return code;
    const orrery::Bytes datagram(static_cast<const std::uint8_t*>(bytes), bytes_size);
    c.change([&] { c.own->receive(address, datagram, now); });
    return ORRERY_OK;
  });
}

int32_t orrery_client_poll_send(orrery_client* client, orrery_address* to, void* bytes,
                                uint32_t capacity, uint32_t* bytes_size) {
  return guarded(client, [&](orrery_client& c) -> std::int32_t {
    std::int32_t code = check_has_no_socket(c);
    if (code == ORRERY_OK) code = check_struct(c, to, "the address", false);
    if (code != ORRERY_OK) return code;
    if (bytes == nullptr || bytes_size == nullptr) {
      return fail(c, ORRERY_BAD_ARGUMENT, "bytes or bytes_size is null");
    }
    if (capacity < orrery::net::kPacketBytesMax) {
      return fail(c, ORRERY_SHORT_BUFFER, "datagrams have up to %zu bytes",
                  orrery::net::kPacketBytesMax);
    }
    const auto datagram = c.own->poll_send();
    if (!datagram) return ORRERY_END;
    orrery_address address{};
    address.port = datagram->to.port;
    std::copy(datagram->to.ip.begin(), datagram->to.ip.end(), address.ip);
    write_struct(to, address);
    std::memcpy(bytes, datagram->bytes.data(), datagram->bytes.size());
    *bytes_size = static_cast<std::uint32_t>(datagram->bytes.size());
    return ORRERY_OK;
  });
}

int32_t orrery_client_update(orrery_client* client, uint64_t now, uint64_t wait) {
  return guarded(client, [&](orrery_client& c) -> std::int32_t {
    const std::int32_t code = check_float_mode(c);
    if (code != ORRERY_OK) return code;
    c.change([&] {
      if (c.socket) {
        c.socket->wait(wait);
      } else {
        c.own->update(now);
      }
    });
    return ORRERY_OK;
  });
}

int32_t orrery_client_command(orrery_client* client, const orrery_command* command, uint64_t now) {
  return guarded(client, [&](orrery_client& c) { return send_command(c, command, now); });
}
