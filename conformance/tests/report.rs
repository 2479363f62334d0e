//! `diff --report` and `--junit` with an engine that is wrong on purpose: the page is whole and loads nothing,
//! the capture in it reproduces, and a browser shows it where one is installed.

use crate::process::{folder, names, picaflor, picaflor_in, text};
use crate::skip::skip;
use std::fs;
use std::path::Path;
use std::process::Command;

/// A report of two scenes of which one, with textures, differs.
fn broken(folder: &Path) -> String {
    let args = "diff scene:wrap_modes scene:transforms --threads 1 --defect pixels --reduce 3 --report out \
                --junit out.xml";
    let output = picaflor_in(folder, args);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    assert!(output.stderr.is_empty(), "{}", text(&output.stderr));
    fs::read_to_string(folder.join("out/index.html")).expect("the page")
}

/// Tags are closed in the order in which they were opened.
fn assert_well_formed(page: &str) {
    let mut open: Vec<&str> = Vec::new();
    let body = page.split("<script>").next().expect("a page");
    let body = body.split("</style>").nth(1).expect("a style");
    for piece in body.split('<').skip(1) {
        let tag = piece.split('>').next().expect("a tag");
        let name = tag.trim_start_matches('/').split_whitespace().next().expect("a name");
        if tag.starts_with('/') {
            let last = open.pop();
            // The head was opened before.
            assert!(last == Some(name) || (last.is_none() && name == "head"), "{name} closes {last:?}");
        } else if !["img", "input", "meta"].contains(&name) {
            open.push(name);
        }
    }
    assert_eq!(open, ["body"]);
}

/// Nothing in the page is anywhere else.
fn assert_self_contained(page: &str) {
    assert!(page.contains("default-src 'none'"));
    for part in ["src=\"", "href=\""] {
        for target in page.split(part).skip(1) {
            assert!(target.starts_with("data:") || target.starts_with('#'), "{}", &target[..40]);
        }
    }
    assert!(!page.contains("http://") && !page.contains("https://") && !page.contains("url("));
}

