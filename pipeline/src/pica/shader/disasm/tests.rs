use super::*;

#[test]
fn lines() {
    let line = |word, descriptor| super::line(Instruction(word), OperandDescriptor(descriptor));
    assert_eq!(line(0x024a_3882, 0x0006_ed4c), "add r2.xy, c3[a0.x].yz, -r1");
    assert_eq!(line(0xf420_8640, 0x0d86_c36f), "mad r4, r0, c1, r2");
    assert_eq!(line(0xbaa1_0884, 0x0010_02ac), "cmp r0.xy, lt, ge, r1.yx");
    assert_eq!(line(0xa240_3001, 0), "ifc cmp.x && !cmp.y, 0x00c, 1");
    assert_eq!(line(0xaec0_0000, 0), "setemit 2, prim inv");
    assert_eq!(line(0xbfe1_0884, 0x0010_02ac), ".word 0xbfe10884 ; cmp");
    assert_eq!(line(0x4000_0000, 0), ".word 0x40000000 ; undefined");
}
