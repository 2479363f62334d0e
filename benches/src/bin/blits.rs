//! `cargo run --release -p picaflor-benches --bin blits`: the speed of fills, transfers, copies and scan-out beside
//! `memcpy` and `memset` of the same number of bytes, in the size of a screen.

use picaflor_benches::clock::{Task, minima};
use picaflor_benches::report::{ended, no_arguments};
use picaflor_jit::Engine;
use picaflor_pipeline::ge::display::{FrameBuffer, HEIGHT, WIDTH};
use picaflor_pipeline::ge::regs::Registers;
use picaflor_pipeline::ge::regs::pixel::PixelFormat;
use picaflor_pipeline::ge::stage::blit::BlitStage as GeBlits;
use picaflor_pipeline::ge::vram::AddressMaps;
use picaflor_pipeline::memory::BlockMemory;
use picaflor_pipeline::pica::display::ScanOut;
use picaflor_pipeline::pica::stage::blit::{BlitStage, Fill};
use picaflor_pipeline::pica::texel::TransferFormat;
use picaflor_pipeline::pica::transfer::{FillWidth, TransferFlags, TransferRegisters};
use picaflor_pipeline::picture::{PictureBuffer, PictureFormat};
use std::error::Error;
use std::hint::black_box;
use std::io::{self, Write, stdout};
use std::process::ExitCode;

/// Samples of each; the shortest time counts.
const SAMPLES: usize = 60;
/// Addresses of what is read and of what is written.
const FROM: u32 = 0x1800_0000;
const TO: u32 = 0x1820_0000;
/// Main memory and VRAM of the PSP.
const RAM: u32 = 0x0880_0000;
const VRAM: u32 = 0x0400_0000;
/// Pixels of the upper screen.
const SIDES: [u32; 2] = [240, 400];
const PIXELS: u64 = 240 * 400;
/// Aims: the least share of the speed of `memcpy` for transfers and scan-out, of `memset` for fills.
const AIM: f64 = 0.5;
const AIM_FILL: f64 = 0.8;

/// Formats of pictures in the host's memory.
const SHOWN: [PictureFormat; 3] = [PictureFormat::Rgb, PictureFormat::Rgba, PictureFormat::Bgra];

const FORMATS: [(TransferFormat, &str); 5] = [
    (TransferFormat::Rgba8, "RGBA8"),
    (TransferFormat::Rgb8, "RGB8"),
    (TransferFormat::Rgb565, "RGB565"),
    (TransferFormat::Rgb5a1, "RGB5A1"),
    (TransferFormat::Rgba4, "RGBA4"),
];

fn main() -> ExitCode {
    no_arguments(
        "blits",
        "Times of fills, transfers, copies and pictures beside memset and memcpy, with aims",
    );
    ended("blits", run())
}

fn run() -> Result<(), Box<dyn Error>> {
    let mut bench = Bench {
        engine: Engine::builder().build()?,
        memory: BlockMemory::zeroed(&[(FROM, 6 << 20)]),
        vram: BlockMemory::zeroed(&[(VRAM, 2 << 20), (RAM, 2 << 20)]),
    };
    writeln!(
        stdout(),
        "{:<44} {:>9} {:>8} {:>7} {:>5}",
        "240x400; GE: 480x272",
        "us",
        "GB/s",
        "ratio",
        "aim"
    )?;
    bench.fills()?;
    bench.transfers()?;
    bench.copies()?;
    bench.pictures()?;
    bench.ge()?;
    Ok(())
}

/// Bytes that the standard library's copy or fill of the same traffic moves, for the comparison.
#[derive(Clone, Copy)]
enum Beside {
    /// `memcpy`; bytes read and written.
    Copy(u64),
    /// `memset`; bytes written.
    Fill(u64),
}

