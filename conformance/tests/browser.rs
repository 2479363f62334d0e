//! The page of `picaflor view` in a headless Chromium, by keyboard and mouse. Without one on this machine the tests are
//! skipped, which is counted.

use crate::skip::skip;
use picaflor_scenes::ge::draw::shape;
use picaflor_scenes::ge::kit::Kit;
use picaflor_scenes::ge::vertices::{Corner, layout};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
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

/// The static site, from a folder that is removed when dropped, served as any web server would.
struct Site {
    folder: PathBuf,
    url: String,
}

impl Site {
    /// The site with some captures in it; `None` if its library is not built.
    fn new(name: &str, captures: &[&str]) -> Option<Self> {
        let Some(library) = std::env::var_os("PICAFLOR_WASM") else {
            skip("PICAFLOR_WASM names no library of the static site");
            return None;
        };
        let folder = std::env::temp_dir().join(format!("picaflor-site-{name}-{}", std::process::id()));
        Some(Self::of(folder, captures, Path::new(&library)))
    }

    /// The site with a library, in a folder that is made.
    fn of(folder: PathBuf, captures: &[&str], library: &Path) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_picaflor"));
        command.arg("view").args(captures).arg("--export").arg(&folder).arg("--wasm").arg(library);
        assert!(command.stdout(Stdio::null()).status().expect("it runs").success());
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
        let url = format!("http://{}/", listener.local_addr().expect("an address"));
        let from = folder.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                // A browser that goes away is no error.
                let _ = Self::answer(stream, &from);
            }
        });
        Self { folder, url }
    }

    fn answer(mut stream: TcpStream, folder: &Path) -> std::io::Result<()> {
        let mut head = String::new();
        let mut lines = BufReader::new(stream.try_clone()?);
        while lines.read_line(&mut head)? > 2 {}
        let name = head.split(' ').nth(1).unwrap_or_default().trim_start_matches('/');
        let name = if name.is_empty() { "index.html" } else { name };
        let kind = match name.rsplit('.').next() {
            Some("html") => "text/html",
            Some("css") => "text/css",
            Some("js") => "text/javascript",
            Some("wasm") => "application/wasm",
            _ => "application/octet-stream",
        };
        let (status, body) = match std::fs::read(folder.join(name)) {
            Ok(body) => ("200 OK", body),
            Err(_) => ("404 Not Found", Vec::new()),
        };
        let length = body.len();
        write!(
            stream,
            "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
        )?;
        stream.write_all(&body)
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
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
        let script = r#"exec "$0" --headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync --remote-debugging-pipe --user-data-dir="$1" about:blank 3<&0 4>&1 >/dev/null 2>&1"#;
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

    /// Chooses a file in an input.
    fn choose(&mut self, selector: &str, file: &Path) {
        let root = self.call("DOM.getDocument", json!({}))["root"]["nodeId"].clone();
        let found = self.call("DOM.querySelector", json!({ "nodeId": root, "selector": selector }));
        self.call("DOM.setFileInputFiles", json!({ "nodeId": found["nodeId"], "files": [file] }));
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

/// Times of draws in list and timeline, maps with their legends, and draws in the same state.
#[test]
fn times_maps_and_states() {
    let Some(mut browser) = Browser::new("maps") else { return };
    let server = Server::new(&["scene:game_frame"]);
    browser.open(&server.url);
    browser.wait(READY);
    browser.value("$('order').value = 'time'; $('order').dispatchEvent(new Event('change'))");
    browser.wait(
        "state.costs && /s compiled, .* interpreted/.test(document.querySelector('.row span').innerText)",
    );
    let sorted = "state.rows.map(of => state.costs.compiled[of.draw]).every((time, n, all) => n === 0 || all[n - 1] >= time)";
    assert_eq!(browser.value(sorted), true);
    browser.value("$('order').value = 'none'; $('order').dispatchEvent(new Event('change'))");
    browser.value("$('bars').value = 'interpreted'; $('bars').dispatchEvent(new Event('change'))");
    browser.wait("state.bars === 'interpreted'");
    for (key, view, shown) in [
        ("7", "overdraw", "fragments"),
        ("8", "cost", "in a pixel"),
        ("9", "coverage", "covered, never stored: 0"),
    ] {
        browser.key(key, 0);
        browser.wait(&format!("document.querySelector('[data-view={view}].on') && !$('legend').hidden"));
        browser.wait(&format!("$('legend').innerText.includes({shown:?})"));
    }
    let (x, y) = browser.middle("#canvas");
    browser.call("Input.dispatchMouseEvent", json!({ "type": "mouseMoved", "x": x, "y": y }));
    browser.wait("/covered \\d+ times, stored \\d+/.test($('under').textContent)");
    browser.key("1", 0);
    browser.wait("$('legend').hidden");
    browser.value("go(state.capture.actions.find(of => of.draw !== null && of.draw > 10).draw)");
    browser.key("s", 0);
    browser.wait("state.firsts && $('panel').innerText.includes('state')");
    let draw = browser.value("state.firsts.findIndex((first, draw) => first !== draw)");
    browser.value(&format!("go({draw})"));
    browser.wait("document.querySelector('#panel .draws a')");
    browser.value("[...document.querySelectorAll('#panel button')].find(one => one.textContent === 'Show them in the list').click()");
    browser.wait("state.shown && state.shown.has(state.draw) && state.shown.size > 1");
    let before = browser.value("location.hash");
    browser.click_on("#panel .draws a");
    browser.wait(&format!("location.hash !== {before}"));
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

#[test]
fn thumbnails_chapters_and_geometry_programs() {
    let Some(mut browser) = Browser::new("thumbnails") else { return };
    let server = Server::new(&["scene:particles"]);
    browser.open(&server.url);
    browser.wait(READY);
    browser.wait("document.querySelectorAll('#thumbnails canvas').length > 0");
    browser.click_on("#thumbnails canvas");
    browser.wait("/^#draw=\\d+$/.test(location.hash)");
    browser.wait(READY);
    browser.key("s", 0);
    browser.wait("document.querySelector('#panel tr.chapter').innerText.includes('pica-geometry')");
    // A draw with a geometry program: the steps of one of its runs.
    browser.value("(async () => { for (const draw of drawNumbers()) { await go(draw); if (state.detail.geometry_runs) return; } })()");
    browser.key("v", 0);
    browser.wait("[...document.querySelectorAll('#panel .bar button')].some(one => one.textContent === 'Geometry program')");
    browser.value("[...document.querySelectorAll('#panel .bar button')].find(one => one.textContent === 'Geometry program').click()");
    browser.wait("document.querySelector('#panel h2').innerText.startsWith('Run 0, step 0 of')");
    browser.key(".", 0);
    browser.wait("document.querySelector('#panel h2').innerText.startsWith('Run 0, step 1 of')");
    assert!(browser.text("#panel").contains("emit"), "a program that emits vertices");
}

/// Where the links of the registers lead: no page or anchor is missing, and the first one is shown, in both schemes.
fn chapters_of_registers(browser: &mut Browser) {
    browser.key("s", 0);
    browser.wait("document.querySelectorAll('#panel table.registers a').length > 40");
    let missing = browser.value(
        "(async () => { const pages = {}, missing = []; \
         for (const { href } of document.querySelectorAll('#panel table.registers a')) { \
           const [url, anchor] = href.split('#'); \
           pages[url] ??= new DOMParser().parseFromString(await (await fetch(url)).text(), 'text/html'); \
           if (!pages[url].getElementById(anchor)) missing.push(href); } return missing; })()",
    );
    assert_eq!(missing, json!([]));
    let link = browser.value("document.querySelector('#panel table.registers tr:not(.chapter) a').href");
    let grounds = ["dark", "light"].map(|scheme| {
        let media = json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
        browser.call("Emulation.setEmulatedMedia", media);
        browser.open(link.as_str().expect("a link"));
        browser.wait("document.querySelector('tr:has(:target) td') && document.querySelector('nav ol a')");
        let top = browser.value("document.querySelector('tr:has(:target)').getBoundingClientRect().top");
        assert!(
            top.as_f64().is_some_and(|top| (-1.0..900.0).contains(&top)),
            "the register is in view: {top}"
        );
        browser.value("getComputedStyle(document.querySelector('tr:has(:target)')).backgroundColor")
    });
    assert_ne!(grounds[0], grounds[1]);
}

#[test]
fn registers_are_linked_to_their_chapters() {
    let Some(mut browser) = Browser::new("manual") else { return };
    for scene in ["scene:wrap_modes", "ge:game"] {
        let server = Server::new(&[scene]);
        browser.open(&server.url);
        browser.wait(READY);
        chapters_of_registers(&mut browser);
    }
}

#[test]
fn the_static_site_has_the_manuals() {
    let Some(mut browser) = Browser::new("chapters") else { return };
    let Some(site) = Site::new("chapters", &["ge:game"]) else { return };
    browser.open(&site.url);
    browser.wait(READY);
    chapters_of_registers(&mut browser);
}

/// Steps of a long list are quick backward and far away, and the picture is that of a replay from the start.
#[test]
fn draws_are_visited_in_any_order() {
    let Some(mut browser) = Browser::new("order") else { return };
    let server = Server::new(&["scene:transforms"]);
    browser.open(&server.url);
    browser.wait(READY);
    let sum = "(async n => { await go(n); return state.pixels.colour.reduce((sum, byte) => (sum * 31 + byte) >>> 0, 7); })";
    let visit = |browser: &mut Browser, draw: u32| browser.value(&format!("{sum}({draw})"));
    let first: Vec<Value> = (0..9).map(|draw| visit(&mut browser, draw)).collect();
    let second: Vec<Value> = (0..9).rev().map(|draw| visit(&mut browser, draw)).collect();
    assert!(first.iter().all(Value::is_number) && first.iter().eq(second.iter().rev()));
}

#[test]
fn the_static_site() {
    let Some(mut browser) = Browser::new("site") else { return };
    let Some(site) = Site::new("empty", &[]) else { return };
    browser.open(&site.url);
    browser.wait("!document.getElementById('drop').hidden");
    browser.value(
        "[...document.querySelectorAll('#scenes button')].find(one => one.textContent === 'ge:game').click()",
    );
    browser.wait(READY);
    browser.key("Home", 0);
    browser.wait("document.getElementById('status').textContent.startsWith('draw 0')");
    browser.key("ArrowRight", 0);
    browser.wait("document.getElementById('status').textContent.startsWith('draw 1')");
    browser.click_on("#canvas");
    browser.wait("document.querySelector('.entry') && /px=\\d+,\\d+/.test(location.hash)");
    browser.wait("document.querySelectorAll('#thumbnails canvas').length > 3");
    for (key, shown) in [("s", "Registers"), ("t", "unit 0"), ("m", "Vertices")] {
        browser.key(key, 0);
        browser.wait(&format!("document.getElementById('panel').innerText.includes({shown:?})"));
    }
    // A file, one that is none, and a damaged one: what was open stays open.
    let path = site.folder.join("cut.pcap");
    let cut = ["cut", "scene:transforms", "--draws", "0..3", "-o"];
    let made = Command::new(env!("CARGO_BIN_EXE_picaflor")).args(cut).arg(&path).status().expect("it runs");
    assert!(made.success());
    browser.choose("#file", &path);
    browser.wait(
        "document.getElementById('name').textContent === 'cut.pcap' && document.querySelector('.row.on')",
    );
    browser.wait(READY);
    let whole = std::fs::read(&path).expect("a capture");
    for bytes in [&whole[..whole.len() / 2], b"no capture"] {
        std::fs::write(&path, bytes).expect("a file");
        browser.choose("#file", &path);
        browser.wait("document.getElementById('status').textContent.startsWith('cannot use `cut.pcap`: ')");
        browser.key("Home", 0);
        browser.wait(READY);
    }
}

/// A site with captures in it opens them, at the draw and the pixel of its link, and gives the answers of the server.
#[test]
fn the_static_site_answers_as_the_server() {
    let Some(mut browser) = Browser::new("same") else { return };
    let Some(site) = Site::new("game", &["ge:game", "ge:game"]) else { return };
    let server = Server::new(&["ge:game"]);
    let mut panels = Vec::new();
    for url in [&site.url, &server.url] {
        browser.open(&format!("{url}#draw=22&px=240,136"));
        browser.wait("document.querySelectorAll('.entry').length === 5 && document.querySelector('.stage')");
        panels.push(browser.text("#panel"));
        let is_compared = browser.value("!document.getElementById('slide').hidden");
        assert_eq!(is_compared, url == &site.url);
    }
    assert_eq!(panels[0], panels[1]);
}

/// A site of a library that ends at once: it starts three times, not for ever.
#[test]
fn a_library_that_cannot_start() {
    let Some(mut browser) = Browser::new("dead") else { return };
    let folder = std::env::temp_dir().join(format!("picaflor-dead-{}", std::process::id()));
    let library = std::env::temp_dir().join(format!("picaflor-dead-{}.wasm", std::process::id()));
    std::fs::write(&library, b"\0asm\x01\0\0\0").expect("a file");
    let site = Site::of(folder, &["ge:game"], &library);
    browser.open(&site.url);
    browser.wait("document.getElementById('status').textContent.includes('library stopped: ')");
    browser.value("site.files[0] = { name: 'ge:game' }; site.restart()");
    browser.wait("site.failures === 3");
    let again = browser.value("site.ask({ path: '/api/capture' }).catch(why => why.message)");
    assert!(again.as_str().is_some_and(|why| why.contains("three times in a row")), "{again}");
    std::fs::remove_file(&library).expect("the file");
}

/// What a site would refuse is refused when it is written, captures of a site before it are removed, and the place of a
/// capture is that of the page.
#[test]
fn a_site_that_is_written_again() {
    let folder = std::env::temp_dir().join(format!("picaflor-again-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let (site, library, capture) =
        (folder.join("site"), folder.join("library.wasm"), folder.join("two words.pcap"));
    std::fs::write(&library, b"\0asm").expect("a file");
    with_a_fault(&capture);
    let export = |captures: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_picaflor"));
        command
            .arg("view")
            .args(captures)
            .arg("--json")
            .arg("--export")
            .arg(&site)
            .arg("--wasm")
            .arg(&library);
        command.output().expect("it runs")
    };
    let capture = capture.to_str().expect("UTF-8");
    for (wrong, why) in [
        (&["ge:nope"][..], "there is no scene `nope`"),
        (&["ge:all"], "there is no scene `all`"),
        (&["ge:game", "scene:transforms"], "the captures are of "),
    ] {
        let output = export(wrong);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            output.status.code() == Some(1) && error.contains(why) && !site.exists(),
            "{wrong:?}: {error}"
        );
    }
    assert!(export(&[capture, capture]).status.success());
    std::fs::write(site.join("capture-x"), b"of somebody else").expect("a file");
    assert!(site.join("capture-0").is_file() && site.join("capture-1").is_file());
    let output = export(&[&format!("{capture}#draw=3&px=1,2")]);
    let told: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(told["page"], site.join("index.html").to_str().expect("UTF-8"));
    let page = std::fs::read_to_string(site.join("index.html")).expect("a page");
    assert!(page.contains("data-place=\"#draw=3&amp;px=1,2\"") && page.contains("two words.pcap"), "{page}");
    assert!(site.join("capture-0").is_file() && !site.join("capture-1").exists());
    assert!(export(&["ge:game"]).status.success());
    assert!(!site.join("capture-0").exists() && site.join("capture-x").is_file());
    std::fs::remove_dir_all(&folder).expect("the folder");
}

#[test]
fn a_site_without_its_library() {
    let folder = std::env::temp_dir().join(format!("picaflor-no-library-{}", std::process::id()));
    let mut command = Command::new(env!("CARGO_BIN_EXE_picaflor"));
    let output =
        command.arg("view").arg("--export").arg(&folder).arg("--wasm").arg(folder.join("none")).output();
    let output = output.expect("it runs");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(String::from_utf8_lossy(&output.stderr).trim_end().lines().count(), 1);
    assert!(!folder.exists(), "nothing is half written");
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

/// Starts of links, searches and keys that name no draw: what is shown stays, and why is said.
#[test]
fn draws_that_there_are_not() {
    let Some(mut browser) = Browser::new("no-draw") else { return };
    let server = Server::new(&["ge:game"]);
    for (link, why) in [
        ("#draw=abc", "there is no draw abc; the capture has 32, counted from 0"),
        ("#draw=1.5", "there is no draw 1.5; the capture has 32, counted from 0"),
        ("#draw=9999", "there is no draw 9999; the capture has 32, counted from 0"),
        ("#draw=31&px=,", "`px=,` is no pixel: write px=X,Y"),
    ] {
        browser.open(&format!("{}{link}", server.url));
        browser.wait(&format!("document.getElementById('status').textContent === {why:?}"));
        assert_eq!(browser.text(".row.on b"), "draw 31", "{link}");
        assert_eq!(browser.value("location.hash"), "#draw=31", "{link}");
    }
    let search = |browser: &mut Browser, text: &str| {
        browser.value(&format!("$('query').value = {text:?}; search()"));
        browser.text("#status")
    };
    for (text, why) in [
        ("9999", "there is no draw 9999"),
        ("draw 32", "there is no draw 32"),
        ("same 9999", "there is no draw 9999"),
        ("texture", "`` is no address of a texture"),
        ("texture zz", "`zz` is no address of a texture"),
        ("program xyz", "`xyz` is no checksum of a program"),
        ("rect 1,x,2,3,4", "a rectangle is X0,Y0,X1,Y1"),
        ("slow x", "`x` is no number of draws"),
    ] {
        let status = search(&mut browser, text);
        assert!(status.starts_with(why), "{text}: {status}");
        assert_eq!(browser.value("[state.draw, rows().length > 31]"), json!([31, true]), "{text}");
    }
    search(&mut browser, "draw 5");
    browser.wait("document.querySelector('.row.on b').innerText === 'draw 5'");
    browser.key("s", 0);
    browser.wait("document.getElementById('panel').innerText.includes('Registers')");
    // Enter asks once, and draws that stored nothing are those of `draws --empty`.
    browser.value("window.count = 0; const asks = ask; ask = (path, ...more) => { count += path === 'search'; return asks(path, ...more); }");
    browser.value("$('query').value = 'empty'; $('query').focus()");
    browser.call("Input.dispatchKeyEvent", json!({ "type": "keyDown", "key": "Enter", "code": "Enter", "text": "\r", "windowsVirtualKeyCode": 13 }));
    browser.wait("/^\\d+ draws$/.test(document.getElementById('status').textContent)");
    assert_eq!(browser.value("count"), 1);
}

/// The heading of a history is the pixel that it is of.
#[test]
fn pixels_of_histories() {
    let Some(mut browser) = Browser::new("heading") else { return };
    let server = Server::new(&["ge:game"]);
    browser.open(&format!("{}#draw=22&px=240,136", server.url));
    browser.wait("document.querySelector('.entry')");
    let first = browser.text("#panel h2");
    assert!(first.starts_with("Pixel (240, 136) at 0x"), "{first}");
    browser.value("location.hash = '#draw=22&px=10,10'");
    browser.wait("document.querySelector('#panel h2').innerText.startsWith('Pixel (10, 10) at ')");
    let second = browser.text("#panel h2");
    assert_ne!(first.split(" at ").last(), second.split(" at ").last());
    browser.key("6", 0);
    browser.wait("document.querySelector('[data-view=screen].on') && state.screen");
    browser.click_on("#canvas");
    browser.wait("document.querySelector('#panel h2').innerText.includes(' of the screens, at ')");
    let third = browser.text("#panel h2");
    assert!(!third.starts_with("Pixel (10, 10)"), "{third}");
    // A pixel that the buffer lacks is no reason to show nothing.
    browser.open(&format!("{}#draw=22&px=9999,0", server.url));
    browser.wait("document.getElementById('status').textContent.endsWith('has no pixel (9999, 0)')");
    assert!(browser.text("#panel").starts_with("Click a pixel"));
}

/// A capture with a fault, and a vertex at no number.
fn with_a_fault(path: &Path) {
    let mut kit = Kit::new();
    kit.start([40, 60, 80]);
    let corner = |x: f32, y: f32| Corner { position: [x, y, 0.0], ..Corner::default() };
    let corners = [corner(10.0, 10.0), corner(200.0, 10.0), corner(f32::INFINITY, f32::NEG_INFINITY)];
    kit.draw_corners(shape::TRIANGLES, layout::COLOUR | layout::POSITION, &corners);
    kit.list.vertices(0x0f00_0000).prim(shape::TRIANGLES, 3);
    kit.submit();
    kit.show();
    std::fs::write(path, picaflor_pipeline::ge::capture::format::write(&kit.finish())).expect("a file");
}

/// Faults stay in view, and what is no number is not shown as one.
#[test]
fn faults_and_infinite_numbers() {
    let Some(mut browser) = Browser::new("faults") else { return };
    let path = std::env::temp_dir().join(format!("picaflor-faults-{}.pcap", std::process::id()));
    with_a_fault(&path);
    let server = Server::new(&[path.to_str().expect("UTF-8")]);
    browser.open(&format!("{}#draw=1", server.url));
    browser.wait(READY);
    assert_eq!(browser.text("#notes-open"), "1 fault");
    browser.click_on("#notes-open");
    browser.wait("$('notes').open && $('notes-list').innerText.includes('fault: ')");
    browser.value("$('notes').close()");
    browser.key("m", 0);
    browser.wait("document.querySelectorAll('#panel tr.pick').length === 3");
    let third = browser.text("#panel tr.pick:nth-child(3)");
    assert!(third.contains("inf -inf 0"), "{third}");
    std::fs::remove_file(&path).expect("the file");
    // Without faults there is no badge.
    let server = Server::new(&["ge:game"]);
    browser.open(&server.url);
    browser.wait(READY);
    assert_eq!(browser.value("$('notes-open').hidden"), true);
}

/// A second capture that is shorter and smaller: the slider says what it lacks, and shows nothing of the first one.
#[test]
fn captures_without_a_counterpart() {
    let Some(mut browser) = Browser::new("counterpart") else { return };
    let server = Server::new(&["scene:game_frame", "scene:transforms"]);
    browser.open(&format!("{}#draw=100", server.url));
    browser.wait(READY);
    assert!(browser.text("#slide").contains("nothing to compare: there is no draw 100"));
    assert_eq!(browser.value("$('slide').hidden || !$('slider').disabled"), false);
    browser.value("go(5)");
    browser.wait("document.getElementById('status').textContent.startsWith('draw 5: ')");
    assert_eq!(browser.value("$('slider').disabled || $('slide-why').textContent"), "");
}

/// Steps in an order at random, forward one by one, and backward, with all that the page shows; then histories of pixels.
/// Milliseconds each.
const STEPS: &str = "(async () => {
  const all = drawNumbers(), clock = async work => {
    const start = performance.now();
    await work();
    await new Promise(requestAnimationFrame);
    return performance.now() - start;
  };
  let seed = 7;
  const random = below => { seed = (seed * 1103515245 + 12345) % 2147483648; return Math.floor(seed / 65536) % below; };
  const steps = [], histories = [];
  for (let n = 0; n < 32; n++) steps.push(await clock(() => go(all[random(all.length)])));
  const middle = Math.max(0, Math.floor(all.length / 2) - 12);
  for (let n = 0; n < 24; n++) steps.push(await clock(() => go(all[Math.min(all.length - 1, middle + n)])));
  for (let n = 23; n >= 0; n--) steps.push(await clock(() => go(all[Math.min(all.length - 1, middle + n)])));
  for (let n = 0; n < 5; n++) {
    const { width, height } = state.pixels;
    histories.push(await clock(() => pick([random(width), random(height)])));
  }
  return { draws: all.length, steps, histories };
})()";

/// Median and largest of some times, in words.
fn median_and_largest(times: &Value) -> String {
    let mut times: Vec<f64> = times.as_array().expect("times").iter().filter_map(Value::as_f64).collect();
    times.sort_by(f64::total_cmp);
    format!("{:.0} ms, {:.0} ms", times[times.len() / 2], times[times.len() - 1])
}

/// Time until the page is ready, in milliseconds, and [`STEPS`].
fn times_of(browser: &mut Browser, start: Instant) -> (f64, Value) {
    browser.wait(READY);
    browser.value("new Promise(requestAnimationFrame)");
    let opened = start.elapsed().as_secs_f64();
    (opened, browser.value(STEPS))
}

/// A table of times for every capture of the data, with a server and as a static site.
///
/// `PICAFLOR_DATA=DIR PICAFLOR_WASM=FILE cargo test --release -p picaflor-conformance --test all times_of_all_captures --
/// --ignored --nocapture`
#[test]
#[ignore = "a measurement: it takes minutes"]
fn times_of_all_captures() {
    let Some(data) = std::env::var_os("PICAFLOR_DATA") else { return skip("PICAFLOR_DATA names no folder") };
    let folders = ["ge/frames", "pica"].map(|name| Path::new(&data).join(name));
    let files = folders.iter().flat_map(|folder| std::fs::read_dir(folder).expect("a folder"));
    let mut files: Vec<PathBuf> = files.map(|entry| entry.expect("an entry").path()).collect();
    files.retain(|path| path.extension().is_some_and(|of| of == "ppdmp" || of == "cap"));
    files.sort();
    let mut sources: Vec<String> = files.iter().map(|path| path.to_string_lossy().into_owned()).collect();
    sources.push("scene:game_frame".into());
    println!("| capture | draws | server: picture | step | history | browser: picture | step | history |");
    println!("|---|---:|---:|---:|---:|---:|---:|---:|");
    for source in &sources {
        let Some(mut browser) = Browser::new("times") else { return };
        let start = Instant::now();
        let server = Server::new(&[source]);
        browser.open(&server.url);
        let (picture, of) = times_of(&mut browser, start);
        let name = Path::new(source).file_stem().map_or(source.clone(), |name| name.to_string_lossy().into());
        print!("| {name} | {} | {picture:.1} s ", of["draws"]);
        print!("| {} | {} ", median_and_largest(&of["steps"]), median_and_largest(&of["histories"]));
        drop(server);
        let Some(site) = Site::new("times", &[source]) else { return println!("|") };
        let start = Instant::now();
        browser.open(&site.url);
        let (picture, of) = times_of(&mut browser, start);
        print!("| {picture:.1} s ");
        println!("| {} | {} |", median_and_largest(&of["steps"]), median_and_largest(&of["histories"]));
    }
}
