//! Completions, manual pages, suggestions for misspelt names, and animated pictures.

use crate::data_folder::data_folder;
use crate::process::{folder, names, picaflor, picaflor_in, text};
use picaflor_conformance::image::Image;
use picaflor_conformance::inspect::{Inspector as _, Session};
use picaflor_conformance::machine::{Machine, Plays as _, Reading};
use picaflor_conformance::pica::Pica;
use picaflor_conformance::{ge::Ge, replay};
use std::path::Path;

#[test]
fn completions_name_every_subcommand() {
    let folder = folder("completions");
    for (shell, first) in
        [("bash", "_picaflor"), ("zsh", "#compdef picaflor"), ("fish", "complete -c picaflor")]
    {
        let output = picaflor_in(&folder, &format!("completions {shell}"));
        let script = text(&output.stdout);
        assert!(output.status.success() && script.contains(first), "{shell}");
        for name in ["convert", "video", "draws", "completions"] {
            assert!(script.contains(name), "{shell}: {name}");
        }
    }
    assert_eq!(picaflor_in(&folder, "completions tcsh").status.code(), Some(2));
}

#[test]
fn manual_pages() {
    let folder = folder("man");
    let output = picaflor_in(&folder, "man pages");
    assert!(output.status.success(), "{}", text(&output.stderr));
    let pages = names(&folder.join("pages"));
    for page in ["picaflor.1", "picaflor-convert.1", "picaflor-shader-show.1", "picaflor-video.1"] {
        assert!(pages.iter().any(|name| name == page), "{page} of {pages:?}");
    }
    let page = std::fs::read_to_string(folder.join("pages/picaflor-convert.1")).expect("a page");
    assert!(page.contains(".TH picaflor-convert 1") && page.contains("CiTrace"), "{page}");
}

#[test]
fn near_misses_are_suggested() {
    let folder = folder("suggested");
    assert!(picaflor(&folder, &["render", "ge:game", "-o", "frame.png"]).status.success());
    assert!(
        picaflor(&folder, &["cut", "scene:transforms", "--draws", "0", "-o", "menu.pcap"]).status.success()
    );
    for (args, suggested) in [
        ("draws ge:gmae", "did you mean `game`?"),
        ("draws scene:transfroms", "did you mean `transforms`?"),
        ("draws transforms", "did you mean `scene:transforms`?"),
        ("draws meun.pcap", "did you mean `menu.pcap`?"),
        ("draws ge:game --register TMEE=1", "did you mean `TME`?"),
    ] {
        let output = picaflor_in(&folder, args);
        let why = text(&output.stderr);
        assert_eq!((output.status.code(), why.lines().count()), (Some(1), 1), "{args}: {why}");
        assert!(why.contains(suggested), "{args}: {why}");
    }
    for (args, suggested) in [
        ("fuzz --kind shadr", "shader"),
        ("rendre x", "render"),
        ("draws ge:game --engine jti", "jit"),
        ("draws scene:transforms --engine intepr", "interp"),
    ] {
        let output = picaflor_in(&folder, args);
        assert_eq!(output.status.code(), Some(2), "{args}");
        assert!(text(&output.stderr).contains(suggested), "{args}: {}", text(&output.stderr));
    }
    let output = picaflor_in(&folder, "draws nothing-like-it");
    assert!(!text(&output.stderr).contains("did you mean"), "{}", text(&output.stderr));
}

/// The pictures of an animated file, and their number per second.
fn animation(path: &Path) -> (Vec<Image>, u16) {
    let file = std::fs::read(path).expect("a file");
    let mut reader = png::Decoder::new(std::io::Cursor::new(file)).read_info().expect("a PNG file");
    let control = reader.info().animation_control.expect("an animation");
    let size = [reader.info().width, reader.info().height];
    let mut frames = Vec::new();
    let mut rate = 0;
    for _ in 0..control.num_frames {
        let mut rgb = vec![0; reader.output_buffer_size().expect("a size")];
        reader.next_frame(&mut rgb).expect("a frame");
        let frame = reader.info().frame_control.expect("a frame of the animation");
        assert_eq!(frame.delay_num, 1);
        rate = frame.delay_den;
        let pixel = |x: u32, y: u32| std::array::from_fn(|k| rgb[((y * size[0] + x) * 3) as usize + k]);
        frames.push(Image::of(size[0], size[1], pixel));
    }
    (frames, rate)
}

