// Serves HTTP and WebSockets from the loop of the server: the page, the session, and clients.
#include "server/web/web_server.h"

#include <algorithm>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "common/core/limits.h"
#include "common/host/process/clock.h"
#include "common/net/packet/address_text.h"
#include "server/web/arrivals/listener.h"
#include "server/web/arrivals/lobby.h"
#include "server/web/connection.h"
#include "server/web/turns.h"

namespace orrery::server::web {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

// Time between two checks for connections that miss a deadline. A check is about one part of the
// connections, so that it is short. After an error, accepting resumes at the next check.
constexpr std::chrono::milliseconds kCheckInterval{25};
constexpr std::size_t kCheckParts = 10;

// Connections that are accepted in one turn, at most. The next turn admits one of them.
constexpr int kAcceptedAtOnce = 64;

// Returns true if two addresses are the same IPv4 address, or belong to the same IPv6 network of 64
// bits: one user has many IPv6 addresses.
bool same_network(const net::Address& a, const net::Address& b) {
  if (net::is_ipv4(a) || net::is_ipv4(b)) return a.ip == b.ip;
  return std::equal(a.ip.begin(), a.ip.begin() + 8, b.ip.begin());
}

struct Less {
  bool operator()(const net::Address& a, const net::Address& b) const {
    return std::pair(a.ip, a.port) < std::pair(b.ip, b.port);
  }
};

// Returns the work that a connection adds to the share of the web side. One that ends adds nothing:
// it may have been replaced already.
net::Nanoseconds work_of(Use use) {
  if (use == Use::ends) return 0;
  return limits::kWebConnectionWorkPerMillisecond +
         (use == Use::client ? limits::kWebClientWorkPerMillisecond : 0);
}

// A message that waits for the server.
struct Message {
  net::Address from;
  net::Nanoseconds arrived = 0;
  std::vector<std::uint8_t> bytes;
};

}  // namespace

class WebServer::Implementation {
 public:
  Implementation(asio::io_context& context, std::unique_ptr<Listener> listener, PageFiles page)
      : context_(context),
        listener_(std::move(listener)),
        timer_(context),
        page_(std::move(page)),
        turns_(context, limits::kWebWorkPerMillisecond) {}

  void serve(SessionView& view, OperatorLog& log) {
    log_ = &log;
    shared_.emplace(Shared{context_, readers_, turns_, view, page_,
                           [this](const auto& from, Bytes bytes) { received(from, bytes); },
                           [this](const auto& at, bool stalled) {
                             closed_.push_back({at, stalled});
                           },
                           [this](const auto& at) { closed(at); },
                           [this](const auto& at, auto reason) { refused(at, reason); }});
    accept();
    check_later();
  }

  // Waits for the next connection, unless it waits already.
  void accept() {
    if (accepting_) return;
    accepting_ = listener_->wait([this] {
      // all connections together leave half of the work to new ones
      arrivals_->weight = connections_.size() + 1;
      turns_.ask(arrivals_, [this] {
        accepting_ = false;
        if (accept_some()) accept();
      });
    });
  }

  // Accepts some of the waiting connections. Returns false after an error: for example, no
  // descriptor is free. check() then accepts again.
  bool accept_some() {
    for (int i = 0; i < kAcceptedAtOnce; ++i) {
      auto guest = listener_->accept();
      if (!guest) break;
      const auto closed = lobby_.add(std::move(*guest));
      if (closed) refused(*closed, "too many connections at once");
    }
    admit_next();
    return !listener_->failed();
  }

  // Admits the connections of the lobby, one in a turn.
  void admit_next() {
    if (lobby_.empty() || std::exchange(admitting_, true)) return;
    arrivals_->weight = connections_.size() + 1;
    turns_.ask(arrivals_, [this] {
      admitting_ = false;
      if (auto guest = lobby_.take()) admit(std::move(*guest));
      admit_next();
    });
  }

  void admit(Guest guest) {
    const net::Address& address = guest.address;
    if (!net::is_loopback(address)) {
      const auto same = [&](const auto& each) { return same_network(each.first, address); };
      const auto count = std::ranges::count_if(connections_, same);
      if (static_cast<std::size_t>(count) >= limits::kWebConnectionsPerAddressMax) {
        return refused(address, "too many connections from one network");
      }
    }
    // The same port can connect again before this server has noticed that its former connection was
    // reset.
    if (Connection* const former = find(address)) former->close();
    const bool full = connections_.size() - for_health_.size() >= limits::kWebConnectionsMax;
    auto socket = listener_->socket_of(std::move(guest.socket));
    if (!socket) return refused(address, "the system has no room for another socket");
    if (full) make_health_place(address);
    connections_[address] =
        Connection::start(std::move(*socket), address, *shared_, full ? Place::health : Place::any);
  }

  // Gives an address one of the places that are kept for questions about the health. The oldest
  // connection there may have asked nothing yet, or has its answer.
  void make_health_place(const net::Address& address) {
    if (for_health_.size() == limits::kWebHealthPlaces) find(for_health_.front())->close();
    for_health_.push_back(address);
  }

