//! Textures that a host sees, and its images in their place.

use crate::raw::{In, User, c_struct, lent_mut};
use crate::status::Failure;
use picaflor_pipeline::texture::Texture;
use std::sync::atomic::{AtomicU64, Ordering};

c_struct! {
    fixed
    /// `picaflor_texture`.
    TextureInfo {
        /// XXH64 of the bytes.
        hash: u64,
        /// The same of the palette.
        palette: u64,
        /// Address of the level.
        address: u32,
        /// In texels.
        width: u32,
        /// In texels.
        height: u32,
        /// Code of the format.
        format: u32,
        /// Number of the level.
        level: u32,
        /// Face of a cube.
        face: u32,
        /// Texels from row to row.
        stride: u32,
        /// Zero.
        reserved: u32,
    }
}

/// `picaflor_textures.texture`.
type TextureFn = extern "C" fn(User, *const TextureInfo, *mut u32);

c_struct! {
    growing
    /// `picaflor_textures`.
    TexturesConfig {
        /// Argument of the callback.
        user: User,
        /// The callback.
        texture: Option<TextureFn>,
    }
}

/// A host's callback.
#[derive(Clone, Copy)]
pub(crate) struct Textures {
    user: User,
    texture: TextureFn,
    version: u64,
}

/// Versions, of all machines: engines are shared.
static LAST: AtomicU64 = AtomicU64::new(0);

impl Textures {
    /// Number of this callback, and of what it answers.
    pub(crate) const fn version(&self) -> u64 {
        self.version
    }

    /// Calls the host.
    pub(crate) fn show(&self, texture: &Texture, texels: &mut [u32]) {
        let info = TextureInfo {
            hash: texture.hash,
            palette: texture.palette,
            address: texture.address,
            width: texture.size[0],
            height: texture.size[1],
            format: texture.format,
            level: texture.level,
            face: texture.face,
            stride: texture.stride,
            reserved: 0,
        };
        (self.texture)(self.user, &raw const info, lent_mut(texels));
    }
}

/// The callback of a configuration; none for NULL.
pub(crate) fn read(textures: &In<TexturesConfig>) -> Result<Option<Textures>, Failure> {
    if textures.is_null() {
        return Ok(None);
    }
    let config = textures.read("picaflor_textures")?;
    let texture = config.texture.ok_or_else(|| Failure::null("picaflor_textures.texture"))?;
    let version = LAST.fetch_add(1, Ordering::Relaxed) + 1;
    Ok(Some(Textures { user: config.user, texture, version }))
}
