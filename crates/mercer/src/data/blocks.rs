//! A text cut into blocks of whole lines, which several threads can parse at once.

use std::io::Read;

use super::input::Input;
use crate::error::{Error, Result};

/// Bytes of text per block. The parsed form of a block (about twice its text) then stays in the second-level cache until
/// it is copied to its place.
pub(crate) const BLOCK: usize = 128 << 10;

/// Whole lines of a text.
#[derive(Default)]
pub(crate) struct Block {
    /// The lines with their line ends; the last line of the file may have none.
    pub(crate) text: Vec<u8>,
    /// Number of the first line, from 1.
    pub(crate) line: u64,
}

/// Cuts an input into blocks. Where it cuts depends on the text alone.
pub(crate) struct Blocks {
    input: Input,
    size: usize,
    /// The beginning of a line whose end has not been read yet.
    rest: Vec<u8>,
    line: u64,
    ended: bool,
    failure: Option<Error>,
}

impl Blocks {
    /// Blocks of about `size` bytes.
    pub(crate) fn new(input: Input, size: usize) -> Self {
        Self { input, size, rest: Vec::new(), line: 1, ended: false, failure: None }
    }

    /// The name of the input in messages.
    pub(crate) fn path(&self) -> &std::path::Path {
        self.input.path()
    }

    /// Fills `block` with the next lines, reusing its memory; `false` at the end of the text or where reading failed.
    pub(crate) fn next(&mut self, block: &mut Block) -> bool {
        block.text.clear();
        block.line = self.line;
        block.text.append(&mut self.rest);
        let mut wanted = self.size;
        while !self.ended {
            let missing = wanted.saturating_sub(block.text.len()).max(1);
            match (&mut self.input).take(missing as u64).read_to_end(&mut block.text) {
                Ok(count) => self.ended = count < missing,
                Err(source) => {
                    self.failure = Some(self.input.failure(source));
                    self.ended = true;
                    // The last line is cut short by the damage, and so it is dropped.
                    block.text.truncate(memchr::memrchr(b'\n', &block.text).map_or(0, |at| at + 1));
                }
            }
            if self.ended {
                break;
            }
            match memchr::memrchr(b'\n', &block.text) {
                Some(last) => {
                    self.rest.extend_from_slice(&block.text[last + 1..]);
                    block.text.truncate(last + 1);
                    break;
                }
                None => wanted = block.text.len() * 2,
            }
        }
        self.line += memchr::memchr_iter(b'\n', &block.text).count() as u64;
        !block.text.is_empty()
    }

    /// The error that ended the text, if an error did. To be called once all blocks before it have been parsed.
    pub(crate) fn finish(&mut self) -> Result<()> {
        self.failure.take().map_or(Ok(()), Err)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;
    use std::path::Path;

    use super::*;

    fn blocks(text: &str, size: usize) -> Vec<(String, u64)> {
        let input = Input::new(Path::new("f"), Cursor::new(text.as_bytes().to_vec())).unwrap();
        let mut blocks = Blocks::new(input, size);
        let (mut block, mut out) = (Block::default(), Vec::new());
        while blocks.next(&mut block) {
            out.push((String::from_utf8(block.text.clone()).unwrap(), block.line));
        }
        blocks.finish().unwrap();
        out
    }

    #[test]
    fn blocks_are_whole_lines_and_lose_nothing() {
        let text = "a\nbb\n\nccc\ndddddddddddddddddd\ne";
        for size in 1..40 {
            let cut = blocks(text, size);
            assert_eq!(cut.iter().map(|(text, _)| text.as_str()).collect::<String>(), text);
            let mut line = 1;
            for (i, (block, first)) in cut.iter().enumerate() {
                assert_eq!(*first, line);
                assert!(block.ends_with('\n') || i + 1 == cut.len());
                line += block.matches('\n').count() as u64;
            }
        }
    }

    #[test]
    fn an_empty_text_has_no_blocks() {
        assert!(blocks("", 8).is_empty());
    }
}
