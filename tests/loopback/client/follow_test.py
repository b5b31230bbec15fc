# Tests clients that follow a session: each of their states must equal the server's.
import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

sys.path.append(sys.path[0] + "/../support")
import protocol
from orrery_server import BINARIES, Server, fields_of, run, tool, verify

LINE = re.compile(r"tick (\d+): (\d+) ticks checked, all equal; hash (0x[0-9a-f]{16})"
                  r"(?:; ([0-9.]+) kbit/s)?")


def follow(server):
    """Starts a program that follows until the server stops. It is connected when this returns."""
    process = subprocess.Popen([BINARIES / "orrery", "watch", server.name, "--follow", "--seconds",
                                "60"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    for line in process.stdout:
        if LINE.match(line):
            return process
    raise AssertionError(process.communicate())


def lines_of(process):
    """Returns the remaining output. The program must have ended without error because the server
    did."""
    out, err = process.communicate(timeout=30)
    assert process.returncode == 0 and "stopped" in err, (out, err)
    return [LINE.match(line).groups() for line in out.splitlines()]


def all_come_to_the_last_state_of_the_log():
    with Server("--ticks", "330") as server:
        early = follow(server)
        bots = subprocess.Popen([BINARIES / "orrery", "bot", server.name, "--count", "4",
                                 "--seconds", "2", "--json"], stdout=subprocess.PIPE, text=True)
        late = follow(server)
        code, out, err = tool("bot", server.name, "--count", 2, "--seconds", 1, "--follow",
                              "--json")
        report = json.loads(out)
        assert code == 0, err
        assert report["hash_checks"] > 60 and report["hash_failures"] == 0, report
        assert report["commands"] == report["commands_acknowledged"] > 0, report
        out, _ = bots.communicate(timeout=30)
        assert bots.returncode == 0 and json.loads(out)["commands"] > 100, out
        assert server.process.wait(timeout=30) == 0
        code, report = verify(server.log)
        assert code == 0 and report["ticks"] == 330, report
        for process, least in ((early, 200), (late, 100)):
            tick, checked, of_hash, _ = lines_of(process)[-1]
            assert (int(tick), of_hash) == (330, report["hash"]), (tick, of_hash, report)
            assert int(checked) >= least, checked


def a_world_that_does_not_come_in_time_is_a_failure():
    """The world has several megabytes and is sent at one megabyte a second."""
    with Server("--scene", "free:50000") as server:
        code, out, err = tool("watch", server.name, "--follow", "--seconds", 2)
        assert code == 1 and err.count("\n") == 1, (code, out, err)
        assert f"the server at {server.name} sent no tick in this time" in err, (out, err)


def lines_have_the_rate():
    """The bytes of a tick are bounded in virtual time (Followers.ATickIsADatagramOfFiftyBytes): on
    a busy machine the server repeats some."""
    with Server("--ticks", "240") as server:
        rates = [float(rate) for _, _, _, rate in lines_of(follow(server)) if rate]
        assert rates and all(rate > 1 for rate in rates), rates


def check_flight(folder, err):
    """Checks the end of the line that names the difference, and the flight in the folder."""
    found = re.search(r"; body 37, velocity\.x: (\S+) here, (\S+) there; the last ten seconds "
                      r"are in follower\.flight-120\n$", err)
    assert found, err
    here, there = found.groups()
    code, report = verify(pathlib.Path(folder) / "follower.flight-120")
    assert code == 1 and report["first_divergent_tick"] == 120, report
    named = report["divergence"]
    assert (named["body"], named["field"], named["ulps"]) == (37, "velocity.x", 1), named
    assert (named["a"]["decimal"], named["b"]["decimal"]) == (float(here), float(there)), named
    assert named["known_a"] == "checkpoint", named


def a_wrong_bit_is_found_in_its_tick():
    with Server() as server, tempfile.TemporaryDirectory() as folder:
        code, out, err = tool("bot", server.name, "--seconds", 3, "--follow", "--break",
                              "ulp@120:37.velocity.x", "--json", folder=folder)
        report = json.loads(out)
        assert code == 1 and report["hash_failures"] == 1, (code, out, err)
        check_flight(folder, err)
        assert sorted(os.listdir(folder)) == ["follower.flight-120", "follower.flight-120.0001"]
        found = re.search(r"tick 120: (0x[0-9a-f]{16}) here, (0x[0-9a-f]{16}) there", err)
        assert found, err
        line = server.wait_for(" error client diverged id=")
        fields = fields_of(line)
        assert fields["tick"] == "120", line
        assert (fields["client_hash"], fields["server_hash"]) == found.groups(), (line, err)


def what_the_wire_says_is_what_the_log_says():
    with Server() as server:
        client = protocol.Client(server, mode=protocol.FOLLOW)
        messages = client.reliable_messages()
        assert next(messages)[0] == 1  # a header
        checkpoint = next(messages)
        assert checkpoint[0] == 4
        tick, at = protocol.read_varint(checkpoint, 1)
        said = {tick: struct.unpack_from("<Q", checkpoint, at)[0]}
        for _ in range(60):
            message = next(messages)
            assert message[0] == 7  # a tick
            tick += 1
            said[tick] = struct.unpack_from("<Q", message, 1)[0]
        client.close()
        assert server.end()[0] == 0
        code, out, _ = tool("log", "export", server.log)
        lines = [json.loads(line) for line in out.splitlines()]
        logged = {line["tick"]: int(line["hash"], 16) for line in lines if "tick" in line}
        assert code == 0 and said == {tick: logged[tick] for tick in said}


def what_makes_no_sense_is_refused():
    for options, why in ((["--break", "ulp@9:0.velocity.x"], "--follow"),
                         (["--follow", "--break", "ulp"], "--break")):
        code, out, err = tool("bot", "127.0.0.1:1", *options)
        assert code == 2 and why in err and not out, (code, out, err)
    code, _, err = tool("watch", "127.0.0.1:1", "--follow", "--events")
    assert code == 2 and "--events" in err, err


run([all_come_to_the_last_state_of_the_log, a_world_that_does_not_come_in_time_is_a_failure,
     lines_have_the_rate, a_wrong_bit_is_found_in_its_tick,
     what_the_wire_says_is_what_the_log_says, what_makes_no_sense_is_refused])