#[test]
fn frames_as_an_animation() {
    let folder = folder("video");
    let name = Pica::scenes().iter().map(|scene| scene.name).find(|name| {
        let capture = Pica::scene(name, Reading::default()).expect("a scene");
        replay::frames::<Pica>(&capture) > 2
    });
    let name = name.unwrap_or("transforms");
    let capture = Pica::scene(name, Reading::default()).expect("a scene");
    let output = picaflor(&folder, &["video", &format!("scene:{name}"), "-o", "all.png", "--json"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let (pictures, rate) = animation(&folder.join("all.png"));
    assert_eq!((pictures.len(), rate), (replay::frames::<Pica>(&capture), 60));
    for (frame, picture) in pictures.iter().enumerate() {
        let mut engine = Pica::engine("interp", Default::default()).expect("an engine");
        let played = replay::play::<Pica>(&capture, &mut engine, 1, Some(frame)).expect("it plays");
        let expected = played.picture.expect("a picture");
        assert!(
            (0..expected.height())
                .all(|y| (0..expected.width()).all(|x| expected.pixel(x, y) == picture.pixel(x, y)))
        );
    }
    assert_eq!(names(&folder), ["all.png"]);
}

#[test]
fn draws_as_an_animation() {
    let folder = folder("video-draws");
    let count = |draws: &str, every: &str, command: &str| {
        let args = [command, "ge:game", "-o", "draws.png", "--every", every, "--fps", "25", "--draws", draws];
        let output = picaflor(&folder, if draws.is_empty() { &args[..9] } else { &args });
        assert!(output.status.success(), "{}", text(&output.stderr));
        animation(&folder.join("draws.png"))
    };
    let capture = Ge::scene("game", Reading::default()).expect("a scene");
    let mut session = Session::<Ge>::new(capture, Ge::interpreter());
    let draws = session.actions().expect("it plays").iter().filter(|action| action.draw.is_some()).count();
    assert_eq!(count("", "1", "video").0.len(), draws);
    let (some, rate) = count("8..20", "4", "gif");
    assert_eq!((some.len(), rate), (3, 25));
    let view = session.draw(12, 0).expect("a draw").after;
    let expected = &view.colour[(100 * view.width + 240) as usize][..3];
    assert_eq!(some[1].pixel(240, 100), expected);
    let output = picaflor(&folder, &["video", "ge:game", "-o", "none.png", "--draws", "900..901"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("has no such draws"));
    assert_eq!(names(&folder), ["draws.png"], "nothing half-written");
}

#[test]
fn one_screen_as_an_animation() {
    let folder = folder("video-screens");
    if let Some(data) = data_folder() {
        let capture = data.join("pica/both_screens.cap");
        for (screen, width) in [("top", 400), ("bottom", 320)] {
            let source = capture.to_str().expect("UTF-8");
            let output = picaflor(&folder, &["video", source, "-o", "screen.png", "--screen", screen]);
            assert!(output.status.success(), "{}", text(&output.stderr));
            assert_eq!(animation(&folder.join("screen.png")).0[0].width(), width);
        }
    }
    let output = picaflor(&folder, &["video", "ge:game", "-o", "none.png", "--screen", "bottom"]);
    assert_eq!((output.status.code(), names(&folder).contains(&"none.png".into())), (Some(2), false));
}

/// The times of code that is there already come first.
#[test]
fn the_demo_shows_warm_times() {
    let folder = folder("demo-times");
    let output = picaflor_in(&folder, "demo --only transforms -o pictures");
    let table = text(&output.stdout);
    let heading: Vec<&str> = table.lines().next().expect("a heading").split_whitespace().collect();
    let place = |name: &str| heading.iter().position(|cell| *cell == name).expect("a column");
    assert!(place("jit") < place("interp") && place("interp") < place("first"), "{table}");
    assert!(table.contains("times as long"), "{table}");
}

/// Colour on request or on a terminal, and never where `NO_COLOR` is set.
#[test]
fn verdicts_have_colour_where_it_is_wanted() {
    let run = |set: &[(&str, &str)], args: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_picaflor"));
        command.env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE").envs(set.iter().copied()).args(args);
        let output = command.output().expect("it runs");
        text(&output.stdout) + &text(&output.stderr)
    };
    let (diff, wrong) = (["diff", "scene:transforms", "--threads", "1"], ["draws", "ge:none-like-it"]);
    let (on, off) = (("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1"));
    assert!(run(&[on], &diff).contains("\u{1b}[32msame\u{1b}[0m"));
    assert!(run(&[on], &wrong).starts_with("picaflor: \u{1b}[31merror:\u{1b}[0m "));
    for set in [&[off][..], &[], &[on, off]] {
        assert!(!run(set, &diff).contains('\u{1b}') && !run(set, &wrong).contains('\u{1b}'), "{set:?}");
    }
}
