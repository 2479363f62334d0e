//! Code that reads a field: the fallback where no random case shows that a result depends on it.

use std::path::{Path, PathBuf};

/// Sources: the room of the file, and its text without tests.
pub(super) struct Sources(Vec<(String, String)>);

impl Sources {
    /// The rooms of a machine, the oracle's first; without the paths that begin with one of `without`.
    pub(super) fn of(machine: &str, without: &[&str]) -> Self {
        let mut sources = Vec::new();
        for package in ["interp", "pipeline"] {
            let base = super::path(&format!("../{package}/src"));
            let mut files = Vec::new();
            walk(&base.join(machine), &mut files);
            files.sort();
            for file in files {
                let room = file.strip_prefix(&base).expect("below").with_extension("");
                let room = room.to_str().expect("UTF-8").to_owned();
                if without.iter().any(|path| room.starts_with(path))
                    || room.split('/').any(|part| part.ends_with("tests"))
                {
                    continue;
                }
                let text = std::fs::read_to_string(&file).expect("a source");
                let code = text.split("mod tests {").next().unwrap_or_default().to_owned();
                sources.push((room, code));
            }
        }
        Self(sources)
    }

    /// The first room that has a text, which no letter, digit or underscore follows.
    pub(super) fn room_of(&self, text: &str) -> Option<&str> {
        let has = |(_, code): &&(String, String)| {
            code.match_indices(text).any(|(at, _)| {
                let next = code[at + text.len()..].chars().next();
                !next.is_some_and(|next| next.is_alphanumeric() || next == '_')
            })
        };
        self.0.iter().find(has).map(|(room, _)| room.as_str())
    }
}

fn walk(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            walk(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}
