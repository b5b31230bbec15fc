// Changes logs, corrects their checksums, and checks how the programs that read them end.
#include <algorithm>
#include <fstream>
#include <optional>
#include <utility>
#include <vector>

#include "common/host/disk/log_seal.h"
#include "common/host/disk/packing/packed_segment.h"
#include "common/host/net/key_file.h"
#include "common/session/replay/playback.h"
#include "common/session/replay/recovery.h"
#include "common/session/replay/replay.h"
#include "common/world/image/image.h"
#include "common/world/scenes/scenes.h"
#include "common/world/step.h"
#include "tests/fuzz/attack/forged_log.h"
#include "tests/fuzz/attack/programs.h"
#include "tests/fuzz/attack/random_commands.h"
#include "tests/fuzz/attack/random_scene.h"
#include "tests/fuzz/attack/seeded.h"
#include "tests/support/disk_log.h"
#include "tests/support/linked_scene.h"
#include "tests/support/lossy_log.h"
#include "tests/support/simulated_disk.h"

namespace orrery::attack {
namespace {

constexpr const char* kAbout =
    R"(Records a small session for each seed, changes one to three fields of its log, and makes all
checksums correct again, as an attacker who knows the format can. Some logs are torn, sealed or
packed, have several segments or have lost ticks. Then it runs every command that reads a log:
  - each exits with 0, 1 or 2, with one line if it fails, in bounded time and memory
  - `orrery verify` exits 0 only if the recorded commands really lead to the recorded hashes; a
    changed hash or image is always found
  - `orrery log check --seal-key` exits 0 only if no tick and no header was changed
  - `orrery diff` calls only logs of the same records equal
  - what `fork`, `log repair` and `log export --single` write can be verified or checked
With --planted one recorded hash is changed, and `verify` is replaced by `log check`, which does not
replay the log. The program must then report an undetected change.
)";

constexpr std::uint32_t kTickRate = 2;  // a checkpoint every 10 s is one every 20 ticks

struct Base {
  LogFiles files;
  std::uint64_t ticks = 0;
  bool lost = false;  // the disk failed: some ticks may be missing
};

// --- original logs ---

Scene any_small_scene(SplitMix64& draw) {
  constexpr const char* kScenes[] = {"tumble", "lander", "springs:4", "solar", "crates:6"};
  Scene scene;
  do {
    const std::uint32_t kind = draw.below(8);
    scene = kind < 5    ? built_in_scene(kScenes[kind]).value()
            : kind == 5 ? test::linked_scene()
                        : random_scene(draw.next());
  } while (scene.bodies.size() > 40);
  scene.tick_rate = kTickRate;
  scene.tick_time_numerator = 1;
  scene.tick_time_denominator = 60;
  scene.substeps = std::min(scene.substeps, kContactSubsteps);
  return scene;
}

// Records a session in one or two segments: closed, not closed, or torn.
Base plain_log(SplitMix64& draw) {
  World world(any_small_scene(draw));
  WildCommands commands(draw.next());
  SerialExecutor serial;
  Base base;
  base.ticks = 1 + draw.below(64);
  test::MemorySegments segments;
  std::optional<session::SessionLog> log(
      std::in_place, segments, session::make_log_header(world, "test", codec::SessionId{1}));
  const std::uint64_t resumed_at = draw.below(100);
  for (std::uint64_t tick = 1; tick <= base.ticks; ++tick) {
    step(world, commands.next(world), serial);
    log->append_tick(world);
    if (tick == resumed_at) test::begin_segment(world, segments, log, "another");
  }
  if (draw.below(3) != 0) log->close();
  base.files = segments.segments;
  std::vector<std::uint8_t>& last = base.files.back();
  const bool torn = draw.below(4) == 0 && base.ticks > 4;
  if (torn) last.resize(last.size() - draw.below(40));
  return base;
}

LogFiles files_of(const test::SimulatedDisk::Folder& folder) {
  LogFiles files;
  for (std::uint32_t i = 0; folder.contains(host::segment_path("LOG", i)); ++i) {
    files.push_back(folder.at(host::segment_path("LOG", i)));
  }
  return files;
}

// Records a sealed session, in short segments or in one.
Base sealed_log(SplitMix64& draw, const net::Key& key) {
  Base base = plain_log(draw);
  while (base.files.size() > 1) base = plain_log(draw);
  test::SimulatedDisk disk(1);
  test::DiskLog writer(disk, "LOG", draw.below(2) == 0 ? 1 : std::size_t{1} << 30);
  writer.seal_with(host::LogSealer(key));
  std::vector<std::uint8_t> whole(base.files[0].begin(),
                                  base.files[0].begin() + session::kPreambleBytes);
  const ForgedLog log = take_apart(base.files);
  for (const ForgedRecord& record : log[0].records) {
    session::append_record(static_cast<session::RecordType>(record.type), record.payload, {}, 0,
                           whole);
  }
  test::commit_records(whole, writer);
  base.files = files_of(disk.content());
  return base;
}

Base lossy_log(SplitMix64& draw) {
  Scene scene = draw.below(2) == 0 ? built_in_scene("tumble").value() : test::linked_scene();
  scene.tick_rate = 1;
  const test::Loss loss = draw.below(2) == 0 ? test::Loss::sync : test::Loss::ticks;
  return {test::lossy_log(scene, draw.next(), 60, loss).log.segments, 60, true};
}

Base any_log(SplitMix64& draw, const net::Key& key, Counts& counts) {
  const std::uint32_t kind = draw.below(6);
  for (const char* name : {"sealed", "lossy", "plain"}) counts[std::string("log: ") + name] += 0;
  counts[kind == 0 ? "log: sealed" : kind == 1 ? "log: lossy" : "log: plain"] += 1;
  return kind == 0 ? sealed_log(draw, key) : kind == 1 ? lossy_log(draw) : plain_log(draw);
}

// --- contents of a log, read and stepped without verify() ---

struct Story {
  bool readable = false;
  bool true_to_scene = false;        // the commands lead to the recorded hashes and images
  std::vector<std::uint8_t> header;  // payload
  std::vector<std::vector<std::uint8_t>> records;  // payloads of the ticks, in order
};

// Returns true if the world agrees with a checkpoint. After lost ticks it first restores the
// checkpoint.
bool holds(World& world, const session::Checkpoint& checkpoint) {
  std::vector<std::uint8_t> image;
  if (checkpoint.after_gap && !restore_image(world, checkpoint.image)) return false;
  save_image(world, image);
  return world.hash() == checkpoint.hash && world.tick() == checkpoint.tick &&
         std::equal(image.begin(), image.end(), checkpoint.image.begin(), checkpoint.image.end());
}

Story story_of(const test::MemorySegments& segments) {
  Story story;
  test::MemorySource source(segments.segments[0]);
  session::LogReader reader(source, segments.opener());
  const Result<codec::LogHeader> header = reader.read_header();
  if (!header) return story;
  story.readable = true;
  story.header.assign(reader.last_payload().begin(), reader.last_payload().end());
  const Result<Scene> scene = codec::decode_scene(header.value().scene);
  std::optional<World> world;
  if (scene) world.emplace(scene.value());
  story.true_to_scene = world && world->hash() == header.value().initial_hash;
  SerialExecutor serial;
  session::TickRecord record;
  session::Checkpoint checkpoint;
  while (const std::optional<session::RecordType> type = reader.next(record, checkpoint)) {
    if (session::is_tick(*type)) {
      const Bytes payload = reader.last_payload();
      story.records.emplace_back(payload.begin(), payload.end());
    }
    if (!story.true_to_scene) continue;
    if (session::is_tick(*type)) {
      step(*world, record.commands, serial);
      story.true_to_scene =
          world->hash() == record.hash && world->applied().size() == record.commands.size();
    } else {
      story.true_to_scene = holds(*world, checkpoint);
    }
  }
  return story;
}

// Seeks forwards and backwards in the log, and recovers it as a server would. Every result is
// allowed, except a crash and a state that is not finite.
void visit(const test::MemorySegments& segments, SplitMix64& draw) {
  SerialExecutor serial;
  const auto playback = session::Playback::open(session::open_log(segments.opener()),
                                                session::OtherRules::by_checkpoints);
  for (int i = 0; i < 6 && playback; ++i) {
    const Tick tick{draw.below(6) == 0 ? draw.next() : draw.below(80)};
    static_cast<void>(playback.value()->go_to(tick, serial));
    ORRERY_ASSERT(test::finite(playback.value()->world()));
  }
  Result<session::OpenedLog> log = session::open_log(segments.opener());
  if (!log) return;
  const Result<session::Recovered> recovered = session::recover(log.value(), serial);
  if (recovered) ORRERY_ASSERT(test::finite(recovered.value().world));
}

// --- the programs ---

class Check {
 public:
  Check(Attempt& attempt, const Story& original, const Story& forged, bool must_be_found)
      : attempt_(attempt), original_(original), forged_(forged), must_be_found_(must_be_found) {}

