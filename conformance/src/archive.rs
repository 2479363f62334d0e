//! Archives of captures: `.gz` and `.zip`, recognised by their first bytes. A zip archive holds exactly one capture,
//! among other files. The unpacked size is limited.

use crate::machines::recognises;
use picaflor_pipeline::capture::Rate;
use std::fmt;
use std::io::{self, Read, Seek, SeekFrom};

/// Most bytes of any unpacked capture: those that a capture in the own format may have.
const LIMIT: u64 = picaflor_pipeline::capture::format::DEFAULT_LIMIT;
/// Number of bytes of a file from which its format is recognised.
pub(crate) const FIRST_BYTES: u64 = 64;
/// Most files of a zip archive, one of which is a capture.
const MOST_ENTRIES: usize = 4096;
/// Bytes that are read of a zip archive: to find its directory, the directory, the start of each file, and the capture.
/// Each of these is at most the whole.
const READ: Rate = Rate { factor: 4, base: 1 << 20 };
const GZIP: &[u8] = &[0x1f, 0x8b, 8];
const ZIP: &[u8] = b"PK\x03\x04";

/// Why an archive cannot be used.
#[derive(Debug)]
pub(crate) enum ArchiveError {
    /// Not a sound archive, or packed in a way that is not known.
    Damaged(String),
    /// No file of a zip archive is a capture.
    Nothing,
    /// Several files are.
    Several(Vec<String>),
    /// More files than [`MOST_ENTRIES`].
    TooMany,
    /// More bytes than such an archive may have.
    TooLarge(u64),
}

impl fmt::Display for ArchiveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Damaged(why) => write!(f, "the archive is damaged: {}", why.replace('\n', " ")),
            Self::Nothing => f.write_str("no file in the archive is a capture"),
            Self::Several(names) => {
                let shown: Vec<&str> = names.iter().take(4).map(String::as_str).collect();
                write!(f, "the archive holds {} captures ({}): unpack it", names.len(), shown.join(", "))
            }
            Self::TooMany => write!(f, "the archive holds more than {MOST_ENTRIES} files: unpack it"),
            Self::TooLarge(limit) => write!(f, "the archive unpacks to more than {limit} bytes"),
        }
    }
}

/// True if a file with these first bytes is an archive.
pub(crate) fn is_archive(first: &[u8]) -> bool {
    first.starts_with(GZIP) || first.starts_with(ZIP)
}

/// The capture in an archive; other files stay as they are.
pub(crate) fn unpacked(file: Vec<u8>) -> Result<Vec<u8>, ArchiveError> {
    if !is_archive(&file) {
        return Ok(file);
    }
    let limit = Rate::ARCHIVE.of(file.len() as u64).at_most(LIMIT).limit();
    let content = content(io::Cursor::new(&file), limit + 1)?;
    if content.len() as u64 > limit { Err(ArchiveError::TooLarge(limit)) } else { Ok(content) }
}

/// The first bytes of the capture in an archive.
#[cfg(not(target_family = "wasm"))]
pub(crate) fn first_bytes(file: impl Read + Seek) -> Option<Vec<u8>> {
    content(file, FIRST_BYTES).ok()
}

/// At most `most` bytes of the capture in an archive.
fn content(mut file: impl Read + Seek, most: u64) -> Result<Vec<u8>, ArchiveError> {
    let mut first = [0; 4];
    file.read_exact(&mut first).and_then(|()| file.rewind()).map_err(damaged)?;
    if first.starts_with(GZIP) {
        return start_of(flate2::read::MultiGzDecoder::new(io::BufReader::new(file)), most);
    }
    let mut archive = zip::ZipArchive::new(Metered::new(io::BufReader::new(file))?).map_err(damaged)?;
    if archive.len() > MOST_ENTRIES {
        return Err(ArchiveError::TooMany);
    }
    let number = the_capture(&mut archive)?;
    start_of(archive.by_index(number).map_err(damaged)?, most)
}

/// The number of the only capture among the files.
fn the_capture(archive: &mut zip::ZipArchive<impl Read + Seek>) -> Result<usize, ArchiveError> {
    let mut found = Vec::new();
    for number in 0..archive.len() {
        let file = archive.by_index(number).map_err(damaged)?;
        let name = file.name().to_owned();
        let first = if file.is_file() { start_of(file, FIRST_BYTES)? } else { Vec::new() };
        if recognises(&first) {
            found.push((number, name));
        }
    }
    match &found[..] {
        [] => Err(ArchiveError::Nothing),
        [(number, _)] => Ok(*number),
        _ => Err(ArchiveError::Several(found.into_iter().map(|(_, name)| name).collect())),
    }
}

