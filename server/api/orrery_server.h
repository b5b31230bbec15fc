// The server of Orrery as a library: your program is the server, and decides by rules of its own.
//
// A program with rules is this loop:
//
//   while (orrery_server_wait(server) == ORRERY_OK) {
//     ...  // read the world, its events and the commands that are due, and decide
//     orrery_server_step(server);
//   }
//
// Rules run between the steps. Their decisions are commands, and the log has them. A session
// therefore replays and verifies without its rules, in whatever language they are, and however
// random they are. A crash of the program loses its variables. The option `--resume` or `--session`
// continues the session from its log, without the last ticks that are not on the disk yet: about
// 0.1 s of them.
//
// The rules of orrery.h hold for every function. In addition:
// - A server and its world are used in the thread that opened the server. In other threads their
//   functions return ORRERY_WRONG_THREAD.
// - A process has one open server at a time. While it is open, SIGINT, SIGTERM and SIGHUP ask it to
//   end, and SIGUSR1 writes its counters. More than 0.2 s after the first, SIGINT or SIGTERM ends
//   the process. After orrery_server_close(), the first three have their default effect. SIGPIPE,
//   SIGXFSZ and SIGUSR1 are ignored for the rest of the process.
// - Log lines go to stderr, as with orreryd. Nothing is written to stdout.
// - The library has the functions of orrery.h too: link orrery-server, and not orrery.
#ifndef ORRERY_SERVER_H
#define ORRERY_SERVER_H

#include "orrery.h"

#ifdef __cplusplus
extern "C" {
#endif

// A server with its session. Open it with orrery_server_open(), and free it with
// orrery_server_close().
typedef struct orrery_server orrery_server;

// Opens a session with the options of orreryd, such as {"--scene", "playground", "--log", "a"}.
// `arguments` has `arguments_count` texts. If it fails, `*server` is null and `why` says why. `why`
// may be null. Clients can connect from now on. orrery_server_wait() answers them.
ORRERY_API int32_t orrery_server_open(const char* const* arguments, uint32_t arguments_count,
                                      orrery_server** server, char* why, uint32_t why_size);

// Waits until a tick is due, and closes its commands: they are complete and in order now. Returns
// ORRERY_OK then, and ORRERY_END if the session ends: by a signal or by the option `--ticks`. While
// the tick is not made, further calls return ORRERY_OK at once.
//
// A program may take any time until orrery_server_step(). A program that is too slow catches up to
// four ticks at once. `slowed` of orrery_server_info counts the ticks beyond them.
ORRERY_API int32_t orrery_server_wait(orrery_server* server);

// Makes the tick that is due: steps the world, writes the log and sends to the clients. Returns
// ORRERY_NOT_READY if no tick is due.
ORRERY_API int32_t orrery_server_step(orrery_server* server);

// Sets `*world` to the world of the session: the state after the last tick. The server owns it, and
// it can be read only. It is the same handle in every call. orrery_world_events() has the events of
// the last tick. orrery_world_applied() has the commands that changed something in it, among them
// the joins and leaves of clients.
ORRERY_API int32_t orrery_server_world(orrery_server* server, orrery_world** world);

// Writes the commands of the tick that is due, and sets `*count` to their number. `commands` has
// room for `capacity` commands, each with its size. With ORRERY_SHORT_BUFFER only `*count` is set.
// First come ORRERY_LEAVE, ORRERY_JOIN and ORRERY_DISOWN of client 0, the server; then the commands
// of the clients. A replaced command has its new form, and a dropped one keeps its place. Decisions
// are not among them. Returns ORRERY_NOT_READY if no tick is due.
ORRERY_API int32_t orrery_server_commands(orrery_server* server, orrery_command* commands,
                                          uint32_t capacity, uint32_t* count);

// Replaces a command of a client in the tick that is due, or drops it if `command` is null. `index`
// is its place in orrery_server_commands(). The fields `client` and `sequence` of `command` are
// ignored. The client gets no message, unless the new command is refused. Commands of client 0
// stay: they follow the connections.
ORRERY_API int32_t orrery_server_change(orrery_server* server, uint32_t index,
                                        const orrery_command* command);

// Decides a command of client 0 in the tick that is due. It has the rights of an admin, and is
// applied before the commands of all clients. Sets `*number`, unless null, to its number: decisions
// are numbered 1, 2, 3, ... The fields `client` and `sequence` are ignored.
//
// After a refusal, orrery_last_error() has the reason:
// - ORRERY_BAD_COMMAND: a number is not finite or out of range, or it is a join, leave or disown.
// - ORRERY_NOT_FOUND: there is no such body or joint.
// - ORRERY_BUSY: the tick has 4,096 decisions, the most that it takes.
//
// The step can refuse other decisions, and refuses thrusts, torques and grabs, because the server
// never leaves: orrery_server_refusals() has them. `refused` of
// orrery_server_info counts both.
ORRERY_API int32_t orrery_server_command(orrery_server* server, const orrery_command* command,
                                         uint64_t* number);

// Writes the next decisions that a step refused, at most `capacity`, and sets `*count`. Returns
// ORRERY_END if none wait. A decision that changed nothing is not refused. If you read none, the
// newest 4,096 wait.
ORRERY_API int32_t orrery_server_refusals(orrery_server* server, orrery_refusal* refusals,
                                          uint32_t capacity, uint32_t* count);

// Facts about a server.
typedef struct orrery_server_info {
  uint32_t size;
  uint32_t clients;    // clients that are connected
  uint64_t slowed;     // ticks by which the session is later than the clock
  uint64_t decisions;  // decisions that went into ticks
  uint64_t refused;    // decisions that were refused, at once or by a step
  char address[64];    // address of clients, such as "127.0.0.1:4770"
  char web[64];        // address of the page, or empty
  char log[512];       // path of the log
  char key[512];       // path of the key file of this run; empty with the option `--key-file`
} orrery_server_info;

// Gets the facts.
ORRERY_API int32_t orrery_get_server_info(orrery_server* server, orrery_server_info* info);

// Ends the session: informs the clients, closes the log and frees the server and its world. The
// handle is invalid afterwards, whatever the result. `why`, unless null, has the reason of an
// error:
// - ORRERY_BAD_LOG: the disk lacks the last ticks.
// - ORRERY_DIVERGED: the option `--shadow` found a difference.
// - ORRERY_BROKEN: an earlier call ran out of memory. The log ends as after a crash.
ORRERY_API int32_t orrery_server_close(orrery_server* server, char* why, uint32_t why_size);

// Frees the server and its world, and leaves the session as a crash would: clients try to connect
// again, and `--resume` continues it. The disk has all ticks. Use it if your rules have failed.
ORRERY_API int32_t orrery_server_abandon(orrery_server* server);

#ifdef __cplusplus
}
#endif

#endif