  void check_all(SplitMix64& draw, std::uint64_t ticks) {
    const auto number = [&] {
      return std::to_string(draw.below(static_cast<std::uint32_t>(ticks) + 8));
    };
    verify();
    if (attempt_.planted) return;
    seals();
    run("orrery", {"log", "info", "log"});
    run("orrery",
        {"replay", "log", "--at", draw.below(8) == 0 ? "9007199254740992" : number(), "--bodies"});
    run("orrery", {"replay", "log", "--from", number(), "--to", number(), "--every", "3"});
    run("orrery", {"log", "export", "log"});
    run("orrery", {"log", "export", "log", "--csv", "--every", "5"});
    diff({"diff", "original", "log"});
    diff({"diff", "log", "original"});
    fork(number());
    copies();
    // The server ends as soon as it has read the log. It runs one tick only if tick 1 is not in the
    // log.
    run("orreryd", {"--resume", "log", "--listen", "127.0.0.1:0", "--ticks", "1"});
  }

 private:
  // Returns the exit code, or -1 once there is a problem.
  int run(const char* program, const std::vector<std::string>& arguments) {
    if (!attempt_.problem.empty()) return -1;
    end_ = run_program(attempt_.programs / program, arguments, attempt_.folder);
    attempt_.problem = fault_of(end_);
    attempt_.counts[std::string(program) + " exits with " + std::to_string(end_.exit_code)] += 1;
    return attempt_.problem.empty() ? end_.exit_code : -1;
  }

