// Defines the intervals, timeouts and rates that both sides share.
#pragma once

#include <cstdint>

#include "common/net/environment.h"

namespace orrery::net {

// Interval at which a client repeats its request, response or hello, until the timeout.
inline constexpr Nanoseconds kHandshakeInterval = 100 * kMillisecond;

// Maximum time without sending a packet. A keep-alive fills the gap.
inline constexpr Nanoseconds kKeepAliveInterval = 100 * kMillisecond;

// Silence of the server after which a connected client looks for another path to it: its address
// may have changed. The server sends at least a packet in each kKeepAliveInterval, so the silence
// is no chance. Each try on the way lasts at most kReturnTryMax.
inline constexpr Nanoseconds kReturnAfter = kSecond;
inline constexpr Nanoseconds kReturnTryMax = kSecond;
static_assert(kReturnAfter >= 10 * kKeepAliveInterval);  // some packets may be lost

// Silence of the server after which a client reports it. The connection does not end: the server
// may only have paused.
inline constexpr Nanoseconds kSilentAfter = 2 * kSecond;

// Least silence of the server that ends the connection of a client that gave commands, even if the
// timeout of the token is shorter. The server may only have paused, and a new connection would not
// have the commands that wait, here or at the server.
inline constexpr Nanoseconds kCommandsWaitMax = 15 * kSecond;

// Longest time between two updates of a server that counts as silence of its clients. The rest is a
// pause of the server itself.
inline constexpr Nanoseconds kServerPauseMin = kSecond;

// Maximum delay of an acknowledgement, in time and in datagrams with reliable messages. A header
// acknowledges the newest 33 datagrams. With a header for every 16, two headers acknowledge each
// datagram, so one of the two may be lost.
inline constexpr Nanoseconds kAckInterval = 50 * kMillisecond;
inline constexpr std::uint32_t kAckDatagrams = 16;

// Maximum delay of an acknowledgement of other messages, in messages. Each header settles the
// messages that are 8 to 32 sequences before the newest (PathEstimator). At this interval the
// headers settle every message, unless messages or headers are lost.
inline constexpr std::uint32_t kAckMessages = 24;
static_assert(kAckDatagrams <= 32 && kAckMessages + 8 <= 33);  // a header covers 33 messages
static_assert(kAckInterval < kKeepAliveInterval);

// Defaults for new tokens: seconds of silence that end a connection, and seconds from creation to
// expiry.
inline constexpr std::int32_t kTimeoutSeconds = 5;
inline constexpr std::uint32_t kTokenLifeSeconds = 45;
static_assert(kTimeoutSeconds * kSecond >= 10 * kKeepAliveInterval);  // some packets may be lost

// Life of a resumption ticket, and the waits between two tickets for a client: the first wait, and
// the longest. Each wait is twice the one before. A client whose newest ticket was lost, and the
// one before too, can still return for 60 s.
inline constexpr std::uint64_t kTicketLifeSeconds = 120;
inline constexpr Nanoseconds kTicketIntervalFirst = kSecond;
inline constexpr Nanoseconds kTicketIntervalMax = 16 * kSecond;
static_assert(kTicketLifeSeconds * kSecond >= 60 * kSecond + 3 * kTicketIntervalMax);

// Maximum silence that a server accepts, even if the token sets a longer timeout or none. Otherwise
// a slot might never become free.
inline constexpr std::int32_t kTimeoutSecondsMax = 300;

// Copies of a disconnect packet or a goodbye. Nothing confirms them, so they are sent repeatedly.
inline constexpr int kDisconnectCopies = 10;

// Maximum rate and burst of new connections, per IPv4 address or per IPv6 network of 64 bits. More
// responses to challenges are dropped, and the client repeats them after kHandshakeInterval.
// Loopback has no limit.
inline constexpr std::uint32_t kConnectionsPerSecond = 20;
inline constexpr std::uint32_t kConnectionsAtOnce = 5;

// Maximum number of refused requests per second that a server answers with the reason, for all
// addresses together. More are dropped without an answer. Anybody who has overheard a request can
// repeat it, so these answers must cost the server almost nothing.
inline constexpr std::uint32_t kRefusalsPerSecond = 1000;

// Maximum rate of a client's packets, as a multiple of the tick rate (of 30 per second, if ticks
// are slower). A burst may have the packets of a quarter second. More packets are decrypted, but
// then dropped. One packet a tick is for commands. Each of the other three can acknowledge
// kAckMessages datagrams. Together that is more than limits::kSnapshotPartsPerTick, the snapshot
// datagrams that a client gets in a tick.
inline constexpr std::uint32_t kPacketsPerTick = 4;

// Maximum rate and burst of the queries that the server answers for each client. Queries count as
// packets (kPacketsPerTick) too.
inline constexpr std::uint32_t kQueriesPerSecond = 30;
inline constexpr std::uint32_t kQueriesAtOnce = 10;

// A client is disconnected if it sends more packets than this multiple of the tick rate (of 30 per
// second, if ticks are slower), measured over kFloodWindow.
inline constexpr std::uint32_t kFloodPacketsPerTick = 10;
inline constexpr Nanoseconds kFloodWindow = 2 * kSecond;
static_assert(kFloodPacketsPerTick > kPacketsPerTick);  // dropping comes before disconnecting
static_assert(kFloodWindow % kSecond == 0);

}  // namespace orrery::net
