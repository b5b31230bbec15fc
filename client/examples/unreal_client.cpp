// A client of a server in C++ without exceptions and RTTI, written like a component of Unreal.
//
//   c++ -fno-exceptions -fno-rtti unreal_client.cpp $(pkg-config --cflags --libs orrery) -o fly
//   ./fly 127.0.0.1:4770
#include <cstdint>
#include <cstdio>
#include <vector>

#include "orrery.h"

// A transform of Unreal: centimetres, z up, left-handed.
struct Transform {
  double translation[3];
  double rotation[4];  // x, y, z, w
};

// In Unreal this class is a UActorComponent: BeginPlay() calls open(), and TickComponent() calls
// tick(0). Then each actor takes its transform with SetActorLocationAndRotation().
class OrreryComponent {
 public:
  OrreryComponent() = default;
  OrreryComponent(const OrreryComponent&) = delete;
  ~OrreryComponent() { orrery_client_destroy(client_); }

  // Starts to connect. Returns false if the address or the key cannot be used.
  bool open(const char* server) {
    const orrery_space space = {sizeof space, ORRERY_Z_UP_LEFT, 100, {0, 0, 0}};
    return orrery_client_open(server, nullptr, nullptr, &client_, why_, sizeof why_) == ORRERY_OK &&
           orrery_set_space(client_, &space) == ORRERY_OK;
  }

  // Waits at most `wait` seconds for a datagram. Then reads the present transforms of all bodies.
  // Returns false once the connection has ended.
  bool tick(double wait) {
    const std::uint32_t what = ORRERY_POSITION | ORRERY_ORIENTATION | ORRERY_DOUBLE;
    frame_.size = sizeof frame_;
    info_.size = sizeof info_;
    orrery_client_update(client_, 0, static_cast<std::uint64_t>(wait * 1e9));
    orrery_get_client_info(client_, &info_);
    orrery_client_frame(client_, 0, ORRERY_INTERPOLATE, &frame_);
    transforms_.resize(frame_.bodies + 1);
    bodies_.resize(frame_.bodies + 1);
    for (orrery_shown_body& body : bodies_) body.size = sizeof body;
    orrery_client_read(client_, what, transforms_.data(), sizeof(Transform), frame_.bodies);
    orrery_client_bodies(client_, bodies_.data(), frame_.bodies);
    return info_.phase != ORRERY_ENDED;
  }

  // Returns the transform of a body, or nullptr if there is no such body.
  const Transform* find(std::uint32_t id) const {
    for (std::uint32_t i = 0; i < frame_.bodies; ++i) {
      if (bodies_[i].id == id) return &transforms_[i];
    }
    return nullptr;
  }

  // Pushes a body upwards. `momentum` is in kg cm/s.
  void push_up(std::uint32_t id, float momentum) {
    orrery_command command{};
    command.size = sizeof command;
    command.kind = ORRERY_IMPULSE;
    command.subject = id;
    command.first[2] = momentum;
    orrery_client_command(client_, &command, 0);
  }

  double shown_tick() const { return frame_.tick; }
  const char* problem() const { return client_ == nullptr ? why_ : info_.problem; }

 private:
  orrery_client* client_ = nullptr;
  orrery_client_info info_ = {};
  orrery_frame frame_ = {};
  std::vector<orrery_shown_body> bodies_;
  std::vector<Transform> transforms_;
  char why_[512] = "";
};

constexpr std::uint32_t kLog = 37, kWall = 43;  // bodies of the playground

static void say(const OrreryComponent& component) {
  if (component.find(kLog) == nullptr || component.find(kWall) == nullptr) return;
  const double* const log = component.find(kLog)->translation;
  const double* const wall = component.find(kWall)->translation;
  std::printf("tick %.2f: log at %.1f, %.1f, %.1f; wall at %.1f, %.1f, %.1f\n",
              component.shown_tick(), log[0], log[1], log[2], wall[0], wall[1], wall[2]);
}

int main(int argc, char** argv) {
  OrreryComponent component;
  bool lives = argc == 2 && component.open(argv[1]);
  while (lives && component.find(kLog) == nullptr) lives = component.tick(1 / 60.0);
  if (!lives) return std::fprintf(stderr, "%s\n", component.problem()), 1;
  say(component);
  const double start = component.find(kLog)->translation[2];
  component.push_up(kLog, 3000);
  while (lives && component.find(kLog) && component.find(kLog)->translation[2] < start + 100)
    lives = component.tick(1 / 60.0);
  say(component);
  return 0;
}
