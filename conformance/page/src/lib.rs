//! The library of the inspector for its page in a browser, where there is no server:
//!
//! ```text
//! cargo build --profile page --target wasm32-unknown-unknown -p picaflor-page
//! picaflor view --export FOLDER
//! ```
//!
//! `worker.js` of the page is the host. It writes bytes into the [buffer](Library::buffer), calls a function, and reads the
//! answer. There is one function to open a capture and one to ask; a question is the path that the server of
//! `picaflor view` is asked, and its answer is the same. The interpreter draws.
//!
//! Unsafe code: `exports.rs` alone, which the host calls by name.

#[cfg(target_family = "wasm")]
mod exports;

use picaflor_conformance::inspect::page::{Answer, Captures, Held, Request};
use picaflor_conformance::inspect::{NoAnswer, open, open_scene};

/// Kind of an answer, as the host sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Kind {
    /// An object as JSON.
    Json = 0,
    /// Numbers.
    Bytes = 1,
    /// An object as JSON with the field `error`.
    Refused = 2,
}

/// The captures of a page, a buffer for what the host says, and the last answer.
#[derive(Default)]
pub struct Library {
    captures: Captures,
    buffer: Vec<u8>,
    answer: Vec<u8>,
}

impl Library {
    /// A buffer of so many bytes, for the host to fill.
    pub fn buffer(&mut self, bytes: usize) -> &mut [u8] {
        self.buffer = vec![0; bytes];
        &mut self.buffer
    }

    /// Opens a capture at a place, 0 or 1. The buffer is its name, `name` bytes, and its file; without a file it is a
    /// scene of that name.
    pub fn open(&mut self, place: usize, name: usize) -> Kind {
        let mut content = std::mem::take(&mut self.buffer);
        let file = content.split_off(name.min(content.len()));
        let name = String::from_utf8_lossy(&content).into_owned();
        let opened = if file.is_empty() { open_scene(&name) } else { open(file) };
        match opened {
            Ok(inspector) => match self.captures.put(place, Held::new(&name, inspector)) {
                Ok(()) => self.keep(Answer::Bytes(Vec::new())),
                Err(NoAnswer(why)) => {
                    self.keep(Answer::Refused(format!("cannot compare with `{name}`: {why}")))
                }
            },
            Err(NoAnswer(why)) => self.keep(Answer::Refused(format!("cannot use `{name}`: {why}"))),
        }
    }

    /// Answers the question that is in the buffer: a path with parameters.
    pub fn ask(&mut self) -> Kind {
        let question = String::from_utf8(std::mem::take(&mut self.buffer)).ok();
        let answer = match question.as_deref().and_then(Request::parse) {
            Some(request) => self.captures.answer(&request),
            None => Answer::Refused("the question is damaged".into()),
        };
        self.keep(answer)
    }

    fn keep(&mut self, answer: Answer) -> Kind {
        let kind = match answer {
            Answer::Json(_) => Kind::Json,
            Answer::Bytes(_) => Kind::Bytes,
            Answer::Refused(_) => Kind::Refused,
        };
        self.answer = answer.into_bytes();
        kind
    }

    /// The last answer.
    #[must_use]
    pub fn answer(&self) -> &[u8] {
        &self.answer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opened(library: &mut Library, name: &str, file: &[u8]) -> Kind {
        library.buffer(name.len() + file.len()).copy_from_slice(&[name.as_bytes(), file].concat());
        library.open(0, name.len())
    }

    fn asked(library: &mut Library, path: &str) -> (Kind, String) {
        library.buffer(path.len()).copy_from_slice(path.as_bytes());
        let kind = library.ask();
        (kind, String::from_utf8_lossy(library.answer()).into_owned())
    }

    #[test]
    fn a_scene_answers() {
        let mut library = Library::default();
        assert_eq!(opened(&mut library, "ge:game", &[]), Kind::Bytes);
        let (kind, text) = asked(&mut library, "/api/capture");
        assert!(kind == Kind::Json && text.contains("\"name\":\"ge:game\""), "{text}");
        let (kind, text) = asked(&mut library, "/api/history?draw=22&x=240&y=136");
        assert!(kind == Kind::Json && text.contains("texture function"), "{text}");
        assert_eq!(asked(&mut library, "/api/pixels?draw=22&when=after").0, Kind::Bytes);
        assert_eq!(asked(&mut library, "/api/thumbnails").0, Kind::Bytes);
    }

    #[test]
    fn wrong_questions_and_files_are_refused() {
        let mut library = Library::default();
        assert_eq!(asked(&mut library, "/api/capture").0, Kind::Refused);
        assert_eq!(
            asked(&mut library, "no path"),
            (Kind::Refused, "{\"error\":\"the question is damaged\"}".into())
        );
        assert_eq!(opened(&mut library, "scene:nothing", &[]), Kind::Refused);
        for file in [&b"no capture"[..], b"PK\x03\x04", b"\x1f\x8b\x08", b"PPSSPPGE", b"PICAFLOR"] {
            assert_eq!(opened(&mut library, "file", file), Kind::Refused);
            let text = String::from_utf8_lossy(library.answer()).into_owned();
            assert!(text.starts_with("{\"error\":\"cannot use `file`: "), "{text}");
        }
    }
}