/// A zip archive that can be read a few times over. Any number of ends may have the same directory, and any number of
/// files the same content, so that a sound reader of a small archive may be busy for hours.
struct Metered<R> {
    archive: R,
    left: u64,
}

impl<R: Read + Seek> Metered<R> {
    fn new(mut archive: R) -> Result<Self, ArchiveError> {
        let size = archive.seek(SeekFrom::End(0)).map_err(damaged)?;
        Ok(Self { archive, left: READ.of(size).limit() })
    }
}

impl<R: Read> Read for Metered<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = usize::try_from(self.left).unwrap_or(usize::MAX).min(buffer.len());
        if most == 0 && !buffer.is_empty() {
            return Err(io::Error::other("its parts lie over each other"));
        }
        let count = self.archive.read(&mut buffer[..most])?;
        self.left -= count as u64;
        Ok(count)
    }
}

impl<R: Seek> Seek for Metered<R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        // A buffer is read again after a seek, and the directory is read with one behind each file.
        match to {
            SeekFrom::Start(at) if self.archive.stream_position()? == at => Ok(at),
            _ => self.archive.seek(to),
        }
    }

    fn stream_position(&mut self) -> io::Result<u64> {
        self.archive.stream_position()
    }
}

fn start_of(file: impl Read, most: u64) -> Result<Vec<u8>, ArchiveError> {
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes).map_err(damaged)?;
    Ok(bytes)
}

