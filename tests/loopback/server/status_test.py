# Tests --status: the JSON in the file is always complete, each client has a line, and no tick waits
# for the file.
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

sys.path.append(sys.path[0] + "/../support")
from orrery_server import BINARIES, Server, run, verify
from protocol import FOLLOW, Client


def refuse_constant(name):
    raise ValueError(f"{name} is not JSON")


def read(path):
    return json.loads(path.read_text(), parse_constant=refuse_constant)


def wait_for(path, wanted):
    """Reads the file until it is as wanted. Once the file exists it is always complete."""
    deadline = time.monotonic() + 60
    while not path.exists():
        assert time.monotonic() < deadline, "there is no file"
    while not wanted(read(path)):
        assert time.monotonic() < deadline, path.read_text()
        time.sleep(0.001)
    return read(path)


def it_has_the_counters_and_a_line_for_each_client():
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "status.json"
        with Server("--scene", "tumble", "--shadow", "--status", path) as server:
            client = Client(server)
            bots = subprocess.Popen([BINARIES / "orrery", "bot", server.name, "--count", "2",
                                     "--seconds", "60"], stdout=subprocess.DEVNULL)

            def known(status):
                moving = [c for c in status["clients"] if c["lag_ticks"] is not None and
                          c["kbit_per_second"] > 0 and c["round_trip_ms"] is not None]
                return len(moving) == 2 and status["commands"]["taken"] > 0

            status = wait_for(path, known)
            server.process.send_signal(signal.SIGUSR1)
            server.wait_for(" info  counters paths ")
            bots.kill()
            bots.wait()
            mine = next(c for c in status["clients"] if c["id"] == client.client)
            host, port = client.socket.getsockname()
            assert mine["role"] == "play" and mine["lag_ticks"] is None, mine
            assert mine["address"].endswith(f":{port}"), (mine, host, port)
            assert status["connections"] >= 3 and status["followers"] == 0, status
            assert status["shadow"]["differs"] is False, status
            assert 0 < status["log"]["durable_tick"] <= status["tick"], status
            assert status["log"]["problem"] is None, status
            assert status["network"]["bytes_sent"] > 0, status
            assert "repeated" in status["network"]["dropped"], status
            assert path.read_text().count("\n") == 2 + len(read(path)["clients"])
            code, err = server.end()
            assert code == 0, err
            _, report = verify(server.log)
            assert read(path)["tick"] == report["ticks"]  # the server wrote it at its end
        assert os.listdir(folder) == ["status.json"]


def a_follower_has_a_lag():
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "status.json"
        with Server("--scene", "tumble", "--status", path) as server:
            messages = Client(server, mode=FOLLOW).reliable_messages()
            deadline = time.monotonic() + 60
            while not (path.exists() and [c["lag_ticks"] for c in read(path)["clients"]] == [0]):
                next(messages)
                assert time.monotonic() < deadline, path.read_text()
            assert read(path)["followers"] == 1


def a_disk_that_hangs_holds_neither_ticks_nor_the_end():
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "status.json"
        with Server("--scene", "tumble", "--status", path) as server:
            client = Client(server)
            wait_for(path, lambda status: status["tick"] > 0)
            while True:
                try:
                    # A FIFO with the name of the temporary file blocks the server when it opens the
                    # file for writing, because there is no reader.
                    os.mkfifo(f"{path}.tmp")
                    break
                except FileExistsError:
                    pass  # the server is writing the file with this name
            tick = client.snapshot()[0]
            while client.snapshot()[0] < tick + 180:
                pass
            assert read(path)["tick"] < tick + 120, "it did not hang"
            code, err = server.end()
            assert code == 0, err
            code, report = verify(server.log)
            assert code == 0 and not report["torn"], report


def what_is_no_status_file_is_left_alone():
    with tempfile.TemporaryDirectory() as folder:
        mine = pathlib.Path(folder) / "mine.orrery"
        mine.write_text("ORRERYLG")
        scene = pathlib.Path(folder) / "scene.json"
        scene.write_text('{"name": "mine", "bodies": [{}]}')
        for path, said in ((mine, "is not a status file"), (scene, "is not a status file"),
                           (folder, "status"),
                           (f"{folder}/none/status.json", "cannot be written")):
            done = subprocess.run([BINARIES / "orreryd", "--listen", "127.0.0.1:0", "--log",
                                   f"{folder}/log", "--status", path],
                                  capture_output=True, text=True, timeout=20)
            assert done.returncode == 2 and said in done.stderr, (path, done)
            assert done.stderr.count("\n") == 1 and "--status " in done.stderr, done
            assert set(os.listdir(folder)) == {mine.name, scene.name}, os.listdir(folder)
        for name in ("log", "log.0001", "log.lock"):
            done = subprocess.run([BINARIES / "orreryd", "--listen", "127.0.0.1:0", "--log",
                                   f"{folder}/log", "--status", f"{folder}/{name}"],
                                  capture_output=True, text=True, timeout=20)
            assert done.returncode == 2 and "is a name of the session log" in done.stderr, done
        draft = pathlib.Path(folder) / "mine.tmp"
        draft.write_text("precious")
        done = subprocess.run([BINARIES / "orreryd", "--listen", "127.0.0.1:0", "--log",
                               f"{folder}/log", "--status", f"{folder}/mine"],
                              capture_output=True, text=True, timeout=20)
        assert done.returncode == 2 and draft.read_text() == "precious", done
        assert mine.read_text() == "ORRERYLG" and scene.read_text().startswith('{"name"')


run([it_has_the_counters_and_a_line_for_each_client, a_follower_has_a_lag,
     a_disk_that_hangs_holds_neither_ticks_nor_the_end, what_is_no_status_file_is_left_alone])
