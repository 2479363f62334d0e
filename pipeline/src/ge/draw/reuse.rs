//! Deduplication: a vertex named by several indices is transformed once.
//!
//! Source: psp-ge.md 4.4: no state changes inside a command, so the results are the same.

/// No position assigned.
const NONE: u32 = u32::MAX;

/// The distinct indices of a list, and the position of each index among them.
#[derive(Debug, Clone, Default)]
pub(super) struct Reuse {
    /// For each index, its position among the distinct ones.
    places: Vec<u32>,
    /// The distinct indices, in the order of their first use.
    pub(super) different: Vec<u32>,
    /// For each entry of the list, its position among the distinct indices.
    pub(super) order: Vec<u32>,
}

impl Reuse {
    /// Computes both from a list of indices, which are below 65536.
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
