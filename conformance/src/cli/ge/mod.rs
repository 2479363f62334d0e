//! The GE's part of the subcommands, and the subcommand for the GE alone.

mod fuzz;
pub mod hardware;
mod info;
mod words;

use super::CliError;
use super::capture::Named;
use super::convert::Format;
use super::fuzz::Kind;
use super::fuzz::traces::Traces;
use super::info::keys::{KINDS, Kinds};
use super::machine::Commands;
use crate::convert::{Converted, Losses};
use crate::ge::Ge;
use crate::ge::assembly::Assemblies;
use crate::ge::blits::Blits;
use crate::ge::convert;
use crate::ge::engine::Work;
use crate::ge::lockstep::Comparison;
use crate::ge::pixels::Pixels;
use crate::ge::pixels::traces::PixelTraces;
use crate::ge::surfaces::Surfaces;
use crate::ge::vertices::Vertices;
use crate::inspect::NoAnswer;
use crate::lockstep::Side;
use fuzz::list::DisplayLists;
use fuzz::states::States;
use picaflor_pipeline::capture::CaptureError;
use picaflor_pipeline::ge::capture::{Capture, ppdmp};
use serde_json::{Map, Value};

impl Commands for Ge {
    const ASKED: &'static str = "states";
    const PICTURES: &'static str =
        "Buffers are shown from their first pixel on, 480 by 272, as the screen would.";
    const KINDS: &'static [&'static dyn Kind] = &[
        &States::<Pixels>::KIND,
        &Traces::<PixelTraces>::KIND,
        &States::<Vertices>::KIND,
        &States::<Assemblies>::KIND,
        &States::<Surfaces>::KIND,
        &States::<Blits>::KIND,
        &DisplayLists,
    ];

    const FOREIGN: Format = Format::Ppdmp;

    fn convert(capture: &Capture) -> Result<Converted, NoAnswer> {
        convert::to_dump(capture)
    }

    fn lost_by_reading(file: &[u8]) -> Losses {
        let mut losses = Losses::default();
        if let Ok(dump) = ppdmp::read(file) {
            losses.always("the division of the stream into records");
            if !dump.game.is_empty() {
                losses.always(format!("the name of the game, {}", dump.game));
            }
        }
        losses
    }

    fn info(named: &Named<Self>, args: &super::info::Args) -> Result<(), CliError> {
        info::info(named, args)
    }

    fn keys(capture: &Capture) -> Result<(u64, Kinds), CaptureError> {
        let keys = crate::ge::keys::keys(capture)?;
        let kinds = KINDS.into_iter().zip([keys.pixels, keys.textures, keys.vertices]).collect();
        Ok((keys.draws, kinds))
    }

    fn share(work: &Work) -> [u64; 2] {
        [work.compiled, work.asked]
    }

    fn notes(side: &Side<Self>) -> Vec<String> {
        words::notes(side)
    }

    fn side_as_json(side: &Side<Self>) -> Value {
        words::side_as_json(side)
    }

    fn more_details(comparison: &Comparison) -> [Map<String, Value>; 2] {
        words::more_details(comparison)
    }

    fn compiled_in_demo(work: &Work) -> String {
        work.compiled.to_string()
    }

    fn lines_in_demo(comparison: &Comparison) -> Vec<String> {
        words::lines_in_demo(comparison)
    }

    fn demo_as_json(comparison: &Comparison, picture: &str) -> Value {
        words::demo_as_json(comparison, picture)
    }
}
