//! Vertices that several indices name are transformed once.
//!
//! Source: psp-ge.md 4.4: nothing changes inside a command, so the results are the same.

/// No place yet.
const NONE: u32 = u32::MAX;

/// The different indices of a list, and where each index is among them.
#[derive(Debug, Clone, Default)]
pub(super) struct Reuse {
    /// For each index its place among the different ones.
    places: Vec<u32>,
    /// The different indices, in the order of their first use.
    pub(super) different: Vec<u32>,
    /// For each entry of the list its place among the different ones.
    pub(super) order: Vec<u32>,
}

impl Reuse {
    /// Looks through a list of indices, which are below 65536.
    pub(super) fn find(&mut self, indices: &[u32]) {
        self.order.clear();
        for index in self.different.drain(..) {
            self.places[index as usize] = NONE;
        }
        let end = indices.iter().max().map_or(0, |most| *most as usize + 1);
        if self.places.len() < end {
            self.places.resize(end, NONE);
        }
        for &index in indices {
            let place = &mut self.places[index as usize];
            if *place == NONE {
                *place = self.different.len() as u32;
                self.different.push(index);
            }
            self.order.push(*place);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_leads_back_to_the_list() {
        let mut reuse = Reuse::default();
        for list in [&[7_u32, 7, 3, 0, 3, 65535, 7][..], &[3, 2, 1, 2, 3], &[], &[65535], &[0, 7]] {
            reuse.find(list);
            let back: Vec<_> = reuse.order.iter().map(|&place| reuse.different[place as usize]).collect();
            assert_eq!(back, list);
            let mut sorted = reuse.different.clone();
            sorted.sort_unstable();
            sorted.dedup();
            assert_eq!(sorted.len(), reuse.different.len());
        }
    }
}
