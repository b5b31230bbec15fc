// Carries the bytes of one TCP connection: the output of Beast and ours in one order, and input at
// a limited rate.
#pragma once

#include <algorithm>
#include <boost/asio/compose.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/buffers_prefix.hpp>
#include <boost/beast/core/role.hpp>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <memory>
#include <utility>

#include "common/core/bytes.h"
#include "common/core/limits.h"
#include "common/host/process/clock.h"
#include "server/web/read_budget.h"
#include "server/web/send_queue.h"
#include "server/web/socket_state.h"

namespace orrery::server::web {

namespace asio = boost::asio;
using boost::system::error_code;

// A TCP socket with the interface that Beast needs (AsyncStream). flush() sends the messages that
// the server has appended, in one system call. While Beast writes a frame, they wait, so that no
// frame begins inside another.
class Wire {
 public:
  using executor_type = asio::ip::tcp::socket::executor_type;

  // `budget` is shared with all other wires. REQUIRES: it outlives the wire.
  Wire(asio::ip::tcp::socket socket, ReadBudget& budget)
      : socket_(std::move(socket)),
        pause_(socket_.get_executor()),
        shared_budget_(budget),
        progress_at_(host::monotonic_now()) {
    set_stream_options(socket_.native_handle());
    error_code ignored;
    socket_.non_blocking(true, ignored);
  }

  // Sets the object that must stay alive while an operation runs: the connection.
  void belong_to(std::weak_ptr<void> owner) { owner_ = std::move(owner); }

  executor_type get_executor() { return socket_.get_executor(); }

  // Reads at least one byte. Waits first if this connection, or all connections together, have used
  // up their read budget.
  template <class Buffers, class Token>
  auto async_read_some(const Buffers& buffers, Token&& token) {
    return asio::async_compose<Token, void(error_code, std::size_t)>(Read<Buffers>{*this, buffers},
                                                                     token, socket_);
  }
  // Writes all of `buffers`, after what was appended before.
  template <class Buffers, class Token>
  auto async_write_some(const Buffers& buffers, Token&& token) {
    return asio::async_compose<Token, void(error_code, std::size_t)>(Write<Buffers>{*this, buffers},
                                                                     token, socket_);
  }

  // Takes bytes from both read budgets: that of this connection, and the shared one.
  void charge(std::size_t bytes) {
    budget_.spend(bytes);
    shared_budget_.spend(bytes);
  }

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
    pause_.cancel();
  }

 private:
  // Waits for input, then for the budgets, and then reads. It checks the budgets and reads in the
  // same handler. All connections together therefore keep to the shared budget.
  template <class Buffers>
  struct Read {
    Wire& wire;
    Buffers buffers;
    bool ready = false;  // there is input

    template <class Self>
    void operator()(Self& self, error_code error = {}) {
      if (error) return self.complete(error, 0);
      if (!std::exchange(ready, true)) return wait(self);
      const net::Nanoseconds now = host::monotonic_now();
      const std::size_t room = std::min(wire.budget_.room(now), wire.shared_budget_.room(now));
      if (room == 0) {
        wire.pause_.expires_after(std::chrono::nanoseconds(ReadBudget::kWindow));
        return wire.pause_.async_wait(std::move(self));
      }
      const std::size_t bytes =
          wire.socket_.read_some(boost::beast::buffers_prefix(room, buffers), error);
      if (error == asio::error::would_block) return wait(self);
      wire.charge(bytes);
      self.complete(error, bytes);
    }

    template <class Self>
    void wait(Self& self) {
      wire.socket_.async_wait(asio::socket_base::wait_read, std::move(self));
    }
  };

  template <class Buffers>
  struct Write {
    Wire& wire;
    Buffers buffers;
    bool writing = false;

    template <class Self>
    void operator()(Self& self, error_code error = {}, std::size_t bytes = 0) {
      if (writing) {
        wire.busy_ = false;
        wire.flush();
        return self.complete(error, bytes);
      }
      if (error) return self.complete(error, 0);
      wire.send_appended();
      if (wire.waiting() > 0) {
        return wire.socket_.async_wait(asio::socket_base::wait_write, std::move(self));
      }
      writing = wire.busy_ = true;
      asio::async_write(wire.socket_, buffers, std::move(self));
    }
  };

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
  asio::steady_timer pause_;
  ReadBudget budget_{limits::kWebReadBytesEachMax};
  ReadBudget& shared_budget_;
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
