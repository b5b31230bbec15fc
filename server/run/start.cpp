// Finds the state that a session starts from, and opens the files and the socket of its options.
#include "server/run/start.h"

#include <utility>

#include "common/codec/scene_codec.h"
#include "common/host/disk/log_segments.h"
#include "common/host/net/key_file.h"
#include "common/host/process/build.h"
#include "common/host/process/clock.h"
#include "common/host/process/random.h"
#include "common/host/text/scene_file.h"
#include "common/net/packet/address_text.h"
#include "common/session/writer/log_writer.h"
#include "server/access.h"
#include "server/operator/log_line.h"
#include "server/operator/status_file.h"
#include "server/session_file.h"

namespace orrery::server {
namespace {

// Returns the default name of a log, made of the start time and the scene.
std::string log_name(const std::string& scene) {
  std::string name = host::utc_timestamp() + "-" + (scene.empty() ? "scene" : scene);
  for (char& c : name) {
    const bool kept = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (!kept) c = '-';
  }
  return name;
}

Result<Scene> scene_of(const Options& options, Problem* warning = nullptr) {
  auto scene = host::load_scene(options.scene.empty() ? "playground" : options.scene, warning);
  if (!scene || options.rate == 0) return scene;
  scene.value().tick_rate = options.rate;
  const Status sound = validate(scene.value());
  if (!sound) return sound.error().of_option("--rate");
  return scene;
}

Result<Start> start_anew(const Options& options, std::string log) {
  Problem warning;
  auto scene = scene_of(options, &warning);
  if (warning) log_event(LogEvent::scene_doubtful, {{"problem", warning->text()}});
  if (!scene) return scene.error();
  World world(std::move(scene.value()));
  codec::SessionId session;
  host::fill_random(session);
  codec::LogHeader header = session::make_log_header(world, host::build_name(), session);
  return Start{std::move(world), std::move(header), std::move(log)};
}

// Returns true if --scene names another scene than the recorded one, whatever their rates.
bool is_other_scene(Options options, const Scene& recorded) {
  if (options.scene.empty()) return false;
  options.rate = recorded.tick_rate;
  std::vector<std::uint8_t> asked;
  std::vector<std::uint8_t> known;
  if (const auto given = scene_of(options)) codec::encode_scene(given.value(), asked);
  codec::encode_scene(recorded, known);
  return asked != known;
}

// Logs that --scene or --rate is ignored, if the continued session has another scene or rate.
void compare_with_options(const Options& options, const Scene& scene) {
  const auto ignore = [](const char* option) {
    log_event(LogEvent::option_ignored,
              {{"option", option}, {"reason", "the session continues with its own"}});
  };
  if (is_other_scene(options, scene)) ignore("--scene");
  if (options.rate != 0 && options.rate != scene.tick_rate) ignore("--rate");
}

Result<Start> start_from_log(const Options& options, std::string path, host::ResumableLog log) {
  World& world = log.recovered.world;
  codec::LogHeader& header = log.recovered.header;
  header.build = host::build_name();
  for (const Tick tick : log.recovered.unusable) {
    log_event(LogEvent::checkpoint_skipped, {{"tick", tick.value}});
  }
  if (options.ticks != 0 && options.ticks <= world.tick().value) {
    return Error::at("--ticks", ": the session is at tick " + std::to_string(world.tick().value) +
                                    " already; give a later tick, or omit the option");
  }
  compare_with_options(options, world.scene());
  return Start{std::move(world),    std::move(header),          std::move(path),
               std::move(log.lock), log.recovered.last_segment, std::move(log.recovered.banned)};
}

}  // namespace

Result<Start> start_session(const Options& options, Executor& executor) {
  if (!options.resume.empty()) {
    auto log = host::recover_log(options.resume, executor);
    if (!log) return log.error().of_option("--resume", " ");
    return start_from_log(options, options.resume, std::move(log.value()));
  }
  if (options.session.empty()) return start_anew(options, options.log);
  auto session = find_session(options.session, executor);
  if (!session) return session.error().of_option("--session", " ");
  SessionFile& found = session.value();
  if (!found.log) return start_anew(options, found.path);
  return start_from_log(options, found.path, std::move(*found.log));
}

Result<std::unique_ptr<host::LogFile>> open_log(const Options& options, Start& start) {
  if (start.lock)
    return host::LogFile::resume(start.log, std::move(start.lock), host::OnFailure::go_on);
  if (!start.log.empty()) {
    auto file = host::LogFile::open(start.log, host::OnFailure::go_on);
    if (file) return file;
    if (options.log.empty()) return file.error().of_option("--session", " ");
    const std::string why = why_taken(options.log);
    return Error::at("--log", " " + (why.empty() ? file.error().text() : why));
  }
  return host::LogFile::open_unused(log_name(start.world.scene().name), host::OnFailure::go_on);
}

Result<std::unique_ptr<host::UdpNetwork>> listen(const Options& options) {
  const auto address = net::parse_address(options.listen);
  if (!address) return address.error().of_option("--listen", " ");
  const Status allowed = check_access(options, address.value());
  if (!allowed) return allowed.error();
  auto network = host::UdpNetwork::bind(address.value());
  if (!network) return network.error().of_option("--listen", " ");
  return network;
}

Result<std::optional<host::LogSealer>> open_sealer(const Options& options, const Start& start) {
  if (options.seal_key.empty()) return std::optional<host::LogSealer>();
  const auto key = host::read_key_file(options.seal_key);
  if (!key) return key.error().of_option("--seal-key", " ");
  if (!start.lock) return std::optional(host::LogSealer(key.value().key));
  auto resumed = host::resume_sealer(start.log, key.value().key);
  if (!resumed)
    return resumed.error().of_option(options.resume.empty() ? "--session" : "--resume", " ");
  log_event(LogEvent::seals_verified, {{"tick", resumed.value().proved.value}});
  return std::optional(std::move(resumed.value().sealer));
}

Status check_status(const Options& options, const std::string& log) {
  if (options.status.empty()) return ok_status();
  const Status usable = check_status_file(options.status, log);
  return usable ? usable : usable.error().of_option("--status", " ");
}

}  // namespace orrery::server
