use super::*;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

/// An object that counts its ends.
struct Counted(Arc<AtomicUsize>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

/// A handle as C holds it, to an object of its own.
fn handle<T: Any + Send + Sync>(object: T) -> *mut T {
    let handle = TABLE.insert(Box::new(object)).expect("a place");
    std::ptr::without_provenance_mut(handle)
}

fn status<T>(result: Result<T, Failure>) -> Status {
    result.map_or_else(|failure| failure.status, |_| Status::Ok)
}

#[test]
fn places_follow_each_other() {
    let places = [0, 63, 64, 191, 192, PLACES - 1].map(split);
    assert_eq!(
        places,
        [(0, 0), (0, 63), (1, 0), (1, 127), (2, 0), (CHUNKS - 1, (FIRST_CHUNK << (CHUNKS - 1)) - 1)]
    );
}

#[test]
fn numbers_that_are_no_handles() {
    let live = handle(7_u32).addr();
    assert_eq!(Handle::<u32>(std::ptr::without_provenance(live)).get("it").map(|it| *it).ok(), Some(7));
    let aligned = 1 << ALIGNMENT_BITS;
    let later = live + (1 << (ALIGNMENT_BITS + PLACE_BITS));
    for wrong in [
        live | 1,
        live + aligned / 2,
        aligned,
        later,
        #[cfg(target_pointer_width = "64")]
        (live | 1 << 47),
        usize::MAX,
        usize::MAX & !(aligned - 1),
    ] {
        let wrong = Handle::<u32>(std::ptr::without_provenance(wrong));
        assert_eq!(status(wrong.get("it")), Status::Argument, "{:p}", wrong.0);
    }
    assert_eq!(status(Handle::<u32>(std::ptr::null()).get("it")), Status::Null);
}

#[test]
fn handles_of_another_kind() {
    let handle = handle(7_u32);
    assert_eq!(status(Handle::<u64>(handle.cast()).get("it")), Status::Argument);
    assert_eq!(status(Owned::<u64>(handle.cast()).destroy("it")), Status::Argument);
    assert_eq!(status(Owned(handle).destroy("it")), Status::Ok);
}

#[test]
fn destroyed_while_in_use() {
    let ended = Arc::default();
    let handle = handle(Counted(Arc::clone(&ended)));
    let busy = Owned(handle).destroy_by("it", |_, _| Err(Failure::new(Status::Busy, "busy")));
    assert_eq!((status(busy), ended.load(Ordering::SeqCst)), (Status::Busy, 0));
    let used = Handle(handle).get("it").expect("it lives");
    assert_eq!(status(Owned(handle).destroy("it")), Status::Ok);
    assert_eq!(status(Handle(handle).get("it")), Status::Argument);
    assert_eq!(status(Owned(handle).destroy("it")), Status::Argument);
    assert_eq!(used.0.load(Ordering::SeqCst), 0, "the user keeps it");
    drop(used);
    assert_eq!(ended.load(Ordering::SeqCst), 1);
}

#[test]
fn one_of_many_destroys() {
    let ended = Arc::<AtomicUsize>::default();
    for _ in 0..200 {
        let before = ended.load(Ordering::SeqCst);
        let address = handle(Counted(Arc::clone(&ended))).addr();
        let destroyed: usize = std::thread::scope(|scope| {
            let destroy = || {
                let owned = Owned::<Counted>(std::ptr::without_provenance_mut(address));
                let _ = Handle(owned.0.cast_const()).get("it").map(|it| it.0.load(Ordering::SeqCst));
                usize::from(owned.destroy("it").is_ok())
            };
            let threads = [(); 3].map(|()| scope.spawn(destroy));
            threads.into_iter().map(|thread| thread.join().expect("no panic")).sum()
        });
        assert_eq!((destroyed, ended.load(Ordering::SeqCst)), (1, before + 1));
    }
}

/// A place is used again in another round, so that old handles stay invalid; and not at all after the last.
#[test]
fn places_are_used_again() {
    let first = handle(1_u8);
    let (number, round) = parts(first.addr()).expect("a handle");
    assert_eq!(status(Owned(first).destroy("it")), Status::Ok);
    let place = TABLE.place(number).expect("a place");
    assert!(place.state.load(Ordering::SeqCst) >> ROUND_SHIFT > round && !place.enter(round));
    let last = Place::default();
    last.state.store(LAST_ROUND << ROUND_SHIFT | ALIVE | 1, Ordering::SeqCst);
    assert!(last.end(LAST_ROUND) && !last.end(LAST_ROUND));
    assert!(last.leave().is_none());
    TABLE.give_back(usize::MAX, &last);
    assert!(!TABLE.free().returned.contains(&usize::MAX));
}
