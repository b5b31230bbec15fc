# Tests access to a server: key files, tokens, roles and development mode.
import os
import pathlib
import random
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time

sys.path.append(sys.path[0] + "/../support")
import netcode
import protocol
from orrery_server import BINARIES, RUN_FOLDER, Server, logged, run, tool


def refused(program, *arguments):
    """Runs a program that must fail with code 2 and an empty stdout. Returns its error line."""
    done = subprocess.run([BINARIES / program, *map(str, arguments)], capture_output=True,
                          text=True, timeout=20)
    assert done.returncode == 2 and done.stdout == "", (arguments, done)
    assert done.stderr.count("\n") == 1, done.stderr
    return done.stderr


class KeyFile:
    """A key file in a new folder."""

    def __init__(self, text=bytes(range(32)).hex() + "\nprotocol-id 7\n"):
        self.folder = tempfile.TemporaryDirectory(prefix="orrery-key-")
        self.path = pathlib.Path(self.folder.name) / "orrery.key"
        self.path.touch(0o600)
        self.path.write_text(text)

    def token(self, server, *options):
        path = self.path.with_name(f"{len(os.listdir(self.folder.name))}.token")
        code, out, err = tool("token", "--key-file", self.path, "--server", server, "--out", path,
                              *options)
        assert (code, out, err) == (0, "", ""), err
        return path


def who_comes_when_it_is_ready_gets_in():
    """Tokens made in the second of the start could be from an earlier run, so they are rejected."""
    key = KeyFile()
    seed = random.randrange(1 << 30)
    draw = random.Random(seed)
    print(f"seed {seed}", flush=True)
    for _ in range(4):
        time.sleep(draw.random())  # the server starts at a random point of a second
        with Server("--key-file", str(key.path), "--scene", "tumble") as server:
            code, _, err = tool("bot", server.name, "--count", 4, "--seconds", 1, "--key-file",
                                key.path)
            assert code == 0, err
            _, err = server.end()
            assert dropped_tokens(err) == (0, 0), err


def tokens_from_before_the_start_are_counted_by_themselves():
    key = KeyFile()
    with Server("--key-file", str(key.path), "--scene", "tumble") as server:
        old, new = (netcode.Token(netcode.Key(key.path), server.address, created=created)
                    for created in (int(time.time()) - 9, int(time.time())))
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger:
            stranger.sendto(old.request, server.address)
        protocol.Client(server, new).close()
        _, err = server.end()
        assert dropped_tokens(err) == (0, 1), err


def dropped_tokens(err):
    dropped = logged(err, "counters dropped")[-1]
    return int(dropped["expired_token"]), int(dropped["token_before_start"])


def a_run_folder_of_any_name_is_shown_as_text():
    with tempfile.TemporaryDirectory(prefix="orrery-test-\x1b[31m\n-") as folder:
        with Server(env={**os.environ, "XDG_RUNTIME_DIR": folder}) as server:
            code, err = server.end()
    lines = [line for line in err.split("\n") if " warn  development mode key_file=" in line]
    assert code == 0 and "\x1b" not in err, err
    assert len(lines) == 1 and "\\x1b[31m\\x0a-" in lines[0], err


