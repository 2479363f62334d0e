//! The keys that a capture needs.

use picaflor_jit::keys::FragmentStateKey;
use picaflor_pipeline::capture::CaptureError;
use picaflor_pipeline::pica::capture::Capture;
use picaflor_pipeline::pica::capture::replay::Player;
use picaflor_pipeline::pica::observer::{Observer, View};
use picaflor_pipeline::pica::stage::NoEngines;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Draws by their key, or by the reason why there is none.
pub type Draws = BTreeMap<String, u64>;

/// Counts keys.
#[derive(Default, Clone)]
struct Counter(Arc<Mutex<Draws>>);

impl Observer for Counter {
    fn draw_done(&mut self, view: View<'_>) {
        let key = FragmentStateKey::of(view.registers);
        let name = key.map_or_else(|refusal| refusal.to_string(), |key| key.to_string());
        *self.0.lock().unwrap_or_else(PoisonError::into_inner).entry(name).or_default() += 1;
    }
}

/// The draws of a capture by key, without shading or drawing.
///
/// # Errors
/// The player's errors.
pub fn draws(capture: &Capture) -> Result<Draws, CaptureError> {
    let counter = Counter::default();
    let mut player = Player::new(capture)?;
    player.pica_mut().set_observer(Some(Box::new(counter.clone())));
    while player.step(&mut NoEngines).is_some() {}
    let draws = counter.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
    Ok(draws)
}
