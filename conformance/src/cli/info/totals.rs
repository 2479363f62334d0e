//! The end of `info`: counters of the replay, and faults of the guest.

use picaflor_pipeline::fault::FaultList;
use serde_json::{Value, json};

/// The counters in a line, and a line for each fault.
pub(in crate::cli) fn as_text(counts: &[(&str, u64)], faults: &FaultList) -> String {
    let counts: Vec<String> = counts.iter().map(|(name, count)| format!("{count} {name}")).collect();
    let mut text = counts.join(", ");
    for fault in faults.as_slice() {
        text += &format!("\nfault: {fault}");
    }
    if faults.dropped() > 0 {
        text += &format!("\n{} more faults", faults.dropped());
    }
    text
}

/// An object with a field for each counter.
pub(in crate::cli) fn as_json(counts: &[(&str, u64)], faults: &FaultList) -> Value {
    let mut totals = json!({
        "faults": faults.as_slice().iter().map(ToString::to_string).collect::<Vec<_>>(),
        "more_faults": faults.dropped(),
    });
    for &(name, count) in counts {
        totals[name] = count.into();
    }
    totals
}
