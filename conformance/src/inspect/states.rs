//! Draws in equal states.

use super::Inspect;
use super::action::Action;
use std::collections::HashMap;

/// For each draw the first one with the same [essence](Inspect::essence) and program.
pub(super) fn first_of_each<M: Inspect>(first: &[u32], actions: &[Action]) -> Vec<u64> {
    let mut words = first.to_vec();
    let mut known = HashMap::new();
    let mut firsts = Vec::new();
    for action in actions {
        for &[number, _, new] in &action.changed {
            if let Some(word) = words.get_mut(number as usize) {
                *word = new;
            }
        }
        if let Some(draw) = action.draw {
            firsts.push(*known.entry((M::essence(&words), action.program)).or_insert(draw));
        }
    }
    firsts
}

#[cfg(test)]
mod tests {
    use crate::ge::Ge;
    use crate::inspect::{Inspector, Session};
    use crate::pica::Pica;
    use crate::plays::{Plays, Reading};

    fn inspector<M: crate::inspect::Inspect>(name: &str) -> Session<M> {
        Session::new(<M as Plays>::scene(name, Reading::default()).expect("a scene"), M::interpreter())
    }

    /// Draws of one state have no register of their essence that differs, and there are several groups.
    #[test]
    fn draws_are_grouped() {
        for of in [&mut inspector::<Ge>("game") as &mut dyn Inspector, &mut inspector::<Pica>("game_frame")] {
            let firsts = of.same_states().expect("it plays");
            assert!(
                firsts
                    .iter()
                    .enumerate()
                    .all(|(draw, &first)| firsts[first as usize] == first && first <= draw as u64)
            );
            let groups = firsts.iter().enumerate().filter(|&(draw, &first)| draw as u64 == first).count();
            assert!(groups > 1 && groups < firsts.len(), "{groups} of {}", firsts.len());
        }
    }
}
