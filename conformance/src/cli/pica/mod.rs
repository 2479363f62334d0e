//! The PICA200's part of the subcommands, and the subcommands for the PICA200 alone.

pub mod asm;
pub mod disasm;
mod fuzz;
mod info;
mod log;
pub mod shader;
pub mod sweep;
mod words;

use super::CliError;
use super::capture::Named;
use super::convert::Format;
use super::fuzz::Kind;
use super::fuzz::traces::Traces;
use super::info::keys::{KINDS, Kinds};
use super::machine::Commands;
use super::video::Screen;
use crate::convert::Converted;
use crate::image::Image;
use crate::inspect::NoAnswer;
use crate::lockstep::Side;
use crate::machine::Plays as _;
use crate::pica::Pica;
use crate::pica::convert;
use crate::pica::fragments::scenes;
use crate::pica::fragments::traces::FragmentTraces;
use crate::pica::lockstep::{Batches, Comparison};
use crate::pica::replay::screens;
use crate::pica::seams::blit::BlitCase;
use crate::pica::seams::primitive::PrimitiveCase;
use fuzz::fragment::Fragments;
use fuzz::law::Laws;
use fuzz::list::CommandLists;
use fuzz::seam::Seam;
use fuzz::shader::Programs;
use picaflor_pipeline::capture::CaptureError;
use picaflor_pipeline::pica::capture::Capture;
use picaflor_pipeline::pica::capture::replay::Player;
use picaflor_pipeline::pica::display;
use serde_json::Value;
use std::marker::PhantomData;

impl Commands for Pica {
    const ASKED: &'static str = "batches";
    const PICTURES: &'static str =
        "Buffers are shown as they lie in memory: the screens of the console stand on their side.";
    const KINDS: &'static [&'static dyn Kind] = &[
        &Programs,
        &CommandLists,
        &Fragments,
        &Laws,
        &Traces::<FragmentTraces>::KIND,
        &Seam::<PrimitiveCase>(PhantomData),
        &Seam::<BlitCase>(PhantomData),
    ];

    const FOREIGN: Format = Format::Citrace;

    fn convert(capture: &Capture) -> Result<Converted, NoAnswer> {
        convert::to_citrace(capture)
    }

    fn screen(player: &Player<'_>, stages: &mut Self::Stages<'_>, which: Option<Screen>) -> Option<Image> {
        let Some(which) = which else { return Self::picture(player, stages) };
        let wanted = match which {
            Screen::Top => display::Screen::Top,
            Screen::Bottom => display::Screen::Bottom,
        };
        let shown = screens(player.pica().external(), stages, player.memory());
        shown.iter().find(|(screen, _)| *screen == wanted).map(|(_, picture)| Image::from(picture))
    }

    fn info(named: &Named<Self>, args: &super::info::Args) -> Result<(), CliError> {
        info::info(named, args)
    }

    fn keys(capture: &Capture) -> Result<(u64, Kinds), CaptureError> {
        let draws = scenes::draws(capture)?;
        Ok((draws.values().sum(), vec![(KINDS[0], draws)]))
    }

    fn share(work: &Batches) -> [u64; 2] {
        [work.compiled, work.total()]
    }

    fn notes(side: &Side<Self>) -> Vec<String> {
        words::notes(side)
    }

    fn side_as_json(side: &Side<Self>) -> Value {
        words::side_as_json(side)
    }

    fn demo_as_json(comparison: &Comparison, picture: &str) -> Value {
        words::demo_as_json(comparison, picture)
    }
}
