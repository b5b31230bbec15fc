// Serves connections of the web side in one process, for its fuzz target.
#pragma once

#include <spdlog/spdlog.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/core/limits.h"
#include "common/host/disk/log_file.h"
#include "common/session/writer/log_writer.h"
#include "common/world/scenes/scenes.h"
#include "common/world/step.h"
#include "server/server.h"
#include "server/web/connection.h"
#include "tests/fuzz/wire.h"

namespace orrery::fuzz {

// A source of datagrams that is always empty.
class SilentSource final : public net::DatagramSource {
 public:
  std::optional<std::size_t> receive(net::Address&, std::span<std::uint8_t>) override { return {}; }
};

// A session with a log on the disk and a page of two files, which all visits share.
class WebSite {
 public:
  WebSite() {
    spdlog::set_level(spdlog::level::off);
    for (int i = 0; i < 60; ++i) {
      step(world_, {}, executor_);
      records_.append_tick(world_);
    }
    ORRERY_ASSERT(file_->sync().ok());
    std::ifstream log(file_->path(), std::ios::binary);
    log_bytes_.assign(std::istreambuf_iterator<char>(log), {});
    ORRERY_ASSERT(log_bytes_.size() > 1000);
    std::filesystem::create_directory(folder_ / "page");
    std::ofstream(folder_ / "page/index.html") << "page";
    std::ofstream(folder_ / "page/icon.svg") << "icon";
    page = server::web::PageFiles::read(folder_ / "page").value();
  }
  ~WebSite() {
    records_.close();
    file_.reset();
    std::filesystem::remove_all(folder_);
  }

  // Returns true while a connection reads the log in another thread.
  bool reads_log() {
    std::vector<std::shared_ptr<void>> places;
    for (int i = 0; i < limits::kWebLogReadersMax; ++i) places.push_back(readers.take_place());
    return !places.back();
  }
  std::string_view log_bytes() const { return log_bytes_; }
  server::web::SessionView& view(bool development) { return development ? pages_ : tokens_; }

  boost::asio::io_context context{1};
  server::web::LogReaders readers;
  server::web::PageFiles page;

 private:
  static std::string no_metrics() { return {}; }

  static std::filesystem::path new_folder() {
    std::string name = std::filesystem::temp_directory_path() / "orrery-fuzz-XXXXXX";
    ORRERY_ASSERT(::mkdtemp(name.data()) != nullptr);
    return name;
  }

  const std::filesystem::path folder_ = new_folder();
  const net::Address address_{{}, 2};
  const net::Access access_ = access_of(address_);
  Wire network_;
  SilentSource datagrams_;
  SerialExecutor executor_;
  server::OperatorLog operator_log_;
  World world_{built_in_scene("tumble").value()};
  std::unique_ptr<host::LogFile> file_ =
      std::move(host::LogFile::open(folder_ / "a.orrery", host::OnFailure::go_on).value());
  session::SessionLog records_{*file_,
                               session::make_log_header(world_, "fuzz", codec::SessionId{})};
  server::Server server_{
      world_, records_, {network_, datagrams_, executor_, operator_log_}, access_, net::kSecond};
  const server::web::HostRules page_hosts_{.development = true, .listed = {}};
  const server::web::HostRules token_hosts_{.development = false, .listed = {}};
  server::web::SessionView pages_{server_,     *file_,      access_,     {},
                                  page_hosts_, &no_metrics, net::kSecond};
  server::web::SessionView tokens_{server_,      *file_,      access_,     {},
                                   token_hosts_, &no_metrics, net::kSecond};
  std::string log_bytes_;
};

// One connection to a site, from its begin to its end.
class WebVisit {
 public:
  WebVisit(WebSite& site, bool development) : site_(site), view_(site.view(development)) {
    std::array<int, 2> ends{};
    ORRERY_ASSERT(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends.data()) == 0);
    end_ = ends[0];
    boost::asio::ip::tcp::socket socket(site_.context);
    socket.assign(boost::asio::ip::tcp::v4(), ends[1]);
    connection_ = server::web::Connection::start(std::move(socket), {{}, 9}, shared_,
                                                 server::web::Place::any);
  }
  WebVisit(const WebVisit&) = delete;
  WebVisit& operator=(const WebVisit&) = delete;
  ~WebVisit() {
    connection_->close();
    const std::weak_ptr<server::web::Connection> ended = std::exchange(connection_, nullptr);
    serve();
    ORRERY_ASSERT(ended.expired());
    ::close(end_);
  }

  // Sends bytes, and serves until the server waits for more. The server may have closed.
  void send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(end_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent < 0) break;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
      serve();
    }
  }
  // Sends a packet of the server to the client.
  void say(Bytes packet) {
    connection_->append(packet, packet.size());
    connection_->flush();
    serve();
  }

  std::string answer;                               // bytes that the server sent
  std::vector<std::vector<std::uint8_t>> messages;  // that the server received

 private:
  void serve() {
    for (bool again = true; again;) {
      site_.context.restart();
      const std::size_t done = site_.context.poll();
      std::array<char, 4096> bytes{};
      ssize_t size = 0;
      while ((size = ::recv(end_, bytes.data(), bytes.size(), 0)) > 0) {
        answer.append(bytes.data(), static_cast<std::size_t>(size));
      }
      again = done > 0 || site_.reads_log();
      if (done == 0 && again) site_.context.run_one_for(std::chrono::milliseconds(1));
    }
  }

  void received(Bytes message) {
    messages.emplace_back(message.begin(), message.end());
    boost::asio::post(site_.context, [connection = connection_] { connection->took_message(); });
  }

  WebSite& site_;
  server::web::SessionView& view_;
  server::web::Turns turns_{site_.context, 1000 * net::kMillisecond};  // no limit
  int end_ = -1;                                                       // socket of the client
  std::shared_ptr<server::web::Connection> connection_;
  const server::web::Shared shared_{site_.context,
                                    site_.readers,
                                    turns_,
                                    view_,
                                    site_.page,
                                    [this](const auto&, Bytes message) { received(message); },
                                    [](const auto&, bool) {},
                                    [](const auto&) {},
                                    [](const auto&, std::string_view) {}};
};

}  // namespace orrery::fuzz
