// Lists the reasons for which a client's connection ends.
#pragma once

#include <cstdint>
#include <string_view>

#include "common/codec/message_codec.h"

namespace orrery::net {

// The reason for the end of a connection.
enum class EndReason : std::uint8_t {
  none,
  asked,           // this client disconnected
  no_answer,       // the last server of the token did not answer
  timed_out,       // the server was silent for the token's timeout
  full,            // the last server of the token was full
  token_expired,   // the token expired before a server gave the client a slot
  other_protocol,  // the server has another version of the protocol
  // the server has another schema hash: it was built from another commit
  other_schema,
  server_stopped,
  dropped,  // the server heard nothing from this client
  flooded,  // this client sent too many packets
  // the server cannot serve the mode that this client asked for
  other_mode,
  too_slow,        // this client could not follow the simulation in time
  unsound_client,  // this client sent reliable messages that do not decode
  // the server sent reliable messages that do not decode, or false acknowledgements
  unsound_server,
  replaced,   // a newer connection of the same account took the place of this one
  false_ack,  // this client acknowledged messages that the server never sent
  forgotten,  // the server no longer has this connection: it dropped it, or has restarted
  // The last server of the token refused it. The token ...
  refused_expired,       // expired by the server's clock
  refused_long_life,     // expires later than the server allows
  refused_future,        // was created later than the server's clock shows
  refused_server,        // does not name this server
  refused_before_start,  // may be older than this run of the server
  refused_used,          // has made a connection before
  refused_superseded,    // the client is connected with a newer token
};

// Returns a description for people that completes the sentence "The server ...".
std::string_view describe(EndReason reason);

// Returns the reason that a goodbye of the server gives.
EndReason reason_of(codec::message::DisconnectReason reason);

}  // namespace orrery::net
