# Tests a session from start to end: serve, play, stop, verify, and rejected options.
import json
import os
import pathlib
import re
import resource
import signal
import subprocess
import sys
import tempfile

sys.path.append(sys.path[0] + "/../support")
from orrery_server import BINARIES, Server, logged, run, tool, verify


def bots_play_and_the_log_verifies():
    with Server() as server:
        code, out, err = tool("bot", server.name, "--count", 8, "--seconds", 3, "--json")
        assert code == 0, err
        report = json.loads(out)
        assert report["clients"] == report["connected"] == 8
        assert report["commands"] == report["commands_acknowledged"] > 100
        assert report["snapshots"] > 8 * 60
        assert report["hash_checks"] == report["hash_failures"] == report["problems"] == 0
        assert 0 < report["round_trip_seconds"] < 1 and report["loss"] < 0.1, report
        code, err = server.end()
        assert code == 0, err
        code, report = verify(server.log)
        assert code == 0 and not report["torn"], report
        assert report["verified"] == report["ticks"] > 150


def signals_close_the_log_and_tell_the_clients():
    for how in (signal.SIGINT, signal.SIGTERM):
        with Server("--scene", "tumble") as server:
            watch = subprocess.Popen([BINARIES / "orrery", "watch", server.name, "--seconds", "30"],
                                     stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            assert any(" tick " in line for line in watch.stdout)  # it is connected
            code, err = server.end(how)
            assert code == 0, err
            _, said = watch.communicate(timeout=20)
            assert watch.returncode == 0 and "stopped" in said, said
            code, report = verify(server.log)
            assert code == 0 and not report["torn"], report


def the_first_page_of_watch_has_bodies():
    with Server("--scene", "tumble") as server:
        code, out, err = tool("watch", server.name, "--seconds", 1)
        assert code == 0, err
        heads = [line for line in out.splitlines() if not line.startswith(" ")]
        assert heads and all(re.match(r"tumble  tick \S+  [1-9]\d* bodies", h) for h in heads), out


def kill_leaves_a_log_that_verifies():
    with Server() as server:
        code, _, err = tool("bot", server.name, "--count", 2, "--seconds", 1)
        assert code == 0, err
        server.end(signal.SIGKILL)
        code, report = verify(server.log)
        assert code == 0 and report["torn"] and report["verified"] >= 30, report


def fill_disk(server, full=True):
    """Makes every later write of the server fail, or work again."""
    most = 0 if full else resource.RLIM_INFINITY
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (most, resource.RLIM_INFINITY))


def a_full_disk_holds_up_nobody_and_loses_nothing():
    with Server() as server:
        fill_disk(server)
        line = server.wait_for(" error log not durable durable_tick=")
        assert "session.orrery: cannot be written: File too large" in line, line
        code, _, err = tool("bot", server.name, "--count", 2, "--seconds", 1)
        assert code == 0, err
        fill_disk(server, False)
        line = server.wait_for(" info  log durable again durable_tick=")
        assert line.endswith(" segment=1 lost_ticks=0\n"), line
        code, err = server.end()
        assert code == 0, err
        code, report = verify(server.log)
        assert code == 0 and not report["torn"] and report["verified"] >= 60, report


def a_disk_that_stays_full_is_told_at_the_end_and_what_is_written_verifies():
    with Server() as server:
        fill_disk(server)
        server.wait_for(" error log not durable durable_tick=")
        code, err = server.end()
        assert code == 1 and f"orreryd: {server.log}" in err, (code, err)
        assert re.search(r"; the disk has the log up to tick \d+ of \d+\n", err), err
        code, report = verify(server.log)
        assert code == 0 and report["torn"], report


def ticks_end_the_session():
    with Server("--ticks", "30") as server:
        assert server.process.wait(timeout=20) == 0
        code, report = verify(server.log)
        assert code == 0 and report["ticks"] == 30, report


def nobody_needs_to_read_what_it_says():
    with tempfile.TemporaryDirectory() as folder:
        reading, writing = os.pipe()
        os.close(reading)
        done = subprocess.run([BINARIES / "orreryd", "--listen", "127.0.0.1:0", "--scene", "tumble",
                               "--ticks", "30", "--log", f"{folder}/log"],
                              stdout=subprocess.DEVNULL, stderr=writing, timeout=20)
        os.close(writing)
        assert done.returncode == 0, done
        code, report = verify(f"{folder}/log")
        assert code == 0 and report["verified"] == 30 and not report["torn"], report


