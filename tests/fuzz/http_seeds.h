// Lists the first inputs of the fuzz target of the web side.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace orrery::fuzz {

// Returns a frame of a client with a mask of zeros.
inline std::string client_frame(int first_byte, const std::string& data) {
  std::string frame(1, static_cast<char>(first_byte));
  if (data.size() < 126) {
    frame += static_cast<char>(0x80 | data.size());
  } else {
    frame += '\xfe';
    frame += static_cast<char>(data.size() >> 8);
    frame += static_cast<char>(data.size() & 0xff);
  }
  return frame + std::string(4, '\0') + data;
}

// Returns the inputs by name. fuzz_http.cpp explains the first two bytes.
inline std::map<std::string, std::string> http_seeds() {
  const std::string bytes{'\0', '\0'}, foreign{'\1', '\0'}, range{'\2', '\0'}, frames{'\3', '\0'};
  const std::string end{'\4', '\0'};
  const std::string host = " HTTP/1.1\r\nHost: game.example\r\n";
  const std::string upgrade =
      "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
      "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n";
  return {
      {"page", bytes + "GET /" + host + "Accept-Encoding: br, gzip;q=0.5\r\n\r\n"},
      {"two-requests", bytes + "HEAD /icon.svg" + host + "\r\nGET /v1/session" + host + "\r\n"},
      {"token", bytes + "POST /v1/token?role=play" + host + "Content-Length: 2\r\n\r\nab"},
      {"log", bytes + "GET /v1/log/1" + host + "Range: bytes=0-\r\nIf-Range: \"a\"\r\n\r\n"},
      {"pieces", std::string{'\0', '\1'} + "GET /healthz" + host + "Connection: close\r\n\r\n"},
      {"chunked", bytes + "POST /v1/token" + host + "Transfer-Encoding: chunked\r\n\r\n" +
                      "3\r\nabc\r\n0\r\n\r\n"},
      {"upgrade", bytes + "GET /v1/ws" + host + upgrade},
      {"foreign-token", foreign + std::string(1, '\0') + "GET\nv1/token?role=play\n"},
      {"foreign-port", foreign + "\1POST\nv1/token\nContent-Type: text/plain\n\nrole=play"},
      {"rebinding", foreign + "\2GET\nv1/log\nRange: bytes=0-99\n"},
      {"foreign-site", foreign + "\3GET\nv1/log/0\n"},
      {"foreign-socket", foreign + "\4GET\nv1/ws\n"},
      {"end-chunked", end + "chunked"},
      {"end-two-codings", end + "chunked, gzip"},
      {"end-two-fields", end + "chunked\nidentity"},
      {"absolute", bytes + "GET http://game.example/healthz?x" + host + "\r\n"},
      {"range-first", range + "bytes=0-0"},
      {"range-middle", range + "bytes= 100-199 "},
      {"range-rest", range + "bytes=5-"},
      {"range-last", range + "bytes=-9"},
      {"range-all", range + "bytes=-999999"},
      {"range-beyond", range + "bytes=999999-"},
      {"range-two", range + "bytes=0-1,3-4"},
      {"message", frames + client_frame(0x82, "\1abc") + client_frame(0x82, "")},
      {"parts", frames + client_frame(2, "ab") + client_frame(0x89, "ping") + client_frame(0, "c") +
                    client_frame(0x80, std::string(200, 'd'))},
      {"largest", frames + client_frame(0x82, std::string(1225, 'a')) +
                      client_frame(0x82, std::string(1226, 'b'))},
      {"requests", frames +
                       [] {
                         std::string many;
                         for (int i = 0; i < 22; ++i)
                           many += client_frame(0x82, std::string(8, '\0'));
                         return many;
                       }()},
      {"close", frames + client_frame(0x88, "\3\xe8") + client_frame(0x82, "late")},
      {"text", frames + client_frame(0x81, "text")},
      {"text-parts", frames + client_frame(1, "ab") + client_frame(0x89, "ping")},
      {"slow",
       std::string{'\3', '\1'} + client_frame(0x8a, "pong") + client_frame(0x82, "abcdefg")},
  };
}

}  // namespace orrery::fuzz
