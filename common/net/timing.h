// Owns the times of the exchange, which both sides share.
#pragma once

#include <cstdint>

#include "common/net/environment.h"

namespace orrery {

// A client repeats its request, or its response, this often, and gives up after the timeout.
inline constexpr Nanoseconds kHandshakeInterval = 100 * kMillisecond;

// A side that has had nothing to say for this long says so.
inline constexpr Nanoseconds kKeepAliveInterval = 100 * kMillisecond;

// A side that hears nothing for this long ends the connection.
inline constexpr Nanoseconds kTimeout = 5 * kSecond;

// A cookie is good in the slot of time that it was made in, and in the next.
inline constexpr Nanoseconds kCookieSlot = 2 * kSecond;

// A disconnect is said this often at once, as nobody will ask for it again.
inline constexpr int kDisconnectCopies = 4;

// Connect requests are answered at this rate, whoever they come from; the rest is dropped, and a
// client asks again after kHandshakeInterval.
inline constexpr std::uint32_t kStrangerAnswersPerSecond = 4000;
inline constexpr std::uint32_t kStrangerAnswersAtOnce = 1000;

// Packets of a client: up to this multiple of the tick rate are read, as many as half a second of
// them at once, and the rest is dropped unread.
inline constexpr std::uint32_t kPacketsPerTick = 2;

// Queries of a client that are answered, of the packets above.
inline constexpr std::uint32_t kQueriesPerSecond = 30;
inline constexpr std::uint32_t kQueriesAtOnce = 10;

// A client that sends more than this multiple of the tick rate, counted over kFloodWindow, is
// disconnected.
inline constexpr std::uint32_t kFloodPacketsPerTick = 10;
inline constexpr Nanoseconds kFloodWindow = 2 * kSecond;

}  // namespace orrery