fn damaged(why: impl fmt::Display) -> ArchiveError {
    ArchiveError::Damaged(why.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    /// The first bytes of a capture of each kind that is recognised by less than a header.
    const DUMP: &[u8] = b"PPSSPPGE and more";

    fn gzip(content: &[u8]) -> Vec<u8> {
        let mut file = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        file.write_all(content).unwrap();
        file.finish().unwrap()
    }

    fn zip(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut archive = zip::ZipWriter::new(io::Cursor::new(Vec::new()));
        for (name, content) in files {
            archive.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
            archive.write_all(content).unwrap();
        }
        archive.finish().unwrap().into_inner()
    }

    #[test]
    fn the_capture_of_an_archive() {
        let archives = [gzip(DUMP), zip(&[("dir/a.txt", b"text"), ("b", DUMP)])];
        for archive in archives {
            assert_eq!(first_bytes(io::Cursor::new(&archive)).unwrap(), DUMP);
            assert_eq!(unpacked(archive).unwrap(), DUMP);
        }
        assert_eq!(unpacked(DUMP.to_vec()).unwrap(), DUMP);
        let members = [gzip(&DUMP[..5]), gzip(&DUMP[5..])].concat();
        assert_eq!(unpacked(members).unwrap(), DUMP);
    }

    #[test]
    fn archives_that_cannot_be_used() {
        let why = |file: Vec<u8>| unpacked(file).unwrap_err().to_string();
        assert_eq!(why(zip(&[("a", b"text")])), "no file in the archive is a capture");
        let two = zip(&[("a", DUMP), ("b", DUMP)]);
        assert_eq!(why(two), "the archive holds 2 captures (a, b): unpack it");
        for archive in [gzip(DUMP), zip(&[("a", DUMP)])] {
            for length in 4..archive.len() {
                assert!(why(archive[..length].to_vec()).starts_with("the archive is damaged: "), "{length}");
            }
        }
        let mut changed = zip(&[("a", DUMP)]);
        // The content of the only file follows its header of 30 bytes and its name.
        let at = changed.windows(4).position(|bytes| bytes == b"PK\x01\x02").unwrap() - 3;
        changed[at] ^= 1;
        assert!(why(changed).starts_with("the archive is damaged: "));
    }

    const END: &[u8] = b"PK\x05\x06";

    /// Local files, entries of the directory, and ends that say that so many entries begin behind the local files.
    fn assembled(local: &[u8], entries: &[u8], count: u16, ends: usize) -> Vec<u8> {
        let mut end = END.to_vec();
        end.extend([0; 4]);
        end.extend([count.to_le_bytes(); 2].concat());
        end.extend((entries.len() as u32).to_le_bytes());
        end.extend((local.len() as u32).to_le_bytes());
        end.extend([0; 2]);
        [local, entries, &end.repeat(ends)].concat()
    }

    fn refused_soon(archive: Vec<u8>, why: &str) {
        let began = std::time::Instant::now();
        assert!(first_bytes(io::Cursor::new(&archive)).is_none());
        let said = unpacked(archive).unwrap_err().to_string();
        assert!(said.contains(why), "{said}");
        assert!(began.elapsed().as_secs() < 20, "{:?}", began.elapsed());
    }

    /// Every end of a directory that is not sound is passed over for the one before, and the entries before the unsound
    /// one are read again: five megabytes once took half an hour.
    #[test]
    fn many_ends_of_a_directory() {
        let whole = zip(&[("a", DUMP)]);
        let place = |magic: &[u8]| whole.windows(4).position(|bytes| bytes == magic).unwrap();
        let (directory, end) = (place(b"PK\x01\x02"), place(END));
        let (local, entry) = (&whole[..directory], &whole[directory..end]);
        let count = 60_000_u16;
        let archive = assembled(local, &entry.repeat(count.into()), count + 1, 100_000);
        refused_soon(archive, "its parts lie over each other");
    }

    /// Entries with the content of a single file, which holds nothing for a long time.
    #[test]
    fn many_entries_of_one_content() {
        // Blocks without content, of five bytes each; the first bit of the last one is set.
        let mut packed = [0, 0, 0, 0xff, 0xff].repeat(200_000);
        packed.extend([1, 0, 0, 0xff, 0xff]);
        let mut local = b"PK\x03\x04\x14\0\0\0\x08\0\0\0\0\0\0\0\0\0".to_vec();
        local.extend([(packed.len() as u32).to_le_bytes(), 0_u32.to_le_bytes()].concat());
        local.extend(b"\0\0\0\0");
        let mut entries = Vec::new();
        for number in 0..4000_u32 {
            entries.extend(b"PK\x01\x02\x14\0\x14\0\0\0\x08\0\0\0\0\0\0\0\0\0");
            entries.extend([(packed.len() as u32).to_le_bytes(), 0_u32.to_le_bytes()].concat());
            entries.extend(b"\x04\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0");
            entries.extend(format!("{number:04}").bytes());
        }
        let archive = assembled(&[local, packed].concat(), &entries, 4000, 1);
        refused_soon(archive, "its parts lie over each other");
    }

    #[test]
    fn many_files() {
        let names: Vec<String> = (0..MOST_ENTRIES).map(|number| number.to_string()).collect();
        let mut files: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), &b"text"[..])).collect();
        files[MOST_ENTRIES / 2].1 = DUMP;
        assert_eq!(unpacked(zip(&files)).unwrap(), DUMP);
        files.push(("more", b"text"));
        refused_soon(zip(&files), "holds more than 4096 files");
    }

    /// A gibibyte of zeros and one more is a file of a megabyte.
    #[test]
    fn the_size_is_limited() {
        let block = vec![0; 1 << 20];
        let mut file = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        (0..1024).for_each(|_| file.write_all(&block).unwrap());
        file.write_all(&[0]).unwrap();
        let file = file.finish().unwrap();
        assert!(file.len() < 8 << 20);
        assert_eq!(
            unpacked(file).unwrap_err().to_string(),
            format!("the archive unpacks to more than {LIMIT} bytes")
        );
    }

    /// A small file may hold a few megabytes of zeros, but not any number of them.
    #[test]
    fn small_archives_hold_little() {
        let packed = |megabytes: usize| {
            let mut file = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
            file.write_all(&vec![0; megabytes << 20]).unwrap();
            file.finish().unwrap()
        };
        assert_eq!(unpacked(packed(16)).map(|bytes| bytes.len()).unwrap(), 16 << 20);
        let bomb = packed(128);
        let limit = Rate::ARCHIVE.of(bomb.len() as u64).limit();
        assert!(bomb.len() < 200_000 && limit < 128 << 20);
        assert_eq!(
            unpacked(bomb).unwrap_err().to_string(),
            format!("the archive unpacks to more than {limit} bytes")
        );
    }
}
