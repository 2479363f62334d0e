//! A host that records what its GPU does: three frames of a chequered square that turns. The capture holds the lists, the
//! register writes and the memory that the machine read for them, so it can be looked at without this program:
//!
//! ```sh
//! cargo run --release -p picaflor --example record_capture -- square.cap
//! picaflor info square.cap
//! picaflor render square.cap -o square.png
//! picaflor diff square.cap
//! ```

use picaflor::pica::shader::{Options, Shbin, SourceFile, assemble};
use picaflor::pica::{Bank, CommandList, ListBuilder, Pica, Precision, RunError, encode_f24, encode_f31};
use picaflor::{BlockMemory, Engine, write_bytes};
use std::error::Error;

/// The blocks of memory that this host maps, which is all that a recording can see.
const REGIONS: [(u32, u32); 2] = [(VRAM, 6 << 20), (FCRAM, 1 << 20)];
const VRAM: u32 = 0x1800_0000;
const FCRAM: u32 = 0x2000_0000;

const DRAWN: u32 = VRAM;
const SHOWN: u32 = VRAM + 0x10_0000;
const LIST: u32 = FCRAM;
const VERTICES: u32 = FCRAM + 0x1_0000;
const TEXTURE: u32 = FCRAM + 0x2_0000;
/// Width and height of the screen, which is mounted on its side.
const SIZE: [u32; 2] = [240, 400];

const PROGRAM: &str = "
    .fvec turn[2]
    .constf rest(0.0, 0.0, -0.5, 1.0)
    .in place v0
    .in corner v1
    .out position position
    .out uv texcoord0
    .entry main
    .proc main
        dp4 position.x, turn[0], place
        dp4 position.y, turn[1], place
        mov position.zw, rest
        mov uv, corner
        end
    .end";

/// What an emulator has.
struct Host {
    engine: Engine,
    pica: Pica,
    memory: BlockMemory,
}

impl Host {
    /// Writes of the system software to the registers outside the command processor.
    fn write(&mut self, registers: &[(u32, u32)]) -> Result<(), RunError> {
        for &(register, value) in registers {
            self.pica.write_mmio(&mut self.engine, &self.memory, 0x1040_0000 + register, value)?;
        }
        Ok(())
    }

    fn frame(&mut self, list: &[u8]) -> Result<(), RunError> {
        self.write(&clear(0x1820_38ff))?;
        write_bytes(&self.memory, LIST, list);
        let list = CommandList { address: LIST, size_bytes: list.len() as u32 };
        self.pica.run(&mut self.engine, &self.memory, list)?;
        self.write(&show())?;
        // The displays have a new picture.
        self.pica.frame_end(&self.memory);
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("usage: record_capture OUT.cap")?;
    let mut host = Host {
        engine: Engine::builder().build()?,
        pica: Pica::new(Precision::Console),
        memory: BlockMemory::zeroed(&REGIONS),
    };
    load_data(&host.memory);
    let program = assemble(&[SourceFile::new("square", PROGRAM)], Options::default())?;

    // Between any two calls; the state that the machine is in belongs to the capture.
    host.pica.start_recording(&host.memory, &REGIONS)?;
    for frame in 0..3 {
        host.frame(&draw(&program, 0.2 + 0.4 * frame as f32))?;
    }
    let capture = host.pica.stop_recording().ok_or("nothing was recorded")?;

    let bytes = capture.to_bytes();
    std::fs::write(&path, &bytes)?;
    println!("{path}: {} frames, {} events, {} bytes", capture.frames(), capture.events.len(), bytes.len());
    Ok(())
}

/// Vertices of x, y, u, v, and a texture of 8x8 texels: one block, whose texels lie in Morton order.
fn load_data(memory: &BlockMemory) {
    let strip: [[f32; 4]; 4] =
        [[-1.0, -1.0, 0.0, 0.0], [1.0, -1.0, 1.0, 0.0], [-1.0, 1.0, 0.0, 1.0], [1.0, 1.0, 1.0, 1.0]];
    let bytes: Vec<u8> = strip.as_flattened().iter().flat_map(|value| value.to_le_bytes()).collect();
    write_bytes(memory, VERTICES, &bytes);
    let texel = |morton: u32| {
        let odd = (morton ^ morton >> 1) & 1 != 0; // the lowest bits of x and y
        let colour: u32 = if odd { 0xf0b0_40ff } else { 0x3060_b0ff }; // red, green, blue, alpha
        colour.to_le_bytes()
    };
    write_bytes(memory, TEXTURE, (0..64).map(texel).collect::<Vec<_>>().as_flattened());
}

/// The command list of a frame.
fn draw(program: &Shbin, angle: f32) -> Vec<u8> {
    let (main, [width, height]) = (&program.executables[0], SIZE);
    let dimensions = 1 << 24 | (height - 1) << 12 | width;
    let mut list = ListBuilder::new();
    list.program(Bank::Vertex, &program.program).executable(Bank::Vertex, main, 2).output_map(main);
    let (sin, cos, narrow) = (0.6 * angle.sin(), 0.6 * angle.cos(), width as f32 / height as f32);
    let rows = [[cos, sin, 0.0, 0.0], [-sin * narrow, cos * narrow, 0.0, 0.0]];
    list.float_uniforms(Bank::Vertex, 0, &rows); // `turn`: the assembler counts from c0
    // Two attributes of two floats each, 16 bytes from vertex to vertex.
    list.write(0x242, 1).burst(0x200, &[FCRAM >> 3, 0x77, 0x1000_0000]);
    list.burst(0x203, &[VERTICES - FCRAM, 0x10, 2 << 28 | 16 << 16]);
    // Where pixels go: RGBA8, written as they are; no depth.
    list.burst(0x11d, &[DRAWN >> 3, dimensions]).write(0x06e, dimensions).write(0x117, 2);
    list.burst(0x112, &[15, 15]).write(0x102, 3).write(0x107, 0xf00);
    let half = [width, height].map(|side| side as f32 / 2.0);
    list.burst(0x041, &half.map(|side| [encode_f24(side), encode_f31(1.0 / side)]).concat());
    // Unit 0 repeats the texture and takes the nearest texel; the first stage hands it on, and so do the others.
    list.write(0x080, 1 << 16 | 1 << 12 | 1).burst(0x081, &[0, 8 << 16 | 8, 0x2200, 0, TEXTURE >> 3]);
    list.write(0x0c0, 0x0003_0003);
    for stage in [0x0c8, 0x0d0, 0x0d8, 0x0f0, 0x0f8] {
        list.write(stage, 0x000f_000f);
    }
    list.draw_arrays(1, 0, 4).write(0x111, 1).finish()
}

/// Fills what is drawn to with a colour.
fn clear(colour: u32) -> [(u32, u32); 4] {
    let end = DRAWN + SIZE[0] * SIZE[1] * 4;
    [(0x010, DRAWN >> 3), (0x014, end >> 3), (0x018, colour), (0x01c, 2 << 8 | 1)]
}

/// Transfers what was drawn to where the upper screen shows it, as RGB8.
fn show() -> Vec<(u32, u32)> {
    let [width, height] = SIZE;
    let size = height << 16 | width;
    let transfer = [(0xc00, DRAWN >> 3), (0xc04, SHOWN >> 3), (0xc08, size), (0xc0c, size), (0xc10, 1 << 12)];
    let screen = [(0xc18, 1), (0x45c, size), (0x468, SHOWN), (0x470, 1), (0x490, width * 3)];
    [transfer, screen].concat()
}