/// Measures a task in turns with its yardstick, and prints the row.
fn row(name: &str, beside: Beside, task: impl FnMut()) -> io::Result<()> {
    let (bytes, aim) = match beside {
        Beside::Copy(bytes) => (bytes, AIM),
        Beside::Fill(bytes) => (bytes, AIM_FILL),
    };
    let (source, mut target) = (vec![1_u8; bytes as usize], vec![0_u8; bytes as usize]);
    let yardstick: Task<'_> = match beside {
        Beside::Copy(_) => Box::new(|| {
            let half = source.len() / 2;
            target[..half].copy_from_slice(black_box(&source[..half]));
            black_box(&mut target);
        }),
        Beside::Fill(_) => Box::new(|| {
            target.fill(black_box(7));
            black_box(&mut target);
        }),
    };
    let times = minima(&mut [Box::new(task), yardstick], SAMPLES);
    let ratio = times[1] / times[0];
    writeln!(
        stdout(),
        "{name:<44} {:>9.2} {:>8.1} {ratio:>7.2} {:>5}",
        times[0] / 1e3,
        bytes as f64 / times[0],
        if ratio >= aim { "met" } else { "-" },
    )
}

struct Bench {
    engine: Engine,
    /// Memory of the PICA200.
    memory: BlockMemory,
    /// Memory of the GE.
    vram: BlockMemory,
}

impl Bench {
    fn fills(&mut self) -> io::Result<()> {
        let widths = [(FillWidth::Bits16, 2), (FillWidth::Bits24, 3), (FillWidth::Bits32, 4)];
        for (width, bytes) in widths {
            let fill = Fill { start: TO, end: TO + PIXELS as u32 * 4, value: 0x0403_0201, width };
            let (engine, memory) = (&mut self.engine, &self.memory);
            row(&format!("fill, {bytes} bytes"), Beside::Fill(PIXELS * 4), || {
                _ = BlitStage::fill(engine, memory, &fill);
            })?;
        }
        Ok(())
    }

    /// Every pair of formats, and every other setting with some of them.
    fn transfers(&mut self) -> Result<(), Box<dyn Error>> {
        for from in FORMATS {
            for to in FORMATS {
                self.transfer("", 0, from, to)?;
            }
        }
        let others =
            [("flipped", 1), ("tiling", 2), ("kept tiled", 1 << 5), ("half", 1 << 24), ("quarter", 2 << 24)];
        for (name, flags) in others {
            for (from, to) in [(0, 0), (0, 1), (0, 2), (2, 2)] {
                self.transfer(name, flags, FORMATS[from], FORMATS[to])?;
            }
        }
        Ok(())
    }

    fn transfer(
        &mut self,
        name: &str,
        flags: u32,
        from: (TransferFormat, &str),
        to: (TransferFormat, &str),
    ) -> Result<(), Box<dyn Error>> {
        let size = SIDES[1] << 16 | SIDES[0];
        let flags = TransferFlags(flags).with_input_format(from.0).with_output_format(to.0);
        let registers = TransferRegisters {
            input: FROM >> 3,
            output: TO >> 3,
            output_size: size,
            input_size: size,
            flags: flags.0,
            ..TransferRegisters::default()
        };
        let written = PIXELS >> (flags.0 >> 24);
        let bytes = PIXELS * u64::from(from.0.colour().bytes()) + written * u64::from(to.0.colour().bytes());
        let (engine, memory) = (&mut self.engine, &self.memory);
        BlitStage::transfer(engine, memory, &registers).map_err(|fault| fault.to_string())?;
        row(&format!("transfer {} to {} {name}", from.1, to.1), Beside::Copy(bytes), || {
            _ = BlitStage::transfer(engine, memory, &registers);
        })?;
        Ok(())
    }

    fn copies(&mut self) -> io::Result<()> {
        let bytes = PIXELS as u32 * 4;
        let gaps = 16 << 16 | 32;
        for (name, input, output) in [
            ("copy", 0, 0),
            ("copy, lines of 512 and gaps of 256", gaps, 0),
            ("copy, gaps on both sides", gaps, gaps),
        ] {
            let registers = TransferRegisters {
                input: FROM >> 3,
                output: TO >> 3,
                flags: 8,
                copy_size: bytes,
                copy_input: input,
                copy_output: output,
                ..TransferRegisters::default()
            };
            let (engine, memory) = (&mut self.engine, &self.memory);
            row(name, Beside::Copy(2 * u64::from(bytes)), || {
                _ = BlitStage::transfer(engine, memory, &registers);
            })?;
        }
        Ok(())
    }

