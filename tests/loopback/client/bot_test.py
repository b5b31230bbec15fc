# Tests `orrery bot`: each way to play on a bad network, the comparison with the log, and resumes.
import json
import pathlib
import signal
import subprocess
import sys
import tempfile

sys.path.append(sys.path[0] + "/../support")
from orrery_server import BINARIES, Netsim, Server, logged, run, tool, verify

SECONDS = int(sys.argv[2]) if len(sys.argv) > 2 else 5
KINDS = ("mixed", "idle", "wander", "throw", "push", "visit", "hostile")
BAD_NETWORK = ("--loss", 5, "--delay", 20, "--jitter", 20, "--duplicate", 2, "--reorder", 2,
               "--corrupt", 1)


def start_bots(name, *options):
    return subprocess.Popen([BINARIES / "orrery", "bot", name, "--json", *map(str, options)],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def report_of(bots):
    """Returns the exit code, the report and stderr of a program that start_bots() started."""
    out, err = bots.communicate(timeout=SECONDS + 120)
    return bots.returncode, json.loads(out), err


def every_kind_plays_on_a_bad_network():
    with Server() as server, Netsim(server, *BAD_NETWORK) as relay:
        access = ("--key-file", server.key_file, "--count", 2, "--seconds", SECONDS)
        bots = {kind: start_bots(relay.name, *access, "--behaviour", kind, "--seed", seed,
                                 *(("--check", server.log) if kind != "hostile" else ()))
                for seed, kind in enumerate(KINDS)}
        for kind, process in bots.items():
            code, found, err = report_of(process)
            assert code == 0 and found["connected"] == 2, (kind, err, found)
            assert found["problems"] == 0 and found["shown_wrong"] == 0, (kind, found)
            if kind == "hostile":
                assert found["reconnects"] > 0 or SECONDS < 60, found
                continue
            assert found["shown_compared"] > 100 and found["frames"] > 200, (kind, found)
            assert (found["commands"] > 10) == (kind != "idle"), (kind, found)
            assert (found["connections"] > 2) == (kind == "visit"), (kind, found)
            assert found["reconnects"] == 0, (kind, found)
        code, err = server.end()
        assert code == 0, err
        assert verify(server.log)[0] == 0


def kinds_take_turns():
    with Server() as server:
        code, out, err = tool("bot", server.name, "--count", 4, "--seconds", 1, "--json",
                              "--behaviour", "idle,push")
        found = json.loads(out)
        assert code == 0 and found["connected"] == 4, (found, err)
        assert found["commands"] == found["commands_acknowledged"] > 5, found
        assert 0 < found["cpu_seconds"] < found["seconds"], found


def refused_commands_come_back():
    """Nobody may command the bodies of this scene, so the server refuses every impulse. It also has
    a shape that no body has, which is a warning."""
    with tempfile.TemporaryDirectory() as folder:
        scene = pathlib.Path(folder) / "guarded.json"
        scene.write_text('{"bodies": [{"control": "nobody"}], "shapes": [{"parts": [{}]}]}')
        with Server("--scene", scene) as server:
            for mode in ([], ["--plain"], ["--follow"]):
                code, out, err = tool("bot", server.name, "--count", 2, "--seconds", 2, "--json",
                                      "--behaviour", "push", *mode)
                found = json.loads(out)
                assert code == 0, (found, err)
                assert found["commands_refused"] == found["commands"] > 0, found
            code, err = server.end()
            counted = logged(err, "counters commands")[-1]
            assert code == 0 and counted["refused"] == counted["taken"] != "0", err
            assert counted["refusals_left_out"] == "0", err
            doubts = logged(err, "scene doubtful")
            assert len(doubts) == 1 and "shape 0: no body has it" in doubts[0]["problem"], err
        code, out, err = tool("run", scene, "--ticks", 3, "--json")
        assert code == 0 and json.loads(out)["ticks"] == 3, err
        assert err == f'orrery: warning: {scene}:1:48: shape 0: no body has it; ' \
            'give one "shape": 0\n', err


def followers_show_the_states_of_the_log():
    with Server() as server:
        code, out, err = tool("bot", server.name, "--count", 2, "--seconds", 3, "--follow",
                              "--check", server.log, "--json")
        found = json.loads(out)
        assert code == 0, (found, err)
        assert found["shown_exact"] == found["shown_compared"] > 100, found
        assert found["shown_wrong"] == 0 and found["shown_error_max"] == 0, found


def another_session_is_not_the_one_that_was_shown():
    """The log to compare with has the same scene and ticks, but its gravity is another."""
    with Server() as server:
        tool("run", "playground", "--ticks", 900, "--log", server.log.parent / "calm")
        code, _, err = tool("fork", server.log.parent / "calm", "--at", 1, "--set",
                            "gravity=0,-3,0", "-o", server.log.parent / "other")
        assert code == 0, err
        code, out, err = tool("bot", server.name, "--count", 2, "--seconds", 3, "--behaviour",
                              "throw", "--check", server.log.parent / "other", "--json")
        found = json.loads(out)
        assert code == 1 and err.count("\n") == 1, (code, out, err)
        assert found["shown_wrong"] > 10 and found["problems"] == 0, found
        assert "orrery: bot: body " in err, err


def bots_come_back_after_a_resume():
    with Server() as server:
        name, kinds = server.name, "mixed,wander,visit,hostile"
        bots = start_bots(name, "--count", 8, "--seconds", 13, "--behaviour", kinds, "--check",
                          server.log)
        while server.durable_tick() < 100:
            assert bots.poll() is None, bots.communicate()
        server.end(signal.SIGKILL)
        server.resume(listen=name)
        code, found, err = report_of(bots)
        assert code == 0 and found["connected"] == 8, (found, err)
        assert found["problems"] == 0 and found["shown_wrong"] == 0, (found, err)
        assert found["reconnects"] >= 6, found  # visitors may have been away
        assert found["shown_compared"] > 500, found
        code, err = server.end()
        assert code == 0, err
        assert verify(server.log)[0] == 0


def what_makes_no_sense_is_refused():
    with Server() as server:
        token = server.log.parent / "token"
        code, _, err = tool("token", "--key-file", server.key_file, "--server", server.name,
                            "--out", token)
        assert code == 0, err
        for options, why in ((["--behaviour", "idle,lazy"], "idle,lazy"),
                             (["--behaviour", ""], "--behaviour"),
                             (["--check", server.log.parent / "none"], "--check"),
                             (["--token", token, "--behaviour", "idle,visit"], "--key-file")):
            code, out, err = tool("bot", server.name, *options)
            assert code == 2 and why in err and not out and err.count("\n") == 1, (code, out, err)


if SECONDS >= 60:
    run([every_kind_plays_on_a_bad_network])
else:
    run([every_kind_plays_on_a_bad_network, kinds_take_turns, refused_commands_come_back,
         followers_show_the_states_of_the_log,
         another_session_is_not_the_one_that_was_shown, bots_come_back_after_a_resume,
         what_makes_no_sense_is_refused])