fn decoded(base64: &str) -> Vec<u8> {
    let digit = |letter: u8| match letter {
        b'A'..=b'Z' => letter - b'A',
        b'a'..=b'z' => letter - b'a' + 26,
        b'0'..=b'9' => letter - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let digits: Vec<u8> = base64.trim_end_matches('=').bytes().map(digit).collect();
    let bytes = |four: &[u8]| {
        let word = four.iter().enumerate().fold(0, |word, (n, &d)| word | u32::from(d) << (18 - 6 * n));
        word.to_be_bytes()[1..four.len()].to_vec()
    };
    digits.chunks(4).flat_map(bytes).collect()
}

#[test]
fn a_report_shows_the_difference_and_reproduces_it() {
    let folder = folder("report-broken");
    let page = broken(&folder);
    assert_well_formed(&page);
    assert_self_contained(&page);
    let file = "0-wrap_modes-console.picacap";
    assert_eq!(names(&folder.join("out")), [file, "index.html"]);
    for part in [
        "1 of 2 comparisons differ",
        "FRAMEBUFFER_DIM",
        "machine instructions",
        "block0(v0: i64)",
        "type=\"range\"",
    ] {
        assert!(page.contains(part), "{part}");
    }
    assert!(page.matches("<tr class=\"differs\">").count() > 2, "rows of draws");
    assert!(page.matches("data:image/png;base64,").count() >= 10);

    let saved = fs::read(folder.join("out").join(file)).expect("the reproducer");
    let link = page.split("data:application/octet-stream;base64,").nth(1).expect("a link");
    assert!(decoded(link.split('"').next().expect("base64")) == saved, "the page holds another file");
    assert!(saved.len() < 20_000, "{} bytes", saved.len());
    let command = page.split("<code>picaflor ").nth(1).and_then(|rest| rest.split("</code>").next());
    let command = command.expect("a command").replace("&#39;", "");
    let args: Vec<&str> = command.split(' ').collect();
    let again = picaflor(&folder.join("out"), &args);
    assert_eq!(again.status.code(), Some(1), "{command}: {}", text(&again.stderr));
    assert!(text(&again.stdout).contains("DIFFERS"));
    let sound = picaflor(&folder.join("out"), &["diff", file]);
    assert_eq!(sound.status.code(), Some(0), "the engine itself is right: {}", text(&sound.stdout));

    let junit = fs::read_to_string(folder.join("out.xml")).expect("the file");
    assert!(
        junit.starts_with("<?xml") && junit.contains("tests=\"2\" failures=\"1\" errors=\"0\""),
        "{junit}"
    );
    assert!(junit.contains("<testcase classname=\"picaflor.jit.console\" name=\"scene:transforms\""));
    assert_eq!(junit.matches("<failure ").count(), 1);
    show(&folder.join("out/index.html"), &folder);
}

#[test]
fn wrong_vertices_are_shown_too() {
    let folder = folder("report-vertices");
    let args = ["diff", "scene:primitives", "--threads", "1", "--defect", "vertices", "--reduce", "1"];
    let output = picaflor(&folder, &[&args[..], &["--report", "."]].concat());
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let page = fs::read_to_string(folder.join("index.html")).expect("the page");
    assert_well_formed(&page);
    assert!(page.contains("<code>vs"), "the vertex routine");
}

/// The same page for the other machine: of a scene that differs and one that cannot, as it has no textures.
#[test]
fn a_report_of_the_psp() {
    let folder = folder("report-ge");
    let args = "diff scene:ge:sprites ge:lists --threads 1 --defect pixels --reduce 5 --report out --junit out.xml \
                -o pictures";
    let output = picaflor_in(&folder, args);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    assert!(output.stderr.is_empty(), "{}", text(&output.stderr));
    let page = fs::read_to_string(folder.join("out/index.html")).expect("the page");
    assert_well_formed(&page);
    assert_self_contained(&page);
    let file = "0-sprites-ge.picacap";
    assert_eq!(names(&folder.join("out")), [file, "index.html"]);
    for part in [
        "1 of 2 comparisons differ",
        "<code class=\"key\">ge/",
        "TME (texturing)",
        "machine instructions",
        "block0(v0: i64",
        "type=\"range\"",
        "<th>primitives</th><th>pixels</th>",
    ] {
        assert!(page.contains(part), "{part}");
    }
    assert!(page.matches("<tr class=\"differs\">").count() > 2, "rows of draws");
    assert!(page.matches("data:image/png;base64,").count() >= 10);

    let saved = fs::read(folder.join("out").join(file)).expect("the reproducer");
    let link = page.split("data:application/octet-stream;base64,").nth(1).expect("a link");
    assert!(decoded(link.split('"').next().expect("base64")) == saved, "the page holds another file");
    let command = page.split("<code>picaflor ").nth(1).and_then(|rest| rest.split("</code>").next());
    let command = command.expect("a command").replace("&#39;", "");
    let args: Vec<&str> = command.split(' ').collect();
    let again = picaflor(&folder.join("out"), &args);
    assert_eq!(again.status.code(), Some(1), "{command}: {}", text(&again.stderr));
    assert!(text(&again.stdout).contains("DIFFERS"));
    let sound = picaflor(&folder.join("out"), &["diff", file]);
    assert_eq!(sound.status.code(), Some(0), "the engine itself is right: {}", text(&sound.stdout));

    let junit = fs::read_to_string(folder.join("out.xml")).expect("the file");
    assert!(junit.contains("tests=\"2\" failures=\"1\" errors=\"0\""), "{junit}");
    assert!(junit.contains("<testcase classname=\"picaflor.jit.GE\" name=\"ge:lists\""), "{junit}");
    let pictures = names(&folder.join("pictures"));
    assert!(pictures[0] == "sprites-ge-difference-0.png", "{pictures:?}");
    show(&folder.join("out/index.html"), &folder);
}

#[test]
fn a_report_without_a_difference() {
    let folder = folder("report-same");
    let output = picaflor(&folder, &["diff", "scene:primitives", "ge:lists", "--report", "out"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(names(&folder.join("out")), ["index.html"]);
    let page = fs::read_to_string(folder.join("out/index.html")).expect("the page");
    assert!(page.contains("All 2 comparisons are the same"));
    assert_eq!(page.matches("the screens at the end, the same on both").count(), 2);
    assert!(page.contains("data:image/png;base64,") && page.contains("class=\"zoom\""));
    assert!(page.contains("<code>fs") && page.contains("<code>ge/"), "keys of draws");
    assert_well_formed(&page);
    assert_self_contained(&page);
}

#[test]
fn reports_that_cannot_be_written() {
    let folder = folder("report-unwritable");
    fs::write(folder.join("taken"), "a file").expect("a file");
    for (args, part) in [
        (&["diff", "scene:primitives", "--report", "taken"][..], "`taken` is no folder"),
        (&["diff", "scene:primitives", "--junit", "none/there.xml"], "cannot write"),
        (&["diff", "no-such-file", "--report", "out"], "cannot read"),
        (&["diff", "scene:primitives", "--results", "taken"], "holds no results"),
    ] {
        let output = picaflor(&folder, args);
        assert_eq!(output.status.code(), Some(1), "{args:?}");
        let errors = text(&output.stderr);
        assert!(errors.lines().count() == 1 && errors.contains(part), "{args:?}: {errors}");
    }
    assert_eq!(picaflor(&folder, &["diff", "x", "--shard", "2/2"]).status.code(), Some(2));
    assert_eq!(names(&folder), ["taken"]);
}

/// A link that the report gives opens the reduced capture at its first wrong draw, and the page has the guest's program
/// and the pixel.
#[test]
fn a_report_leads_into_the_inspector() {
    for (name, capture, defect, parts) in [
        (
            "pica",
            "scene:wrap_modes",
            "pixels",
            ["The guest's program", "<td>entry</td>", "class=\"ran\"", "steps of its first vertex"],
        ),
        ("ge", "ge:sprites", "pixels", ["<b>frame", "pixel (", "instead of rgba", "class=\"zoom\""]),
    ] {
        let folder = folder(&format!("report-inspect-{name}"));
        let args = ["diff", capture, "--threads", "1", "--defect", defect, "--reduce", "2", "--report", "."];
        assert_eq!(picaflor(&folder, &args).status.code(), Some(1));
        let page = fs::read_to_string(folder.join("index.html")).expect("the page");
        for part in parts {
            assert!(page.contains(part), "{name}: {part}");
        }
        let link = page.split("<code>picaflor view ").nth(1).and_then(|rest| rest.split("</code>").next());
        let link = link.expect("a command").replace("&#39;", "").replace("&amp;", "&");
        let place = &link[link.find("#draw=").expect("a draw")..];
        let mut server = Command::new(env!("CARGO_BIN_EXE_picaflor"))
            .current_dir(&folder)
            .args(["view", &link])
            .stdout(std::process::Stdio::piped())
            .spawn()
            .expect("it starts");
        let mut url = String::new();
        let output = std::io::BufReader::new(server.stdout.take().expect("a pipe"));
        std::io::BufRead::read_line(&mut { output }, &mut url).expect("a line");
        server.kill().expect("it runs");
        server.wait().expect("it ends");
        assert!(url.starts_with("http://127.0.0.1:") && url.trim_end().ends_with(place), "{url}");
        let draw = &place["#draw=".len()..];
        let draws = picaflor(&folder, &["draws", link.split('#').next().expect("a file"), "--only", draw]);
        assert!(text(&draws.stdout).lines().count() > 2, "{}", text(&draws.stdout));
    }
}

/// The first of these programs that is there.
fn browser() -> Option<&'static str> {
    let is_there =
        |name: &&str| Command::new(name).arg("--version").output().is_ok_and(|o| o.status.success());
    ["chromium", "chromium-browser", "google-chrome", "chrome"].into_iter().find(is_there)
}

/// Opens the page in a browser without a screen: its script ran, and the picture of it is not blank.
fn show(page: &Path, folder: &Path) {
    let Some(browser) = browser() else {
        return skip("no browser of the Chromium family is installed; the page's structure was checked");
    };
    let picture = folder.join("page.png");
    let profile = folder.join("profile");
    let args = ["--headless", "--no-sandbox", "--disable-gpu", "--window-size=1300,1600", "--dump-dom"];
    let output = Command::new(browser)
        .args(args)
        .arg(format!("--user-data-dir={}", profile.display()))
        .arg(format!("--screenshot={}", picture.display()))
        .arg(format!("file://{}", page.display()))
        .output()
        .expect("the browser runs");
    let dom = text(&output.stdout);
    assert!(dom.contains("data-ready=\"true\""), "the script did not run: {}", text(&output.stderr));
    assert!(dom.contains("--at: 50%"), "the slider is not set");
    let file = fs::File::open(&picture).expect("a screenshot");
    let mut reader = png::Decoder::new(std::io::BufReader::new(file)).read_info().expect("a PNG file");
    let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
    let info = reader.next_frame(&mut pixels).expect("pixels");
    let colours: std::collections::HashSet<&[u8]> =
        pixels[..info.buffer_size()].chunks(info.color_type.samples()).collect();
    assert!(colours.len() > 100, "{} colours", colours.len());
}