def counters_are_written_on_request():
    with Server() as server:
        server.process.send_signal(signal.SIGUSR1)
        server.wait_for(" info  counters dropped malformed=0 ")


def log_lines_as_json_are_one_object_each():
    with Server("--log-format", "json", "--log-level", "debug") as server:
        code, _, err = tool("bot", server.name, "--seconds", 1)
        assert code == 0, err
        code, err = server.end()
        assert code == 0, err
        lines = [json.loads(line) for line in err.splitlines()]
        for line in lines:
            assert list(line)[:3] == ["ts", "level", "event"], line
            assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", line["ts"]), line
        joined = next(line for line in lines if line["event"] == "client joined")
        assert (joined["level"], joined["id"], joined["role"]) == ("info", 1, "play"), joined
    with tempfile.TemporaryDirectory() as folder:
        log = pathlib.Path(folder) / "log"
        log.write_text("mine")
        done = subprocess.run([BINARIES / "orreryd", "--listen", "127.0.0.1:0", "--log-format",
                               "json", "--log", log], capture_output=True, text=True, timeout=20)
        failed = json.loads(done.stderr)
        assert done.returncode == 2 and done.stderr.count("\n") == 1, done
        assert (failed["level"], failed["event"]) == ("error", "server failed"), done
        assert failed["reason"].startswith(f"--log {log}: "), done


def log_lines_below_the_level_are_not_written():
    for level, written in (("error", []), ("warn", ["development mode"])):
        with Server("--log-level", level) as server:
            tool("bot", server.name, "--seconds", 1)
            code, err = server.end()
            # A busy machine makes ticks slow, which is a warning, too.
            slow = len(logged(err, "ticks slow")) if level == "warn" else 0
            assert code == 0 and err.count("\n") == len(written) + slow, err
            assert all(logged(err, name) for name in written), err


def a_stdout_that_takes_nothing_is_one_line_and_exit_2():
    with tempfile.TemporaryDirectory() as folder, open("/dev/full", "w") as full:
        log = pathlib.Path(folder) / "a.orrery"
        for options in (("--version",), ("--help",),
                        ("--listen", "127.0.0.1:0", "--scene", "tumble", "--log", str(log))):
            done = subprocess.run([BINARIES / "orreryd", *options], stdout=full, timeout=20,
                                  stderr=subprocess.PIPE, text=True)
            assert done.returncode == 2 and done.stderr.count("\n") == 1, (options, done)
            assert done.stderr.startswith("orreryd: stdout cannot be written: "), done
            # The failed start leaves no file that could disturb the next one.
            assert not os.listdir(folder), os.listdir(folder)


def refuse(*options, **run_options):
    """Returns the one line of orreryd, which is printable for any options."""
    done = subprocess.run([BINARIES / "orreryd", *options], capture_output=True, timeout=20,
                          **run_options)
    assert done.returncode == 2, (options, done)
    assert done.stdout == b"", (options, done)
    line = done.stderr.removesuffix(b"\n")
    assert line.startswith(b"orreryd: ") and all(32 <= byte < 127 for byte in line), (options, done)
    return line.decode()


