#!/usr/bin/env python3
"""Opens a page in headless Chromium, and drives it with real keys and clicks.

    chromium.py PAGE < ACTIONS

Each line of the standard input is an action. An action that returns something prints a line of JSON.

    open FRAGMENT     open the page, with a fragment such as #tx=6, or without one
    size W H          set the size of the window
    hash FRAGMENT     change the fragment of the open page, for example to #tx=6
    key NAME          press a key, for example ArrowRight
    text TEXT         type a text
    click SELECTOR    click the middle of an element
    evaluate SCRIPT   print the value of an expression
    picture           print the list that the page shows, read while scrolling through it
    law FRAGMENT      change the fragment, and print the list
    settle            wait until no animation runs and no removed row is visible
    media NAME        use the media type `print` or `screen`
    scheme NAME       use the color scheme `light` or `dark`
    scripts on|off    allow scripts of the pages that are opened later
    screenshot FILE   save a picture of the window
    problems          print the messages of the console, and the dialogs and requests of the page
"""
import base64, json, os, shutil, socket, struct, subprocess, sys, tempfile, time

KEYS = {"ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Home": 36, "End": 35,
        "PageUp": 33, "PageDown": 34, "Escape": 27, "Enter": 13, "Tab": 9, " ": 32, "/": 191, "?": 191}

# The rows and section names in the order in which they are shown. The rows outside of the visible part have no
# elements, so the script scrolls through the list.
PICTURE = """(async () => {
  const scroller = document.getElementById("scroller");
  const lines = new Map();
  const frame = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  const top = scroller.scrollTop;
  for (let y = 0; ; y += 400) {
    scroller.scrollTop = y;
    await frame();
    for (const element of document.querySelectorAll("#body > :not([aria-hidden])")) {
      const place = Number(/translateY\\((.*)px\\)/.exec(element.style.transform)[1]);
      const cells = [...element.querySelectorAll(".cell")].map((cell) =>
        cell.classList.contains("nil") ? null : cell.textContent);
      lines.set(place, element.classList.contains("section")
        ? { name: element.querySelector(".name").textContent,
            count: element.querySelector(".count").textContent,
            totals: element.querySelector(".totals").textContent }
        : { cells, rank: Number(element.getAttribute("aria-rowindex")) });
    }
    if (y + scroller.clientHeight >= scroller.scrollHeight) break;
  }
  scroller.scrollTop = top;
  await frame();
  return { lines: [...lines].sort((a, b) => a[0] - b[0]).map((line) => line[1]),
    foot: document.getElementById("foot").textContent,
    tx: document.getElementById("tx").textContent,
    note: document.getElementById("note").textContent };
})()"""

SETTLE = """new Promise((done) => {
  const look = () => document.getAnimations().length || document.querySelector("#body > [aria-hidden]")
    ? requestAnimationFrame(look) : done();
  requestAnimationFrame(look);
})"""


class Socket:
    """A client of the websocket protocol (RFC 6455)."""

    def __init__(self, port, path):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=120)
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall((f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\n"
                             f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\n"
                             "Sec-WebSocket-Version: 13\r\n\r\n").encode())
        answer = b""
        while b"\r\n\r\n" not in answer:
            answer += self.socket.recv(1)
        if b" 101 " not in answer:
            raise SystemExit("the browser refused the connection")

    def send(self, text):
        data = text.encode()
        mask = os.urandom(4)
        length = len(data)
        head = (struct.pack("!BB", 0x81, 0x80 | length) if length < 126 else
                struct.pack("!BBH", 0x81, 0xFE, length) if length < 1 << 16 else
                struct.pack("!BBQ", 0x81, 0xFF, length))
        self.socket.sendall(head + mask + bytes(byte ^ mask[place & 3] for place, byte in enumerate(data)))

    def read(self, count):
        data = b""
        while len(data) < count:
            piece = self.socket.recv(count - len(data))
            if not piece:
                raise SystemExit("the browser closed the connection")
            data += piece
        return data

    def receive(self):
        text = b""
        while True:
            first, second = self.read(2)
            length = second & 0x7F
            if length == 126:
                length = struct.unpack("!H", self.read(2))[0]
            elif length == 127:
                length = struct.unpack("!Q", self.read(8))[0]
            data = self.read(length)
            if first & 0xF < 3:
                text += data
                if first & 0x80:
                    return text.decode()


