//! What must hold for any byte string: the properties behind the fuzz targets, which also run as tests.

mod ge;
mod pica;

pub use ge::{ge_capture, ppdmp};
pub use pica::{
    CacheError, CacheFolder, assembler, capture, citrace, command_list, container, decoder, disk_cache,
    fragment_commands, key, mmio, shader, shader_bytes,
};

use picaflor_pipeline::pica::capture::format;

/// The file with the first words, sizes and checks that it should have, so that what lies behind them is
/// reached.
fn mended(bytes: &[u8]) -> Vec<u8> {
    const START: usize = 12;
    const HEADER: usize = 16;
    let mut file = [format::MAGIC.as_slice(), &format::VERSION.to_le_bytes()].concat();
    let mut rest = bytes.get(START..).unwrap_or_default();
    while rest.len() >= HEADER {
        let (header, behind) = rest.split_at(HEADER);
        let size = |at: usize| u32::from_le_bytes(std::array::from_fn(|i| header[at + i])) as usize;
        let (payload, behind) = behind.split_at(size(4).min(behind.len()));
        let start = file.len();
        file.extend_from_slice(&header[..4]);
        file.extend_from_slice(&(payload.len() as u32).to_le_bytes());
        // Contents that are not smaller than their payload are not compressed.
        file.extend_from_slice(&size(8).max(payload.len()).to_le_bytes()[..4]);
        let mut check = crc32fast::Hasher::new();
        check.update(&file[start..]);
        check.update(payload);
        file.extend_from_slice(&check.finalize().to_le_bytes());
        file.extend_from_slice(payload);
        rest = behind;
    }
    file
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pica::lists::Engines;
    use crate::random::Random;
    use picaflor_interp::Interpreter;
    use picaflor_pipeline::pica::shader::asm::{self, SourceFile};

    /// Strings of every length up to 400, some of them words of the language.
    fn strings(random: &mut Random) -> impl Iterator<Item = Vec<u8>> + '_ {
        const PIECES: &[&str] = &[
            ".proc main",
            "mov r0, c0",
            "\n",
            ".fvec a[4]",
            "for i0",
            ".end",
            "{",
            "DVLB",
            ".out o position",
        ];
        (0..400).map(|length| {
            let mut bytes: Vec<u8> = (0..length).map(|_| random.bits() as u8).collect();
            if random.chance(50) {
                bytes = (0..length / 8).flat_map(|_| random.pick(PIECES).bytes().chain([b' '])).collect();
            }
            bytes
        })
    }

    #[test]
    fn no_byte_string_is_too_much() {
        let mut random = Random::new(17);
        for bytes in strings(&mut random) {
            decoder(&bytes);
            assembler(&bytes);
            container(&bytes);
            capture(&bytes);
            citrace(&bytes);
            ppdmp(&bytes);
            ge_capture(&bytes);
            key(&bytes);
            shader(&bytes, &mut Interpreter::new());
        }
    }

    #[test]
    fn writes_by_address() {
        let mut random = Random::new(21);
        let mut engines = Engines::new().expect("this host runs compiled code");
        for bytes in strings(&mut random).step_by(5) {
            mmio(&bytes, &mut engines);
        }
    }

    #[test]
    fn files_of_the_cache() {
        let folder = std::env::temp_dir().join(format!("picaflor-target-{}", std::process::id()));
        let cache = CacheFolder::new(&folder).expect("a folder and compiled code");
        let whole: Vec<_> = cache.contents().map(<[u8]>::to_vec).collect();
        assert!(!whole.is_empty());
        let mut random = Random::new(22);
        for bytes in whole.iter().cloned().chain(strings(&mut random).step_by(40)) {
            disk_cache(&bytes, &cache).expect("a folder and compiled code");
        }
        for length in [1, 8, 40, 56, 57, whole[0].len() - 1] {
            disk_cache(&whole[0][..length], &cache).expect("a folder and compiled code");
        }
    }

    /// A container with some of its bytes changed is still read or refused.
    #[test]
    fn damaged_containers() {
        let source = ".out position position\n.proc main\nmov position, v0\nend\n.end";
        let shbin = asm::assemble(&[SourceFile::new("a", source)], asm::Options::default());
        let whole = shbin.expect("the source is right").write();
        let mut random = Random::new(18);
        for _ in 0..3_000 {
            let mut bytes = whole.clone();
            for _ in 0..random.between(1, 4) {
                let at = random.below(bytes.len() as u32) as usize;
                bytes[at] = random.pick(&[0, 1, 4, 0x7f, 0x80, 0xff]);
            }
            bytes.truncate(if random.chance(20) {
                random.below(bytes.len() as u32) as usize
            } else {
                usize::MAX
            });
            container(&bytes);
        }
    }
}
