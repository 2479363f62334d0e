//! Tiles: the triangles of a draw are sorted into square tiles of the target, which workers draw.
//!
//! Inside a tile triangles keep the order of submission, and tiles share no pixel, so the picture depends on
//! neither the tiles nor the workers. Where tiles could see each other's work (buffers that overlap, a
//! texture that is drawn to), one tile is the whole target.

use crate::pica::coverage::Scissor;
use crate::pica::feedback;
use crate::pica::raster::{Rect, Triangle};
use crate::pica::surface::Target;
use crate::stage::{FragmentState, TileBatch, TileRoutine};
use crate::worker;

/// Side of a tile in pixels, a power of two and a multiple of the blocks' 8. The screens have 28 and 20.
const SIDE: i32 = 64;
/// Pixels in bounding boxes below which threads cost more than they save: starting one takes as long as some
/// thousands of cheap fragments.
const LEAST_WORK: u64 = 16 * 1024;
/// Entries of all tiles at once, 4 MiB; a draw with more of them is drawn in several rounds.
const MOST_ENTRIES: usize = 1 << 20;

/// Draws triangles on up to `threads` threads; one works in place. Returns how many fragments were covered
/// and inside the scissor.
pub fn rasterize(
    routine: &dyn TileRoutine,
    state: FragmentState<'_>,
    triangles: &[Triangle],
    target: &Target<'_>,
    threads: usize,
) -> u64 {
    let draw = Draw { routine, state, triangles, target };
    let area = draw.area();
    let parallel = threads > 1
        && draw.is_worth_threads(area)
        && target.tiles_are_disjoint()
        && !feedback::target_is_texture(state.registers, target.ranges());
    if parallel { draw.tiles(&Grid::new(area, SIDE), MOST_ENTRIES, threads) } else { draw.whole(area) }
}

struct Draw<'a> {
    routine: &'a dyn TileRoutine,
    state: FragmentState<'a>,
    triangles: &'a [Triangle],
    target: &'a Target<'a>,
}

impl Draw<'_> {
    /// The pixels that can be drawn.
    fn area(&self) -> Rect {
        let [x1, y1] = [self.target.width(), self.target.height()].map(|side| side as i32);
        Scissor::of(self.state.registers).clip(Rect { x0: 0, y0: 0, x1, y1 })
    }

    fn is_worth_threads(&self, area: Rect) -> bool {
        let mut sizes = self.triangles.iter().map(|triangle| triangle.bounds().intersect(area).pixels());
        sizes.try_fold(0, |work, size| (work + size < LEAST_WORK).then_some(work + size)).is_none()
    }

    /// Draws all triangles in one piece.
    fn whole(&self, area: Rect) -> u64 {
        let visible = |triangle: &Triangle| !triangle.bounds().intersect(area).is_empty();
        let all = (0_u32..).zip(self.triangles);
        let order: Vec<u32> = all.filter(|(_, t)| visible(t)).map(|(n, _)| n).collect();
        self.tile(area, &order)
    }

    /// Draws all triangles tile by tile, with at most `most_entries` entries in the tiles at once, or those
    /// of one triangle.
    fn tiles(&self, grid: &Grid, most_entries: usize, threads: usize) -> u64 {
        let mut drawn = 0;
        let mut first = 0;
        while first < self.triangles.len() {
            let bins = Bins::new(grid, self.triangles, first, most_entries);
            drawn += worker::run(grid.len(), threads, &|n| self.tile(grid.tile(n), bins.tile(n)));
            first = bins.end;
        }
        drawn
    }

    fn tile(&self, tile: Rect, order: &[u32]) -> u64 {
        if order.is_empty() {
            return 0;
        }
        let Self { routine, state, triangles, target } = *self;
        routine.run(&TileBatch { state, triangles, order, tile, target })
    }
}

/// Tiles that cover an area, in rows. Their corners are multiples of their side, except at the area's rim.
#[derive(Debug, Clone, Copy)]
struct Grid {
    area: Rect,
    side: i32,
    /// First column and row of tiles, and the ones after the last.
    tiles: Rect,
}

impl Grid {
    const fn new(area: Rect, side: i32) -> Self {
        Self { area, side, tiles: tiles_of(area, side) }
    }

    const fn columns(&self) -> i32 {
        self.tiles.x1 - self.tiles.x0
    }

    const fn len(&self) -> usize {
        self.tiles.pixels() as usize
    }

    /// The pixels of tile `n`.
    fn tile(&self, n: usize) -> Rect {
        let (row, column) = (n as i32 / self.columns(), n as i32 % self.columns());
        let [x0, y0] = [self.tiles.x0 + column, self.tiles.y0 + row].map(|place| place * self.side);
        Rect { x0, y0, x1: x0 + self.side, y1: y0 + self.side }.intersect(self.area)
    }

