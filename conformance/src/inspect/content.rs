//! The content of a machine's memory.

use picaflor_pipeline::memory::BlockMemory;

/// Bytes of memory that are looked at together.
const PAGE: usize = 4096;

/// Runs of adjacent pages that are not zero: address and bytes.
pub(crate) fn nonzero(memory: &BlockMemory) -> Vec<(u32, Vec<u8>)> {
    let mut runs: Vec<(u32, Vec<u8>)> = Vec::new();
    for block in memory.blocks() {
        let bytes = block.as_slice();
        for start in (0..bytes.len()).step_by(PAGE) {
            let page = bytes.slice(start, PAGE.min(bytes.len() - start)).to_vec();
            let address = block.base() + start as u32;
            match runs.last_mut() {
                _ if page.iter().all(|&byte| byte == 0) => {}
                Some((base, run)) if *base + run.len() as u32 == address => run.extend(page),
                _ => runs.push((address, page)),
            }
        }
    }
    runs
}

/// All bytes of a memory.
pub(super) fn content(memory: &BlockMemory) -> Vec<u8> {
    memory.blocks().iter().flat_map(|block| block.as_slice().to_vec()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_pages() {
        let memory = BlockMemory::zeroed(&[(0x1000, 4 * 4096), (0x10_0000, 100)]);
        assert!(nonzero(&memory).is_empty());
        for at in [4096, 4096 * 2 + 7] {
            memory.blocks()[0].as_slice().write(at, 1);
        }
        memory.blocks()[1].as_slice().write(99, 9);
        let runs: Vec<(u32, usize)> = nonzero(&memory).iter().map(|(at, bytes)| (*at, bytes.len())).collect();
        assert_eq!(runs, [(0x2000, 8192), (0x10_0000, 100)]);
        assert_eq!(content(&memory).len(), 4 * 4096 + 100);
    }
}
