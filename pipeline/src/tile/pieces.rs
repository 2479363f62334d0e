//! Draws in pieces, so that somebody can stop them.

use super::Primitive;
use crate::rect::Rect;
use crate::stop::Stopper;

/// Where a tile may be cut.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cut {
    /// Pixels of a piece, about.
    pub(crate) pixels: u64,
    /// Rows by which blocks begin lower than at multiples of 8.
    pub(crate) lead: u32,
    /// Rows follow each other in memory from the highest to the lowest.
    pub(crate) top_first: bool,
    /// Rows of blocks are drawn block by block, so they may be cut too.
    pub(crate) by_blocks: bool,
}

/// Height of the blocks that rows of pieces consist of.
const BLOCK: i32 = 8;

/// Draws `order` inside a tile: in one piece, or, if somebody may stop the run, in pieces until somebody does. The order of
/// pixels is the same: primitive after primitive, and inside of each row of blocks after row of blocks.
pub(crate) fn draw<P: Primitive>(
    (primitives, order): (&[P], &[u32]),
    tile: Rect,
    (stopper, cut): (&Stopper, Cut),
    mut piece: impl FnMut(&[u32], Rect) -> u64,
) -> u64 {
    if !stopper.is_watched() {
        return piece(order, tile);
    }
    let pixels = |n: u32| primitives.get(n as usize).map_or(0, |primitive| primitive.most_pixels(tile));
    let asks = || stopper.asks();
    in_pieces((order, cut.pixels), pixels, asks, |now, large| {
        match large.and_then(|n| primitives.get(n as usize)) {
            Some(large) => {
                let bounds = large.bounds().intersect(tile);
                parts(bounds, cut).take_while(|_| !asks()).map(|band| piece(now, band)).sum()
            }
            None => piece(now, tile),
        }
    })
}

/// Draws an order of primitives in pieces of at most `most` pixels together, or of a single primitive, until the run `ends`.
/// `piece` also receives the number of a primitive that has more pixels than a piece; the sum of its results is returned.
pub fn in_pieces(
    (order, most): (&[u32], u64),
    pixels: impl Fn(u32) -> u64,
    ends: impl Fn() -> bool,
    mut piece: impl FnMut(&[u32], Option<u32>) -> u64,
) -> u64 {
    let (mut drawn, mut rest) = (0, order);
    while let Some(&first) = rest.first().filter(|_| !ends()) {
        let mut sum = 0_u64;
        let fit = rest.iter().take_while(|&&n| {
            sum = sum.saturating_add(pixels(n));
            sum <= most
        });
        let fit = fit.count();
        let (now, later) = rest.split_at(fit.max(1));
        drawn += piece(now, (fit == 0).then_some(first));
        rest = later;
    }
    drawn
}

/// Rows of blocks of about as many pixels as a piece has, or parts of one, in the order of memory.
fn parts(bounds: Rect, cut: Cut) -> impl Iterator<Item = Rect> {
    let width = (bounds.x1 - bounds.x0).max(1) as u64;
    let height = ((cut.pixels / width) as i32 / BLOCK * BLOCK).max(BLOCK);
    // Blocks begin at multiples of 8, less the lead.
    let first = bounds.y0 - (bounds.y0 + cut.lead as i32).rem_euclid(BLOCK);
    let count = (bounds.y1 - first + height - 1) / height;
    let bands = (0..count).map(move |n| {
        let n = if cut.top_first { count - 1 - n } else { n };
        let y0 = first + n * height;
        Rect { y0: y0.max(bounds.y0), y1: (y0 + height).min(bounds.y1), ..bounds }
    });
    bands.flat_map(move |band| columns(band, cut))
}

