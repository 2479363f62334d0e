//! The output of `info`, written while the machine runs: the text of a long capture is never held in memory. Lists and
//! actions share an allowance, because a capture may run the same memory again and again.

use crate::cli::CliError;
use crate::cli::output::written;
use serde_json::{Value, json};
use std::io::{self, BufWriter, Stdout, Write};
use std::path::Path;

/// Words that are shown of any capture, and for each word of its events: a word may be in lists of several frames.
const BASE: u64 = 1 << 16;
const FACTOR: u64 = 16;

/// The output, as text or as JSON.
pub(in crate::cli) struct Stream {
    out: BufWriter<Stdout>,
    result: io::Result<()>,
    json: bool,
    /// JSON items so far.
    items: u64,
    /// Words that may be shown.
    limit: u64,
    /// Those that still may be.
    left: u64,
    /// Lists and actions that are not shown, or not whole.
    left_out: u64,
}

impl Stream {
    /// `words` is the length of the capture's events.
    pub(in crate::cli) fn new(json: bool, words: u64) -> Self {
        let limit = BASE + FACTOR * words;
        let out = BufWriter::new(io::stdout());
        Self { out, result: Ok(()), json, items: 0, limit, left: limit, left_out: 0 }
    }

    /// True if the reader has closed the pipe.
    pub(in crate::cli) const fn is_closed(&self) -> bool {
        self.result.is_err()
    }

    /// Spends so many words of the allowance. False if that is more than is left: then no later list or action is shown,
    /// so that only the end is missing.
    pub(in crate::cli) const fn affords(&mut self, words: u64) -> bool {
        let is_enough = words <= self.left;
        self.left = if is_enough { self.left - words } else { 0 };
        is_enough
    }

    /// Counts a list or an action that is not shown, or not whole.
    pub(in crate::cli) const fn leave_out(&mut self) {
        self.left_out += 1;
    }

    fn write(&mut self, text: &str) {
        if self.result.is_ok() {
            self.result = self.out.write_all(text.as_bytes());
        }
    }

    /// The beginning: a text, or the first members of the document.
    pub(in crate::cli) fn begin(&mut self, text: &str, members: &[(&str, Value)]) {
        if !self.json {
            return self.write(&format!("{text}\n"));
        }
        let members: String = members.iter().map(|(name, value)| format!("\"{name}\": {value},\n")).collect();
        self.write(&format!("{{{members}\"items\": ["));
    }

    /// Adds an item, in the form that was asked for.
    pub(in crate::cli) fn item(&mut self, text: impl FnOnce() -> String, json: impl FnOnce() -> Value) {
        if !self.json {
            return self.write(&format!("{}\n", text()));
        }
        let comma = if self.items == 0 { "" } else { "," };
        self.items += 1;
        self.write(&format!("{comma}\n{}", json()));
    }

    /// Adds an item with a list of words in it, as far as the allowance goes. `json` is an object with members.
    pub(in crate::cli) fn item_with_words<T>(
        &mut self,
        (text, json): (String, Value),
        words: impl Iterator<Item = T>,
        line: impl Fn(&T) -> String,
        value: impl Fn(&T) -> Value,
    ) {
        let head = json.to_string();
        let open = head.strip_suffix('}').unwrap_or(&head).to_owned();
        let comma = if self.items == 0 { "" } else { "," };
        self.items += 1;
        self.write(&if self.json { format!("{comma}\n{open},\"words\":[") } else { format!("{text}\n") });
        for (number, word) in words.enumerate() {
            if self.is_closed() {
                return;
            }
            if !self.affords(1) {
                self.leave_out();
                break;
            }
            let comma = if number == 0 { "" } else { "," };
            self.write(&if self.json { format!("{comma}\n{}", value(&word)) } else { line(&word) + "\n" });
        }
        if self.json {
            self.write("]}");
        }
    }

    pub(in crate::cli) fn remark(&mut self, text: &str) {
        self.item(|| format!("    {text}"), || json!({ "kind": "remark", "text": text }));
    }

    /// The end, with what was left out and with totals, and the remaining text written. A closed pipe, as from `| head`, is
    /// no error.
    pub(in crate::cli) fn end(&mut self, text: &str, totals: &Value) -> Result<(), CliError> {
        if self.left_out > 0 {
            let (count, limit) = (self.left_out, self.limit);
            self.remark(&format!(
                "{count} more lists and actions are not shown whole: of this capture {limit} words are"
            ));
        }
        let end = if self.json { format!("\n],\n\"totals\": {totals}}}\n") } else { format!("{text}\n") };
        self.write(&end);
        let flushed = self.out.flush();
        written(Path::new("-"), std::mem::replace(&mut self.result, Ok(())).and(flushed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_allowance_is_not_exceeded() {
        let mut stream = Stream::new(false, 2);
        assert!(stream.affords(BASE) && stream.affords(2 * FACTOR - 1) && stream.affords(1));
        let mut stream = Stream::new(false, 0);
        assert!(
            stream.affords(0) && !stream.affords(BASE + 1) && !stream.affords(1),
            "only the end is missing"
        );
    }
}