def the_key_of_a_run_is_for_its_user_alone_and_ends_with_it():
    with Server() as server:
        found = server.key_file.stat()
        assert stat.S_IMODE(found.st_mode) == 0o600 and found.st_uid == os.geteuid()
        assert protocol.Client(server).role == netcode.PLAY
        code, err = server.end()
        mode = logged(err, "development mode")
        assert code == 0 and mode == [{"key_file": str(server.key_file)}], err
        assert not server.key_file.exists()
    with Server() as first:
        port = first.name.split(":")[1]
        assert "another address" in refused("orreryd", "--listen", f"127.0.0.2:{port}")
        os.kill(first.process.pid, signal.SIGKILL)
        first.process.wait()
        assert first.key_file.exists()  # the next server replaces this file of a killed server
        done = subprocess.run([BINARIES / "orreryd", "--listen", f"127.0.0.2:{port}", "--ticks",
                               "3", "--log", first.log.with_name("second.orrery")],
                              timeout=20, capture_output=True)
        assert done.returncode == 0 and not first.key_file.exists(), done
    os.environ["XDG_RUNTIME_DIR"] = RUN_FOLDER + "/no/such"
    line = refused("orreryd", "--listen", "127.0.0.1:0", "--log", RUN_FOLDER + "/log")
    os.environ["XDG_RUNTIME_DIR"] = RUN_FOLDER
    assert "/no/such: No such file or directory; this folder is for the key" in line, line
    assert "set XDG_RUNTIME_DIR" in line and "--key-file" in line, line
    os.chmod(RUN_FOLDER, 0o755)
    assert "mode 700" in refused("orreryd", "--listen", "127.0.0.1:0")
    os.chmod(RUN_FOLDER, 0o700)


def tokens_of_the_tool_let_one_client_in_once():
    key = KeyFile()
    with Server("--key-file", str(key.path)) as server:
        code, out, err = tool("watch", server.name, "--seconds", 1, "--token",
                              key.token(server.name, "--role", "watch"))
        assert code == 0 and " tick " in out, err
        token = key.token("127.0.0.9:9", "--server", server.name, "--client-id", 5)
        code, _, err = tool("bot", server.name, "--seconds", 2, "--token", token)
        assert code == 0, err
        code, _, err = tool("bot", server.name, "--seconds", 1, "--token", token)
        assert code == 1 and "refused the token: the token was used before" in err, err
        # A token made after the server's start is valid, however short its life.
        short = key.token(server.name, "--seconds", 5)
        code, _, err = tool("bot", server.name, "--seconds", 1, "--token", short)
        assert code == 0, err
        code, _, err = tool("bot", server.name, "--count", 3, "--seconds", 1, "--key-file",
                            key.path)
        assert code == 0, err
        _, err = server.end()
        dropped = logged(err, "counters dropped")[-1]
        assert dropped["repeated"] != "0" and dropped["bad_token"] == "0", err


def tokens_of_another_key_protocol_or_server_do_nothing():
    key, other = KeyFile(), KeyFile(bytes(32).hex() + "\nprotocol-id 7")
    with Server("--key-file", str(key.path), "--public", "127.0.0.1:5") as server:
        for path, words in ((other.token("127.0.0.1:5"), "did not answer"),
                            (key.token(server.name), "refused the token"),
                            (key.token("127.0.0.1:5", "--protocol-id", 8), "did not answer")):
            code, _, err = tool("bot", server.name, "--seconds", 1, "--token", path)
            assert code == 1 and words in err, err
        code, _, err = tool("bot", server.name, "--seconds", 1, "--token",
                            key.token("127.0.0.1:5"))
        assert code == 0, err
        _, err = server.end()
        dropped = logged(err, "counters dropped")[-1]
        assert dropped["other_server"] != "0" and dropped["bad_token"] != "0", err


def a_protocol_id_may_be_hexadecimal():
    key = KeyFile(bytes(range(32)).hex() + "\nprotocol-id 0xfF\n")
    with Server("--key-file", str(key.path), "--protocol-id", "255") as server:
        code, _, err = tool("bot", server.name, "--seconds", 1, "--key-file", key.path)
        assert code == 0, err


def a_token_that_lives_longer_than_servers_take_is_warned_of():
    key = KeyFile()
    for seconds in (45, 46):
        out = key.path.with_name(f"{seconds}.token")
        code, _, err = tool("token", "--key-file", key.path, "--server", "127.0.0.1:1", "--out",
                            out, "--seconds", seconds)
        assert code == 0 and out.exists(), err
        assert ("--token-life 46" in err and err.count("\n") == 1) == (seconds == 46), err
        assert seconds == 46 or err == "", err


