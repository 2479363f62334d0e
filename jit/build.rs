//! A fingerprint of everything that generated code comes from. Code on disk carries it: while this crate is being
//! worked on its version stays the same, and code of yesterday may not fit the structures of today.

use std::path::{Path, PathBuf};
use std::{fs, io};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    let mut fingerprint = Fingerprint::default();
    // A published crate stands alone; its dependencies have versions then, see `disk_cache::identity`.
    for folder in ["src", "../pipeline/src"] {
        if Path::new(folder).is_dir() {
            println!("cargo::rerun-if-changed={folder}");
            fingerprint.folder(Path::new(folder))?;
        }
    }
    println!("cargo::rustc-env=PICAFLOR_SOURCE_FINGERPRINT={:016x}", fingerprint.0);
    Ok(())
}

/// FNV-1a with 64 bits. Nobody tries to make two sources collide.
struct Fingerprint(u64);

impl Default for Fingerprint {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fingerprint {
    fn folder(&mut self, folder: &Path) -> io::Result<()> {
        let mut paths: Vec<PathBuf> =
            fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
        paths.sort();
        for path in paths {
            if path.is_dir() {
                self.folder(&path)?;
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                self.bytes(path.file_name().unwrap_or_default().as_encoded_bytes());
                self.bytes(&fs::read(&path)?);
            }
        }
        Ok(())
    }

    fn bytes(&mut self, bytes: &[u8]) {
        let length = (bytes.len() as u64).to_le_bytes();
        for &byte in length.iter().chain(bytes) {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}
