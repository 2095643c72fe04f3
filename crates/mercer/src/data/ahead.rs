//! Reading ahead: a second thread reads and decompresses while the caller parses.

use std::io::{self, Read};
use std::sync::mpsc::{Receiver, sync_channel};

/// Bytes handed over at once.
const PIECE: usize = 256 << 10;
/// Pieces that may wait for the caller.
const WAITING: usize = 4;

/// A reader whose data are read in advance by a thread, at most a megabyte ahead of the caller.
pub(super) struct Ahead {
    pieces: Receiver<io::Result<Vec<u8>>>,
    piece: Vec<u8>,
    taken: usize,
}

impl Ahead {
    /// Starts reading. The thread ends with the data, at an error, or when this reader has been dropped.
    pub(super) fn new(mut reader: impl Read + Send + 'static) -> Self {
        let (sender, pieces) = sync_channel(WAITING);
        std::thread::spawn(move || {
            loop {
                let mut piece = Vec::with_capacity(PIECE);
                let outcome = (&mut reader).take(PIECE as u64).read_to_end(&mut piece);
                // The bytes before an error are handed over before the error.
                let ended = outcome.is_err() || piece.len() < PIECE;
                if !piece.is_empty() && sender.send(Ok(piece)).is_err() {
                    return;
                }
                if let Err(error) = outcome {
                    // Sending fails if the reader has been dropped; the error is of no use then.
                    let _ = sender.send(Err(error));
                }
                if ended {
                    return;
                }
            }
        });
        Self { pieces, piece: Vec::new(), taken: 0 }
    }
}

impl Read for Ahead {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while self.taken == self.piece.len() {
            match self.pieces.recv() {
                Ok(piece) => (self.piece, self.taken) = (piece?, 0),
                Err(_) => return Ok(0),
            }
        }
        let count = out.len().min(self.piece.len() - self.taken);
        out[..count].copy_from_slice(&self.piece[self.taken..self.taken + count]);
        self.taken += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_comes_through_in_order() {
        let data: Vec<u8> = (0..3 * PIECE + 17).map(|i| (i % 251) as u8).collect();
        for length in [0, 1, PIECE - 1, PIECE, PIECE + 1, data.len()] {
            let mut read = Vec::new();
            Ahead::new(io::Cursor::new(data[..length].to_vec())).read_to_end(&mut read).unwrap();
            assert!(read == data[..length], "{length} bytes");
        }
    }

    #[test]
    fn an_error_comes_after_what_was_read_before_it() {
        struct Broken(usize);
        impl Read for Broken {
            fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
                let count = self.0.min(out.len());
                self.0 -= count;
                out[..count].fill(7);
                if count == 0 { Err(io::Error::other("broken")) } else { Ok(count) }
            }
        }
        let mut read = Vec::new();
        let error = Ahead::new(Broken(PIECE + 100)).read_to_end(&mut read).unwrap_err();
        assert_eq!((read.len(), error.to_string().as_str()), (PIECE + 100, "broken"));
    }

    #[test]
    fn a_reader_that_nobody_wants_any_more_is_let_go() {
        let mut ahead = Ahead::new(io::repeat(1));
        assert_eq!(ahead.read(&mut [0; 10]).unwrap(), 10);
    }
}
