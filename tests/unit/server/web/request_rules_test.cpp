// Tests which HTTP requests are accepted, and which bytes of a file they get.
#include "server/web/request_rules.h"

#include <gtest/gtest.h>

#include <string>

namespace orrery::server::web {
namespace {

TEST(RequestRules, OnlyLiteralNamesOfThisMachineAreLoopback) {
  for (const char* name :
       {"127.0.0.1", "127.0.0.1:4780", "localhost", "localhost:1", "[::1]", "[::1]:65535"}) {
    EXPECT_TRUE(is_loopback_host(name)) << name;
  }
  for (const char* name :
       {"", "127.0.0.2", "127.0.0.1.evil.example", "localhost.evil.example", "evil.example",
        "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:65536", "127.0.0.1:1:1", "::1", "[::1", "LOCALHOST",
        " localhost", "localhost:-1", "localhost:+1", "0.0.0.0", "10.0.0.1", "2130706433"}) {
    EXPECT_FALSE(is_loopback_host(name)) << name;
  }
}

TEST(RequestRules, AnOwnOriginHasTheNameOfTheHost) {
  EXPECT_TRUE(is_own_origin("http://127.0.0.1:4780", "127.0.0.1:4780"));
  EXPECT_TRUE(is_own_origin("https://game.example", "game.example"));
  for (const char* origin : {"", "null", "127.0.0.1:4780", "http://127.0.0.1:4781", "http://",
                             "http://127.0.0.1:4780.evil.example", "http://127.0.0.1:4780/",
                             "ftp://127.0.0.1:4780", "http://evil.example"}) {
    EXPECT_FALSE(is_own_origin(origin, "127.0.0.1:4780")) << origin;
  }
  EXPECT_FALSE(is_own_origin("http://", ""));
}

unsigned status_of(RequestHead head, bool development) {
  const auto objection = objection_to(head, development);
  return objection ? objection->status : 200;
}

TEST(RequestRules, EachObjectionHasItsStatus) {
  const RequestHead good{.method = "GET", .path = "/", .host = "127.0.0.1:4780"};
  EXPECT_EQ(status_of(good, true), 200u);
  RequestHead head = good;
  head.hosts = 2;
  EXPECT_EQ(status_of(head, true), 400u);
  head = good;
  head.host = "";
  EXPECT_EQ(status_of(head, false), 400u);
  head.host = "game.example";
  EXPECT_EQ(status_of(head, true), 403u);
  EXPECT_EQ(status_of(head, false), 200u);
  head.origin = "https://game.example";
  EXPECT_EQ(status_of(head, false), 200u);
  head.origin = "https://evil.example";
  EXPECT_EQ(status_of(head, false), 403u);
  head.origin = "";
  EXPECT_EQ(status_of(head, false), 403u);
  head = good;
  for (const char* method : {"PUT", "DELETE", "OPTIONS", "get", ""}) {
    head.method = method;
    EXPECT_EQ(status_of(head, true), 405u) << method;
  }
  head.method = "POST";
  EXPECT_EQ(status_of(head, true), 405u);
  head.path = "/v1/token";
  EXPECT_EQ(status_of(head, true), 200u);
}

TEST(RequestRules, ForeignSitesGetNoTokenAndNoLog) {
  RequestHead head{.method = "GET", .path = "/", .host = "127.0.0.1:4780"};
  head.fetch_site = "cross-site";
  EXPECT_EQ(status_of(head, true), 200u);  // a link to the page
  for (const char* path : {"/v1/token", "/v1/log", "/v1/log/3"}) {
    head.path = path;
    for (const char* site : {"cross-site", "same-site", "", "SAME-ORIGIN"}) {
      head.fetch_site = site;
      EXPECT_EQ(status_of(head, true), 403u) << path << ' ' << site;
    }
    for (const char* site : {"same-origin", "none"}) {
      head.fetch_site = site;
      EXPECT_EQ(status_of(head, true), 200u) << path << ' ' << site;
    }
    head.fetch_site.reset();
    EXPECT_EQ(status_of(head, true), 200u) << path;
  }
}

TEST(RequestRules, ATargetHasAPathAndAQuery) {
  EXPECT_EQ(path_of("/v1/token?role=watch"), "/v1/token");
  EXPECT_EQ(path_of("/x"), "/x");
  EXPECT_EQ(path_of("?"), "");
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
