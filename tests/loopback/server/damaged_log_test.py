# Tests that a server notices damage to its log by another program, reports it during the session,
# and exits 1.
import os
import signal
import sys
import time

sys.path.append(sys.path[0] + "/../support")
import protocol
from orrery_server import Server, fields_of, run, verify

NOTICE_SECONDS_MAX = 20  # generous: an idle machine needs a tenth of a second


def served_on(server, said):
    """Waits for the line about the damage and checks that the session continues. Returns the
    line."""
    started = time.monotonic()
    found = []
    while not found:
        assert time.monotonic() - started < NOTICE_SECONDS_MAX, server.lines
        time.sleep(0.01)
        found = [line for line in list(server.lines) if said in line]
    line = found[0]
    assert " error log damaged durable_tick=" in line, line
    assert "put it back, or the log ends here" in line, line
    client = protocol.Client(server)
    client.snapshot()
    client.close()
    return line


def ended(server, path):
    """Checks that the server exits 1 and names the damaged file."""
    code, err = server.end()
    last = err.splitlines()[-1]
    assert code == 1 and last.startswith(f"orreryd: {path}: was "), (code, err)
    return last


def begun(server, ticks=5):
    first = server.durable_tick()
    while server.durable_tick() < first + ticks:
        pass


def a_log_that_is_cut_is_noticed():
    with Server("--scene", "tumble") as server:
        begun(server)
        os.truncate(server.log, 100)
        line = served_on(server, f"{server.log}: was cut from ")
        assert fields_of(line)["durable_tick"] == "0", line
        assert " to 100 bytes by another program" in line, line
        assert " up to tick 0 of " in ended(server, server.log)
        assert verify(server.log)[0] != 0


def a_log_that_is_removed_is_noticed_and_whole_when_it_is_put_back():
    with Server("--scene", "tumble") as server:
        begun(server)
        kept = server.log.with_name("kept")
        server.log.rename(kept)
        served_on(server, f"{server.log}: was removed by another program")
        ended(server, server.log)
        assert not server.log.exists() and server.log.with_name(server.log.name + ".0001").exists()
        kept.rename(server.log)
        code, report = verify(server.log)
        assert code == 0 and not report["torn"] and report["verified"] > 5, report


def a_later_segment_is_watched_too():
    with Server("--scene", "tumble") as server:
        begun(server)
        server.end(signal.SIGKILL)
        last = verify(server.log)[1]["ticks"]
        server.resume()
        begun(server)
        segment = server.log.with_name(server.log.name + ".0001")
        segment.unlink()
        line = served_on(server, f"{segment}: was removed by another program")
        assert fields_of(line)["durable_tick"] == str(last), (last, line)
        ended(server, segment)
        code, report = verify(server.log)
        assert code == 1 and report["ticks"] == last, report


def wait_until_packed(log):
    """Waits until a resumed server has packed the segment of the previous run."""
    started = time.monotonic()
    while not log.read_bytes().startswith(b"ORRERYLZ"):
        assert time.monotonic() - started < NOTICE_SECONDS_MAX, log
        time.sleep(0.01)


def a_segment_of_an_earlier_run_is_watched_too():
    for resume in ("--resume", "--session"):
        with Server("--scene", "tumble") as server:
            begun(server)
            server.end(signal.SIGKILL)
            server.process.stdout.close()
            server.start(resume, server.log)
            wait_until_packed(server.log)
            begun(server)
            server.log.unlink()
            line = served_on(server, f"{server.log}: was removed by another program")
            assert fields_of(line)["durable_tick"] == "0", line
            ended(server, server.log)
            assert verify(server.log)[0] != 0


run([a_log_that_is_cut_is_noticed, a_log_that_is_removed_is_noticed_and_whole_when_it_is_put_back,
     a_later_segment_is_watched_too, a_segment_of_an_earlier_run_is_watched_too])