  void require(bool holds, const std::string& what) {
    if (!holds && attempt_.problem.empty()) attempt_.problem = end_.command + ": " + what;
  }

  void verify() {
    const std::vector<std::string> planted = {"log", "check", "log", "--json"};
    const std::vector<std::string> usual = {"verify", "log", "--json"};
    if (run("orrery", attempt_.planted ? planted : usual) != 0) return;
    require(!must_be_found_, "exits with 0, though a hash or image was changed");
    require(forged_.true_to_scene, "exits with 0, though the commands do not lead to the hashes");
    require(attempt_.planted ||
                json_value(end_.out, "verified") == std::to_string(forged_.records.size()),
            "exits with 0, and did not verify every tick");
  }

  void seals() {
    if (run("orrery", {"log", "check", "log", "--seal-key", "key"}) != 0) return;
    require(forged_.header == original_.header && forged_.records == original_.records,
            "exits with 0, though a header or tick was changed");
  }

  void diff(const std::vector<std::string>& arguments) {
    if (run("orrery", arguments) != 0) return;
    require(forged_.records == original_.records, "exits with 0, though records differ");
  }

  void fork(const std::string& at) {
    const int exit_code =
        run("orrery", {"fork", "log", "--at", at, "--set", "gravity=0,1,0", "-o", "fork"});
    if (exit_code == 0) require(run("orrery", {"verify", "fork"}) == 0, "a fork does not verify");
  }

  void copies() {
    const int repaired = run("orrery", {"log", "repair", "log", "-o", "repaired"});
    if (repaired == 0 || repaired == 1) {
      require(run("orrery", {"log", "check", "repaired"}) == 0, "a repaired log is damaged");
    }
    const int joined = run("orrery", {"log", "export", "--single", "log", "-o", "joined"});
    if (joined == 0) {
      require(run("orrery", {"log", "check", "joined"}) == 0, "a joined log is damaged");
    }
  }

