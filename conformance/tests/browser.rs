//! The page of `picaflor view` in a headless Chromium, by keyboard and mouse. Without one on this machine the tests are
//! skipped, which is counted.

use crate::skip::skip;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

const NAMES: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];
/// Time for the page to show what is waited for.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server of the page, ended when dropped.
struct Server {
    process: Child,
    url: String,
}

impl Server {
    fn new(captures: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_picaflor"));
        let mut process =
            command.arg("view").args(captures).stdout(Stdio::piped()).spawn().expect("a server");
        let mut url = String::new();
        BufReader::new(process.stdout.take().expect("a pipe")).read_line(&mut url).expect("an address");
        Self { process, url: url.trim().into() }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A browser with one page, driven over a pipe.
struct Browser {
    process: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    next: u64,
    session: Value,
    profile: PathBuf,
}

impl Browser {
    /// A browser; `None` if this machine has none.
    fn new(name: &str) -> Option<Self> {
        let found = |name: &&str| {
            std::env::split_paths(&std::env::var_os("PATH")?)
                .map(|folder| folder.join(name))
                .find(|path| path.is_file())
        };
        let Some(path) = NAMES.iter().find_map(found) else {
            skip("no Chromium is installed");
            return None;
        };
        let profile = std::env::temp_dir().join(format!("picaflor-browser-{name}-{}", std::process::id()));
        // The protocol speaks over descriptors 3 and 4.
        let script = r#"exec "$0" --headless --no-sandbox --disable-gpu --remote-debugging-pipe --user-data-dir="$1" about:blank 3<&0 4>&1 >/dev/null 2>&1"#;
        let mut command = Command::new("sh");
        command.arg("-c").arg(script).arg(path).arg(&profile).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn().expect("a shell");
        let to = process.stdin.take().expect("a pipe");
        let from = BufReader::new(process.stdout.take().expect("a pipe"));
        let mut browser = Self { process, to, from, next: 0, session: Value::Null, profile };
        let target = browser.call("Target.createTarget", json!({ "url": "about:blank" }))["targetId"].clone();
        let attached = browser.call("Target.attachToTarget", json!({ "targetId": target, "flatten": true }));
        browser.session = attached["sessionId"].clone();
        browser.call("Runtime.enable", json!({}));
        browser.size(1400, 900);
        Some(browser)
    }

    fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.next += 1;
        let mut message = json!({ "id": self.next, "method": method, "params": parameters });
        if !self.session.is_null() {
            message["sessionId"] = self.session.clone();
        }
        self.to.write_all(format!("{message}\0").as_bytes()).expect("a browser that listens");
        self.to.flush().expect("a browser that listens");
        loop {
            let mut answer = Vec::new();
            self.from.read_until(0, &mut answer).expect("a browser that answers");
            assert!(!answer.is_empty(), "the browser is gone");
            answer.pop();
            let answer: Value = serde_json::from_slice(&answer).expect("JSON");
            assert_ne!(answer["method"], "Runtime.exceptionThrown", "{answer:#}");
            if answer["id"] == self.next {
                assert!(answer["error"].is_null(), "{method}: {answer:#}");
                return answer["result"].clone();
            }
        }
    }

    fn size(&mut self, width: u32, height: u32) {
        let metrics = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.call("Emulation.setDeviceMetricsOverride", metrics);
    }

    fn open(&mut self, url: &str) {
        // The same page with another fragment would not be loaded again.
        self.call("Page.navigate", json!({ "url": "about:blank" }));
        self.call("Page.navigate", json!({ "url": url }));
    }

    fn value(&mut self, expression: &str) -> Value {
        let asked = json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        self.call("Runtime.evaluate", asked)["result"]["value"].clone()
    }

    /// Waits until an expression is true.
    fn wait(&mut self, expression: &str) {
        let start = Instant::now();
        let guarded = format!("(() => {{ try {{ return !!({expression}); }} catch {{ return false; }} }})()");
        while self.value(&guarded) != true {
            let shown = self.value("document.body ? document.body.innerText.slice(0, 2000) : ''");
            assert!(start.elapsed() < PATIENCE, "never true: {expression}\n{shown}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    fn key(&mut self, key: &str, modifiers: u32) {
        let text = if key.chars().count() == 1 { key } else { "" };
        let down = json!({ "type": "keyDown", "key": key, "text": text, "modifiers": modifiers });
        self.call("Input.dispatchKeyEvent", down);
        self.call("Input.dispatchKeyEvent", json!({ "type": "keyUp", "key": key, "modifiers": modifiers }));
    }

    fn click(&mut self, x: f64, y: f64) {
        for kind in ["mouseMoved", "mousePressed", "mouseReleased"] {
            let event = json!({ "type": kind, "x": x, "y": y, "button": "left", "clickCount": 1 });
            self.call("Input.dispatchMouseEvent", event);
        }
    }

    /// The middle of the first element of a selector.
    fn middle(&mut self, selector: &str) -> (f64, f64) {
        let at = self.value(&format!(
            "(() => {{ const b = document.querySelector({selector:?}).getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]; }})()"
        ));
        (at[0].as_f64().expect("a number"), at[1].as_f64().expect("a number"))
    }

    fn click_on(&mut self, selector: &str) {
        let (x, y) = self.middle(selector);
        self.click(x, y);
    }

    fn text(&mut self, selector: &str) -> String {
        let text = self.value(&format!("document.querySelector({selector:?}).innerText"));
        text.as_str().unwrap_or_default().to_owned()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
        let _ = std::fs::remove_dir_all(&self.profile);
    }
}

/// True when the page has nothing left to load.
const READY: &str = "document.getElementById('status').textContent.includes(' ms, ')";

#[test]
fn a_link_opens_at_a_draw_and_a_pixel() {
    let Some(mut browser) = Browser::new("link") else { return };
    let server = Server::new(&["ge:game"]);
    browser.open(&format!("{}#draw=22&px=240,136", server.url));
    browser.wait("document.querySelectorAll('.entry').length === 5 && document.querySelector('.stage')");
    let panel = browser.text("#panel");
    assert!(panel.contains("Draw 22, primitive 37: stored") && panel.contains("texture function"), "{panel}");
    assert_eq!(browser.text(".row.on b"), "draw 22");
    // An entry shows its trace.
    browser.click_on(".entry");
    browser.wait("document.getElementById('panel').innerText.includes('Draw 16, primitive')");
}

#[test]
fn steps_by_keyboard_and_pixels_by_mouse() {
    let Some(mut browser) = Browser::new("keys") else { return };
    let server = Server::new(&["scene:transforms"]);
    browser.open(&server.url);
    browser.wait(READY);
    assert_eq!(browser.text(".row.on b"), "draw 9");
    browser.key("ArrowLeft", 0);
    browser.wait(
        "location.hash === '#draw=8' && document.getElementById('status').textContent.startsWith('draw 8')",
    );
    browser.key("Home", 0);
    browser.wait("document.getElementById('status').textContent.startsWith('draw 0')");
    // A click on the picture: history, and a trace that ends with the stored bytes.
    browser.click_on("#canvas");
    browser.wait("document.querySelector('.entry')");
    browser.wait("/px=\\d+,\\d+/.test(location.hash)");
    let before = browser.value("location.hash");
    browser.key("ArrowRight", 8);
    browser.wait(&format!("location.hash !== {before}"));
    // The value under the pointer.
    let (x, y) = browser.middle("#canvas");
    browser.call("Input.dispatchMouseEvent", json!({ "type": "mouseMoved", "x": x, "y": y }));
    browser.wait("/rgba \\d+ \\d+ \\d+ \\d+/.test(document.getElementById('under').textContent)");
    for (key, view) in
        [("3", "depth"), ("4", "stencil"), ("2", "alpha"), ("5", "changed"), ("6", "screen"), ("1", "colour")]
    {
        browser.key(key, 0);
        browser.wait(&format!("document.querySelector('[data-view={view}].on')"));
    }
    browser.key("?", 0);
    browser.wait("document.getElementById('help').open");
}

#[test]
fn state_textures_mesh_and_program() {
    let Some(mut browser) = Browser::new("tabs") else { return };
    let server = Server::new(&["scene:wrap_modes"]);
    browser.open(&server.url);
    browser.wait(READY);
    browser.key("s", 0);
    browser.wait("document.getElementById('panel').innerText.includes('Registers')");
    browser.key("t", 0);
    browser.wait("document.querySelector('#panel figure canvas').width > 8");
    browser.key("m", 0);
    browser.wait(
        "document.querySelector('#mesh-canvas') && document.querySelectorAll('#panel tr.pick').length > 2",
    );
    browser.key("v", 0);
    browser.wait("document.querySelectorAll('.code div').length > 4");
    assert!(browser.text("#panel h2").starts_with("Vertex 0, step 0 of"));
    browser.key(".", 0);
    browser.key(".", 0);
    browser.wait("document.querySelector('#panel h2').innerText.includes('step 2 of')");
    browser.key(",", 0);
    browser.wait("document.querySelector('#panel h2').innerText.includes('step 1 of')");
    // Draws with the texture; its picture moves the button, and has a width of its own when it is there.
    browser.key("t", 0);
    browser.wait("document.querySelector('#panel figure canvas').style.width !== ''");
    browser.click_on("#panel figure button");
    browser.wait("/^\\d+ draws$/.test(document.getElementById('status').textContent)");
}

#[test]
fn palettes_and_tables() {
    let Some(mut browser) = Browser::new("tables") else { return };
    let indexed =
        "state.capture.actions.find(of => of.textures.some(one => one.format.startsWith('Indexed'))).draw";
    let server = Server::new(&["ge:formats"]);
    browser.open(&server.url);
    browser.wait(READY);
    browser.value(&format!("go({indexed})"));
    browser.key("t", 0);
    browser.wait("document.getElementById('panel').innerText.includes('Palette, ')");
    let server = Server::new(&["scene:spot_light"]);
    browser.open(&server.url);
    browser.wait(READY);
    browser.key("t", 0);
    browser.wait("document.getElementById('panel').innerText.includes('table ')");
}

#[test]
fn narrow_windows_dark_schemes_and_two_captures() {
    let Some(mut browser) = Browser::new("window") else { return };
    let server = Server::new(&["scene:transforms", "scene:transforms"]);
    browser.size(500, 800);
    let dark = json!({ "features": [{ "name": "prefers-color-scheme", "value": "dark" }] });
    browser.call("Emulation.setEmulatedMedia", dark);
    browser.open(&server.url);
    browser.wait(READY);
    assert_eq!(browser.value("document.documentElement.scrollWidth <= 500"), true, "nothing is cut off");
    let ground = browser.value("getComputedStyle(document.body).backgroundColor");
    let light = json!({ "features": [{ "name": "prefers-color-scheme", "value": "light" }] });
    browser.call("Emulation.setEmulatedMedia", light);
    assert_ne!(browser.value("getComputedStyle(document.body).backgroundColor"), ground);
    browser.size(3000, 1600);
    browser.wait("!document.getElementById('slide').hidden");
    assert_eq!(browser.value("document.documentElement.scrollWidth <= 3000"), true);
}

/// Text of a capture is text, whatever it says.
#[test]
fn names_are_escaped() {
    let Some(mut browser) = Browser::new("names") else { return };
    let folder = std::env::temp_dir().join(format!("picaflor-names-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join("<img src=x onerror=alert(1)>.pcap");
    let cut = ["cut", "scene:transforms", "--draws", "0..2", "-o"];
    let made = Command::new(env!("CARGO_BIN_EXE_picaflor")).args(cut).arg(&path).status().expect("it runs");
    assert!(made.success());
    let server = Server::new(&[path.to_str().expect("UTF-8")]);
    browser.open(&server.url);
    browser.wait(READY);
    assert!(browser.text("#name").contains("<img src=x"));
    assert_eq!(browser.value("document.images.length"), 0);
    std::fs::remove_dir_all(&folder).expect("the folder");
}

/// What is no capture, or a damaged one, is refused in one line, and no server starts.
#[test]
fn damaged_captures() {
    let folder = std::env::temp_dir().join(format!("picaflor-damaged-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join("damaged.pcap");
    let cut = ["cut", "scene:transforms", "--draws", "0..2", "-o"];
    assert!(
        Command::new(env!("CARGO_BIN_EXE_picaflor"))
            .args(cut)
            .arg(&path)
            .status()
            .expect("it runs")
            .success()
    );
    let whole = std::fs::read(&path).expect("a capture");
    for bytes in [&whole[..whole.len() / 2], b"no capture", &[]] {
        std::fs::write(&path, bytes).expect("a file");
        let mut command = Command::new(env!("CARGO_BIN_EXE_picaflor"));
        let mut process = command.arg("view").arg(&path).stderr(Stdio::piped()).spawn().expect("it runs");
        let mut error = String::new();
        process.stderr.take().expect("a pipe").read_to_string(&mut error).expect("UTF-8");
        assert_eq!(process.wait().expect("an end").code(), Some(1));
        assert!(error.trim_end().lines().count() == 1 && error.contains("cannot use"), "{error}");
    }
    std::fs::remove_dir_all(&folder).expect("the folder");
}
