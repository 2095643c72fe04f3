//! The header of an NPY file: a Python dictionary with the type, the order and the shape.

/// An element as the file stores it, with its size in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Element {
    /// IEEE 754 of 4 or 8 bytes.
    Float(usize),
    /// Two's complement of 1, 2, 4 or 8 bytes.
    Signed(usize),
    /// Unsigned of 1, 2, 4 or 8 bytes; a boolean is unsigned of 1 byte.
    Unsigned(usize),
}

impl Element {
    /// The number of bytes of an element.
    pub(crate) fn size(self) -> usize {
        let (Self::Float(size) | Self::Signed(size) | Self::Unsigned(size)) = self;
        size
    }

    /// The number in the bytes `raw`; `big` tells whether the most significant byte comes first.
    pub(crate) fn value(self, raw: &[u8], big: bool) -> f64 {
        let place = |bits: u64, &byte: &u8| bits << 8 | u64::from(byte);
        let bits = if big { raw.iter().fold(0, place) } else { raw.iter().rev().fold(0, place) };
        match self {
            Self::Float(4) => f64::from(f32::from_bits(bits as u32)),
            Self::Float(_) => f64::from_bits(bits),
            Self::Unsigned(_) => bits as f64,
            Self::Signed(size) => {
                let unused = 64 - 8 * size as u32;
                ((bits << unused) as i64 >> unused) as f64
            }
        }
    }

    fn parse(text: &str) -> Option<(Self, bool)> {
        let (order, rest) = text.split_at_checked(1)?;
        let (kind, size) = rest.split_at_checked(1)?;
        let size: usize = size.parse().ok()?;
        let element = match (kind, size) {
            ("f", 4 | 8) => Self::Float(size),
            ("i", 1 | 2 | 4 | 8) => Self::Signed(size),
            ("u", 1 | 2 | 4 | 8) | ("b", 1) => Self::Unsigned(size),
            _ => return None,
        };
        match order {
            "<" => Some((element, false)),
            ">" => Some((element, true)),
            "|" if size == 1 => Some((element, false)),
            "=" => Some((element, cfg!(target_endian = "big"))),
            _ => None,
        }
    }
}

/// The contents of a header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Header {
    /// The type of an element.
    pub(crate) element: Element,
    /// Whether the most significant byte comes first.
    pub(crate) big: bool,
    /// Whether the values are stored column after column, not row after row.
    pub(crate) fortran: bool,
    /// The lengths of the dimensions.
    pub(crate) shape: Vec<usize>,
    /// The byte of the file at which the elements begin.
    pub(crate) data: usize,
}

/// An error in the header: the byte, and what is wrong there.
type Flaw = (usize, &'static str);

impl Header {
    /// Parses the dictionary. Its keys may come in any order; a key that is unknown, doubled or missing is refused.
    pub(crate) fn parse(text: &[u8]) -> Result<Self, Flaw> {
        let mut scan = Scan { text, at: 0 };
        let (mut element, mut fortran, mut shape) = (None, None, None);
        scan.expect(b'{', "expected a dictionary")?;
        while !scan.found(b'}') {
            let at = scan.at;
            let key = scan.string()?;
            scan.expect(b':', "expected ':' after a key")?;
            let fresh = match key {
                "descr" => {
                    let at = scan.at;
                    let parsed = Element::parse(scan.string()?);
                    element.replace(parsed.ok_or((at, "this type of element is not supported"))?).is_none()
                }
                "fortran_order" => fortran.replace(scan.boolean()?).is_none(),
                "shape" => shape.replace(scan.tuple()?).is_none(),
                _ => false,
            };
            if !fresh {
                return Err((at, "an unknown or repeated key"));
            }
            if !scan.found(b',') {
                scan.expect(b'}', "expected ',' or '}'")?;
                break;
            }
        }
        match (element, fortran, shape) {
            (Some((element, big)), Some(fortran), Some(shape)) => {
                Ok(Self { element, big, fortran, shape, data: 0 })
            }
            _ => Err((0, "the header lacks descr, fortran_order or shape")),
        }
    }
}

/// A position in the header, up to which it has been parsed.
struct Scan<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Scan<'a> {
    /// Skips white space and returns the text that is left.
    fn rest(&mut self) -> &'a [u8] {
        let rest = &self.text[self.at..];
        self.at += rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        &self.text[self.at..]
    }

    fn found(&mut self, byte: u8) -> bool {
        let found = self.rest().first() == Some(&byte);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, byte: u8, what: &'static str) -> Result<(), Flaw> {
        if self.found(byte) { Ok(()) } else { Err((self.at, what)) }
    }

    fn string(&mut self) -> Result<&'a str, Flaw> {
        let rest = self.rest();
        let flaw = (self.at, "expected a text in quotes");
        let Some((&quote @ (b'\'' | b'"'), inner)) = rest.split_first() else { return Err(flaw) };
        let length = inner.iter().position(|&byte| byte == quote).ok_or(flaw)?;
        self.at += length + 2;
        std::str::from_utf8(&inner[..length]).map_err(|_| flaw)
    }

    fn boolean(&mut self) -> Result<bool, Flaw> {
        let rest = self.rest();
        for (text, value) in [(&b"True"[..], true), (b"False", false)] {
            if rest.starts_with(text) {
                self.at += text.len();
                return Ok(value);
            }
        }
        Err((self.at, "expected True or False"))
    }

    fn tuple(&mut self) -> Result<Vec<usize>, Flaw> {
        self.expect(b'(', "expected a shape in parentheses")?;
        let mut lengths = Vec::new();
        while !self.found(b')') {
            let rest = self.rest();
            let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
            let length = std::str::from_utf8(&rest[..digits]).ok().and_then(|text| text.parse().ok());
            lengths.push(length.ok_or((self.at, "expected a length"))?);
            self.at += digits;
            if !self.found(b',') {
                self.expect(b')', "expected ',' or ')'")?;
                break;
            }
        }
        Ok(lengths)
    }
}
