// Connects to a server, grabs the ball, and prints its height at 144 frames per second.
#include <cstdio>

#include "client/udp/udp_client.h"

using namespace orrery;

int main(int argc, char** argv) {
  const auto opened = client::UdpClient::open({.server = argc > 1 ? argv[1] : "127.0.0.1:4770"});
  if (!opened) return std::fprintf(stderr, "%s\n", opened.error().text().c_str()), 2;
  client::UdpClient& client = *opened.value();
  constexpr BodyId kBall{36};
  bool grabbed = false;
  for (int frame = 0; frame < 288 && client.wait_for_frame(144); ++frame) {
    if (!grabbed) grabbed = client.command(command::Grab{kBall, {}, {0, 4, 0}});
    const client::Frame shown = client.frame();
    for (const client::BodyPose& pose : *shown.poses) {
      if (pose.id == kBall) std::printf("tick %.2f: height %.3f\n", shown.tick, pose.position.y);
    }
  }
  if (client.problem().empty()) return 0;
  return std::fprintf(stderr, "%s\n", client.problem().c_str()), 1;
}
