//! `picaflor video`: frames or draws of a capture as an animated PNG.

use super::capture::{self, host_threads, parse_threads};
use super::inspect::dump::colour_image;
use super::machine::Commands;
use super::output::Output;
use super::render::warn;
use super::source::Source;
use super::{CliError, stream_to, tell_of};
use crate::given_up::GivenUpList;
use crate::image::Image;
use crate::inspect::BufferView;
use crate::inspect::page::draws;
use crate::machine::Reading;
use crate::setup::Setup;
use picaflor_pipeline::fault::FaultList;
use serde_json::json;
use std::ops::Range;
use std::path::PathBuf;
use std::process::ExitCode;
use std::slice;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Write the frames of a capture, or the buffer after each draw, as an animated PNG (APNG), which browsers play.
///
/// A picture is the screens at the end of a frame, or with --draws the colour buffer after a draw as it lies in memory.
/// Pictures are written one by one: memory does not grow with their number. Smaller ones stand at the top left of the
/// largest. `gif` is another name of this command; it writes APNG too.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  picaflor video game.pcap -o game.png
  picaflor video ge:game -o draws.png --draws --fps 20
  picaflor video game.ctf -o draws.png --draws 580..600
  picaflor video game.pcap -o top.png --screen top --every 2")]
pub struct Args {
    /// A capture, or scene:NAME or ge:NAME; - for standard input
    pub(super) capture: Source,
    /// The file; - for standard output
    #[arg(short, long, value_name = "FILE")]
    pub(super) out: PathBuf,
    /// The buffer after each draw, or after those of a range A..B, instead of frames
    #[arg(long, value_name = "A..B", value_parser = draws, num_args = 0..=1,
        default_missing_value = "0..18446744073709551615")]
    draws: Option<Range<u64>>,
    /// Only every n-th frame or draw
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    every: u64,
    /// Only this screen of the 3DS
    #[arg(long, value_enum, conflicts_with = "draws")]
    screen: Option<Screen>,
    /// Pictures per second; 60 for frames, 10 for draws unless given
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1000))]
    fps: Option<u16>,
    /// Engine
    #[arg(long, default_value = "jit", value_parser = ["interp", "jit"])]
    engine: String,
    /// Threads to draw on; default: the number of processors
    #[arg(long, value_parser = parse_threads)]
    threads: Option<usize>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// A screen of a console with two.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Screen {
    /// The upper screen
    Top,
    /// The lower screen
    Bottom,
}

/// Runs the subcommand.
///
/// # Errors
/// The capture cannot be read or replayed, has no such pictures, or the file cannot be written.
pub fn run(args: &Args) -> Result<ExitCode, CliError> {
    if args.screen.is_some() {
        capture::allow("--screen", slice::from_ref(&args.capture), |machine| machine.has_screens())?;
    }
    capture::machine_of(&args.capture).video(args)?;
    Ok(ExitCode::SUCCESS)
}

/// Plays twice: for the number of pictures and their size, then for the pictures.
pub(super) fn video<M: Commands>(args: &Args) -> Result<(), CliError> {
    let named = capture::load::<M>(&args.capture, Reading::default())?;
    let mut engine = M::engine(&args.engine, Setup::default()).map_err(|why| named.refused(why))?;
    let reel =
        Reel { range: args.draws.clone().unwrap_or(0..u64::MAX), every: args.every, ..Reel::default() };
    let survey = roll::<M>(args, &named.capture, &mut engine, reel).map_err(|why| named.refused(why))?;
    warn(&survey.given_up, &survey.faults);
    let (count, size) = (survey.taken, survey.size);
    if count == 0 || size[0] == 0 || size[1] == 0 {
        let what = if args.draws.is_some() { "has no such draws" } else { "shows nothing" };
        return Err(CliError::new(format!("`{}` {what}", named.name)));
    }
    let fps = args.fps.unwrap_or(if args.draws.is_some() { 10 } else { 60 });
    stream_to(&args.out, |file| {
        let mut encoder = png::Encoder::new(file, size[0], size[1]);
        encoder.set_color(png::ColorType::Rgb);
        encoder
            .set_animated(count, 0)
            .and_then(|()| encoder.set_frame_delay(1, fps))
            .map_err(CliError::new)?;
        let writer = encoder.write_header().map_err(CliError::new)?;
        let (range, every) = (survey.range.clone(), survey.every);
        let reel = Reel { range, every, size, writer: Some(writer), ..Reel::default() };
        let mut reel =
            roll::<M>(args, &named.capture, &mut engine, reel).map_err(|why| named.refused(why))?;
        reel.error.take().map_or(Ok(()), Err)?;
        reel.writer.take().map_or(Ok(()), |writer| writer.finish().map_err(CliError::new))
    })?;
    let what = if args.draws.is_some() { "draws" } else { "frames" };
    let [width, height] = size;
    let text = format!("{count} {what}, {width}x{height}, {fps} per second");
    tell_of(&args.out, args.json, json!({ "pictures": count, "of": what, "size": size, "fps": fps }), &text)
}

