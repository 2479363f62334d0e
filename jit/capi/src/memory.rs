//! Guest memory: regions that C registers, or a callback. Unsafe code; see also [`raw`](crate::raw).

use crate::raw::{Array, In, Room, User, c_struct};
use crate::status::Failure;
use crate::textures::Textures;
use picaflor_pipeline::guest_slice::GuestSlice;
use picaflor_pipeline::memory::{Memory, Ranges, Versions};
use picaflor_pipeline::texture::Texture;
use std::sync::{Arc, Mutex, PoisonError};

/// `PICAFLOR_MAX_REGIONS`.
pub(crate) const MAX_REGIONS: usize = 64;

/// `picaflor_memory.region`.
type RegionFn = extern "C" fn(User, u32, u32) -> *mut u8;
/// `picaflor_memory.written`.
type WrittenFn = extern "C" fn(User, u32, u32);
/// `picaflor_memory.version`.
type VersionFn = extern "C" fn(User, u32, u32, *mut u64) -> i32;

c_struct! {
    fixed
    /// `picaflor_region`.
    Region {
        /// Physical address.
        address: u32,
        /// Bytes.
        length: u32,
        /// The bytes in the host.
        bytes: Room<u8>,
    }
}

c_struct! {
    growing
    /// `picaflor_memory`.
    MemoryConfig {
        /// Blocks mapped for the lifetime of the machine.
        regions: Array<Region>,
        /// Number of regions.
        region_count: usize,
        /// Argument of the callbacks.
        user: User,
        /// Callback that locates bytes, instead of `regions`.
        region: Option<RegionFn>,
        /// Callback for writes, or NULL.
        written: Option<WrittenFn>,
        /// Callback for versions, or NULL.
        version: Option<VersionFn>,
        /// 1: the host announces its writes.
        tracked: u32,
        /// Zero.
        reserved: u32,
    }
}

/// What is known of changes of a machine's memory.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    pub(crate) versions: Versions,
    /// What the machine wrote, until the host takes it.
    pub(crate) written: Mutex<Ranges>,
}

impl Changes {
    /// Takes what the machine wrote, if there is room for all of it; else returns the number of ranges.
    pub(crate) fn take(&self, capacity: usize) -> Result<Vec<(u32, u32)>, usize> {
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        let ranges = written.take();
        if ranges.len() <= capacity {
            return Ok(ranges);
        }
        ranges.iter().for_each(|&(address, length)| written.add(address, length));
        Err(ranges.len())
    }
}

/// Guest memory of a host in C.
pub(crate) struct HostMemory {
    regions: Vec<Region>,
    config: MemoryConfig,
    /// Set if the host announces its writes.
    changes: Option<Arc<Changes>>,
    /// Who sees textures.
    pub(crate) textures: Option<Textures>,
}

// SAFETY: the header lets callbacks be called from several threads at once, and asks that what a machine was
// given stays valid until the machine is destroyed or given other memory, on whichever thread it is used.
unsafe impl Send for HostMemory {}
// SAFETY: as for `Send`.
unsafe impl Sync for HostMemory {}

impl HostMemory {
    /// Checks and copies the configuration.
    pub(crate) fn new(config: &In<MemoryConfig>, changes: &Arc<Changes>) -> Result<Self, Failure> {
        let config = config.read("picaflor_memory")?;
        if config.tracked > 1 || config.reserved != 0 {
            return Err(Failure::argument("picaflor_memory.tracked is 0 or 1, and `reserved` 0"));
        }
        if config.tracked == 1 && config.version.is_some() {
            return Err(Failure::argument("picaflor_memory is tracked and has a callback for versions"));
        }
        if config.region_count > MAX_REGIONS {
            return Err(Failure::argument(format!("more than {MAX_REGIONS} regions")));
        }
        let regions = config.regions.slice(config.region_count, "picaflor_memory.regions")?.to_vec();
        match (config.region, regions.is_empty()) {
            (None, true) => return Err(Failure::null("picaflor_memory.region, and there are no regions,")),
            (Some(_), false) => {
                return Err(Failure::argument("picaflor_memory has both regions and a callback for them"));
            }
            _ => {}
        }
        for region in &regions {
            region.bytes.check(region.length as usize, "picaflor_region.bytes")?;
        }
        check_ranges(&regions.iter().map(|region| (region.address, region.length)).collect::<Vec<_>>())?;
        let changes = (config.tracked == 1).then(|| Arc::clone(changes));
        Ok(Self { regions, config, changes, textures: None })
    }

    /// Address and length of the registered regions.
    pub(crate) fn ranges(&self) -> Vec<(u32, u32)> {
        self.regions.iter().map(|region| (region.address, region.length)).collect()
    }

