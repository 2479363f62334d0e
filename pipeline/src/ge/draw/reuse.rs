//! Deduplication: a vertex named by several indices is transformed once.
//!
//! Source: psp-ge.md 4.4: no state changes inside a command, so the results are the same.

/// The distinct indices of a list, and the position of each index among them.
#[derive(Debug, Clone, Default)]
pub(super) struct Reuse {
    /// For each index one more than its position among the distinct ones, and than all positions before this list; at most
    /// `before` if it is in none or in an earlier one.
    places: Vec<u32>,
    /// Number of positions of the lists before.
    // So that nothing has to be cleared for the next list.
    before: u32,
    /// The distinct indices, in the order of their first use.
    pub(super) different: Vec<u32>,
    /// For each entry of the list, its position among the distinct indices.
    pub(super) order: Vec<u32>,
}

impl Reuse {
    /// Computes both from a list of indices, which are below 65536, as its length is below 2^31.
    pub(super) fn find(&mut self, indices: &[u32]) {
        self.before += self.different.len() as u32;
        self.different.clear();
        if self.before > u32::MAX / 2 {
            self.places.fill(0);
            self.before = 0;
        }
        let end = indices.iter().max().map_or(0, |most| *most as usize + 1);
        if self.places.len() < end {
            self.places.resize(end, 0);
        }
        let Self { places, before, different, order } = self;
        order.clear();
        order.extend(indices.iter().map(|&index| {
            let place = &mut places[index as usize];
            if *place <= *before {
                different.push(index);
                *place = *before + different.len() as u32;
            }
            *place - *before - 1
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_leads_back_to_the_list() {
        check(Reuse::default());
    }

    /// Positions of lists before are forgotten before numbers overflow.
    #[test]
    fn numbers_begin_anew() {
        let mut reuse = Reuse::default();
        reuse.find(&[1, 2, 3]);
        // As after some hundred million lists.
        reuse.before = u32::MAX / 2 - 5;
        reuse.places.fill(reuse.before);
        check(reuse);
    }

    fn check(mut reuse: Reuse) {
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