    /// The tiles that a triangle may touch.
    fn touched(&self, triangle: &Triangle) -> impl Iterator<Item = usize> {
        let rect = triangle.bounds().intersect(self.area);
        let Rect { x0, y0, x1, y1 } = tiles_of(rect, self.side);
        let (first, columns) = (self.tiles, self.columns());
        (y0..y1).flat_map(move |row| {
            (x0..x1).map(move |column| ((row - first.y0) * columns + column - first.x0) as usize)
        })
    }
}

/// The tiles that a rectangle of pixels touches.
const fn tiles_of(rect: Rect, side: i32) -> Rect {
    if rect.is_empty() {
        return Rect { x0: 0, y0: 0, x1: 0, y1: 0 };
    }
    Rect {
        x0: rect.x0 / side,
        y0: rect.y0 / side,
        x1: (rect.x1 - 1) / side + 1,
        y1: (rect.y1 - 1) / side + 1,
    }
}

/// Which triangles may touch which tile, in the order of submission.
struct Bins {
    /// Where the entries of each tile begin, and at last where they end.
    starts: Vec<usize>,
    /// Indices of triangles.
    order: Vec<u32>,
    /// The first triangle that is not in here.
    end: usize,
}

impl Bins {
    /// Sorts triangles from `first` on, at least one of them, until there are `most_entries`.
    fn new(grid: &Grid, triangles: &[Triangle], first: usize, most_entries: usize) -> Self {
        let mut starts = vec![0; grid.len() + 1];
        let (mut entries, mut end) = (0, first);
        for triangle in &triangles[first..] {
            let touched = grid.touched(triangle).count();
            if end > first && entries + touched > most_entries {
                break;
            }
            grid.touched(triangle).for_each(|tile| starts[tile + 1] += 1);
            (entries, end) = (entries + touched, end + 1);
        }
        for tile in 0..grid.len() {
            starts[tile + 1] += starts[tile];
        }
        let mut bins = Self { starts, order: vec![0; entries], end };
        bins.fill(grid, triangles, first);
        bins
    }

    fn fill(&mut self, grid: &Grid, triangles: &[Triangle], first: usize) {
        let mut next = self.starts.clone();
        for (n, triangle) in triangles.iter().enumerate().take(self.end).skip(first) {
            for tile in grid.touched(triangle) {
                self.order[next[tile]] = n as u32;
                next[tile] += 1;
            }
        }
    }

