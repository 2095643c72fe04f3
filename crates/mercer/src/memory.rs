//! Memory that may not be there: it is asked for before it is taken, and what cannot be had is an error with its bytes.

use crate::error::{Error, ErrorKind, Result};

/// Refuses work that needs more memory than `budget`, or than this process can still have where none is given.
///
/// # Errors
/// [`ErrorKind::Memory`].
pub(crate) fn room(
    what: &'static str,
    needed: u64,
    budget: Option<usize>,
    instead: &'static str,
) -> Result<()> {
    let budget = budget.map_or(u64::MAX, |bytes| bytes as u64).min(available());
    if needed > budget {
        return Err(ErrorKind::Memory { what, needed, budget, instead }.into());
    }
    Ok(())
}

/// Refuses work for which this process cannot have so many bytes, by trying. Where the bytes
/// could be had they are given back, so that the allocations of the work, which are many and small, find them.
///
/// # Errors
/// [`ErrorKind::Memory`], with the most that could be had.
pub(crate) fn obtainable(what: &'static str, needed: u64, instead: &'static str) -> Result<()> {
    if can_have(needed) {
        return Ok(());
    }
    let (mut budget, mut over) = (0, needed);
    while over - budget > 1 << 20 {
        let middle = budget + (over - budget) / 2;
        if can_have(middle) { budget = middle } else { over = middle }
    }
    Err(ErrorKind::Memory { what, needed, budget, instead }.into())
}

/// Whether an allocation of so many bytes succeeds.
fn can_have(bytes: u64) -> bool {
    let mut trial = Vec::<u8>::new();
    let had = usize::try_from(bytes).is_ok_and(|bytes| trial.try_reserve_exact(bytes).is_ok());
    // An allocation that nothing looks at may be left out.
    std::hint::black_box(&trial);
    had
}

/// Bytes of memory that are asked for before they are taken: smaller blocks are many, and asking costs a microsecond.
const BLOCK: usize = 1 << 20;
/// Bytes that are left for the many small allocations of a fit beside its large blocks, which end the program where they fail: stacks of
/// threads, tiles, lists.
const RESERVE: u64 = 16 << 20;

/// Unwinds with an error that [`within_memory`] hands to the caller where this process cannot have a block of so many bytes. To be called
/// before a large block is taken; smaller ones pass.
pub(crate) fn ask_for(bytes: usize) {
    let with_reserve = (bytes as u64).saturating_add(RESERVE);
    if bytes >= BLOCK && !can_have(with_reserve) {
        let error = obtainable("a matrix", with_reserve, "take fewer rows or another method, or allow more");
        if let Err(error) = error {
            // No panic: nothing is printed, and the error goes from thread to thread as it is.
            std::panic::resume_unwind(Box::new(error));
        }
    }
}

/// Does work whose large blocks of memory may be refused by the system.
///
/// A fit has dozens of places that take a matrix, many of them in products and factorisations that cannot fail otherwise. A matrix that
/// cannot be had ends all of them alike: its error unwinds to here, through all threads, and is the result.
///
/// # Errors
/// Of the work; [`ErrorKind::Memory`].
pub fn within_memory<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    // What was changed halfway is not looked at again: an error ends whatever it was made for.
    match std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)) {
        Ok(result) => result,
        Err(payload) => match payload.downcast::<Error>() {
            Ok(error) => Err(*error),
            Err(defect) => std::panic::resume_unwind(defect),
        },
    }
}

/// Bytes that this process can still have: those that the machine has left, or of its address space, where that is limited (`ulimit -v`),
/// those less a reserve. A system that does not tell has no more than an allocation can have.
pub(crate) fn available() -> u64 {
    let machine = kibibytes("/proc/meminfo", "MemAvailable:");
    let limit = limits("/proc/self/limits", "Max address space");
    let space = limit.map(|limit| {
        let taken = kibibytes("/proc/self/status", "VmSize:").unwrap_or(0);
        limit.saturating_sub(taken).saturating_sub(RESERVE)
    });
    [machine, space].into_iter().flatten().fold(isize::MAX as u64, u64::min)
}

/// The value of a line `MemAvailable:   1234 kB`, in bytes.
fn kibibytes(file: &str, name: &str) -> Option<u64> {
    let text = std::fs::read_to_string(file).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

/// The first number of a line `Max address space   1234   unlimited   bytes`; none where it is unlimited.
fn limits(file: &str, name: &str) -> Option<u64> {
    let text = std::fs::read_to_string(file).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_had_is_an_error_with_what_can() {
        assert!(obtainable("a trial", 1 << 20, "").is_ok());
        let error = obtainable("a trial", u64::MAX, "ask for less").unwrap_err();
        let ErrorKind::Memory { needed, budget, .. } = *error.kind() else { panic!("{error}") };
        assert!(needed == u64::MAX && (1 << 20..u64::MAX).contains(&budget));
        assert!(error.to_string().ends_with("ask for less"), "{error}");
    }

    #[test]
    fn a_block_that_cannot_be_had_is_an_error_whichever_thread_takes_it() {
        let work = || {
            rayon::join(|| ask_for(isize::MAX as usize), || ());
            Ok(())
        };
        let error = within_memory(work).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Memory { .. }), "{error}");
        assert_eq!(within_memory(|| Ok(7)).unwrap(), 7);
        let defect =
            std::panic::catch_unwind(|| within_memory::<()>(|| std::panic::resume_unwind(Box::new(1))));
        assert!(defect.is_err(), "a panic stays one");
    }

    #[test]
    fn what_does_not_fit_is_refused_with_its_bytes() {
        let refused = room("a matrix", 3 << 20, Some(2 << 20), "take fewer rows").unwrap_err();
        assert_eq!(refused.to_string(), "a matrix needs 3 MB, and there are 2 MB; take fewer rows");
        assert!(room("a matrix", 1 << 20, Some(2 << 20), "").is_ok());
        assert!(room("a matrix", u64::MAX, None, "").is_err());
    }
}