/// Pictures as they come: counted, or written.
#[derive(Default)]
struct Reel {
    /// Those that are wanted.
    range: Range<u64>,
    every: u64,
    seen: u64,
    taken: u32,
    size: [u32; 2],
    writer: Option<png::Writer<Output>>,
    error: Option<CliError>,
    given_up: GivenUpList,
    faults: FaultList,
}

impl Reel {
    fn add(&mut self, size: [u32; 2], picture: &dyn Fn() -> Option<Image>) {
        let number = self.seen;
        self.seen += 1;
        let is_wanted =
            self.range.contains(&number) && (number - self.range.start).is_multiple_of(self.every);
        if !is_wanted || self.error.is_some() {
            return;
        }
        self.taken += 1;
        let Some(writer) = &mut self.writer else {
            self.size = [0, 1].map(|side| self.size[side].max(size[side]));
            return;
        };
        let mut canvas = Image::new(self.size[0], self.size[1], [0; 3]);
        if let Some(picture) = picture() {
            canvas.paste(0, 0, &picture);
        }
        self.error = writer.write_image_data(canvas.rgb()).err().map(CliError::new);
    }

    /// True if nothing more is wanted.
    const fn is_done(&self) -> bool {
        self.seen >= self.range.end || self.error.is_some()
    }
}

fn lock(reel: &Mutex<Reel>) -> MutexGuard<'_, Reel> {
    reel.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Plays a capture onto a reel.
fn roll<M: Commands>(
    args: &Args,
    capture: &M::Capture,
    engine: &mut M::Engine,
    reel: Reel,
) -> Result<Reel, CliError> {
    let reel = Arc::new(Mutex::new(reel));
    let mut player = M::player(capture).map_err(CliError::new)?;
    M::set_threads(&mut player, args.threads.unwrap_or_else(host_threads));
    if args.draws.is_some() {
        let reel = Arc::clone(&reel);
        let each = move |size: [u32; 2], view: &dyn Fn() -> BufferView| {
            lock(&reel)
                .add(size, &|| Some(view()).filter(|of| !of.colour.is_empty()).map(|of| colour_image(&of)));
        };
        M::after_draws(&mut player, Box::new(each));
    }
    let mut given_up = GivenUpList::default();
    while let Some(step) = M::step(&mut player, M::stages(engine)) {
        if let Some(why) = M::given_up(step.outcome) {
            given_up.push(step.index, why);
        }
        if args.draws.is_none() && M::ends_frame(step.event) {
            let picture = M::screen(&player, M::stages(engine), args.screen);
            let size = picture.as_ref().map_or([0; 2], |picture| [picture.width(), picture.height()]);
            lock(&reel).add(size, &|| picture.clone());
        }
        if lock(&reel).is_done() {
            break;
        }
    }
    let faults = M::faults(&player).clone();
    drop(player);
    let reel = Arc::into_inner(reel).map(|reel| reel.into_inner().unwrap_or_else(PoisonError::into_inner));
    Ok(Reel { given_up, faults, ..reel.expect("the player, which had the other one, is gone") })
}
