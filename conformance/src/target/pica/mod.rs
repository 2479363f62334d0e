//! The properties of the PICA200: files, programs, and accesses of a host or guest to the whole machine.

mod disk;
mod files;
mod machine;
mod mutate;
mod program;
mod text;
mod tiny;

pub use disk::{CacheError, CacheFolder, disk_cache};
pub use files::{capture, citrace, key};
pub use machine::{command_list, fragment_commands, mmio};
pub use mutate::mutated_commands;
pub use program::{shader, shader_bytes};
pub use text::{assembler, container, decoder};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pica::lists::Engines;
    use crate::random::Random;
    use crate::target::strings::strings;
    use picaflor_interp::Interpreter;
    use picaflor_pipeline::pica::shader::asm::{self, SourceFile};

    #[test]
    fn no_byte_string_is_too_much() {
        let mut random = Random::new(17);
        for bytes in strings(&mut random) {
            decoder(&bytes);
            assembler(&bytes);
            container(&bytes);
            capture(&bytes);
            citrace(&bytes);
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
