//! Both machines share a budget and counters, and what a host says about its memory counts for both.

use super::{ImageKey, Textures};
use crate::{Engine, EngineMode, ge, pica};
use picaflor_pipeline::ge::clut::Clut;
use picaflor_pipeline::ge::regs::{Registers, op};
use picaflor_pipeline::ge::stage::{PixelStage, PixelState};
use picaflor_pipeline::ge::vram::{AddressMaps, VRAM, VRAM_BYTES};
use picaflor_pipeline::guest_slice::GuestSlice;
use picaflor_pipeline::memory::{BlockMemory, Memory};
use picaflor_pipeline::pica::texel::TextureFormat;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Main memory.
const RAM: u32 = 0x0880_0000;
/// Mirror 1 of VRAM mixes addresses.
const MIXED: u32 = VRAM + VRAM_BYTES;

/// Memory of a host that may number its contents: 0 where it does not.
struct Host {
    memory: BlockMemory,
    number: AtomicU64,
}

impl Host {
    fn new() -> Self {
        let memory = BlockMemory::zeroed(&[(VRAM, VRAM_BYTES), (RAM, 0x1_0000)]);
        Self { memory, number: AtomicU64::new(0) }
    }

    /// Another byte, and a number for the contents.
    fn write(&self, address: u32, number: u64) {
        self.set_byte(address, self.byte(address).wrapping_add(1));
        self.number.store(number, Relaxed);
    }
}

impl Memory for Host {
    fn region(&self, address: u32, length: u32) -> Option<GuestSlice<'_>> {
        self.memory.region(address, length)
    }

    fn version(&self, _: u32, _: u32) -> Option<u64> {
        Some(self.number.load(Relaxed)).filter(|&number| number > 0)
    }
}

fn pica_image(address: u32) -> ImageKey {
    ImageKey::Pica(pica::fragment::ImageKey {
        faces: [address, 0, 0, 0, 0, 0],
        count: 1,
        format: TextureFormat::I8,
        shadow: false,
        size: [8, 8],
        levels: [0, 0],
        replaced: None,
    })
}

/// Registers that name a texture of 8x8 texels of 32 bits.
fn ge_registers(address: u32) -> Registers {
    let mut registers = Registers::default();
    let words = [
        (op::TME, 1),
        (op::PSM, 3),
        (op::FBW, 512),
        (op::ZBP, 0x10_0000),
        (op::ZBW, 512),
        (op::SCISSOR2, 63 << 10 | 63),
        (op::REGION2, 0xf_ffff),
        (op::TPSM, 3),
        (op::TSIZE0, 0x0303),
        (op::TBP0, address & 0xff_ffff),
        (op::TBW0, address >> 24 << 16 | 8),
    ];
    words.iter().for_each(|&(command, argument)| registers.write(u32::from(command) << 24 | argument));
    registers
}

fn ge_state<'a>(host: &'a Host, registers: &'a Registers, clut: &'a Clut) -> PixelState<'a> {
    PixelState { registers, clut, memory: host, maps: AddressMaps::default(), is_immediate: false }
}

fn ge_image(host: &Host, address: u32) -> ImageKey {
    let (registers, clut) = (ge_registers(address), Clut::default());
    ImageKey::Ge(ge::pixel::texture::ImageKey::of(&ge_state(host, &registers, &clut), 0))
}

#[test]
fn one_budget_and_one_set_of_counters() {
    let host = Host::new();
    let mut both = Textures::new(1 << 20);
    both.image(&host, &pica_image(RAM)).expect("an image");
    both.image(&host, &ge_image(&host, RAM)).expect("an image");
    let both = both.stats().held_bytes;
    let mut textures = Textures::new(8 * both);
    for n in 0..8 {
        textures.image(&host, &pica_image(RAM + 64 * n)).expect("an image");
        textures.image(&host, &ge_image(&host, RAM + 256 * n)).expect("an image");
    }
    let full = textures.stats();
    assert_eq!((full.misses, full.evictions, full.held_bytes), (16, 0, 8 * both));
    textures.image(&host, &pica_image(RAM)).expect("an image");
    // Those of the other machine go as well.
    for n in 8..14 {
        textures.image(&host, &ge_image(&host, RAM + 256 * n)).expect("an image");
    }
    let (before, after) = (full.held_bytes, textures.stats());
    assert!(after.held_bytes <= before && after.evictions > 6, "{after:?}");
    textures.image(&host, &pica_image(RAM)).expect("an image");
    textures.image(&host, &ge_image(&host, RAM + 256 * 13)).expect("an image");
    assert_eq!((textures.stats().misses, textures.stats().hits), (22, after.hits + 2));
}

