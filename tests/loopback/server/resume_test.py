# Tests crashes: a server is killed repeatedly while clients play, and resumes its log.
# `orrery verify` must accept the log.
import json
import random
import signal
import subprocess
import sys

sys.path.append(sys.path[0] + "/../support")
from orrery_server import BINARIES, Server, run, tool, verify
from session_log import PREAMBLE_BYTES, TICK, log_of, records_of

ROUNDS = int(sys.argv[2]) if len(sys.argv) > 2 else 20


def start_bots(server, seed):
    """Starts clients that play until the server is gone."""
    return subprocess.Popen([BINARIES / "orrery", "bot", server.name, "--count", "4", "--seconds",
                             "600", "--seed", str(seed)],
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def segment(log, number):
    return log if number == 0 else log.parent / f"{log.name}.{number:04}"


def every_crash_loses_nothing_that_was_durable():
    seed = random.randrange(1 << 30)
    draw = random.Random(seed)
    print(f"seed {seed}, {ROUNDS} rounds", flush=True)
    with Server() as server:
        last = 0
        for crash in range(ROUNDS):
            bots = start_bots(server, draw.randrange(1 << 30))
            ticks = draw.randrange(1, 30)
            durable = server.durable_tick()
            while durable < last + ticks:
                durable = server.durable_tick()
            server.end(signal.SIGKILL)
            bots.kill()
            bots.wait()
            code, report = verify(server.log)
            assert code == 0 and report["torn"], report
            assert report["verified"] == report["ticks"] >= durable >= last, (durable, last, report)
            last = report["ticks"]
            server.resume()
        while not segment(server.log, ROUNDS - 1).read_bytes().startswith(b"ORRERYLZ"):
            assert server.process.poll() is None, server.lines  # wait until it is packed
        code, err = server.end()
        assert code == 0, err
        code, report = verify(server.log)
        assert code == 0 and not report["torn"] and report["ticks"] >= last, report
        assert segment(server.log, ROUNDS).read_bytes().startswith(b"ORRERYLG")


def a_file_that_has_the_name_of_the_next_segment_is_left_alone():
    with Server("--scene", "tumble") as server:
        while server.durable_tick() < 5:
            pass
        server.end(signal.SIGKILL)
        foreign = segment(server.log, 1)
        foreign.write_text("mine")
        server.resume()
        code, err = server.end()
        assert code == 0, err
        assert foreign.read_text() == "mine"
        assert segment(server.log, 0).read_bytes().startswith(b"ORRERYLZ")
        assert segment(server.log, 2).read_bytes().startswith(b"ORRERYLG")


def refused(log, *options):
    """Returns the one line with which orreryd refuses to resume a log."""
    done = subprocess.run([BINARIES / "orreryd", "--listen", "127.0.0.1:0", "--resume", log,
                           *options], capture_output=True, text=True, timeout=20)
    assert done.returncode == 2 and done.stdout == "" and done.stderr.count("\n") == 1, done
    return done.stderr


def what_cannot_be_resumed_is_said():
    with Server("--scene", "tumble") as server:
        line = refused(server.log)
        assert "session.orrery: is being written by a running server" in line, line
        code, err = server.end()
        assert code == 0, err
        assert "was closed" in refused(server.log)
        line = refused(server.log, "--scene", "solar")
        assert "--resume" in line and "--scene" in line, line
        foreign = server.log.parent / "foreign"
        foreign.write_text("mine")
        assert "is not a session log" in refused(foreign)
        assert "No such file" in refused(server.log.parent / "none")


def a_session_is_not_resumed_to_end_at_once():
    """The session would be closed and could not be resumed again."""
    with Server("--scene", "tumble") as server:
        while server.durable_tick() < 5:
            pass
        server.end(signal.SIGKILL)
        line = refused(server.log, "--ticks", "5")
        assert "--ticks: the session is at tick " in line and "give a later tick" in line, line
        server.resume()
        code, err = server.end()
        assert code == 0, err


def a_fault_is_told_of_the_build_that_resumed():
    """A segment that names another build contains a wrong hash in its second tick."""
    with Server("--scene", "tumble") as server:
        while server.durable_tick() < 5:
            pass
        server.end(signal.SIGKILL)
        last = verify(server.log)[1]["ticks"]
        server.resume()
        while server.durable_tick() < last + 5:
            pass
        code, err = server.end()
        assert code == 0, err
        _, out, _ = tool("log", "info", server.log, "--json")
        info = json.loads(out)
        assert info["later_builds"] == [], info
        path = segment(server.log, 1)
        content = path.read_bytes()
        records = records_of(content)
        assert records[0][1].count(b"orrery ") == 1, records[0]
        records[0][1] = records[0][1].replace(b"orrery ", b"Another")
        tick = [record for record in records if record[0] == TICK][1]
        tick[1] = bytes(byte ^ 0x55 for byte in tick[1][:8]) + tick[1][8:]
        path.write_bytes(log_of(content[:PREAMBLE_BYTES], records))
        code, report = verify(server.log)
        found = report["divergence"]
        assert code == 1 and report["first_divergent_tick"] == last + 2, report
        builds = f"two builds: {info['build'].replace('orrery ', 'Another')}, and {info['build']};"
        assert found["cause"] == "build" and found["why"].startswith(builds), found
        code, out, _ = tool("log", "info", server.log, "--json")
        assert [entry["from"] for entry in json.loads(out)["later_builds"]] == [last + 1], out


def the_lock_is_gone_with_the_server():
    with Server("--scene", "tumble") as server:
        lock = server.log.parent / "session.orrery.lock"
        assert lock.exists()
        server.end(signal.SIGKILL)
        assert lock.exists()
        server.resume()
        code, err = server.end()
        assert code == 0, err
        assert not lock.exists()


run([every_crash_loses_nothing_that_was_durable,
     a_file_that_has_the_name_of_the_next_segment_is_left_alone, what_cannot_be_resumed_is_said,
     a_session_is_not_resumed_to_end_at_once, a_fault_is_told_of_the_build_that_resumed,
     the_lock_is_gone_with_the_server])
