// Defines the first byte of every reliable message from the server: the type of the message.
#pragma once

#include <cstdint>

namespace orrery::codec {

// The type of a reliable message from the server. The first three are log records without length
// and checksum, under the numbers of their types (session::RecordType).
enum class ReliableType : std::uint8_t {
  header = 1,      // the scene, in all modes
  checkpoint = 4,  // mode follow: a state
  tick = 7,        // mode follow: a tick to step
  events = 16,     // modes plain and delta: events of a tick (event_codec.h)
  refusals = 17,   // commands of this client that were refused (refusal_codec.h)
  values = 18,     // modes plain and delta: values of the session (value_codec.h)
  notice = 19,     // modes plain and delta: a command::Tell for this client (value_codec.h)
};

}  // namespace orrery::codec
