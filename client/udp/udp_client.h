// A client with a UDP socket, the ciphers of libsodium, and the clock of this machine.
#pragma once

#include <memory>
#include <string>

#include "client/lib/client.h"
#include "client/udp/access.h"
#include "client/udp/client_sockets.h"
#include "common/core/result.h"

namespace orrery::client {

// The settings of a client with a socket.
struct UdpClientOptions {
  std::string server = "127.0.0.1:4770";  // HOST:PORT; a name is looked up, which may take 5 s
  AccessOptions access;
  Role role = Role::play;  // in tokens that are made with a key; a token file has its own role
  ClientOptions client;
};

// A Client that sends and receives by itself, in the caller's thread. A program has one loop:
//   while (client.wait_for_frame(144)) draw(client.frame());
// or calls update() in the loop that it has.
class UdpClient {
 public:
  // Reads the file of `access`, opens a socket, and starts to connect. An Error is one line: the
  // address, the file or the socket cannot be used. Waits while the name of the server is looked up
  // (host::ServerName::find). Later look-ups, for a lost connection, make nobody wait.
  static Result<std::unique_ptr<UdpClient>> open(const UdpClientOptions& options);
  // Does the same with an access that the caller has opened.
  static Result<std::unique_ptr<UdpClient>> open(const Access& access, Role role,
                                                 const ClientOptions& options);
  UdpClient(const UdpClient&) = delete;  // its Client refers to it
  UdpClient& operator=(const UdpClient&) = delete;
  // Ends the connection, and informs the server.
  ~UdpClient();

  // Receives and sends all that is due. Returns false once the client has ended; problem() then
  // says why. REQUIRES: at least 30 calls a second.
  bool update();
  // Does the same until the next frame is due, `rate` times a second. Late frames are left out.
  // REQUIRES: 1 <= rate <= 10,000.
  bool wait_for_frame(double rate);
  // Does the same when a datagram has arrived. Waits for it at most `wait`, and at most a thirtieth
  // of a second.
  bool wait(net::Nanoseconds wait);

  // As Client::command(), and Client::frame(), now.
  bool command(const CommandPayload& payload);
  Frame frame(FrameMode mode = FrameMode::verlet);
  const std::string& problem() const { return client_.problem(); }
  // Returns the client, for everything else.
  Client& client() { return client_; }
  const Client& client() const { return client_; }
  // Returns the sockets, for their errors.
  const ClientSockets& sockets() const { return *sockets_; }

 private:
  UdpClient(std::unique_ptr<ClientSockets> sockets, const ClientOptions& options);
  void send_waiting();

  const std::unique_ptr<ClientSockets> sockets_;
  Client client_;
  net::Nanoseconds next_frame_ = 0;
};

}  // namespace orrery::client
