// Tests which HTTP requests are accepted, and which bytes of a file they get.
#include "server/web/request_rules.h"

#include <gtest/gtest.h>

#include <string>

namespace orrery::server::web {
namespace {

TEST(RequestRules, OnlyLiteralNamesOfThisMachineAreLoopback) {
  for (const char* name : {"127.0.0.1", "127.0.0.1:4780", "localhost", "localhost:1", "[::1]",
                           "[::1]:65535", "LocalHost", "LOCALHOST:80", "127.0.0.1:"}) {
    EXPECT_TRUE(is_loopback_host(name)) << name;
  }
  for (const char* name :
       {"", "127.0.0.2", "127.0.0.1.evil.example", "localhost.evil.example", "evil.example",
        "127.0.0.1:x", "127.0.0.1:65536", "127.0.0.1:1:1", "::1", "[::1", "user@localhost",
        " localhost", "localhost:-1", "localhost:+1", "0.0.0.0", "10.0.0.1", "2130706433"}) {
    EXPECT_FALSE(is_loopback_host(name)) << name;
  }
}

TEST(RequestRules, AnOwnOriginHasTheNameOfTheHost) {
  EXPECT_TRUE(is_own_origin("http://127.0.0.1:4780", "127.0.0.1:4780"));
  EXPECT_TRUE(is_own_origin("https://game.example", "game.example"));
  EXPECT_TRUE(is_own_origin("https://game.example", "Game.Example:443"));
  EXPECT_TRUE(is_own_origin("http://game.example:80", "game.example"));
  EXPECT_FALSE(is_own_origin("https://game.example", "game.example:80"));
  EXPECT_FALSE(is_own_origin("http://game.example:443", "game.example"));
  for (const char* origin : {"", "null", "127.0.0.1:4780", "http://127.0.0.1:4781", "http://",
                             "http://127.0.0.1:4780.evil.example", "http://127.0.0.1:4780/",
                             "ftp://127.0.0.1:4780", "http://evil.example"}) {
    EXPECT_FALSE(is_own_origin(origin, "127.0.0.1:4780")) << origin;
  }
  EXPECT_FALSE(is_own_origin("http://", ""));
}

const HostRules kDevelopment{.development = true, .listed = {}};
const HostRules kTokens{.development = false, .listed = {}};

unsigned status_of(const RequestHead& head, const HostRules& rules) {
  const auto objection = objection_to(head, rules);
  return objection ? objection->status : 200;
}

RequestHead good_head() {
  return {.method = "GET",
          .target = "/",
          .is_1_0 = false,
          .host = {1, "127.0.0.1:4780"},
          .origin = {},
          .fetch_site = {},
          .coding = {}};
}

TEST(RequestRules, EachObjectionHasItsStatus) {
  EXPECT_EQ(status_of(good_head(), kDevelopment), 200u);
  RequestHead head = good_head();
  head.host = {1, ""};
  EXPECT_EQ(status_of(head, kTokens), 400u);
  head.host = {1, "127.0.0.1:x"};
  EXPECT_EQ(status_of(head, kTokens), 400u);
  head.host = {1, "game.example"};
  EXPECT_EQ(status_of(head, kDevelopment), 403u);
  EXPECT_EQ(status_of(head, kTokens), 200u);
  head.origin = {1, "https://game.example"};
  EXPECT_EQ(status_of(head, kTokens), 200u);
  head.origin = {1, "https://evil.example"};
  EXPECT_EQ(status_of(head, kTokens), 403u);
  head.origin = {1, ""};
  EXPECT_EQ(status_of(head, kTokens), 403u);
  head = good_head();
  for (const char* method : {"PUT", "DELETE", "OPTIONS", "get", "", "CONNECT"}) {
    head.method = method;
    EXPECT_EQ(status_of(head, kDevelopment), 405u) << method;
  }
  head.method = "POST";
  EXPECT_EQ(status_of(head, kDevelopment), 405u);
  for (const char* target : {"/v1/token", "/v1/ws"}) {
    head.target = target;
    EXPECT_EQ(status_of(head, kDevelopment), 200u) << target;
  }
}

TEST(RequestRules, ARepeatedFieldIsRefused) {
  RequestHead head = good_head();
  head.host.count = 2;
  EXPECT_EQ(status_of(head, kDevelopment), 400u);
  head = good_head();
  head.origin = {2, "http://127.0.0.1:4780"};
  EXPECT_EQ(status_of(head, kDevelopment), 400u);
  head.origin.count = 1;
  EXPECT_EQ(status_of(head, kDevelopment), 200u);
  head.fetch_site = {2, "same-origin"};
  EXPECT_EQ(status_of(head, kDevelopment), 400u);
  head.fetch_site.count = 1;
  EXPECT_EQ(status_of(head, kDevelopment), 200u);
}

// RFC 9112, sections 6.1 and 6.3.
TEST(RequestRules, OnlyOneChunkedTransferCodingIsKnown) {
  RequestHead head = good_head();
  for (const char* coding : {"", "gzip", "gzip, chunked", "chunked, gzip", "chunked, chunked",
                             "identity", "chunked;x=1", "xchunked"}) {
    head.coding = {1, coding};
    EXPECT_EQ(status_of(head, kTokens), 400u) << coding;
  }
  for (const char* coding : {"chunked", "Chunked"}) {
    head.coding = {1, coding};
    EXPECT_EQ(status_of(head, kTokens), 200u) << coding;
  }
  head.coding.count = 2;
  EXPECT_EQ(status_of(head, kTokens), 400u);
  head.coding.count = 1;
  head.is_1_0 = true;
  EXPECT_EQ(status_of(head, kTokens), 400u);
}

// RFC 9112, section 3.2.
TEST(RequestRules, ATargetHasOneOfFourForms) {
  RequestHead head = good_head();
  head.target = "http://localhost:4780/healthz?x=1";
  EXPECT_EQ(status_of(head, kDevelopment), 200u);
  head.host = {1, "evil.example"};  // the host of the target counts
  EXPECT_EQ(status_of(head, kDevelopment), 200u);
  head.host.count = 0;
  EXPECT_EQ(status_of(head, kDevelopment), 400u);
  head.host = {1, "localhost"};
  head.target = "http://evil.example/";
  EXPECT_EQ(status_of(head, kDevelopment), 403u);
  head.origin = {1, "http://localhost"};
  EXPECT_EQ(status_of(head, kTokens), 403u);
  head.origin = {1, "http://evil.example"};
  EXPECT_EQ(status_of(head, kTokens), 200u);
  head.origin = {};
  for (const char* target : {"", "healthz", "ftp://localhost/", "localhost:80", "http:///",
                             "http://user@localhost/", "*"}) {
    head.target = target;
    EXPECT_NE(status_of(head, kTokens), 200u) << target;
  }
  head.method = "OPTIONS";
  EXPECT_EQ(status_of(head, kTokens), 405u);
}

TEST(RequestRules, OnlyHttp10MayComeWithoutAHost) {
  RequestHead head = good_head();
  head.host = {};
  EXPECT_EQ(status_of(head, kDevelopment), 400u);
  head.is_1_0 = true;
  EXPECT_EQ(status_of(head, kDevelopment), 200u);
  head.origin = {1, "http://localhost"};
  EXPECT_EQ(status_of(head, kDevelopment), 403u);
}

TEST(RequestRules, ListedHostsAreTheOnlyOthers) {
  const auto listed = parse_hosts("game.example, Other.Example:8443");
  ASSERT_TRUE(listed) << listed.error().text();
  for (const bool development : {true, false}) {
    const HostRules rules{development, listed.value()};
    RequestHead head = good_head();
    for (const char* host :
         {"game.example", "GAME.example:81", "other.example:8443", "localhost"}) {
      head.host = {1, host};
      EXPECT_EQ(status_of(head, rules), 200u) << host;
    }
    for (const char* host : {"evil.example", "other.example", "other.example:443", "10.0.0.1",
                             "game.example.evil.example"}) {
      head.host = {1, host};
      EXPECT_EQ(status_of(head, rules), 403u) << host;
    }
    head.host = {1, "127.0.0.1:4780"};  // rewritten by a proxy
    head.origin = {1, "https://game.example"};
    EXPECT_EQ(status_of(head, rules), 200u);
    head.origin = {1, "https://evil.example"};
    EXPECT_EQ(status_of(head, rules), 403u);
    head.origin = {1, "null"};
    EXPECT_EQ(status_of(head, rules), 403u);
  }
}

TEST(RequestRules, AListOfHostsHasHostsOnly) {
  for (const char* list : {"", ",", "a,", "https://game.example", "a b", "a:x", "a:65536", "a/b"}) {
    EXPECT_FALSE(parse_hosts(list)) << list;
  }
  EXPECT_EQ(parse_hosts("[fe80::1]:80,10.0.0.5").value().size(), 2u);
}

TEST(RequestRules, ForeignSitesGetNoTokenAndNoLog) {
  RequestHead head = good_head();
  head.fetch_site = {1, "cross-site"};
  EXPECT_EQ(status_of(head, kDevelopment), 200u);  // a link to the page
  for (const char* path : {"/v1/token", "/v1/log", "/v1/log/3", "http://localhost/v1/log"}) {
    head.target = path;
    for (const char* site : {"cross-site", "same-site", "", "SAME-ORIGIN"}) {
      head.fetch_site = {1, site};
      EXPECT_EQ(status_of(head, kDevelopment), 403u) << path << ' ' << site;
    }
    for (const char* site : {"same-origin", "none"}) {
      head.fetch_site = {1, site};
      EXPECT_EQ(status_of(head, kDevelopment), 200u) << path << ' ' << site;
    }
    head.fetch_site = {};
    EXPECT_EQ(status_of(head, kDevelopment), 200u) << path;
  }
}

TEST(RequestRules, HtmlIsAskedForByName) {
  EXPECT_TRUE(asks_for_html("text/html,application/xhtml+xml,*/*;q=0.8"));
  EXPECT_TRUE(asks_for_html("application/json, Text/HTML"));
  for (const char* accepted : {"", "*/*", "text/*", "application/json"}) {
    EXPECT_FALSE(asks_for_html(accepted)) << accepted;
  }
}

TEST(RequestRules, ATargetHasAPathAndAQuery) {
  EXPECT_EQ(path_of("/v1/token?role=watch"), "/v1/token");
  EXPECT_EQ(path_of("/x"), "/x");
  EXPECT_EQ(path_of("http://localhost:4780/v1/token?role=watch"), "/v1/token");
  EXPECT_EQ(path_of("HTTPS://localhost"), "/");
  EXPECT_EQ(path_of("http://localhost?role=watch"), "/");
  EXPECT_EQ(query_value("http://localhost?role=watch", "role"), "watch");
  EXPECT_EQ(query_value("/v1/token?role=watch", "role"), "watch");
  EXPECT_EQ(query_value("/x?a=1&role=play&role=admin", "role"), "play");
  EXPECT_EQ(query_value("/x?role=", "role"), "");
  EXPECT_FALSE(query_value("/x?roles=play", "role"));
  EXPECT_FALSE(query_value("/x?role", "role"));
  EXPECT_FALSE(query_value("/role=play", "role"));
  EXPECT_FALSE(query_value("/x?&&=&", "role"));
  EXPECT_EQ(page_role_of("play"), Role::play);
  EXPECT_FALSE(page_role_of("admin"));
  EXPECT_FALSE(page_role_of("Play"));
  EXPECT_FALSE(page_role_of(""));
}

TEST(RequestRules, ASegmentOfTheLogHasANumber) {
  EXPECT_EQ(log_segment_of("/v1/log"), 0u);
  EXPECT_EQ(log_segment_of("/v1/log/0"), 0u);
  EXPECT_EQ(log_segment_of("/v1/log/4294967295"), 4294967295u);
  for (const char* path : {"/v1/log/", "/v1/log/4294967296", "/v1/log/-1", "/v1/log/1/", "/v1/log1",
                           "/v1/log/1x", "/v1/log/../x", "/v1/lo"}) {
    EXPECT_FALSE(log_segment_of(path)) << path;
  }
}

TEST(RequestRules, GzipIsAcceptedByNameOrByAStar) {
  for (const char* accepted :
       {"gzip", "deflate, gzip", "br;q=1.0, gzip;q=0.8", "*", "gzip;q=0.01", " gzip "}) {
    EXPECT_TRUE(accepts_gzip(accepted)) << accepted;
  }
  for (const char* accepted :
       {"", "identity", "gzip;q=0", "gzip;q=0.000", "x-gzip", "br, deflate"}) {
    EXPECT_FALSE(accepts_gzip(accepted)) << accepted;
  }
}

void expect_range(const char* header, std::uint64_t size, unsigned status, std::uint64_t first,
                  std::uint64_t bytes) {
  const ByteRange range = range_of(header, size);
  EXPECT_EQ(range.status, status) << header;
  EXPECT_EQ(range.first, first) << header;
  EXPECT_EQ(range.size, bytes) << header;
}

TEST(RequestRules, ARangeIsAPartOfTheFile) {
  expect_range("bytes=0-0", 10, 206, 0, 1);
  expect_range("bytes=3-7", 10, 206, 3, 5);
  expect_range("bytes=3-", 10, 206, 3, 7);
  expect_range("bytes=3-99", 10, 206, 3, 7);
  expect_range("bytes=-4", 10, 206, 6, 4);
  expect_range("bytes=-99", 10, 206, 0, 10);
  expect_range("bytes= 3-7 ", 10, 206, 3, 5);
  expect_range("bytes=9-18446744073709551615", 10, 206, 9, 1);
}

TEST(RequestRules, ARangeBeyondTheFileIsRefused) {
  expect_range("bytes=10-", 10, 416, 0, 0);
  expect_range("bytes=10-20", 10, 416, 0, 0);
  expect_range("bytes=-0", 10, 416, 0, 0);
  expect_range("bytes=0-", 0, 416, 0, 0);
}

TEST(RequestRules, AMalformedRangeIsTheWholeFile) {
  for (const char* header : {"", "bytes", "bytes=", "bytes=-", "bytes=x-", "bytes=5-3", "items=0-1",
                             "bytes=0-1,3-4", "bytes=--1", "bytes=1--", "bytes=+1-2", "bytes=0x1-2",
                             "bytes=18446744073709551616-", "Bytes=0-1"}) {
    expect_range(header, 10, 200, 0, 10);
  }
}

TEST(RequestRules, AContentRangeSaysWhichBytesFollow) {
  EXPECT_EQ(content_range({206, 3, 5}, 10), "bytes 3-7/10");
  EXPECT_EQ(content_range({416}, 10), "bytes */10");
}

}  // namespace
}  // namespace orrery::server::web
