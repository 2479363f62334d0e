//! `picaflor render` of a capture of the GE.

use super::load;
use crate::cli::render::Args;
use crate::cli::{CliError, write_atomic};
use crate::ge::engine;
use crate::ge::replay::{Played, play};
use crate::image::grey_png;
use crate::setup::Setup;
use picaflor_pipeline::ge::capture::ppdmp::Lists;
use picaflor_pipeline::ge::display::{HEIGHT, WIDTH};
use std::process::ExitCode;

/// Writes what the screen shows at the end of a frame, or the depth buffer.
pub(in crate::cli) fn render(args: &Args, threads: usize) -> Result<ExitCode, CliError> {
    let source = &args.capture;
    let named = load(source, Lists::Long)?;
    let setup = Setup { cache: args.cache.folder.as_deref(), ..Setup::default() };
    let mut engine = engine::with_setup(&args.engine, setup).map_err(CliError::new)?;
    let fail = |why| CliError::new(format!("cannot use `{source}`: {why}"));
    let played = play(&named.capture, &mut engine, threads, args.frame).map_err(fail)?;
    args.cache.warn(&engine.work().disk);
    for (event, why) in &played.given_up {
        eprintln!("picaflor: warning: the list of event {event} was given up: {why}");
    }
    played.faults.as_slice().iter().for_each(|fault| eprintln!("picaflor: warning: {fault}"));
    let file =
        if args.depth { depth_file(&played) } else { played.picture.as_ref().map(|image| image.to_png()) };
    let nothing = || CliError::new(format!("`{source}` shows nothing of this kind"));
    write_atomic(&args.out, &file.ok_or_else(nothing)?)?;
    Ok(ExitCode::SUCCESS)
}

/// Depth as grey, stretched from its smallest to its largest value.
fn depth_file(played: &Played) -> Option<Vec<u8>> {
    let values = played.depth.as_ref()?;
    let (low, high) = (*values.iter().min()?, *values.iter().max()?);
    let span = u32::from(high - low).max(1);
    let grey = |&value: &u16| (u32::from(value - low) * 0xffff / span) as u16;
    Some(grey_png(WIDTH, HEIGHT, &values.iter().map(grey).collect::<Vec<_>>()))
}