    fn pictures(&mut self) -> io::Result<()> {
        for (format, name) in FORMATS {
            let pixel = format.colour().bytes();
            let source = ScanOut {
                address: FROM,
                format,
                stride_bytes: (SIDES[0] * pixel).cast_signed(),
                width: SIDES[0],
                height: SIDES[1],
                solid: None,
                gamma: None,
            };
            let (engine, memory) = (&mut self.engine, &self.memory);
            row(&format!("picture, {name}"), Beside::Copy(PIXELS * u64::from(pixel + 3)), || {
                black_box(BlitStage::scan_out(engine, memory, &source));
            })?;
            for shown in SHOWN {
                let stride = SIDES[1] as usize * shown.bytes();
                let mut bytes = vec![0; stride * SIDES[0] as usize];
                let traffic = Beside::Copy(PIXELS * (u64::from(pixel) + shown.bytes() as u64));
                row(&format!("picture, {name}, into {shown:?}"), traffic, || {
                    let buffer = &mut PictureBuffer::new(&mut bytes, stride, shown);
                    _ = black_box(BlitStage::scan_out_into(engine, memory, &source, buffer));
                })?;
            }
        }
        Ok(())
    }

    /// Pictures and block transfers of the GE.
    fn ge(&mut self) -> io::Result<()> {
        let maps = AddressMaps::default();
        let pixels = u64::from(WIDTH * HEIGHT);
        let (engine, memory) = (&mut self.engine, &self.vram);
        for format in
            [PixelFormat::Rgb5650, PixelFormat::Rgba5551, PixelFormat::Rgba4444, PixelFormat::Rgba8888]
        {
            let frame = FrameBuffer { address: VRAM, stride: 512, format };
            let bytes = pixels * u64::from(format.bytes() + 3);
            row(&format!("GE: picture, {format:?}"), Beside::Copy(bytes), || {
                black_box(GeBlits::scan_out(engine, memory, maps, &frame));
            })?;
            for shown in SHOWN {
                let stride = WIDTH as usize * shown.bytes();
                let mut bytes = vec![0; stride * HEIGHT as usize];
                let traffic = Beside::Copy(pixels * (u64::from(format.bytes()) + shown.bytes() as u64));
                row(&format!("GE: picture, {format:?}, into {shown:?}"), traffic, || {
                    let buffer = &mut PictureBuffer::new(&mut bytes, stride, shown);
                    _ = black_box(GeBlits::scan_out_into(engine, memory, maps, &frame, buffer));
                })?;
            }
        }
        let places = [
            ("RAM to VRAM", RAM, VRAM),
            ("VRAM to RAM", VRAM, RAM),
            ("mirror 1 to RAM", VRAM + (2 << 20), RAM),
        ];
        for kick in [0, 1] {
            for (name, from, to) in places {
                let registers = block(kick, from, to);
                let bytes = 2 * pixels * (2 << kick);
                row(&format!("GE: {} bytes, {name}", 2 << kick), Beside::Copy(bytes), || {
                    _ = engine.block_transfer(memory, &registers, maps);
                })?;
            }
        }
        Ok(())
    }
}

/// A block of the size of the screen between two addresses, with rows of 512 elements.
fn block(kick: u32, from: u32, to: u32) -> Registers {
    let mut registers = Registers::default();
    let words = [
        0xb200_0000 | from & 0xff_ffff,
        0xb300_0200 | from >> 24 << 16,
        0xb400_0000 | to & 0xff_ffff,
        0xb500_0200 | to >> 24 << 16,
        0xee00_0000 | (HEIGHT - 1) << 10 | (WIDTH - 1),
        0xea00_0000 | kick,
    ];
    words.into_iter().for_each(|word| registers.write(word));
    registers
}
