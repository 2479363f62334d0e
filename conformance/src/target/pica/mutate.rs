//! Mutations of command lists of the PICA200.

use crate::random::Random;
use crate::target::mutate::{any, rearranged, value};

/// Bytes of a command of the target that runs lists, after the byte that selects the way to run.
const COMMAND: usize = 6;

/// Commands of the PICA200, as the target `command_list` takes them.
pub fn mutated_commands(random: &mut Random, bytes: &[u8]) -> Option<Vec<u8>> {
    let (&way, rest) = bytes.split_first()?;
    let mut commands = rest.as_chunks::<COMMAND>().0.to_vec();
    rearranged(random, &mut commands, |random| {
        let mut command = [0; COMMAND];
        let id = (0x040 + random.below(0x2c0)) as u16;
        command[..2].copy_from_slice(&(id | (random.below(4) as u16) << 14).to_le_bytes());
        command[2..].copy_from_slice(&value(random, 0).to_le_bytes());
        command
    });
    if let Some(command) = any(random, &mut commands) {
        let [id_low, id_high, word @ ..] = *command;
        let word = value(random, u32::from_le_bytes(word)).to_le_bytes();
        *command = [id_low, id_high, word[0], word[1], word[2], word[3]];
    }
    Some([&[way][..], commands.as_flattened()].concat())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::mutate::tests::chains;

    #[test]
    fn commands_stay_whole() {
        chains(mutated_commands, &[0; 61], |bytes| bytes.len() % COMMAND == 1);
    }
}
