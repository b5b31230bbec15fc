// Carries the bytes of one TCP connection: the output of Beast and ours in one order. Beast reads
// and writes in turns with the other connections.
#pragma once

#include <boost/asio/compose.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/role.hpp>
#include <cerrno>
#include <cstddef>
#include <memory>
#include <utility>

#include "common/core/bytes.h"
#include "common/core/limits.h"
#include "common/host/process/clock.h"
#include "server/web/send_queue.h"
#include "server/web/socket_state.h"
#include "server/web/turns.h"

namespace orrery::server::web {

namespace asio = boost::asio;
using boost::system::error_code;

// A TCP socket with the interface that Beast needs (AsyncStream). flush() sends the messages that
// the server has appended, in one system call. While Beast writes a frame, they wait, so that no
// frame begins inside another.
class Wire {
 public:
  using executor_type = asio::ip::tcp::socket::executor_type;

  // REQUIRES: `turns` outlives the wire.
  Wire(asio::ip::tcp::socket socket, Turns& turns)
      : socket_(std::move(socket)), turns_(turns), progress_at_(host::monotonic_now()) {
    set_stream_options(socket_.native_handle());
    error_code ignored;
    socket_.non_blocking(true, ignored);
  }

  // Sets the object that must stay alive while an operation runs: the connection.
  void belong_to(std::weak_ptr<void> owner) { owner_ = std::move(owner); }

  executor_type get_executor() { return socket_.get_executor(); }

  // Reads at least one byte, when there is one and the turn comes.
  template <class Buffers, class Token>
  auto async_read_some(const Buffers& buffers, Token&& token) {
    return asio::async_compose<Token, void(error_code, std::size_t)>(Read<Buffers>{*this, buffers},
                                                                     token, socket_);
  }
  // Writes all of `buffers`, after the bytes that were appended before: at once in a turn of this
  // connection, or else when the next one comes.
  template <class Buffers, class Token>
  auto async_write_some(const Buffers& buffers, Token&& token) {
    return asio::async_compose<Token, void(error_code, std::size_t)>(Write<Buffers>{*this, buffers},
                                                                     token, socket_);
  }

  // Calls `step` in a later handler, when the turn of this connection comes.
  void ask(auto step) { turns_.ask(share_, std::move(step)); }
  // Returns a meter: until it is destroyed, this connection pays for the work of the thread.
  [[nodiscard]] Turns::Meter meter() { return {turns_, share_}; }
  // Adds work that another thread did for this connection.
  void charge(net::Nanoseconds work) { turns_.charge(*share_, work); }
  // Returns the number of reads so far.
  std::uint64_t reads() const { return reads_; }

  // Appends bytes to the output.
  void append(Bytes bytes) { out_.append(bytes); }
  // Sends as many appended bytes as the kernel takes now. Sends the rest when the kernel takes
  // more.
  void flush() {
    send_appended();
    if (waiting() == 0 || busy_ || armed_) return;
    armed_ = true;
    socket_.async_wait(asio::socket_base::wait_write,
                       [this, owner = owner_.lock()](const error_code& error) {
                         armed_ = false;
                         if (!error) flush();
                       });
  }
  // Returns the appended bytes that the kernel has not taken yet.
  std::size_t waiting() const { return out_.waiting().size(); }
  // Returns true if all output has left this machine.
  bool is_clear() const { return waiting() == 0 && !busy_ && unsent_bytes(descriptor()) == 0; }
  // Returns true if output waits and the other side has acknowledged none of it for
  // kWebIdleSeconds. Call it several times a second.
  bool is_stalled(net::Nanoseconds now) {
    const Acknowledged taken = acknowledged(descriptor());
    if ((taken.all && waiting() == 0) || taken.bytes != taken_) progress_at_ = now;
    taken_ = taken.bytes;
    return now - progress_at_ > limits::kWebIdleSeconds * net::kSecond;
  }

  // Ends the output. The other side can still send.
  void end_output() {
    error_code ignored;
    socket_.shutdown(asio::socket_base::shutdown_send, ignored);
  }
  // Closes the socket. Running operations end with an error.
  void close() {
    error_code ignored;
    socket_.close(ignored);
  }

