// Decides which HTTP requests the server accepts, and which bytes of a file a request asks for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/core/result.h"
#include "common/world/command.h"

namespace orrery::server::web {

// Returns true if a Host header names this machine literally: 127.0.0.1, [::1] or localhost, with
// or without a port. A page of an attacker may have a name that resolves to this machine (DNS
// rebinding); its requests have that name in the Host header.
bool is_loopback_host(std::string_view host);

// Returns true if an Origin header belongs to a page of this server: after `http://` or `https://`
// it has the name and the port of the Host header.
bool is_own_origin(std::string_view origin, std::string_view host);

// The hosts that a server answers as.
struct HostRules {
  // The server has no --key-file. It then answers pages and programs of this machine only.
  bool development = false;
  // Hosts of --web-hosts: names in lower case, perhaps with a port. Empty: not given.
  std::vector<std::string> listed;
};

// Reads the list of --web-hosts: names or addresses, perhaps with ports, separated by commas. An
// Error names the entry.
Result<std::vector<std::string>> parse_hosts(std::string_view list);

// A header field that a request should have once, or not at all.
struct Field {
  std::size_t count = 0;
  std::string_view value;  // of the first one
};

// The parts of a request that decide whether it is refused, whatever it asks for.
struct RequestHead {
  std::string_view method;
  std::string_view target;
  bool is_1_0 = false;  // HTTP/1.0, which knows no Host
  Field host;
  Field origin;
  Field fetch_site;  // Sec-Fetch-Site
  Field coding;      // Transfer-Encoding
};

// Why a request is refused: an HTTP status, a few words, and advice.
struct Objection {
  unsigned status = 0;
  std::string_view reason;
  std::string_view advice = {};
};

// Returns the objection to a request, or nothing. In development mode, only pages and programs of
// this machine are served, and pages of listed hosts. Tokens and logs are never given to pages of
// other sites: only to pages of this server, to users that type the address, and to programs.
std::optional<Objection> objection_to(const RequestHead& request, const HostRules& rules);

// Returns the methods that a path accepts, as in an Allow header.
std::string_view methods_of(std::string_view path);

// Returns the value of a key in the query of a target, or nothing: `watch` for the key `role` in
// `/v1/token?role=watch`. Does not decode values, because no valid value needs an escape.
std::optional<std::string_view> query_value(std::string_view target, std::string_view key);

// Returns the path of a target: `/x` for `/x?a=b`, and for the absolute form `http://host/x?a=b`.
std::string_view path_of(std::string_view target);

// Returns the role of this name. Returns nothing for other names, and for admin: any page may ask
// for a token, so none may become admin.
std::optional<Role> page_role_of(std::string_view name);

// Returns the number of a log segment from the path `/v1/log` (0) or `/v1/log/N`, or nothing.
std::optional<std::uint32_t> log_segment_of(std::string_view path);

// Returns true if an Accept-Encoding header accepts gzip.
bool accepts_gzip(std::string_view accepted);

// Returns true if an Accept header names HTML. Browsers name it when they open a page. Programs
// such as curl accept everything, and name nothing.
bool asks_for_html(std::string_view accepted);

// The bytes of an answer to a request with a Range header.
struct ByteRange {
  unsigned status = 200;    // 200: the whole file; 206: a part; 416: the file has no such part
  std::uint64_t first = 0;  // offset of the first byte
  std::uint64_t size = 0;   // number of bytes
};

// Returns the Content-Range header for a range with status 206 or 416 of a file of `size` bytes.
std::string content_range(const ByteRange& range, std::uint64_t size);

// Returns the range of a file of `size` bytes that a Range header asks for. Returns the whole file
// if the header is empty or malformed, or asks for several ranges (RFC 9110, section 14.2, allows
// that).
ByteRange range_of(std::string_view header, std::uint64_t size);

}  // namespace orrery::server::web