class Browser:
    def __init__(self, program):
        self.folder = tempfile.mkdtemp(prefix="daybook-chromium-")
        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--remote-debugging-port=0", f"--user-data-dir={self.folder}", "about:blank"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        name = os.path.join(self.folder, "DevToolsActivePort")
        while True:
            if self.process.poll() is not None:
                raise SystemExit("the browser did not start")
            try:
                lines = open(name).read().splitlines()
                if len(lines) == 2:
                    break
            except FileNotFoundError:
                pass
            time.sleep(0.01)
        self.socket = Socket(int(lines[0]), lines[1])
        self.number = 0
        self.session = None
        self.events = []
        self.problems = []
        # The requests that were not blocked.
        self.requests = {}
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ["Page", "Runtime", "Log", "Network"]:
            self.call(domain + ".enable")
        self.size(1280, 800)

    def close(self):
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def call(self, method, **values):
        self.number += 1
        message = {"id": self.number, "method": method, "params": values}
        if self.session:
            message["sessionId"] = self.session
        self.socket.send(json.dumps(message))
        while True:
            answer = json.loads(self.socket.receive())
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise SystemExit(f"{method}: {answer['error']['message']}")
                return answer["result"]
            if "method" in answer:
                self.record(answer["method"], answer["params"])

    def record(self, method, values):
        self.events.append(method)
        if method == "Runtime.exceptionThrown":
            details = values["exceptionDetails"]
            self.problems.append("exception: " + details.get("exception", {}).get("description", details["text"]))
        elif method == "Runtime.consoleAPICalled":
            self.problems.append("console: " + " ".join(str(one.get("value")) for one in values["args"]))
        elif method == "Log.entryAdded":
            self.problems.append("log: " + values["entry"]["text"])
        elif method == "Page.javascriptDialogOpening":
            self.problems.append("dialog: " + values["message"])
            self.number += 1
            self.socket.send(json.dumps({"id": self.number, "method": "Page.handleJavaScriptDialog",
                                         "params": {"accept": True}, "sessionId": self.session}))
            self.number += 1
        elif method == "Network.requestWillBeSent" and not values["request"]["url"].startswith("file:"):
            self.requests[values["requestId"]] = "request: " + values["request"]["url"]
        elif method == "Network.loadingFailed" and values.get("blockedReason"):
            self.requests.pop(values["requestId"], None)

    def size(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                  mobile=False)

    def open(self, url):
        # Another page first: a page that differs only in its fragment would not be loaded again.
        for address in ["about:blank", url]:
            self.events.clear()
            self.call("Page.navigate", url=address)
            while "Page.loadEventFired" not in self.events:
                self.evaluate("0")

    def evaluate(self, script):
        answer = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise SystemExit(f"{script}: {answer['exceptionDetails']['exception']['description']}")
        return answer["result"].get("value")

    def key(self, name):
        code = KEYS[name]
        values = {"key": name, "windowsVirtualKeyCode": code, "nativeVirtualKeyCode": code}
        if len(name) == 1:
            values["text"] = name
        if name == "Enter":
            values["text"] = "\r"
        self.call("Input.dispatchKeyEvent", type="keyDown", **values)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=name, windowsVirtualKeyCode=code)

    def click(self, selector):
        place = self.evaluate(
            f"(() => {{ const box = document.querySelector({json.dumps(selector)}).getBoundingClientRect();"
            " return [box.x + box.width / 2, box.y + box.height / 2]; })()")
        for kind in ["mousePressed", "mouseReleased"]:
            self.call("Input.dispatchMouseEvent", type=kind, x=place[0], y=place[1], button="left", clickCount=1)

    def change(self, fragment):
        # The page writes its address after a delay, so the address may differ from the moment that is shown.
        self.evaluate(f"new Promise((done) => {{ const wanted = new URL({json.dumps(fragment)}, location.href).hash;"
                      " if (wanted === location.hash) history.replaceState(null, '', '#');"
                      " addEventListener('hashchange', () => setTimeout(done), {once: true});"
                      " location.hash = wanted; })")


def run(browser, page, line):
    """Runs an action, and returns its result; None without one."""
    action, _, rest = line.partition(" ")
    if action == "open":
        browser.open("file://" + os.path.abspath(page) + rest)
    elif action == "size":
        browser.size(*map(int, rest.split()))
    elif action == "hash":
        browser.change(rest)
    elif action == "key":
        browser.key(rest or " ")
    elif action == "text":
        browser.call("Input.insertText", text=rest)
    elif action == "click":
        browser.click(rest)
    elif action == "evaluate":
        return [browser.evaluate(rest)]
    elif action == "picture":
        return [browser.evaluate(PICTURE)]
    elif action == "law":
        browser.change(rest)
        return [browser.evaluate(PICTURE)]
    elif action == "settle":
        browser.evaluate(SETTLE)
    elif action == "media":
        browser.call("Emulation.setEmulatedMedia", media=rest)
    elif action == "scheme":
        browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": rest}])
    elif action == "scripts":
        browser.call("Emulation.setScriptExecutionDisabled", value=rest == "off")
    elif action == "screenshot":
        data = browser.call("Page.captureScreenshot", format="png")["data"]
        open(rest, "wb").write(base64.b64decode(data))
    elif action == "problems":
        return [browser.problems + list(browser.requests.values())]
    else:
        raise SystemExit(f"unknown action {action}")
    return None


def main():
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if not program:
        raise SystemExit("chromium is not installed")
    browser = Browser(program)
    try:
        for line in sys.stdin:
            result = run(browser, sys.argv[1], line.rstrip("\n"))
            if result is not None:
                print(json.dumps(result[0], ensure_ascii=True), flush=True)
    finally:
        browser.close()


main()
