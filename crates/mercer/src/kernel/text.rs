//! Expressions as text: one form for the command line, Python's `repr` and model files.
//!
//! ```text
//! sum     = product { "+" product }
//! product = operand { "*" operand }
//! operand = atom { "@" map | "^" whole number }
//! atom    = number | "(" sum ")" | rule "(" sum ")" | kernel
//! rule    = "exp" | "normalized" | "centered"
//! kernel  = name [ "(" [ argument { "," argument } ] ")" ]          map = the same
//! argument = [ name "=" ] value
//! ```
//!
//! `@` binds tightest: `2*rbf(gamma=1) @ columns(1)^2` is 2·(k∘φ)². `k @ f @ g` is k(f(g(x)), f(g(y))). The kernels
//! and maps, their parameters and defaults are listed at [`VectorKernel`](super::VectorKernel) and
//! [`Map`](super::Map); a parameter may be given without its name where the kernel has only one.
//!
//! Parsing gives the canonical form of [`Expr`] and checks every parameter; an error carries the column (in bytes,
//! from 1) and what was expected there. Printing writes numbers in the shortest form that reads back to the same
//! bits, so that printing and parsing a checked canonical expression gives it back.
//!
//! ```
//! use mercer::kernel::VectorExpr;
//!
//! let kernel: VectorExpr = "1 + rbf(0.5) @ columns(1, 3..5)".parse()?;
//! assert_eq!(kernel.to_string(), "rbf(gamma=0.5) @ columns(1, 3..5) + 1");
//!
//! let error = "linear + rbg(gamma=1)".parse::<VectorExpr>().unwrap_err();
//! assert_eq!(
//!     error.to_string(),
//!     r#"kernel "linear + rbg(gamma=1)", column 10: unknown kernel 'rbg'; did you mean rbf?"#
//! );
//! # Ok::<(), mercer::Error>(())
//! ```

use std::fmt;
use std::str::FromStr;

use super::call::{Call, word};
use super::listed::names;
use super::{Expr, Leaf, MAX_DEPTH, MAX_POWER};
use crate::error::{Error, ErrorKind, Result};

/// A number in the shortest form that reads back to the same bits.
pub(crate) struct Number(pub(crate) f64);

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = format!("{:?}", self.0);
        f.write_str(text.strip_suffix(".0").unwrap_or(&text))
    }
}

impl<L: Leaf> fmt::Display for Expr<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |f: &mut fmt::Formatter<'_>, operands: &[Self], joint: &str, bare: fn(&Self) -> bool| {
            for (i, operand) in operands.iter().enumerate() {
                f.write_str(if i == 0 { "" } else { joint })?;
                operand.write(f, bare(operand))?;
            }
            Ok(())
        };
        match self {
            Self::Leaf(leaf) => write!(f, "{leaf}"),
            Self::Constant(c) => Number(*c).fmt(f),
            Self::Sum(terms) => list(f, terms, " + ", |k| !matches!(k, Self::Sum(_))),
            Self::Product(factors) => list(f, factors, "*", |k| matches!(k, Self::Power(..)) || k.is_atom()),
            Self::Power(k, m) => {
                k.write(f, k.is_atom())?;
                write!(f, "^{m}")
            }
            Self::Exp(k) => write!(f, "exp({k})"),
            Self::Normalized(k) => write!(f, "normalized({k})"),
            Self::Centered(k, _) => write!(f, "centered({k})"),
        }
    }
}

impl<L: Leaf> Expr<L> {
    fn is_atom(&self) -> bool {
        match self {
            Self::Leaf(leaf) => !leaf.is_compound(),
            Self::Constant(_) | Self::Exp(_) | Self::Normalized(_) | Self::Centered(..) => true,
            Self::Sum(_) | Self::Product(_) | Self::Power(..) => false,
        }
    }

    fn write(&self, f: &mut fmt::Formatter<'_>, bare: bool) -> fmt::Result {
        if bare { write!(f, "{self}") } else { write!(f, "({self})") }
    }
}

