//! The table of draws, fills and transfers.

use super::escaped;
use crate::lockstep::Step;

/// Rows that are shown; those that differ come first in the count.
const MOST_ROWS: usize = 3000;

/// The steps of a capture; of what a draw is made, and of what that.
pub(super) fn table(steps: &[Step<String>], [whole, part]: [&str; 2]) -> String {
    if steps.is_empty() {
        return String::new();
    }
    let differing = steps.iter().filter(|step| !step.is_same()).count();
    let mut room = MOST_ROWS.saturating_sub(differing);
    let mut wrong_room = MOST_ROWS;
    let mut is_shown = |step: &&Step<String>| {
        let room = if step.is_same() { &mut room } else { &mut wrong_room };
        let is_shown = *room > 0;
        *room = room.saturating_sub(1);
        is_shown
    };
    let shown: Vec<String> = steps.iter().filter(&mut is_shown).map(row).collect();
    let left = match steps.len() - shown.len() {
        0 => String::new(),
        left => format!("<p>{left} more rows are left out.</p>\n"),
    };
    let open = if differing > 0 { " open" } else { "" };
    format!(
        "<details{open}>\n<summary>{} points: draws and whatever else writes; {differing} differ</summary>\n\
         <div class=\"scroll\"><table class=\"figures steps\">\n<thead><tr><th>at</th><th>vertices</th>\
         <th>{whole}</th><th>{part}</th><th>verdict</th><th>state key</th></tr></thead>\n<tbody>\n{}\
         </tbody>\n</table></div>\n{left}</details>\n",
        steps.len(),
        shown.concat(),
    )
}

fn row(step: &Step<String>) -> String {
    let differing = |(surface, bytes): &(String, u64)| format!("{surface}: {bytes} bytes");
    let (class, verdict) = match step.is_same() {
        true => ("same", "same".to_owned()),
        false => ("differs", step.differences.iter().map(differing).collect::<Vec<_>>().join(", ")),
    };
    format!(
        "<tr class=\"{class}\"><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td><code>{}</code></td></tr>\n",
        escaped(&step.place),
        step.vertices,
        step.primitives,
        step.fragments,
        escaped(&verdict),
        escaped(&step.key),
    )
}