  void check_later() {
    timer_.expires_after(kCheckInterval);
    timer_.async_wait([this](const error_code& error) {
      if (error) return;
      check();
      check_later();
    });
  }

  // Checks the connections after the last one that was checked.
  void check() {
    const net::Nanoseconds now = host::monotonic_now();
    std::vector<std::shared_ptr<Connection>> part;
    const std::size_t size = connections_.size() / kCheckParts + 1;
    auto next = connections_.upper_bound(checked_);
    for (; next != connections_.end() && part.size() < size; ++next) {
      part.push_back(next->second);
      checked_ = next->first;
    }
    const bool is_end = next == connections_.end();
    for (const auto& connection : part) {
      checked_work_ += work_of(connection->use());
      connection->check(now);
    }
    if (is_end) {
      checked_ = {};
      turns_.set_rate(limits::kWebWorkPerMillisecond + std::exchange(checked_work_, 0));
    }
    accept();
  }

  void received(const net::Address& from, Bytes bytes) {
    Message message{from, host::monotonic_now(), std::move(spare_)};
    message.bytes.assign(bytes.begin(), bytes.end());
    messages_.push_back(std::move(message));
  }

  // By value: the connection that is destroyed here may own the address.
  void closed(net::Address address) {
    connections_.erase(address);
    std::erase(for_health_, address);
  }

  void refused(const net::Address& address, std::string_view reason) {
    log_->web_refused(net::format_address(address), reason, host::monotonic_now());
  }

  Connection* find(const net::Address& address) const {
    const auto found = connections_.find(address);
    return found == connections_.end() ? nullptr : found->second.get();
  }

  asio::io_context& context_;
  const std::unique_ptr<Listener> listener_;
  asio::steady_timer timer_;
  const PageFiles page_;
  LogReaders readers_;
  Turns turns_;
  const std::shared_ptr<Share> arrivals_ = std::make_shared<Share>();
  Lobby lobby_;
  std::optional<Shared> shared_;
  OperatorLog* log_ = nullptr;
  bool accepting_ = false;
  bool admitting_ = false;
  std::map<net::Address, std::shared_ptr<Connection>, Less> connections_;
  std::vector<net::Address> for_health_;  // those in places that are kept for the health
  net::Address checked_;                  // the last that was checked
  net::Nanoseconds checked_work_ = 0;     // that the checked connections add
  std::vector<net::Address> to_flush_;
  std::deque<Message> messages_;
  std::vector<std::uint8_t> spare_;  // memory of the last message that was taken
  net::Nanoseconds arrived_ = 0;     // when that message arrived
  std::deque<net::ClosedAddress> closed_;
};

WebServer::WebServer(std::unique_ptr<Implementation> implementation)
    : implementation_(std::move(implementation)) {}
WebServer::~WebServer() = default;

Result<std::unique_ptr<WebServer>> WebServer::listen(asio::io_context& context,
                                                     const net::Address& address, PageFiles page) {
  auto listener = Listener::open(context, address);
  if (!listener) return listener.error();
  return std::unique_ptr<WebServer>(new WebServer(
      std::make_unique<Implementation>(context, std::move(listener.value()), std::move(page))));
}

const net::Address& WebServer::local() const { return implementation_->listener_->local(); }

void WebServer::serve(SessionView& view, OperatorLog& log) { implementation_->serve(view, log); }

void WebServer::begin_other() { implementation_->turns_.begin_other(); }
void WebServer::end_other() { implementation_->turns_.end_other(); }

void WebServer::stop() {
  for (const auto& [address, connection] : implementation_->connections_) connection->stop();
}

void WebServer::send(const net::Address& to, Bytes packets, std::size_t size) {
  Connection* const connection = implementation_->find(to);
  if (!connection) return;
  connection->append(packets, size);
  auto& to_flush = implementation_->to_flush_;
  if (to_flush.empty() || to_flush.back() != to) to_flush.push_back(to);
}

void WebServer::flush() {
  for (const net::Address& address : implementation_->to_flush_) {
    if (Connection* const connection = implementation_->find(address)) connection->flush();
  }
  implementation_->to_flush_.clear();
}

bool WebServer::is_clear(const net::Address& to) const {
  const Connection* const connection = implementation_->find(to);
  return connection && connection->is_clear();
}

std::optional<std::size_t> WebServer::receive(net::Address& from, std::span<std::uint8_t> into) {
  auto& messages = implementation_->messages_;
  if (messages.empty()) return std::nullopt;
  Message& message = messages.front();
  const std::size_t size = std::min(message.bytes.size(), into.size());
  std::copy_n(message.bytes.begin(), size, into.begin());
  from = message.from;
  implementation_->arrived_ = message.arrived;
  implementation_->spare_ = std::move(message.bytes);
  messages.pop_front();
  if (Connection* const connection = implementation_->find(from)) connection->took_message();
  return size;
}

net::Nanoseconds WebServer::arrival() const { return implementation_->arrived_; }

std::optional<net::ClosedAddress> WebServer::next_closed() {
  auto& closed = implementation_->closed_;
  if (closed.empty()) return std::nullopt;
  const net::ClosedAddress first = closed.front();
  closed.pop_front();
  return first;
}

}  // namespace orrery::server::web
