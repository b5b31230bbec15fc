// Owns the times of the exchange, which both sides share.
#pragma once

#include <cstdint>

#include "common/net/environment.h"

namespace orrery {

// A client repeats its request, or its response, this often, and gives up after the timeout.
inline constexpr Nanoseconds kHandshakeInterval = 100 * kMillisecond;

// A side that has had nothing to say for this long says so.
inline constexpr Nanoseconds kKeepAliveInterval = 100 * kMillisecond;

// Who receives messages says what has come after so long at the latest; of reliable ones also after
// so many datagrams: the ack bits of one that is lost are then in the next.
inline constexpr Nanoseconds kAckInterval = 50 * kMillisecond;
inline constexpr std::uint32_t kAckDatagrams = 16;

// Of others after so many: of each message the ack bits then say at some time that it came, or that
// it did not when eight later ones had.
inline constexpr std::uint32_t kAccountMessages = 24;

// What tokens are issued with unless somebody says: a side that hears nothing for so many seconds
// ends the connection, and so many seconds after its issue nobody connects by the token any more.
inline constexpr std::int32_t kTimeoutSeconds = 5;
inline constexpr std::uint32_t kTokenLifeSeconds = 45;

// The silence that a server bears at most, also where a token says more, or none: a slot must come
// free at some time.
inline constexpr std::int32_t kTimeoutSecondsMax = 300;

// A disconnect is said this often at once, as nobody will ask for it again.
inline constexpr int kDisconnectCopies = 10;

// Requests to connect, with a good token, of one IPv4 address, or of one IPv6 network of 64 bits,
// that are looked at; the rest is dropped, and a client asks again after kHandshakeInterval. Those
// of this machine are not counted.
inline constexpr std::uint32_t kRequestsPerSecond = 20;
inline constexpr std::uint32_t kRequestsAtOnce = 5;

// Packets of a client: up to this multiple of the tick rate are read, as many as a quarter of a
// second of them at once, and the rest is dropped unread. One is for commands; the rest are for the
// account of limits::kSnapshotPartsPerTick messages.
inline constexpr std::uint32_t kPacketsPerTick = 4;

// Queries of a client that are answered, of the packets above.
inline constexpr std::uint32_t kQueriesPerSecond = 30;
inline constexpr std::uint32_t kQueriesAtOnce = 10;

// A client that sends more than this multiple of the tick rate, counted over kFloodWindow, is
// disconnected.
inline constexpr std::uint32_t kFloodPacketsPerTick = 10;
inline constexpr Nanoseconds kFloodWindow = 2 * kSecond;

}  // namespace orrery
