// Messages about values of the session, and notices: their bytes in both directions.
//
//   values: type u8 (ReliableType::values) | tick varint | whole u8 | values to the end
//   value:  size of the key varint | key | size of the value varint | value
//   notice: type u8 (ReliableType::notice) | tick varint | the text to the end
//
// Decoding is a trust boundary.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "common/core/bytes.h"
#include "common/core/ids.h"
#include "common/world/command.h"
#include "common/world/world.h"

namespace orrery::codec {
namespace message {

// All values of the session after a tick, or those that the tick changed. A changed value without
// bytes has ended.
struct Values {
  Tick tick;
  bool whole = false;  // all values
  std::vector<NamedValue> values;
};

// What command::Tell gives a client in a tick.
struct Notice {
  Tick tick;
  command::Value text;  // not empty
};

}  // namespace message

// Append the start of a message about values, and then a value.
void encode_values_head(Tick tick, bool whole, std::vector<std::uint8_t>& out);
void encode_value(const command::Key& key, const command::Value& value,
                  std::vector<std::uint8_t>& out);
// Appends a message. REQUIRES: `text` is not empty.
void encode_notice(Tick tick, const command::Value& text, std::vector<std::uint8_t>& out);

// Decode a message from untrusted bytes. Return nothing if they are not such a message. The values
// of a sound message are at most kCommandsPerTickMax changes, or kValuesMax values that ascend by
// key and are not empty.
std::optional<message::Values> decode_values(Bytes bytes);
std::optional<message::Notice> decode_notice(Bytes bytes);

}  // namespace orrery::codec