def bad_usage_is_one_line_and_exit_2():
    with tempfile.TemporaryDirectory() as folder, Server() as server:
        there = pathlib.Path(folder) / "there.orrery"
        there.write_text("mine")
        config = pathlib.Path(folder) / "orreryd.toml"
        any_port = ("--listen", "127.0.0.1:0")
        assert server.name in refuse("--listen", server.name, "--log", folder + "/a")
        assert "there.orrery" in refuse(*any_port, "--log", str(there))
        assert there.read_text() == "mine"
        assert "/no/" in refuse(*any_port, "--log", "/no/such/folder/log")
        assert "nowhere" in refuse("--scene", "nowhere")
        assert "--rate" in refuse("--rate", "0")
        for option in ("--ticks", "--protocol-id"):
            for number in ("x", "-1", "18446744073709551616", "010"):
                assert f"{option}: {number} is not a whole number" in refuse(option, number)
        assert "--bogus; see orreryd --help" in refuse("--bogus")
        assert "unknown option --scen; did you mean --scene?" in refuse("--scen", "solar")
        assert "unexpected argument: solar" in refuse("solar")
        line = refuse(*any_port, cwd="/proc")  # a folder in which no file can be created
        assert "/proc: no log can be made in this folder: " in line and "--log FILE" in line, line
        assert "nonsense" in refuse("--listen", "nonsense")
        foreign = "\x1b]0;\r\n\u202e"
        for option in ("--listen", "--scene", "--rate", "--config", "--" + foreign):
            assert "\\x1b]0;" in refuse(option, foreign)
        config.write_text(f'"{foreign[:1]}" = 3\n'.replace("\x1b", "\\u001b"))
        assert "unknown key \\x1b" in refuse("--config", str(config))
        config.write_text('scene = "tumble"\nspeed = 3\n')
        line = refuse("--config", str(config))
        assert f"{config}:2:1: unknown key speed" in line, line
        config.write_text("ticsk = 3\n")
        assert "unknown key ticsk; did you mean ticks?" in refuse("--config", str(config))
        for text, why in (("scene = \n", "1:9: scene is empty; give it a value"),
                          ("\nscene = solar", '2:9: scene must be text in quotes: scene = "solar"'),
                          ("--threads = 2", "1:1: unknown key --threads; the key is threads"),
                          ("ticks = -1\n", "1:1: ticks: -1 is not a whole number from 1"),
                          ("rate = 100000\n", "1:1: rate: 100000 is not a whole number")):
            config.write_text(text)
            assert f"{config}:{why}" in refuse("--config", str(config)), why
        assert "none.toml" in refuse("--config", folder + "/none.toml")


def configuration_file_and_command_line():
    with tempfile.TemporaryDirectory() as folder:
        config = pathlib.Path(folder) / "orreryd.toml"
        config.write_text('scene = "tumble"\nticks = 1000000\nlisten = "127.0.0.1:0"\n')
        done = subprocess.run([BINARIES / "orreryd", "--config", config, "--ticks", "3"],
                              capture_output=True, text=True, timeout=20, cwd=folder)
        assert done.returncode == 0, done
        log = [line for line in done.stdout.splitlines() if line.startswith("log ")][0][4:]
        assert log.endswith("-tumble.orrery"), log
        code, report = verify(pathlib.Path(folder) / log)
        assert code == 0 and report["ticks"] == 3, report
        # key-file may be in the configuration file, and --public on the command line.
        key = pathlib.Path(folder) / "orrery.key"
        key.touch(0o600)
        key.write_text("00" * 32)
        config.write_text(f'ticks = 3\nlisten = "127.0.0.1:0"\nkey-file = "{key}"\n')
        done = subprocess.run([BINARIES / "orreryd", "--config", config, "--public", "127.0.0.1:5"],
                              capture_output=True, text=True, timeout=20, cwd=folder)
        accepted = logged(done.stderr, "tokens accepted")
        assert done.returncode == 0 and accepted[0]["address"] == "127.0.0.1:5", done


def a_bot_without_a_server_fails():
    with Server() as server:
        name = server.name
    code, out, err = tool("bot", name, "--seconds", 1, "--json")
    assert code == 1 and json.loads(out)["connected"] == 0, (out, err)
    assert f"the server at {name} did not answer" in err, err


run([bots_play_and_the_log_verifies, signals_close_the_log_and_tell_the_clients,
     the_first_page_of_watch_has_bodies, kill_leaves_a_log_that_verifies,
     a_full_disk_holds_up_nobody_and_loses_nothing,
     a_disk_that_stays_full_is_told_at_the_end_and_what_is_written_verifies, ticks_end_the_session,
     nobody_needs_to_read_what_it_says, a_stdout_that_takes_nothing_is_one_line_and_exit_2,
     counters_are_written_on_request, log_lines_as_json_are_one_object_each,
     log_lines_below_the_level_are_not_written, bad_usage_is_one_line_and_exit_2,
     configuration_file_and_command_line,
     a_bot_without_a_server_fails])
