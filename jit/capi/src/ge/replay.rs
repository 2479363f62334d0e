//! Replays of captures.

use crate::engine::EngineHandle;
use crate::handle::Handle;
use crate::hooks::{self, Hooks, HooksConfig};
use crate::raw::{Array, In, User};
use crate::replay::{FrameFn, Frames, unreadable};
use crate::status::{Status, guard};
use crate::trace::Requested;
use picaflor_jit::Engine;
use picaflor_pipeline::ge::capture::format;
use picaflor_pipeline::ge::capture::replay::Player;
use picaflor_pipeline::ge::observer::Observer;
use std::sync::PoisonError;

/// Plays frames until the host has enough.
fn play(player: &mut Player<'_>, engine: &mut Engine, frames: &Frames) {
    while let Some(frame) = player.run_frame(engine) {
        let picture = player.display().map(|display| player.picture(engine, display));
        let draws = player.stats().draws;
        if !frames.give(frame.frame, frame.error_count, draws, picture.as_ref()) {
            break;
        }
    }
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_ge_replay(
    engine: Handle<EngineHandle>,
    bytes: Array<u8>,
    length: usize,
    hooks: In<HooksConfig>,
    frame: Option<FrameFn>,
    user: User,
) -> Status {
    guard(|| {
        let engine = engine.get("engine")?;
        let frames = Frames::new(frame, user)?;
        let (hooks, watched) = Hooks::new(hooks::read(&hooks)?, &Requested::default()).unzip();
        let capture = format::read(bytes.slice(length, "bytes")?).map_err(unreadable)?;
        let mut player = Player::new(&capture).map_err(unreadable)?;
        player.ge_mut().set_observer(hooks.map(|hooks| Box::new(hooks) as Box<dyn Observer>));
        engine.0.with(|bench| {
            if let Some(watched) = watched {
                *watched.lock().unwrap_or_else(PoisonError::into_inner) =
                    Some((bench.engine.watch(), bench.engine.tracer()));
            }
            play(&mut player, &mut bench.engine, &frames);
            Ok(())
        })
    })
}