    fn tile(&self, n: usize) -> &[u32] {
        &self.order[self.starts[n]..self.starts[n + 1]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::BlockMemory;
    use crate::pica::lut::Luts;
    use crate::pica::raster::tests::{random, window_triangle};
    use crate::pica::regs::Registers;
    use std::collections::{BTreeMap, HashSet};
    use std::sync::Mutex;
    use std::thread::{self, ThreadId};

    /// Notes what it is asked to draw, as an engine would draw it.
    #[derive(Default)]
    struct Recorder {
        /// The triangles that covered each pixel, in the order of their drawing.
        pixels: Mutex<BTreeMap<(i32, i32), Vec<u32>>>,
        tiles: Mutex<Vec<Rect>>,
        threads: Mutex<HashSet<ThreadId>>,
    }

    impl TileRoutine for Recorder {
        fn run(&self, batch: &TileBatch<'_>) -> u64 {
            self.tiles.lock().unwrap().push(batch.tile);
            self.threads.lock().unwrap().insert(thread::current().id());
            let scissor = Scissor::of(batch.state.registers);
            let mut drawn: BTreeMap<_, Vec<u32>> = BTreeMap::new();
            for &n in batch.order {
                for at in batch.triangles[n as usize].samples(batch.tile) {
                    if scissor.keeps(at.x, at.y) {
                        drawn.entry((at.x, at.y)).or_default().push(n);
                    }
                }
            }
            let fragments = drawn.values().map(Vec::len).sum::<usize>() as u64;
            let mut pixels = self.pixels.lock().unwrap();
            for (at, order) in drawn {
                pixels.entry(at).or_default().extend(order);
            }
            fragments
        }
    }

    struct Scene {
        registers: Registers,
        luts: Luts,
        memory: BlockMemory,
        triangles: Vec<Triangle>,
    }

    /// A target of 240x219 with about 90 triangles of all sizes, partly outside.
    fn scene() -> Scene {
        let mut registers = Registers::new();
        let words = [
            (0x113, 15),
            (0x11c, 0x1810_0000 >> 3),
            (0x11d, 0x1800_0000 >> 3),
            (0x11e, 0x0100_00f0 | 218 << 12),
        ];
        words.iter().for_each(|&(id, word)| registers.set_raw(id, word));
        let mut seed = 2;
        let triangles = (0..90).filter_map(|n| {
            let size = [160, 800, 4000][n % 3];
            let [x, y] = [(); 2].map(|()| random(&mut seed, 5000) - 600);
            window_triangle([(); 3].map(|()| [x, y].map(|at| at + random(&mut seed, size) - size / 2)))
        });
        let triangles = triangles.collect();
        Scene { registers, luts: Luts::default(), memory: BlockMemory::console(), triangles }
    }

    impl Scene {
        /// Draws with `how` and checks that the count returned is that of the fragments.
        fn recorded(&self, how: impl Fn(&Draw<'_>) -> u64) -> Recorder {
            let recorder = Recorder::default();
            let state = FragmentState { registers: &self.registers, luts: &self.luts, memory: &self.memory };
            let target = &Target::new(&self.registers, &self.memory);
            let drawn = how(&Draw { routine: &recorder, state, triangles: &self.triangles, target });
            let fragments: usize = recorder.pixels.lock().unwrap().values().map(Vec::len).sum();
            assert_eq!(drawn, fragments as u64);
            recorder
        }

        fn rasterized(&self, threads: usize) -> Recorder {
            self.recorded(|d| rasterize(d.routine, d.state, d.triangles, d.target, threads))
        }
    }

    fn pixels_of(recorder: Recorder) -> BTreeMap<(i32, i32), Vec<u32>> {
        recorder.pixels.into_inner().unwrap()
    }

    #[test]
    fn tiles_and_threads_do_not_change_the_order_at_a_pixel() {
        let mut scene = scene();
        for scissor in [0, 1, 3] {
            scene.registers.set_raw(0x065, scissor);
            scene.registers.set_raw(0x066, 33 | 21 << 16);
            scene.registers.set_raw(0x067, 200 | 777 << 16);
            let whole = pixels_of(scene.recorded(|draw| draw.whole(draw.area())));
            assert!(whole.values().map(Vec::len).sum::<usize>() > 10_000);
            assert!(whole.values().all(|order| order.is_sorted()));
            assert!(whole.keys().all(|&(x, y)| (0..240).contains(&x) && (0..219).contains(&y)));
            for (side, most_entries) in [(8, 400), (16, 1), (64, MOST_ENTRIES)] {
                for threads in [1, 2, 5] {
                    let tiled = scene
                        .recorded(|draw| draw.tiles(&Grid::new(draw.area(), side), most_entries, threads));
                    let what = format!("{side} pixels, {threads} threads, {most_entries} entries");
                    assert!(pixels_of(tiled) == whole, "scissor {scissor}, {what}");
                }
            }
            for threads in [0, 1, 2, 5] {
                assert!(pixels_of(scene.rasterized(threads)) == whole, "{threads} threads");
            }
        }
    }

    #[test]
    fn tiles_are_aligned_and_share_no_pixel() {
        let area = Rect { x0: 13, y0: 70, x1: 200, y1: 219 };
        let grid = Grid::new(area, 64);
        assert_eq!(grid.len(), 4 * 3);
        let mut times = BTreeMap::new();
        for tile in (0..grid.len()).map(|n| grid.tile(n)) {
            assert!([tile.x0, tile.y0].iter().all(|at| at % 64 == 0 || [13, 70].contains(at)));
            for y in tile.y0..tile.y1 {
                (tile.x0..tile.x1).for_each(|x| *times.entry((x, y)).or_insert(0) += 1);
            }
        }
        assert_eq!(times.len() as u64, area.pixels());
        assert!(times.values().all(|&n| n == 1));
    }

    #[test]
    fn threads_only_where_tiles_are_independent() {
        let pieces = |scene: &Scene, threads| scene.rasterized(threads).tiles.into_inner().unwrap().len();
        let mut scene = scene();
        assert_eq!((pieces(&scene, 2), pieces(&scene, 1)), (16, 1));
        scene.registers.set_raw(0x085, 0x1800_0000 >> 3);
        scene.registers.set_raw(0x082, 0x0008_0008);
        assert_eq!(pieces(&scene, 2), 16, "the unit is off");
        scene.registers.set_raw(0x080, 1);
        assert_eq!(pieces(&scene, 2), 1, "a texture is the target");
        scene.registers.set_raw(0x080, 0);
        scene.registers.set_raw(0x11c, 0x1800_0040 >> 3);
        scene.registers.set_raw(0x115, 3);
        assert_eq!(pieces(&scene, 2), 1, "depth overlaps colour");
    }

    #[test]
    fn small_draws_stay_on_the_calling_thread() {
        let mut scene = scene();
        scene.triangles = vec![window_triangle([[0, 0], [900, 0], [0, 900]]).unwrap()];
        let recorder = scene.rasterized(4);
        assert_eq!(recorder.threads.into_inner().unwrap(), HashSet::from([thread::current().id()]));
    }

    #[test]
    fn nothing_to_draw() {
        let mut scene = scene();
        scene.registers.set_raw(0x11e, 0x0000_0000);
        assert!(pixels_of(scene.rasterized(2)).is_empty(), "width 0");
        scene.registers.set_raw(0x11e, 0x0100_00f0);
        scene.registers.set_raw(0x065, 3);
        scene.registers.set_raw(0x066, 10);
        assert!(pixels_of(scene.rasterized(2)).is_empty(), "an empty scissor rectangle");
        scene.triangles.clear();
        assert!(pixels_of(scene.rasterized(2)).is_empty(), "no triangles");
    }
}
