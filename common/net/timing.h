// Defines the intervals, timeouts and rates that both sides share.
#pragma once

#include <cstdint>

#include "common/net/environment.h"

namespace orrery::net {

// Interval at which a client repeats its request or response, until the timeout.
inline constexpr Nanoseconds kHandshakeInterval = 100 * kMillisecond;

// Maximum time without sending a packet. A keep-alive fills the gap.
inline constexpr Nanoseconds kKeepAliveInterval = 100 * kMillisecond;

// Maximum delay of an acknowledgement, in time and in datagrams with reliable messages. The
// acknowledgement bits of a lost datagram are repeated in the next one.
inline constexpr Nanoseconds kAckInterval = 50 * kMillisecond;
inline constexpr std::uint32_t kAckDatagrams = 16;

// Maximum delay of an acknowledgement of other messages, in messages. At this interval the bits
// cover each message after eight later ones have arrived, so its loss is known (PathEstimator).
inline constexpr std::uint32_t kAckMessages = 24;
static_assert(kAckDatagrams <= 32 && kAckMessages + 8 <= 33);  // an ack and its 32 bits
static_assert(kAckInterval < kKeepAliveInterval);

// Defaults for new tokens: seconds of silence that end a connection, and seconds from creation to
// expiry.
inline constexpr std::int32_t kTimeoutSeconds = 5;
inline constexpr std::uint32_t kTokenLifeSeconds = 45;
static_assert(kTimeoutSeconds * kSecond >= 10 * kKeepAliveInterval);  // some may be lost

// Maximum silence that a server accepts, even if the token sets a longer timeout or none. Otherwise
// a slot might never become free.
inline constexpr std::int32_t kTimeoutSecondsMax = 300;

// Copies of a disconnect packet. Nothing confirms it, so it is sent repeatedly.
inline constexpr int kDisconnectCopies = 10;

// Requests with a valid token per IPv4 address or per IPv6 network of 64 bits. More are dropped,
// and the client asks again after kHandshakeInterval. Loopback has no limit.
inline constexpr std::uint32_t kRequestsPerSecond = 20;
inline constexpr std::uint32_t kRequestsAtOnce = 5;

// Packets that a client may send, as a multiple of the tick rate, in bursts of a quarter second.
// More are dropped unread. One is for commands; the others acknowledge
// limits::kSnapshotPartsPerTick messages.
inline constexpr std::uint32_t kPacketsPerTick = 4;

// Queries that are answered per client. They count as packets too.
inline constexpr std::uint32_t kQueriesPerSecond = 30;
inline constexpr std::uint32_t kQueriesAtOnce = 10;

// A client is disconnected above this multiple of the tick rate, measured over kFloodWindow.
inline constexpr std::uint32_t kFloodPacketsPerTick = 10;
inline constexpr Nanoseconds kFloodWindow = 2 * kSecond;
static_assert(kFloodPacketsPerTick > kPacketsPerTick);  // packets are dropped first
static_assert(kFloodWindow % kSecond == 0);

}  // namespace orrery::net
