# Runs a WebAssembly program in a headless browser: a page runs it and posts its output.
import http.server
import json
import queue
import subprocess
import tempfile
import threading

PAGE = """<!doctype html><script type="module">
import { run } from "/wasi.mjs";
let result;
try {
  const program = await (await fetch("/program.wasm")).arrayBuffer();
  result = await run(program, %s);
} catch (error) {
  result = { code: 70, out: "", err: String(error) };
}
await fetch("/result", { method: "POST", body: JSON.stringify(result) });
</script>"""

# The commands that open a page in a browser, without the folder of the profile and the address.
COMMANDS = {
    "chromium": ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic",
                 "--no-first-run", "--disable-background-networking",
                 "--disable-component-update", "--disable-sync", "--user-data-dir={profile}"],
    "firefox": ["firefox-esr", "--headless", "--no-remote", "--profile", "{profile}"],
}


def handler(pages, results):
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            kind, body = pages.get(self.path, ("", b""))
            self.send_response(200 if body else 404)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_POST(self):
            results.put(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_):
            pass

    return Handler


def run(browser, program, folder, arguments, timeout=900):
    """Returns the output of the program, run in a page that is served on 127.0.0.1."""
    pages = {
        "/": ("text/html", (PAGE % json.dumps([program.name, *arguments])).encode()),
        "/wasi.mjs": ("text/javascript", (folder / "wasi.mjs").read_bytes()),
        "/program.wasm": ("application/wasm", program.read_bytes()),
    }
    results = queue.Queue()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler(pages, results))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        command = [word.format(profile=profile) for word in COMMANDS[browser]]
        process = subprocess.Popen([*command, f"http://127.0.0.1:{server.server_port}/"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            result = json.loads(results.get(timeout=timeout))
        except queue.Empty:
            raise RuntimeError(f"{browser} gave no result in {timeout} s") from None
        finally:
            process.terminate()
            process.wait()
            server.shutdown()
    if result["code"] != 0:
        raise RuntimeError(f"in {browser}: exit code {result['code']}: {result['err']}")
    return result["out"]