  Attempt& attempt_;
  const Story& original_;
  const Story& forged_;
  const bool must_be_found_;
  ProgramEnd end_;
};

// --- one attempt ---

// Changes the log in one to three ways. Returns whether verify() must detect that.
bool forge(ForgedLog& log, SplitMix64& draw, Attempt& attempt, std::string& named) {
  for (const Forgery& forgery : forgeries())
    attempt.counts[std::string("forged ") + forgery.name] += 0;
  const std::uint32_t wanted = draw.below(2) == 0 ? 1 : 1 + draw.below(3);
  std::uint32_t made = 0;
  bool found = false;
  while (made < (attempt.planted ? 1 : wanted)) {
    const Forgery& forgery =
        forgeries()[draw.below(static_cast<std::uint32_t>(forgeries().size()))];
    if (attempt.planted && std::string_view(forgery.name) != "tick: hash") continue;
    const ForgedLog before = log;
    if (!forgery.change(log, draw) || log.empty()) {
      log = before;
      continue;
    }
    found = forgery.always_found;
    named += (made++ == 0 ? "" : ", ") + std::string(forgery.name);
    attempt.counts[std::string("forged ") + forgery.name] += 1;
  }
  return found && made == 1;
}

void write_log(const LogFiles& files, const std::filesystem::path& path) {
  for (std::uint32_t i = 0; i < files.size(); ++i) {
    std::ofstream out(host::segment_path(path.string(), i), std::ios::binary);
    out.write(reinterpret_cast<const char*>(files[i].data()),
              static_cast<std::streamsize>(files[i].size()));
  }
}

// Packs the segments on the disk, as a server does with closed segments.
void pack(const LogFiles& files, const std::filesystem::path& path) {
  for (std::uint32_t i = 0; i < files.size(); ++i) {
    test::MemorySource source(files[i]);
    static_cast<void>(host::pack_segment(source, files[i].size(), host::file_system(),
                                         host::segment_path(path.string(), i)));
  }
}

void write_key(const net::Key& key, const std::filesystem::path& path) {
  std::string text;
  for (const std::uint8_t byte : key) {
    constexpr char kDigits[] = "0123456789abcdef";
    text += {kDigits[byte >> 4], kDigits[byte & 15]};
  }
  text += '\n';
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(text.data());
  ORRERY_ASSERT(host::write_secret(path.string(), {bytes, text.size()}).ok());
}

void attack(Attempt& attempt) {
  SplitMix64 draw(attempt.seed);
  net::Key key{};
  for (std::uint8_t& byte : key) byte = static_cast<std::uint8_t>(draw.next());
  const Base base = attempt.planted ? plain_log(draw) : any_log(draw, key, attempt.counts);
  test::MemorySegments original;
  original.segments = base.files;
  ForgedLog log = take_apart(base.files);
  ORRERY_ASSERT(put_together(log) == base.files);
  std::string named;
  const bool must_be_found = forge(log, draw, attempt, named) && !base.lost;
  test::MemorySegments forged;
  forged.segments = put_together(log);
  write_log(original.segments, attempt.folder / "original");
  write_log(forged.segments, attempt.folder / "log");
  write_key(key, attempt.folder / "key");
  if (draw.below(6) == 0) pack(forged.segments, attempt.folder / "log");
  visit(forged, draw);
  const Story told = story_of(original);
  ORRERY_ASSERT(told.readable && told.true_to_scene);
  const Story story = story_of(forged);
  Check(attempt, told, story, must_be_found).check_all(draw, base.ticks);
  if (attempt.planted) {
    attempt.problem = attempt.problem.empty() ? "a changed hash was not found" : "";
  }
  if (!attempt.problem.empty()) attempt.problem = "(" + named + ") " + attempt.problem;
}

}  // namespace
}  // namespace orrery::attack

int main(int argc, char** argv) {
  return orrery::attack::run_seeds(argc, argv,
                                   {.name = "forged_logs",
                                    .about = orrery::attack::kAbout,
                                    .enough_seeds = 300,
                                    .seconds_max = 900,
                                    .attack = orrery::attack::attack});
}