impl<L: Leaf> Expr<L> {
    /// Whether a text is an expression on this space, even one that [`Expr::check`] refuses. Tables have the kernels of all spaces:
    /// it is one on them where it names a column.
    pub(crate) fn is_known(text: &str) -> bool {
        let names_columns = |kernel: Self| kernel.leaves().iter().any(|leaf| leaf.names_columns());
        read::<L>(text).is_ok_and(|kernel| !L::COLUMNS || names_columns(kernel))
    }
}

impl<L: Leaf> FromStr for Expr<L> {
    type Err = Error;

    /// Parses the text of an expression and checks every parameter; an error has the column.
    fn from_str(text: &str) -> Result<Self> {
        parse(text)
    }
}

/// Parses a whole expression and checks it.
fn parse<L: Leaf>(text: &str) -> Result<Expr<L>> {
    let kernel: Expr<L> = read(text)?;
    // Merged constants may overflow, and redundant nodes nest: nothing of that has a column of its own.
    kernel.check().map_err(|error| fault(text, 0, error.to_string()))?;
    Ok(kernel)
}

/// Parses a whole expression.
fn read<L: Leaf>(text: &str) -> Result<Expr<L>> {
    let mut parser = Parser { text, at: 0 };
    let kernel = parser.sum(1)?;
    match parser.peek() {
        None => {}
        Some(')') => return Err(parser.fail("a ')' without its '('")),
        Some('-') => {
            return Err(parser
                .fail("expected '+', '*', '^', '@' or the end; a difference of kernels is not a kernel"));
        }
        Some(_) => return Err(parser.fail("expected '+', '*', '^', '@' or the end")),
    }
    Ok(kernel)
}

pub(crate) fn fault(text: &str, at: usize, expected: impl Into<Box<str>>) -> Error {
    ErrorKind::KernelText { text: text.into(), column: at + 1, expected: expected.into() }.into()
}

/// A position in the text; always at the start of a character.
pub(crate) struct Parser<'a> {
    pub(crate) text: &'a str,
    pub(crate) at: usize,
}

impl<'a> Parser<'a> {
    pub(crate) fn fail(&self, expected: impl Into<Box<str>>) -> Error {
        fault(self.text, self.at, expected)
    }

    /// The next character that is not a space.
    pub(crate) fn peek(&mut self) -> Option<char> {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
        self.text[self.at..].chars().next()
    }

    pub(crate) fn take(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        self.at += if found { wanted.len_utf8() } else { 0 };
        found
    }

