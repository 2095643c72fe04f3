//! SPDX licence expressions: can a set of licences satisfy one?
//!
//! ```text
//! or   = and { ("OR" | "/") and }          "/" is the old spelling in crate manifests
//! and  = with { "AND" with }
//! with = "(" or ")" | licence [ "WITH" exception ]
//! ```

/// Whether `allowed` satisfies the expression; a licence with an exception is one entry, `"A WITH B"`.
///
/// # Errors
/// A text that is no SPDX expression, with what was expected.
pub(crate) fn satisfied(expression: &str, allowed: &[&str]) -> Result<bool, String> {
    let tokens = tokens(expression);
    let mut parser = Parser { tokens: &tokens, allowed };
    let value = parser.or()?;
    match parser.tokens.first() {
        None => Ok(value),
        Some(token) => Err(format!("'{token}' after the end of the expression")),
    }
}

fn tokens(expression: &str) -> Vec<String> {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    spaced.split_whitespace().map(str::to_owned).collect()
}

struct Parser<'a> {
    tokens: &'a [String],
    allowed: &'a [&'a str],
}

impl Parser<'_> {
    fn or(&mut self) -> Result<bool, String> {
        let mut value = self.and()?;
        while self.take("OR") {
            // Both sides are parsed whatever the first says: an error in the second is still an error.
            value |= self.and()?;
        }
        Ok(value)
    }

    fn and(&mut self) -> Result<bool, String> {
        let mut value = self.with()?;
        while self.take("AND") {
            value &= self.with()?;
        }
        Ok(value)
    }

    fn with(&mut self) -> Result<bool, String> {
        if self.take("(") {
            let value = self.or()?;
            return if self.take(")") { Ok(value) } else { Err("missing ')'".into()) };
        }
        let mut licence = self.word("a licence")?;
        if self.take("WITH") {
            licence = format!("{licence} WITH {}", self.word("an exception")?);
        }
        Ok(self.allowed.contains(&licence.as_str()))
    }

    fn take(&mut self, token: &str) -> bool {
        let found = self.tokens.first().is_some_and(|t| t == token);
        if found {
            self.tokens = &self.tokens[1..];
        }
        found
    }

    fn word(&mut self, expected: &str) -> Result<String, String> {
        match self.tokens.split_first() {
            Some((token, rest)) if !matches!(token.as_str(), "AND" | "OR" | "WITH" | "(" | ")") => {
                self.tokens = rest;
                Ok(token.clone())
            }
            Some((token, _)) => Err(format!("expected {expected}, found '{token}'")),
            None => Err(format!("expected {expected}, found the end")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::satisfied;

    const ALLOWED: &[&str] = &["MIT", "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "Unicode-3.0"];

    /// Of two expressions the first is satisfied and the second is not.
    fn first_only(texts: [&str; 2]) {
        assert_eq!(texts.map(|text| satisfied(text, ALLOWED)), [Ok(true), Ok(false)], "{texts:?}");
    }

    #[test]
    fn one_licence_is_looked_up() {
        first_only(["MIT", "GPL-3.0-only"]);
    }

    #[test]
    fn or_needs_one_side_and_needs_both() {
        first_only(["GPL-3.0-only OR MIT", "GPL-3.0-only AND MIT"]);
        assert_eq!(satisfied("Apache-2.0 AND MIT", ALLOWED), Ok(true));
    }

    #[test]
    fn and_binds_tighter_than_or() {
        first_only(["MIT OR Apache-2.0 AND GPL-3.0-only", "(MIT OR Apache-2.0) AND GPL-3.0-only"]);
        assert_eq!(satisfied("(MIT OR GPL-3.0-only) AND Unicode-3.0", ALLOWED), Ok(true));
    }

    #[test]
    fn exception_belongs_to_its_licence() {
        first_only(["Apache-2.0 WITH LLVM-exception", "MIT WITH LLVM-exception"]);
        assert_eq!(satisfied("GPL-3.0-only OR Apache-2.0 WITH LLVM-exception AND MIT", ALLOWED), Ok(true));
    }

    #[test]
    fn slash_is_an_old_or() {
        first_only(["MIT/GPL-3.0-only", "MPL-2.0 / GPL-3.0-only"]);
    }

    #[test]
    fn malformed_text_says_what_was_expected() {
        assert_eq!(satisfied("", ALLOWED), Err("expected a licence, found the end".into()));
        assert_eq!(satisfied("MIT OR", ALLOWED), Err("expected a licence, found the end".into()));
        assert_eq!(satisfied("MIT OR AND MIT", ALLOWED), Err("expected a licence, found 'AND'".into()));
        assert_eq!(satisfied("(MIT", ALLOWED), Err("missing ')'".into()));
        assert_eq!(satisfied("MIT WITH", ALLOWED), Err("expected an exception, found the end".into()));
        assert_eq!(
            satisfied("MIT Apache-2.0", ALLOWED),
            Err("'Apache-2.0' after the end of the expression".into())
        );
    }
}
