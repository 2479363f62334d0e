//! Names of the commands; their values are also the numbers of the registers that hold their words.
//!
//! Source: psp-ge.md 3. Of consecutive commands of one kind, the first has a name.

/// No operation.
pub const NOP: u8 = 0x00;
/// Vertex pointer.
pub const VADDR: u8 = 0x01;
/// Index pointer.
pub const IADDR: u8 = 0x02;
/// Draw.
pub const PRIM: u8 = 0x04;
/// Draw Bezier patches.
pub const BEZIER: u8 = 0x05;
/// Draw spline patches.
pub const SPLINE: u8 = 0x06;
/// Bounding box test.
pub const BBOX: u8 = 0x07;
/// Jump.
pub const JUMP: u8 = 0x08;
/// Jump if the bounding box is outside.
pub const BJUMP: u8 = 0x09;
/// Call.
pub const CALL: u8 = 0x0a;
/// Return.
pub const RET: u8 = 0x0b;
/// End.
pub const END: u8 = 0x0c;
/// Signal.
pub const SIGNAL: u8 = 0x0e;
/// Finish.
pub const FINISH: u8 = 0x0f;
/// Upper bits of addresses.
pub const BASE: u8 = 0x10;
/// Vertex type.
pub const VTYPE: u8 = 0x12;
/// Offset of addresses.
pub const OFFSET: u8 = 0x13;
/// Sets OFFSET to the address of this command.
pub const ORIGIN: u8 = 0x14;
/// Region minimum.
pub const REGION1: u8 = 0x15;
/// Region maximum.
pub const REGION2: u8 = 0x16;
/// Lighting enable.
pub const LTE: u8 = 0x17;
/// Light 0; 1 to 3 follow.
pub const LTE0: u8 = 0x18;
/// Depth clamp and near clipping enable.
pub const CPE: u8 = 0x1c;
/// Back-face culling enable.
pub const BCE: u8 = 0x1d;
/// Texture enable.
pub const TME: u8 = 0x1e;
/// Fog enable.
pub const FGE: u8 = 0x1f;
/// Dither enable.
pub const DTE: u8 = 0x20;
/// Blending enable.
pub const ABE: u8 = 0x21;
/// Alpha test enable.
pub const ATE: u8 = 0x22;
/// Depth test enable.
pub const ZTE: u8 = 0x23;
/// Stencil test enable.
pub const STE: u8 = 0x24;
/// Antialiasing enable.
pub const AAE: u8 = 0x25;
/// Patch culling enable.
pub const PCE: u8 = 0x26;
/// Colour test enable.
pub const CTE: u8 = 0x27;
/// Logic operation enable.
pub const LOE: u8 = 0x28;
/// Bone matrix counter.
pub const BOFS: u8 = 0x2a;
/// Bone matrix element.
pub const BONE: u8 = 0x2b;
/// Morph weight 0; 1 to 7 follow.
pub const MW0: u8 = 0x2c;
/// Patch divisions.
pub const PSUB: u8 = 0x36;
/// Patch primitive.
pub const PPRIM: u8 = 0x37;
/// Patch facing.
pub const PFACE: u8 = 0x38;
/// World matrix counter.
pub const WMS: u8 = 0x3a;
/// World matrix element.
pub const WORLD: u8 = 0x3b;
/// View matrix counter.
pub const VMS: u8 = 0x3c;
/// View matrix element.
pub const VIEW: u8 = 0x3d;
/// Projection matrix counter.
pub const PMS: u8 = 0x3e;
/// Projection matrix element.
pub const PROJ: u8 = 0x3f;
/// Texture matrix counter.
pub const TMS: u8 = 0x40;
/// Texture matrix element.
pub const TMATRIX: u8 = 0x41;
/// Viewport scale x.
pub const XSCALE: u8 = 0x42;
/// Viewport scale y.
pub const YSCALE: u8 = 0x43;
/// Viewport scale z.
pub const ZSCALE: u8 = 0x44;
/// Viewport centre x.
pub const XPOS: u8 = 0x45;
/// Viewport centre y.
pub const YPOS: u8 = 0x46;
/// Viewport centre z.
pub const ZPOS: u8 = 0x47;
/// Texture scale u.
pub const USCALE: u8 = 0x48;
/// Texture scale v.
pub const VSCALE: u8 = 0x49;
/// Texture offset u.
pub const UOFFSET: u8 = 0x4a;
/// Texture offset v.
pub const VOFFSET: u8 = 0x4b;
/// Drawing offset x.
pub const OFFSETX: u8 = 0x4c;
/// Drawing offset y.
pub const OFFSETY: u8 = 0x4d;
/// Shading.
pub const SHADE: u8 = 0x50;
/// Normal reversal.
pub const RNORM: u8 = 0x51;
/// Material colours from the vertex.
pub const CMAT: u8 = 0x53;
/// Emissive colour.
pub const EMC: u8 = 0x54;
/// Ambient material.
pub const AMC: u8 = 0x55;
/// Diffuse material.
pub const DMC: u8 = 0x56;
/// Specular material.
pub const SMC: u8 = 0x57;
/// Material alpha.
pub const AMA: u8 = 0x58;
/// Specular power.
pub const SPOW: u8 = 0x5b;
/// Global ambient.
pub const ALC: u8 = 0x5c;
/// Global ambient alpha.
pub const ALA: u8 = 0x5d;
/// Separate specular colour.
pub const LMODE: u8 = 0x5e;
/// Type of light 0; 1 to 3 follow.
pub const LT0: u8 = 0x5f;
/// Position x of light 0; y, z, and the other lights follow.
pub const LXP0: u8 = 0x63;
/// Position y of light 0; every third.
pub const LYP0: u8 = 0x64;
/// Position z of light 0; every third.
pub const LZP0: u8 = 0x65;
/// Spot direction x of light 0; y, z, and the other lights follow.
pub const LXD0: u8 = 0x6f;
/// Spot direction y of light 0; every third.
pub const LYD0: u8 = 0x70;
/// Spot direction z of light 0; every third.
pub const LZD0: u8 = 0x71;
/// Constant attenuation of light 0; linear, quadratic, and the other lights follow.
pub const LCA0: u8 = 0x7b;
/// Linear attenuation of light 0; every third.
pub const LLA0: u8 = 0x7c;
/// Quadratic attenuation of light 0; every third.
pub const LQA0: u8 = 0x7d;
/// Spot exponent of light 0; 1 to 3 follow.
pub const LSE0: u8 = 0x87;
/// Spot cutoff of light 0; 1 to 3 follow.
pub const LSC0: u8 = 0x8b;
/// Ambient colour of light 0; diffuse, specular, and the other lights follow.
pub const ALC0: u8 = 0x8f;
/// Diffuse colour of light 0; every third.
pub const DLC0: u8 = 0x90;
/// Specular colour of light 0; every third.
pub const SLC0: u8 = 0x91;
/// Facing that is culled.
pub const FFACE: u8 = 0x9b;
/// Frame buffer pointer.
pub const FBP: u8 = 0x9c;
/// Frame buffer width.
pub const FBW: u8 = 0x9d;
/// Depth buffer pointer.
pub const ZBP: u8 = 0x9e;
/// Depth buffer width.
pub const ZBW: u8 = 0x9f;
/// Pointer of texture level 0; 1 to 7 follow.
pub const TBP0: u8 = 0xa0;
/// Width of texture level 0; 1 to 7 follow.
pub const TBW0: u8 = 0xa8;
/// CLUT pointer.
pub const CBP: u8 = 0xb0;
/// CLUT pointer, upper bits.
pub const CBPH: u8 = 0xb1;
/// Transfer source.
pub const TRXSBP: u8 = 0xb2;
/// Transfer source width.
pub const TRXSBW: u8 = 0xb3;
/// Transfer destination.
pub const TRXDBP: u8 = 0xb4;
/// Transfer destination width.
pub const TRXDBW: u8 = 0xb5;
/// Size of texture level 0; 1 to 7 follow.
pub const TSIZE0: u8 = 0xb8;
/// Texture mapping.
pub const TMAP: u8 = 0xc0;
/// Lights of environment maps.
pub const TSHADE: u8 = 0xc1;
/// Texture mode.
pub const TMODE: u8 = 0xc2;
/// Texture format.
pub const TPSM: u8 = 0xc3;
/// Load the CLUT.
pub const CLOAD: u8 = 0xc4;
/// CLUT mode.
pub const CMODE: u8 = 0xc5;
/// Texture filter.
pub const TFLT: u8 = 0xc6;
/// Texture wrap.
pub const TWRAP: u8 = 0xc7;
/// Level of detail.
pub const TBIAS: u8 = 0xc8;
/// Texture function.
pub const TFUNC: u8 = 0xc9;
/// Texture environment colour.
pub const TEC: u8 = 0xca;
/// Texture cache flush.
pub const TFLUSH: u8 = 0xcb;
/// Transfer wait.
pub const TSYNC: u8 = 0xcc;
/// Fog end.
pub const FFAR: u8 = 0xcd;
/// Fog slope.
pub const FDIST: u8 = 0xce;
/// Fog colour.
pub const FCOL: u8 = 0xcf;
/// Level slope.
pub const TSLOPE: u8 = 0xd0;
/// Frame buffer format.
pub const PSM: u8 = 0xd2;
/// Clear mode.
pub const CLEAR: u8 = 0xd3;
/// Scissor minimum.
pub const SCISSOR1: u8 = 0xd4;
/// Scissor maximum.
pub const SCISSOR2: u8 = 0xd5;
/// Least depth.
pub const NEARZ: u8 = 0xd6;
/// Greatest depth.
pub const FARZ: u8 = 0xd7;
/// Colour test.
pub const CTST: u8 = 0xd8;
/// Colour reference.
pub const CREF: u8 = 0xd9;
/// Colour mask of the test.
pub const CMSK: u8 = 0xda;
/// Alpha test.
pub const ATST: u8 = 0xdb;
/// Stencil test.
pub const STST: u8 = 0xdc;
/// Stencil operations.
pub const SOP: u8 = 0xdd;
/// Depth test.
pub const ZTST: u8 = 0xde;
/// Blending.
pub const ALPHA: u8 = 0xdf;
/// Fixed source factor.
pub const SFIX: u8 = 0xe0;
/// Fixed destination factor.
pub const DFIX: u8 = 0xe1;
/// Dither row 0; 1 to 3 follow.
pub const DTH0: u8 = 0xe2;
/// Logic operation.
pub const LOP: u8 = 0xe6;
/// Depth write mask.
pub const ZMSK: u8 = 0xe7;
/// Colour write mask.
pub const PMSKC: u8 = 0xe8;
/// Alpha write mask.
pub const PMSKA: u8 = 0xe9;
/// Start a transfer.
pub const TRXKICK: u8 = 0xea;
/// Transfer source position.
pub const TRXSPOS: u8 = 0xeb;
/// Transfer destination position.
pub const TRXDPOS: u8 = 0xec;
/// Transfer size.
pub const TRXSIZE: u8 = 0xee;
/// Immediate x.
pub const VSCX: u8 = 0xf0;
/// Immediate y.
pub const VSCY: u8 = 0xf1;
/// Immediate z.
pub const VSCZ: u8 = 0xf2;
/// Immediate s.
pub const VTCS: u8 = 0xf3;
/// Immediate t.
pub const VTCT: u8 = 0xf4;
/// Immediate q.
pub const VTCQ: u8 = 0xf5;
/// Immediate colour.
pub const VCV: u8 = 0xf6;
/// Emit an immediate vertex.
pub const VAP: u8 = 0xf7;
/// Immediate fog.
pub const VFC: u8 = 0xf8;
/// Immediate secondary colour.
pub const VSCV: u8 = 0xf9;