    /// The longest run of characters that `belongs` accepts, given the text before and the character.
    pub(crate) fn run(&mut self, belongs: impl Fn(&str, char) -> bool) -> &'a str {
        let rest = &self.text[self.at..];
        let end = rest.char_indices().find(|&(i, c)| !belongs(&rest[..i], c)).map_or(rest.len(), |(i, _)| i);
        self.at += end;
        &rest[..end]
    }

    fn sum<L: Leaf>(&mut self, depth: usize) -> Result<Expr<L>> {
        let mut terms = vec![self.product(depth)?];
        while self.take('+') {
            terms.push(self.product(depth)?);
        }
        Ok(Expr::sum(terms))
    }

    fn product<L: Leaf>(&mut self, depth: usize) -> Result<Expr<L>> {
        let mut factors = vec![self.operand(depth)?];
        while self.take('*') {
            factors.push(self.operand(depth)?);
        }
        Ok(Expr::product(factors))
    }

    fn operand<L: Leaf>(&mut self, depth: usize) -> Result<Expr<L>> {
        let mut kernel = self.atom(depth)?;
        let mut raised = false;
        loop {
            if self.peek() == Some('^') && raised {
                return Err(self.fail("a power of a power needs parentheses: (k^2)^3"));
            } else if self.take('^') {
                kernel = kernel.power(self.exponent()?);
                raised = true;
            } else if self.take('@') {
                kernel = self.map(kernel, self.at - 1)?;
                raised = false;
            } else {
                return Ok(kernel);
            }
        }
    }

    fn exponent(&mut self) -> Result<u32> {
        self.peek();
        let start = self.at;
        let digits = self.run(|_, c| c.is_ascii_digit());
        match digits.parse() {
            Ok(exponent) if (1..=MAX_POWER).contains(&exponent) => Ok(exponent),
            _ => Err(fault(self.text, start, "expected a whole exponent from 1 to 100")),
        }
    }

    fn map<L: Leaf>(&mut self, kernel: Expr<L>, at: usize) -> Result<Expr<L>> {
        if L::COLUMNS
            && let Some(names) = self.columns()?
        {
            return L::on_columns(kernel, &names).map_err(|what| fault(self.text, at, what));
        }
        if L::MAPS.is_empty() {
            return Err(fault(self.text, at, "kernels on these points have no feature maps"));
        }
        if !self.peek().is_some_and(|c| c.is_alphabetic()) {
            return Err(self.fail(format!("expected a feature map: {}", L::MAPS.join(", "))));
        }
        let call = Call::parse(self, L::MAPS_OVER)?;
        L::parse_map(kernel, &call)
            .unwrap_or_else(|| Err(fault(self.text, call.at, unknown("feature map", call.name, L::MAPS))))
    }

    /// The names of columns after `@`: one, or some in brackets; none where a feature map follows, a name with parentheses.
    fn columns(&mut self) -> Result<Option<Vec<String>>> {
        if self.take('[') {
            let open = self.at - 1;
            let mut names = vec![self.column()?];
            loop {
                match self.peek() {
                    Some(',') => self.at += 1,
                    Some(']') => break,
                    None => return Err(fault(self.text, open, "a '[' without its ']'")),
                    Some(_) => return Err(self.fail("expected ',' or ']'")),
                }
                names.push(self.column()?);
            }
            self.at += 1;
            return Ok(Some(names));
        }
        self.peek();
        let start = self.at;
        let name = self.column()?;
        if self.peek() == Some('(') {
            self.at = start;
            return Ok(None);
        }
        Ok(Some(vec![name]))
    }

    /// The name of a column: a word, or any text in quotes.
    fn column(&mut self) -> Result<String> {
        if self.take('"') {
            let open = self.at - 1;
            let name = self.run(|_, c| c != '"').to_owned();
            if !self.text[self.at..].starts_with('"') {
                return Err(fault(self.text, open, "a quote without its end"));
            }
            self.at += 1;
            return Ok(name);
        }
        self.peek();
        match word(self) {
            "" => Err(self.fail("expected the name of a column, or some in brackets: [age, dose]")),
            name => Ok(name.to_owned()),
        }
    }

    fn atom<L: Leaf>(&mut self, depth: usize) -> Result<Expr<L>> {
        match self.peek() {
            Some('(') => self.group(depth),
            Some(c) if c.is_ascii_digit() || "+-.".contains(c) => self.number().map(Expr::Constant),
            Some(c) if c.is_alphabetic() => self.kernel(depth),
            Some(c) => Err(self.fail(format!("expected a kernel, a number or '(', found '{c}'"))),
            None => Err(self.fail("expected a kernel, a number or '(', found the end")),
        }
    }

    fn group<L: Leaf>(&mut self, depth: usize) -> Result<Expr<L>> {
        let open = self.at;
        if depth >= MAX_DEPTH {
            return Err(self.fail("an expression may nest at most 64 deep"));
        }
        if !self.take('(') {
            return Err(self.fail("expected '('"));
        }
        let kernel = self.sum(depth + 1)?;
        match self.peek() {
            Some(')') => self.at += 1,
            None => return Err(fault(self.text, open, "a '(' without its ')'")),
            Some(_) => return Err(self.fail("expected '+', '*', '^', '@' or ')'")),
        }
        Ok(kernel)
    }

    fn number(&mut self) -> Result<f64> {
        let start = self.at;
        let digits = self.run(|before, c| {
            c.is_ascii_alphanumeric()
                || c == '.'
                || ("+-".contains(c) && (before.is_empty() || before.ends_with(['e', 'E'])))
        });
        match digits.parse::<f64>() {
            Ok(value) if !value.is_finite() => {
                Err(fault(self.text, start, format!("'{digits}' is not finite")))
            }
            Ok(value) if value < 0.0 => {
                Err(fault(self.text, start, format!("constant = {digits}: must be finite and not negative")))
            }
            Ok(value) => Ok(value),
            Err(_) => Err(fault(self.text, start, format!("'{digits}' is not a number"))),
        }
    }

    fn kernel<L: Leaf>(&mut self, depth: usize) -> Result<Expr<L>> {
        let start = self.at;
        match word(self) {
            "exp" => return self.peek_group(depth).map(Expr::exp),
            "normalized" => return self.peek_group(depth).map(Expr::normalized),
            "centered" => return self.peek_group(depth).map(Expr::centered),
            _ => self.at = start,
        }
        let call = Call::parse(self, L::OVER)?;
        let unknown = || {
            let mut names = names::<L>();
            names.extend(["exp", "normalized", "centered"]);
            fault(self.text, call.at, unknown("kernel", call.name, &names))
        };
        L::parse(&call).unwrap_or_else(|| Err(unknown())).map(Expr::Leaf)
    }

    fn peek_group<L: Leaf>(&mut self, depth: usize) -> Result<Expr<L>> {
        self.peek();
        self.group(depth)
    }
}