 private:
  // Waits for input, then for a turn, and then reads. The first read does not wait for input: a
  // client usually sends its request before this server accepts the connection. The end of the
  // input needs no turn: connections that have ended would otherwise fill the table while others
  // begin.
  template <class Buffers>
  struct Read {
    Wire& wire;
    Buffers buffers;
    enum { begins, has_input, has_turn } stage = begins;

    template <class Self>
    void operator()(Self& self, error_code error = {}) {
      const Turns::Meter meter = wire.meter();
      if (error) return self.complete(error, 0);
      if (stage == begins && wire.reads_ > 0) return wait(self);
      if (stage == has_input && has_ended(wire.descriptor())) {
        return self.complete(asio::error::eof, 0);
      }
      if (stage != has_turn) {
        stage = has_turn;
        return wire.ask_for(self);
      }
      ++wire.reads_;
      const std::size_t bytes = wire.socket_.read_some(buffers, error);
      if (error == asio::error::would_block) return wait(self);
      self.complete(error, bytes);
    }

    void wait(auto& self) {
      stage = has_input;
      wire.socket_.async_wait(asio::socket_base::wait_read, std::move(self));
    }
  };

  // Waits for a turn, unless it begins in one, then until the appended bytes have left, and then
  // writes.
  template <class Buffers>
  struct Write {
    Wire& wire;
    Buffers buffers;
    enum { begins, has_turn, writes } stage = begins;

    template <class Self>
    void operator()(Self& self, error_code error = {}, std::size_t bytes = 0) {
      const Turns::Meter meter = wire.meter();
      if (stage == writes) {
        wire.busy_ = false;
        wire.flush();
        return self.complete(error, bytes);
      }
      if (error) return self.complete(error, 0);
      if (stage == begins) {
        stage = has_turn;
        if (!wire.turns_.is_turn_of(*wire.share_)) return wire.ask_for(self);
      }
      wire.send_appended();
      if (wire.waiting() > 0) {
        return wire.socket_.async_wait(asio::socket_base::wait_write, std::move(self));
      }
      stage = writes;
      wire.busy_ = true;
      asio::async_write(wire.socket_, buffers, std::move(self));
    }
  };

  // Continues an operation when the turn comes.
  void ask_for(auto& self) {
    ask([self = std::move(self)]() mutable { self(error_code{}); });
  }

  int descriptor() const {
    return const_cast<asio::ip::tcp::socket&>(socket_).native_handle();  // reads a number only
  }

  void send_appended() {
    while (waiting() > 0 && !busy_) {
      const Bytes bytes = out_.waiting();
      const ssize_t sent = ::send(descriptor(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent < 0 && errno == EINTR) continue;
      if (sent < 0 && errno == EAGAIN) return;
      // after an error: the next read reports it
      out_.remove(sent < 0 ? bytes.size() : static_cast<std::size_t>(sent));
    }
  }

  asio::ip::tcp::socket socket_;
  Turns& turns_;
  const std::shared_ptr<Share> share_ = std::make_shared<Share>();
  std::uint64_t reads_ = 0;
  std::weak_ptr<void> owner_;
  SendQueue out_;            // appended bytes
  bool busy_ = false;        // Beast writes
  bool armed_ = false;       // flush() waits for the kernel
  std::uint64_t taken_ = 0;  // bytes that the other side had acknowledged at the last check
  net::Nanoseconds progress_at_;
};

// Beast calls these to end a WebSocket.
template <class Handler>
void async_teardown(boost::beast::role_type, Wire& wire, Handler&& handler) {
  wire.end_output();
  asio::post(wire.get_executor(),
             [handler = std::forward<Handler>(handler)]() mutable { handler(error_code{}); });
}
inline void beast_close_socket(Wire& wire) { wire.close(); }
inline void teardown(boost::beast::role_type, Wire& wire, error_code& error) {
  wire.end_output();
  error = {};
}

}  // namespace orrery::server::web
