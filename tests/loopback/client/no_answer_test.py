# Tests the errors of a client that gets no reply from its server: each cause has its own message.
import contextlib
import pathlib
import socket
import sys
import tempfile
import threading
import time

sys.path.append(sys.path[0] + "/../support")
import netcode
from orrery_server import RUN_FOLDER, Server, run, tool

NOBODY = "nothing listens there"
EXPIRED = "the token expired"
FUTURE = "behind the clock of the token's issuer"
LIFE = "--token-life"
ADDRESS = "not for this address"
OTHER_NAME = "this server has another name"
USED = "was used before"
GUESS = "may have been used before"
KEY = "another key"
HANGS = "it may hang"
NOISE = "lets no client in"
UNSENT = "nothing can be sent there"
CAUSES = (NOBODY, EXPIRED, FUTURE, LIFE, ADDRESS, OTHER_NAME, USED, GUESS, HANGS, NOISE, UNSENT)
COUNTERS = ("bad_token", "other_server", "expired_token", "token_before_start", "repeated")


@contextlib.contextmanager
def secret(content):
    with tempfile.TemporaryDirectory(prefix="orrery-") as folder:
        path = pathlib.Path(folder) / "secret"
        path.touch(0o600)
        path.write_bytes(content)
        yield path


def says(name, words, *options, counters=(), verb="bot", end="did not answer", seconds=1):
    """Checks that the tool exits with code 1 and one line, which names this cause and no other."""
    code, out, err = tool(verb, name, "--seconds", seconds, *options)
    assert code == 1 and err.count("\n") == 1, (out, err)
    assert f"the server at {name} {end}: " in err, err
    assert [cause for cause in CAUSES if cause in err] == [words], (words, err)
    assert [counter for counter in COUNTERS if counter in err] == list(counters), err
    assert "SIGUSR1" in err or not counters, err
    return err


def with_token(name, words, token, **expected):
    with secret(token.public) as path:
        return says(name, words, "--token", path, **expected)


def nobody_listens():
    with Server() as server:
        name, key, address = server.name, server.key, server.address
        port_key = server.key_file.read_bytes()
    with_token(name, NOBODY, netcode.Token(key, address))
    with secret(bytes(32).hex().encode()) as path:
        says(name, NOBODY, "--key-file", path)
        says(name, NOBODY, "--key-file", path, verb="watch")
        says("255.255.255.255:9", UNSENT, "--key-file", path)
    server.key_file.touch(0o600)  # a key file as a killed server leaves it
    server.key_file.write_bytes(port_key)
    says(name, NOBODY)
    server.key_file.unlink()


def what_the_token_shows():
    """A program that never answers is behind the address."""
    now = int(time.time())
    with Server() as server, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as silent:
        key = server.key
        silent.bind(("127.0.0.1", 0))
        address = silent.getsockname()
        name = f"{address[0]}:{address[1]}"
        err = with_token(name, EXPIRED, netcode.Token(key, address, created=now - 3645))
        assert 3600 <= int(err.split(EXPIRED)[1].split()[0]) < 3700, err
        err = with_token(name, FUTURE, netcode.Token(key, address, created=now + 3600),
                         counters=["expired_token"])
        assert 3500 < int(err.split("machine is ")[1].split()[0]) <= 3600, err
        err = with_token(name, LIFE, netcode.Token(key, address, life=3600),
                         counters=["expired_token"])
        assert "at most 45 s" in err and 3500 < int(err.split("for ")[1].split()[0]) <= 3600, err
        err = with_token(name, ADDRESS, netcode.Token(key, ("127.0.0.9", 9)),
                         counters=["other_server", "token_before_start", "repeated"])
        assert "for 127.0.0.9:9, not" in err, err
        # With several causes, the most certain one is named.
        with_token(name, EXPIRED, netcode.Token(key, ("127.0.0.9", 9), created=now - 3645))


def what_the_server_says():
    now = int(time.time())
    refused = {"end": "refused the token", "seconds": 7}
    with Server() as server:
        name, key, address = server.name, server.key, server.address
        with_token(name, EXPIRED, netcode.Token(key, address, created=now - 3645), **refused)
        with_token(name, LIFE, netcode.Token(key, address, life=3600), **refused)
        # Each tool names the refusal, also if it stops before the attempt ends.
        for verb in ("bot", "watch"):
            early = refused | {"seconds": 2, "verb": verb}
            with_token(name, LIFE, netcode.Token(key, address, life=3600), **early)
            token = netcode.Token(key, address, created=now + 30)
            with_token(name, FUTURE, token, **early)
        err = with_token(name, OTHER_NAME, netcode.Token(key, ("127.0.0.9", 9)), **refused)
        assert "for 127.0.0.9:9, and" in err, err
        with secret(netcode.Token(key, address).public) as path:
            code, _, err = tool("bot", name, "--seconds", 1, "--token", path)
            assert code == 0, err
            says(name, USED, "--token", path, **refused)


def what_only_the_server_knows():
    with Server() as server:
        name, key, address = server.name, server.key, server.address
        other = netcode.Key(server.key_file)
        other.key = bytes(32)
        err = with_token(name, GUESS, netcode.Token(other, address), counters=COUNTERS)
        for word in ("key", "protocol id", "server"):
            assert word in err.split(GUESS)[1], err
        other = netcode.Key(server.key_file)
        other.protocol += 1
        with_token(name, GUESS, netcode.Token(other, address), counters=COUNTERS)
        with secret(bytes(32).hex().encode() + b"\nserver 10.0.0.1:5\n") as path:
            code, _, err = tool("bot", name, "--seconds", 1, "--key-file", path)
        assert code == 1 and err.count("\n") == 1, err
        assert KEY in err and "another address than 10.0.0.1:5" in err, err
        assert [c for c in COUNTERS if c in err] == [c for c in COUNTERS if c != "repeated"], err
        assert not any(cause in err for cause in CAUSES), err


def other_programs_listen():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
        other.bind(("127.0.0.1", 0))
        name = f"127.0.0.1:{other.getsockname()[1]}"
        key_file = pathlib.Path(RUN_FOLDER) / f"{other.getsockname()[1]}.key"
        key_file.touch(0o600)
        key_file.write_text(bytes(32).hex())
        says(name, HANGS)

        def echo():
            while True:
                data, sender = other.recvfrom(2048)
                if data == b"end":
                    return
                other.sendto(data, sender)

        thread = threading.Thread(target=echo)
        thread.start()
        says(name, NOISE)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as last:
            last.sendto(b"end", other.getsockname())
        thread.join()
        key_file.unlink()


run([nobody_listens, what_the_token_shows, what_the_server_says, what_only_the_server_knows,
     other_programs_listen])