def who_watches_moves_nothing():
    with Server("--scene", "tumble") as server:
        for role, moves in ((0, False), (1, True)):
            token = netcode.Token(server.key, server.address, role)
            client = protocol.Client(server, token)
            assert client.role == role
            _, _, before = client.snapshot()
            client.say(protocol.INPUT, protocol.table(
                [], protocol.impulse(0, client.client, 0, (0, 5, 0))))
            while client.snapshot()[1] < 1:
                pass
            _, _, after = client.snapshot()
            assert (after[0][0:3] != before[0][0:3]) == moves, (role, before[0], after[0])
            client.close()


def what_cannot_be_used_is_one_line_and_exit_2():
    key = KeyFile()
    listen = ("--listen", "127.0.0.1:0")
    assert "this machine only" in refused("orreryd", "--listen", "0.0.0.0:0")
    assert "--public" in refused("orreryd", "--listen", "0.0.0.0:0", "--key-file", key.path)
    assert "--key-file" in refused("orreryd", *listen, "--token-life", "9")
    assert "give a key file or a token" in refused("orrery", "watch", "192.0.2.1:4770")
    readable = key.token("127.0.0.1:1")
    readable.chmod(0o644)
    assert "chmod 600" in refused("orrery", "watch", "127.0.0.1:1", "--token", readable)
    assert "give a new file name" in refused("orrery", "token", "--key-file", key.path, "--server",
                                        "127.0.0.1:1", "--out", readable)
    assert "No such file" in refused("orreryd", *listen, "--key-file", "/no/key")
    token = ("token", "--server", "127.0.0.1:1", "--out", key.path.with_name("t"))
    assert "--key-file" in refused("orrery", *token)
    for role in ("none", "god", "", "0"):
        assert f"--role: {role} is not watch, play or admin" in refused(
            "orrery", *token, "--key-file", key.path, "--role", role)
    for number in ("-1", "18446744073709551616"):
        for option in ("--client-id", "--protocol-id"):
            assert f"{option}: {number} is not a whole number" in refused(
                "orrery", *token, "--key-file", key.path, option, number)
    for option in ("--server", "--send-to"):
        assert f"{option} 127.0.0.1:0: nobody is at port 0" in refused(
            "orrery", *token, "--key-file", key.path, option, "127.0.0.1:0")
    assert "--public 127.0.0.1:0: nobody" in refused("orreryd", *listen, "--key-file", key.path,
                                                     "--public", "127.0.0.1:0")
    assert "one client" in refused("orrery", "bot", "127.0.0.1:1", "--count", "2", "--token",
                                   key.token("127.0.0.1:1"))
    os.chmod(key.path, 0o640)
    for program, arguments in (("orreryd", listen), ("orrery", token),
                               ("orrery", ("bot", "127.0.0.1:1"))):
        assert "chmod 600" in refused(program, *arguments, "--key-file", key.path)
    for text, why in (("", ": is empty; the first line must be 64 hexadecimal digits"),
                      ("0" * 63, ":1: the key has 63 hexadecimal digits"),
                      ("0" * 64 + "\nprotocol-id x", ":2: protocol-id must be one number")):
        bad = KeyFile(text)
        line = refused("orreryd", *listen, "--key-file", bad.path)
        assert line.startswith(f"orreryd: --key-file {bad.path}{why}"), line
    junk = KeyFile("junk")
    assert "not a connect token" in refused("orrery", "watch", "127.0.0.1:1", "--token", junk.path)


run([who_comes_when_it_is_ready_gets_in, tokens_from_before_the_start_are_counted_by_themselves,
     a_run_folder_of_any_name_is_shown_as_text,
     the_key_of_a_run_is_for_its_user_alone_and_ends_with_it,
     tokens_of_the_tool_let_one_client_in_once,
     tokens_of_another_key_protocol_or_server_do_nothing, a_protocol_id_may_be_hexadecimal,
     a_token_that_lives_longer_than_servers_take_is_warned_of, who_watches_moves_nothing,
     what_cannot_be_used_is_one_line_and_exit_2])