/// The parts of a band from the left, if it has more pixels than a piece and may be cut.
fn columns(band: Rect, cut: Cut) -> impl Iterator<Item = Rect> {
    let width = match cut.by_blocks {
        true => ((cut.pixels / BLOCK as u64).min(1 << 16) as i32 / BLOCK * BLOCK).max(BLOCK),
        false => i32::MAX,
    };
    let mut left = band.x0;
    std::iter::from_fn(move || {
        let x0 = left;
        // The first part ends where a block does.
        left = x0.saturating_sub(x0.rem_euclid(BLOCK)).saturating_add(width).min(band.x1);
        (x0 < band.x1).then_some(Rect { x0, x1: left, ..band })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone)]
    struct Area(Rect);

    impl Primitive for Area {
        fn bounds(&self) -> Rect {
            self.0
        }
    }

    const fn rect(x0: i32, y0: i32, x1: i32, y1: i32) -> Rect {
        Rect { x0, y0, x1, y1 }
    }

    /// Every pixel of every primitive once, and in the same order of primitives and rows.
    #[test]
    fn pieces_are_the_whole() {
        let areas =
            [rect(0, 0, 4, 4), rect(3, 5, 60, 70), rect(-9, 8, 3, 9), rect(0, 0, 64, 3), rect(1, 1, 2, 2)];
        let areas = areas.map(Area);
        let tile = rect(0, 3, 64, 61);
        let (stopper, _watch) = (Stopper::default(), ());
        let clones = [stopper.clone(), stopper.clone()];
        let cuts = [(100, 0, false), (1, 5, true), (600, 3, true), (1 << 20, 0, false)];
        for ((pixels, lead, top_first), by_blocks) in
            cuts.into_iter().flat_map(|cut| [false, true].map(|by_blocks| (cut, by_blocks)))
        {
            let cut = Cut { pixels, lead, top_first, by_blocks };
            let mut pieces = Vec::new();
            let all = draw((&areas, &[0, 1, 2, 3, 4, 1]), tile, (&stopper, cut), |order, part| {
                pieces.push((order.to_vec(), part));
                order.iter().map(|&n| areas[n as usize].0.intersect(part).pixels()).sum()
            });
            let whole = [0, 1, 2, 3, 4, 1].map(|n: usize| areas[n].0.intersect(tile).pixels());
            assert_eq!(all, whole.iter().sum::<u64>(), "{cut:?}");
            let order: Vec<u32> = pieces.iter().flat_map(|(order, _)| order.clone()).collect();
            let mut different = order;
            different.dedup();
            assert_eq!(different, [0, 1, 2, 3, 4, 1]);
            let rows: Vec<i32> =
                pieces.iter().filter(|(order, _)| *order == [1]).map(|(_, r)| r.y0).collect();
            let [first, last] = [rows.first(), rows.last()];
            assert!(first == last || (first > last) == top_first, "{rows:?}");
            let parts = pieces.iter().map(|(_, part)| *part).filter(|part| *part != tile);
            let largest = parts.map(Rect::pixels).max();
            assert!(!by_blocks || largest <= Some(pixels.max(64)), "{largest:?}");
        }
        drop(clones);
    }

    #[test]
    fn pieces_have_a_primitive_at_least() {
        let sizes = [3, 3, 10, 1, 7];
        let mut pieces = Vec::new();
        let drawn = in_pieces(
            (&[0, 1, 2, 3, 4], 6),
            |n| sizes[n as usize],
            || false,
            |now, large| {
                pieces.push((now.to_vec(), large));
                now.len() as u64
            },
        );
        let expected = [(vec![0, 1], None), (vec![2], Some(2)), (vec![3], None), (vec![4], Some(4))];
        assert_eq!((drawn, &pieces[..]), (5, &expected[..]));
        assert_eq!(in_pieces((&[0], 6), |_| 1, || true, |_, _| 1), 0, "the run has ended");
    }

    #[test]
    fn nothing_is_drawn_after_a_stop() {
        let (stopper, host) = (Stopper::default(), Stopper::default());
        let _watch = [stopper.clone(), stopper.clone()];
        drop(host);
        let areas = [Area(rect(0, 0, 64, 64)), Area(rect(0, 0, 8, 8))];
        let mut pieces = 0;
        let cut = Cut { pixels: 512, lead: 0, top_first: false, by_blocks: false };
        draw((&areas, &[0, 1]), rect(0, 0, 64, 64), (&stopper, cut), |_, _| {
            pieces += 1;
            if pieces == 3 {
                stopper.stop();
            }
            0
        });
        assert_eq!(pieces, 3);
    }
}