    fn find(&self, address: u32, length: u32) -> Option<*mut u8> {
        if let Some(callback) = self.config.region {
            return Some(callback(self.config.user, address, length)).filter(|bytes| !bytes.is_null());
        }
        self.regions.iter().find_map(|region| {
            let offset = address.checked_sub(region.address)?;
            let inside = u64::from(offset) + u64::from(length) <= u64::from(region.length);
            inside.then(|| region.bytes.as_ptr().wrapping_add(offset as usize))
        })
    }
}

/// Checks that ranges neither overlap nor exceed the address space.
pub(crate) fn check_ranges(ranges: &[(u32, u32)]) -> Result<(), Failure> {
    let end = |&(address, length): &(u32, u32)| u64::from(address) + u64::from(length);
    let mut sorted = ranges.to_vec();
    sorted.sort_unstable();
    if let Some((address, _)) = sorted.iter().find(|range| end(range) > 1 << 32) {
        return Err(Failure::argument(format!("the region at {address:#010x} reaches past 4 GiB")));
    }
    match sorted.windows(2).find(|pair| end(&pair[0]) > u64::from(pair[1].0)) {
        Some(pair) => Err(Failure::argument(format!("the region at {:#010x} overlaps another", pair[1].0))),
        None => Ok(()),
    }
}

impl Memory for HostMemory {
    fn region(&self, address: u32, length: u32) -> Option<GuestSlice<'_>> {
        if length == 0 {
            return Some(GuestSlice::from_slice(&[]));
        }
        let bytes = self.find(address, length)?;
        // SAFETY: C promises `length` readable and writable bytes there, until the call on the machine returns
        // at least, during which this memory is borrowed; they are no Rust objects. Bytes that the host
        // writes meanwhile are seen with either value, as the header says.
        Some(unsafe { GuestSlice::from_raw_mut(bytes, length as usize) })
    }

    fn written(&self, address: u32, length: u32) {
        if let Some(changes) = &self.changes {
            changes.versions.invalidate(address, length);
            changes.written.lock().unwrap_or_else(PoisonError::into_inner).add(address, length);
        }
        if let Some(callback) = self.config.written {
            callback(self.config.user, address, length);
        }
    }

    fn version(&self, address: u32, length: u32) -> Option<u64> {
        if let Some(changes) = &self.changes {
            return Some(changes.versions.version(address, length));
        }
        let mut version = 0;
        let known = self.config.version?(self.config.user, address, length, &raw mut version);
        (known != 0).then_some(version)
    }

    fn replacements(&self) -> Option<u64> {
        self.textures.map(|textures| textures.version())
    }

    fn replace(&self, texture: &Texture, texels: &mut [u32]) {
        if let Some(textures) = &self.textures {
            textures.show(texture, texels);
        }
    }
}

/// Attribute arrays of a batch, at addresses of their own: array `k` from `k << WINDOW` on.
pub(crate) struct Arrays<'a> {
    arrays: [GuestSlice<'a>; 16],
}

/// Bits of an address inside an array.
const WINDOW: u32 = 28;
/// Maximal size of an array in bytes.
pub(crate) const LARGEST_ARRAY: usize = 1 << WINDOW;

impl<'a> Arrays<'a> {
    pub(crate) fn new() -> Self {
        Self { arrays: [GuestSlice::from_slice(&[]); 16] }
    }

    /// Adds an array of at most [`LARGEST_ARRAY`] bytes; returns the address of its first byte.
    pub(crate) fn set(&mut self, k: usize, bytes: &'a [u8]) -> u32 {
        self.arrays[k] = GuestSlice::from_slice(bytes);
        (k as u32) << WINDOW
    }
}

impl Memory for Arrays<'_> {
    fn region(&self, address: u32, length: u32) -> Option<GuestSlice<'_>> {
        let array = self.arrays[(address >> WINDOW) as usize];
        let start = address as usize % LARGEST_ARRAY;
        let end = start + length as usize;
        (end <= array.len()).then(|| array.slice(start, length as usize))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges() {
        assert!(check_ranges(&[(0x2000, 0x1000), (0x1000, 0x1000), (0xffff_ff00, 0x100)]).is_ok());
        for bad in [&[(0x1000, 0x1001), (0x2000, 1)][..], &[(0xffff_ff00, 0x101)]] {
            assert!(check_ranges(bad).is_err(), "{bad:x?}");
        }
    }

    #[test]
    fn arrays_keep_apart() {
        let (first, second) = ([1_u8, 2, 3], [4_u8; 8]);
        let mut arrays = Arrays::new();
        assert_eq!(arrays.set(0, &first), 0);
        let at = arrays.set(15, &second);
        assert_eq!(arrays.region(1, 2).map(GuestSlice::to_vec), Some(vec![2, 3]));
        assert_eq!(arrays.region(at + 4, 4).map(GuestSlice::to_vec), Some(vec![4; 4]));
        assert!(arrays.region(1, 3).is_none() && arrays.region(at + 5, 4).is_none());
        assert!(arrays.region(1 << WINDOW, 1).is_none() && arrays.region(u32::MAX, 1).is_none());
    }
}