/// What to say about a name that is not one of `names`: those near it, or all.
pub(crate) fn unknown(what: &str, name: &str, names: &[&str]) -> String {
    let near: Vec<&str> = names.iter().copied().filter(|known| is_near(name, known)).collect();
    if near.is_empty() {
        format!("unknown {what} '{name}'; known: {}", names.join(", "))
    } else {
        format!("unknown {what} '{name}'; did you mean {}?", near.join(" or "))
    }
}

/// Whether one begins with the other, or they are at most a third of their length apart in letters.
fn is_near(name: &str, known: &str) -> bool {
    let begins = name.len() >= 2 && (known.starts_with(name) || name.starts_with(known));
    begins || (name.len() <= 2 * known.len() && edits(name, known) <= known.len().div_ceil(3).min(2))
}

/// The edit distance of Levenshtein, in bytes.
fn edits(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut corner = row[0];
        row[0] = i + 1;
        for (j, y) in b.bytes().enumerate() {
            let replaced = corner + usize::from(x != y);
            corner = row[j + 1];
            row[j + 1] = replaced.min(corner + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::kernel::arbitrary::{assert_refused, expression, refused};
    use crate::kernel::*;

    fn read(text: &str) -> VectorExpr {
        text.parse().unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn text_of_each_kernel_is_the_documented_one() {
        for text in [
            "linear",
            "poly(degree=3, gamma=1, coef0=0)",
            "rbf(gamma=0.5)",
            "tanh(gamma=1, coef0=-0.5)",
            "plummer(epsilon=1, power=1)",
            "laplace(gamma=1)",
            "matern(nu=1.5, length=1)",
            "rational(alpha=1, length=1)",
            "intersection",
            "cosine",
            "gaussian(metric=chi2, sigma=1)",
            "factor(norm)",
            "factor(coordinate, index=1)",
            "factor(bump, gamma=1)",
            "precomputed",
            "rbf(gamma=0.5) + 2*linear",
            "(linear + 1)^2",
            "exp(linear)*normalized(poly(degree=2, gamma=1, coef0=1))",
            "0.5*normalized(centered(rbf(gamma=1)))^2 + centered(centered(linear + 1)*cosine)",
            "rbf(gamma=1) @ columns(1, 3..5)",
            "linear @ gaussians(low=-1, high=1, count=11, width=0.2)",
            "2*(linear @ monomials(degree=3))^2",
            "linear @ matrix(rows=2, 1, 0, 0.5, 1) @ columns(2, 1)",
            "((linear^2)^3 + 1e-300)*cosine",
        ] {
            assert_eq!(read(text).to_string(), text);
        }
    }

    #[test]
    fn shorter_and_other_spellings_mean_the_same() {
        for (short, long) in [
            ("rbf", "rbf(gamma=1)"),
            ("rbf()", "rbf(gamma=1)"),
            ("rbf(.5)", "rbf(gamma=0.5)"),
            ("rbf(sigma=1)", "rbf(gamma=0.5)"),
            ("laplace(2)", "laplace(gamma=2)"),
            ("polynomial(coef0=1)", "poly(degree=3, gamma=1, coef0=1)"),
            ("sigmoid", "tanh(gamma=1, coef0=0)"),
            ("gaussian(l1)", "gaussian(metric=l1, sigma=1)"),
            ("linear@monomials(3)", "linear @ monomials(degree=3)"),
            (" 1+ ( ( linear ) )*2 *+3", "6*linear + 1"),
            ("(linear + 1) @ columns(1)", "linear @ columns(1) + 1"),
            ("centered(linear) @ columns(1)", "centered(linear @ columns(1))"),
            ("linear @ columns(1)^2", "(linear @ columns(1))^2"),
            ("linear @ columns(1,2)", "linear @ columns(1, 2)"),
            ("linear @ columns(1,2,3)", "linear @ columns(1..3)"),
        ] {
            assert_eq!(read(short).to_string(), long);
        }
    }

    #[test]
    fn a_map_has_a_text_of_its_own() {
        for text in ["columns(1, 3..5)", "monomials(degree=2)", "matrix(rows=2, 1, 0, 0.5, 1)"] {
            assert_eq!(text.parse::<Map>().unwrap().to_string(), text);
        }
        let refused = assert_refused::<Map>;
        refused("", 1, "unknown feature map");
        refused("column(1)", 1, "did you mean columns?");
        refused(" columns(0)", 10, "expected feature numbers from 1");
        refused("columns(1) @ columns(1)", 12, "expected the end");
        refused("monomials(101)", 11, "must be at most 100");
    }

    #[test]
    fn errors_name_the_column_and_what_is_wrong() {
        let refused = assert_refused::<VectorExpr>;
        refused("", 1, "found the end");
        refused("linear +", 9, "found the end");
        refused("linear rbf", 8, "expected '+'");
        refused("linear)", 7, "a ')' without its '('");
        refused("2*(linear + 1", 3, "a '(' without its ')'");
        refused("exp(linear", 4, "a '(' without its ')'");
        refused("exp linear", 5, "expected '('");
        refused("centered", 9, "expected '('");
        refused("centred(linear)", 1, "did you mean centered?");
        refused("rbf(gamma=1", 4, "a '(' without its ')'");
        refused("linear - rbf", 8, "a difference of kernels is not a kernel");
        refused("-1*linear", 1, "must be finite and not negative");
        refused("rbg", 1, "did you mean rbf?");
        refused("linear + gauss", 10, "did you mean gaussian?");
        refused("zzz", 1, "known: linear, poly");
        refused("rbf(gama=1)", 5, "unknown parameter 'gama' of rbf; it has gamma, sigma");
        refused("rbf(gamma=1, gamma=2)", 14, "given twice");
        refused("rbf(gamma=1, sigma=2)", 1, "gamma or sigma, not both");
        refused("rbf(gamma=-1)", 11, "gamma = -1: must be positive and finite");
        refused("rbf(gamma=x)", 11, "'x' is not a number");
        refused("rbf(gamma=1e999)", 11, "not finite");
        refused("rbf(gamma=)", 11, "expected the value of gamma");
        refused("rbf(gamma=nan)", 11, "not finite");
        refused("rbf(,)", 5, "expected a parameter");
        refused("rbf(1 2)", 7, "expected ',' or ')'");
        refused("poly(3)", 6, "by name: degree, gamma, coef0");
        refused("poly(degree=2.5)", 13, "not a whole number");
        refused("poly(degree=101)", 13, "must lie in 1 to 100");
        refused("linear(1)", 8, "linear takes no parameters");
        refused("matern(nu=2)", 11, "nu must be 0.5, 1.5 or 2.5");
        refused("gaussian(metric=l2)", 17, "did you mean l1");
        refused("gaussian(sigma=1)", 1, "needs metric=l1");
        refused("factor(index=1)", 1, "factor needs a function");
        refused("factor(norm, index=1)", 14, "unknown parameter 'index'");
        refused("factor(coordinate, index=0)", 26, "count from 1");
        // 2³² + 1 must not read feature 1.
        refused("factor(coordinate, index=4294967297)", 26, "features count from 1 to 2147483647");
        refused("factor(total)", 8, "unknown function 'total'; known: norm, coordinate, bump");
        refused("linear @ columns(4294967297)", 18, "feature numbers from 1");
        refused("linear @ matrix(rows=4294967297, 1)", 22, "must divide");
        refused("linear @ matrix(rows=99999999999999999999, 1)", 22, "not a whole number in range");
        refused("linear^0", 8, "from 1 to 100");
        refused("linear^101", 8, "from 1 to 100");
        refused("linear^99999999999", 8, "from 1 to 100");
        refused("linear^2^2", 9, "needs parentheses");
        refused("linear @ rbf", 10, "unknown feature map 'rbf'");
        refused("linear @ 3", 10, "expected a feature map");
        refused("linear @ columns(0)", 18, "from 1");
        refused("linear @ columns(3..1)", 18, "first..last");
        refused("linear @ columns", 10, "at least one feature");
        refused("linear @ columns(1..2000000000)", 18, "at most 1048576");
        refused("linear @ gaussians(count=4000000000)", 26, "must lie in 1 to 10000");
        refused("linear @ matrix(rows=2, 1)", 22, "must divide");
        refused("1e308*1e308", 1, "must be finite");
        refused("lineår", 1, "unknown kernel 'lineår'; did you mean linear?");
        refused("linear * ∞", 10, "found '∞'");
        refused("3x", 1, "'3x' is not a number");
    }

    #[test]
    fn deep_nesting_is_an_error_not_an_overflow() {
        let (column, expected) = refused::<VectorExpr>(&"(".repeat(100_000));
        assert!(column <= 64 && expected.contains("at most 64"), "{column}: {expected}");
        refused::<VectorExpr>(&"exp(".repeat(100_000));
        let nested = |depth| format!("{}linear{}", "(".repeat(depth), ")".repeat(depth));
        assert_eq!(read(&nested(63)), linear());
    }

    proptest! {
        #[test]
        fn parsing_what_was_printed_gives_it_back(kernel in expression()) {
            prop_assert_eq!(read(&kernel.to_string()), kernel);
        }

        #[test]
        fn any_number_reads_back_to_the_same_bits(bits in any::<u64>()) {
            let gamma = f64::from_bits(bits).abs();
            prop_assume!(gamma.is_finite() && gamma > 0.0);
            prop_assert_eq!(read(&rbf(gamma).to_string()), rbf(gamma));
            prop_assert_eq!(read(&(gamma * linear()).to_string()), gamma * linear());
        }

        #[test]
        fn no_text_makes_the_parser_panic(text in "[a-z(]{0,8}[-+*@^()=,. 0-9a-zé]{0,40}") {
            if let Ok(kernel) = text.parse::<VectorExpr>() {
                prop_assert_eq!(read(&kernel.to_string()), kernel);
            }
        }
    }
}
