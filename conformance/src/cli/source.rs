//! Captures as the command line names them.

use super::plain;
use serde::{Serialize, Serializer};
use std::ffi::{OsStr, OsString};
use std::fmt::{self, Display};
use std::path::Path;

/// The name of a capture: a file, `-` for standard input, or a scene. It need not be UTF-8. In texts it is shown without
/// control characters, in JSON as it is; in both, bytes that are no text are replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Source(OsString);

impl Source {
    /// The name as text; empty if it is none, and then that of a file.
    pub(super) fn text(&self) -> &str {
        self.0.to_str().unwrap_or_default()
    }

    /// The name as a path.
    pub(super) fn path(&self) -> &Path {
        Path::new(&self.0)
    }

    /// The name as in JSON.
    pub(super) fn raw(&self) -> String {
        self.0.to_string_lossy().into_owned()
    }
}

impl<T: AsRef<OsStr> + ?Sized> From<&T> for Source {
    fn from(name: &T) -> Self {
        Self(name.as_ref().to_owned())
    }
}

impl From<OsString> for Source {
    fn from(name: OsString) -> Self {
        Self(name)
    }
}

impl AsRef<OsStr> for Source {
    fn as_ref(&self) -> &OsStr {
        &self.0
    }
}

impl Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&plain(&self.raw()))
    }
}

impl Serialize for Source {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.raw())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_texts_and_in_json() {
        let source = Source::from("e\u{1b}[31m\n.pcap");
        assert_eq!(source.to_string(), "e\u{fffd}[31m .pcap");
        assert_eq!(serde_json::to_value(&source).unwrap(), "e\u{1b}[31m\n.pcap");
    }

    #[cfg(unix)]
    #[test]
    fn names_that_are_no_text() {
        use std::os::unix::ffi::OsStrExt;
        let name = OsStr::from_bytes(b"x\xff.pcap");
        let source = Source::from(name);
        assert_eq!((source.path(), source.text()), (Path::new(name), ""));
        assert_eq!(
            (source.to_string().as_str(), source.raw().as_str()),
            ("x\u{fffd}.pcap", "x\u{fffd}.pcap")
        );
    }
}
