//! The vertical blanks of the screens, which the host announces.
//!
//! Source: pica-geometry.md 8.6.

use crate::pica::Pica;
use crate::pica::capture::Event;
use crate::pica::display::Screen;
use crate::pica::external::interrupts::Interrupt;
use crate::pica::external::pdc::Controller;

impl Pica {
    /// Announces a vertical blank of a screen; both names of the upper screen mean the same panel. A console has
    /// 59.83 in a second on each.
    ///
    /// The buffer that the program selected is shown from now on, the status bits show the blank until the program
    /// acknowledges it, and unless it is masked, [`Interrupt::Pdc0`] or [`Interrupt::Pdc1`] is raised.
    ///
    /// A host that never calls this sees the selected buffer at once. After the first call for a screen, its buffers
    /// change at blanks only.
    pub fn vblank(&mut self, screen: Screen) {
        let controller = screen.controller();
        let (screen, interrupt) = match controller {
            Controller::Upper => (Screen::Top, Interrupt::Pdc0),
            Controller::Lower => (Screen::Bottom, Interrupt::Pdc1),
        };
        if let Some(recorder) = &mut self.recorder {
            recorder.note(Event::VBlank { screen });
        }
        if self.state.external.blank(controller) {
            self.raise(interrupt, Some(&|_| 0));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::memory::{BlockMemory, write_bytes};
    use crate::pica::capture::{Capture, Event, replay::Player};
    use crate::pica::display::ScanOut;
    use crate::pica::display::Screen;
    use crate::pica::external::interrupts::Interrupt;
    use crate::pica::float::Precision;
    use crate::pica::stage::NoEngines;
    use crate::pica::testing::Bench;
    use crate::pica::{Pica, Snapshot};

    const RAM: u32 = 0x2000_0000;

    /// Two buffers of 2 x 1 pixels, red and green; the first is shown.
    fn two_buffers(pica: &mut Pica, memory: &BlockMemory) {
        write_bytes(memory, RAM, &[0, 0, 255, 0, 0, 255]);
        write_bytes(memory, RAM + 0x100, &[0, 255, 0, 0, 255, 0]);
        let words = [(0x45c, 0x0002_0001), (0x468, RAM), (0x46c, RAM + 0x100), (0x470, 0x41), (0x478, 0)];
        for (offset, word) in words {
            let written = pica.write_mmio(&mut NoEngines, memory, 0x1040_0000 + offset, word);
            assert_eq!(written, Ok(()));
        }
        let written = pica.write_mmio(&mut NoEngines, memory, 0x1040_0490, 8);
        assert_eq!(written, Ok(()));
    }

    /// Address of the buffer that is shown.
    fn shown(pica: &Pica) -> u32 {
        ScanOut::in_use(pica.external(), Screen::Top).address
    }

    #[test]
    fn buffers_change_at_blanks() {
        let memory = BlockMemory::zeroed(&[(RAM, 0x1000)]);
        let mut pica = Pica::new(Precision::Console);
        let select = |pica: &mut Pica, word| {
            assert_eq!(pica.write_mmio(&mut NoEngines, &memory, 0x1040_0478, word), Ok(()));
            shown(pica)
        };
        let [red, green] = [RAM, RAM + 0x100];
        two_buffers(&mut pica, &memory);
        assert_eq!(select(&mut pica, 1), green, "a host without blanks");
        pica.vblank(Screen::Bottom);
        assert_eq!(select(&mut pica, 0), red, "blanks of the other panel do not matter");
        pica.vblank(Screen::Top);
        assert_eq!((select(&mut pica, 1), pica.read_mmio(0x1040_0478)), (red, 0x2_0001));
        pica.vblank(Screen::TopRight);
        assert_eq!((shown(&pica), pica.read_mmio(0x1040_0478)), (green, 0x2_0011));
        assert_eq!(select(&mut pica, 0x7_0000), green);
        assert_eq!(pica.read_mmio(0x1040_0478), 0x10, "acknowledged");
    }

    #[test]
    fn blanks_raise_interrupts() {
        let mut bench = Bench::new();
        let raised = |bench: &mut Bench| {
            let numbers: Vec<_> = bench.pica.interrupts().iter().map(Interrupt::number).collect();
            Interrupt::ALL.into_iter().for_each(|interrupt| bench.pica.acknowledge(interrupt));
            numbers
        };
        bench.pica.vblank(Screen::Top);
        assert_eq!((raised(&mut bench), bench.pica.read_mmio(0x1040_0034)), (vec![0x2a], 1 << 28));
        bench.pica.vblank(Screen::Bottom);
        assert_eq!((raised(&mut bench), bench.pica.read_mmio(0x1040_0034)), (vec![0x2b], 3 << 28));
        // The system masks the horizontal blank and errors.
        for (control, numbers) in [(0x1_0501, vec![0x2a]), (0x1_0701, vec![])] {
            assert_eq!(bench.mmio(0x1040_0474, control), Ok(()));
            bench.pica.vblank(Screen::Top);
            assert_eq!(raised(&mut bench), numbers, "{control:x}");
        }
        assert!(bench.pica.faults().as_slice().is_empty());
    }

    #[test]
    fn counters_are_polled() {
        let mut bench = Bench::new();
        assert_eq!(bench.mmio(0x1040_0464, 0x0192_0002), Ok(()));
        bench.pica.vblank(Screen::Top);
        assert_eq!([(); 2].map(|()| bench.pica.read_mmio(0x1040_0454)), [402, 403]);
        let polls = (0..1000).take_while(|_| bench.pica.read_mmio(0x1040_0454) != 200).count();
        assert_eq!(polls, 414 - 404 + 200, "whatever line a program waits for, it comes");
    }

    #[test]
    fn recordings_hold_blanks_and_reads() {
        let memory = BlockMemory::zeroed(&[(RAM, 0x1000)]);
        let mut pica = Pica::new(Precision::Console);
        pica.start_recording(&memory, &[(RAM, 0x1000)]).expect("sound blocks");
        two_buffers(&mut pica, &memory);
        pica.vblank(Screen::TopRight);
        for (offset, word) in [(0x478, 1), (0x480, 254), (0x484, 0x010203)] {
            let written = pica.write_mmio(&mut NoEngines, &memory, 0x1040_0000 + offset, word);
            assert_eq!(written, Ok(()));
        }
        assert_eq!([(); 2].map(|()| pica.read_mmio(0x1040_0484)), [0xff_ffff, 0]);
        let _ = pica.read_mmio(0x1040_0450);
        pica.frame_end(&memory);
        pica.vblank(Screen::Top);
        pica.vblank(Screen::Bottom);
        pica.frame_end(&memory);
        let recorded = pica.stop_recording().expect("recording");
        let blanks = |capture: &Capture| {
            let screen = |event: &Event| match event {
                Event::VBlank { screen } => Some(*screen),
                _ => None,
            };
            capture.events.iter().filter_map(screen).collect::<Vec<_>>()
        };
        assert_eq!(blanks(&recorded), [Screen::Top, Screen::Top, Screen::Bottom]);
        let capture = Capture::read(&recorded.to_bytes()).expect("own file");
        assert_eq!(capture, recorded);
        let mut player = Player::new(&capture).expect("own state");
        for buffer in [RAM, RAM + 0x100] {
            assert!(player.run_frame(&mut NoEngines).is_some());
            assert_eq!(shown(player.pica()), buffer);
        }
        assert_eq!(player.run_frame(&mut NoEngines), None);
        assert_eq!(player.pica().save(), pica.save());
    }

    #[test]
    fn snapshots_keep_the_display() {
        let mut bench = Bench::new();
        for (offset, word) in [(0x480, 9), (0x484, 0x00aa_bbcc), (0x478, 1)] {
            assert_eq!(bench.mmio(0x1040_0000 + offset, word), Ok(()));
        }
        bench.pica.vblank(Screen::Top);
        let snapshot = bench.pica.save();
        let mut other = Bench::new();
        assert_eq!(other.pica.load(&snapshot), Ok(()));
        assert_eq!(other.pica.save(), snapshot);
        for bench in [&mut bench, &mut other] {
            assert_eq!(bench.mmio(0x1040_0478, 0), Ok(()));
        }
        assert_eq!(other.pica.external(), bench.pica.external());
        assert_eq!(other.pica.read_mmio(0x1040_0478), 0x2_0010, "blanks go on where they were");
    }

    /// The first version had nothing of the display controllers at its end, and any word as selection.
    #[test]
    fn snapshots_of_the_first_version() {
        let mut bench = Bench::new();
        assert_eq!(bench.mmio(0x1040_046c, 0x1234_5670), Ok(()));
        let mut words = bench.pica.save().words().to_vec();
        assert_eq!((words[0], words.split_off(words.len() - 4)), (0x5069_0002, vec![0; 4]));
        words[0] = 0x5069_0001;
        let buffer = words.iter().position(|&word| word == 0x1234_5670).expect("0x46C");
        words[buffer + 3] = 0x7_0001;
        let mut other = Bench::new();
        assert_eq!(other.pica.load(&Snapshot::from_words(words.clone())), Ok(()));
        assert_eq!(
            (other.pica.read_mmio(0x1040_046c), other.pica.read_mmio(0x1040_0478)),
            (0x1234_5670, 0x11)
        );
        words[0] = 0x5069_0003;
        assert!(other.pica.load(&Snapshot::from_words(words)).is_err());
    }
}