/// Other bytes of the same number are not looked at; with another number they are.
#[test]
fn numbers_of_the_host_save_the_comparison() {
    let host = Host::new();
    for (key, address) in [
        (pica_image(RAM), RAM),
        (ge_image(&host, RAM), RAM),
        (ge_image(&host, VRAM), VRAM),
        (ge_image(&host, MIXED), AddressMaps::default().resolve(MIXED)),
    ] {
        let mut textures = Textures::new(1 << 20);
        let mut look = |number| {
            host.write(address, number);
            let before = textures.stats();
            textures.image(&host, &key).expect("an image");
            let after = textures.stats();
            (after.hits > before.hits, after.compared_bytes > before.compared_bytes)
        };
        let looks = [7, 7, 8, 8, 0, 0].map(&mut look);
        let (spared, seen) = ((true, false), (false, true));
        assert_eq!(looks, [(false, false), spared, seen, spared, seen, seen], "{key:?}");
    }
}

/// Inside a list what is found again is not compared, unless something was written there.
#[test]
fn writes_to_vram_are_seen_through_mirrors() {
    let host = Host::new();
    let mut textures = Textures::new(1 << 20);
    for address in [VRAM, MIXED, VRAM + 2 * VRAM_BYTES] {
        textures.list_begins();
        let key = ge_image(&host, address);
        let place = AddressMaps::default().resolve(address);
        textures.image(&host, &key).expect("an image");
        let stale = |textures: &mut Textures| {
            host.write(place, 0);
            let before = textures.stats().stale;
            textures.image(&host, &key).expect("an image");
            textures.stats().stale > before
        };
        assert!(!stale(&mut textures), "nothing was told");
        textures.changed((place & !0xff, 0x100));
        assert!(stale(&mut textures), "{address:#x}");
    }
}

/// A texture half of which lies at 0: writes to its pages are seen, and no others.
#[test]
fn textures_past_the_last_address() {
    let first = 0x0fff_ff80;
    let memory = BlockMemory::zeroed(&[(VRAM, VRAM_BYTES), (0x0fff_f000, 0x1000), (0, 0x1000)]);
    let host = Host { memory, number: AtomicU64::new(0) };
    let key = ge_image(&host, first);
    let mut textures = Textures::new(1 << 20);
    textures.list_begins();
    let texels = |textures: &mut Textures| textures.image(&host, &key).expect("an image").texels().to_vec();
    let mut before = texels(&mut textures);
    // Of 8 rows with a texel more each, the fifth one begins at 0.
    for (place, written, texel) in [
        (first + 4, (first, 0x80), Some(1)),
        (4, (0x7c, 4), Some(4 * 9 + 1)),
        (first, (0x1000, 0x1000), None),
        (4, (VRAM, VRAM_BYTES), None),
        (0, (0x0fff_e000, 0x1000), None),
    ] {
        host.write(place, 0);
        textures.written(written);
        let now = texels(&mut textures);
        assert_eq!(now.iter().zip(&before).position(|(a, b)| a != b), texel, "{place:#x}");
        before = now;
    }
}

/// Tables are part of the key.
#[test]
fn other_tables_make_other_images() {
    let host = Host::new();
    let mut registers = ge_registers(RAM);
    [(op::TPSM, 5), (op::CMODE, 0xff << 8 | 3)]
        .iter()
        .for_each(|&(command, argument)| registers.write(u32::from(command) << 24 | argument));
    let mut textures = Textures::new(1 << 20);
    let mut first_texel = |value| {
        let mut clut = Clut::default();
        clut.change()[0] = value;
        let key = ge::pixel::texture::ImageKey::of(&ge_state(&host, &registers, &clut), 0);
        textures.image(&host, &ImageKey::Ge(key)).expect("an image").texels()[0]
    };
    assert_eq!([1, 2, 1].map(&mut first_texel), [1, 2, 1]);
    assert_eq!((textures.stats().misses, textures.stats().hits), (2, 1));
}

/// The GE's draws are counted where the PICA200's are.
#[test]
fn the_engine_counts_textures_of_the_ge() {
    let (host, registers, clut) = (Host::new(), ge_registers(RAM), Clut::default());
    let mut engine = Engine::builder().mode(EngineMode::Blocking).build().unwrap();
    engine.pixel_routine(&ge_state(&host, &registers, &clut), &[]);
    engine.pixel_routine(&ge_state(&host, &registers, &clut), &[]);
    let stats = engine.stats().textures;
    assert_eq!((stats.misses, stats.hits, stats.evictions), (1, 1, 0));
    assert!(stats.held_bytes > 64 * 4, "{stats:?}");
}
