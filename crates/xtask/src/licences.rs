//! Every dependency, on every platform, must be usable under permissive terms.

use serde_json::Value;

use crate::spdx;
use crate::step::Failure;

/// Licences that ask for no more than a notice. MPL-2.0 is left out on purpose: it asks for the sources of changed
/// files.
const ALLOWED: &[&str] = &[
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// Checks all packages of `cargo metadata` and returns how many there were.
pub(crate) fn check(metadata: &Value) -> Result<usize, Failure> {
    let packages = metadata["packages"].as_array().map_or(&[][..], Vec::as_slice);
    let offenders: Vec<String> = packages.iter().filter_map(offence).collect();
    println!("    {} packages checked, {} offenders", packages.len(), offenders.len());
    match offenders.as_slice() {
        [] if packages.is_empty() => Err(Failure::new("cargo metadata names no package".into())),
        [] => Ok(packages.len()),
        _ => Err(Failure::new(format!("not permissive:\n  {}", offenders.join("\n  ")))),
    }
}

/// What is wrong with a package's licence, if anything.
fn offence(package: &Value) -> Option<String> {
    let text = |key: &str| package[key].as_str();
    let problem = match text("license") {
        None => "no SPDX expression in its manifest".into(),
        Some(expression) => match spdx::satisfied(expression, ALLOWED) {
            Ok(true) => return None,
            Ok(false) => expression.to_owned(),
            Err(error) => format!("'{expression}': {error}"),
        },
    };
    Some(format!("{} {}: {problem}", text("name").unwrap_or("?"), text("version").unwrap_or("?")))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn permissive_packages_are_counted() {
        let metadata = json!({"packages": [
            {"name": "a", "version": "1.0.0", "license": "MIT OR Apache-2.0"},
            {"name": "b", "version": "2.0.0", "license": "Unlicense/MIT"},
        ]});
        assert_eq!(check(&metadata).expect("both are permissive"), 2);
    }

    #[test]
    fn offenders_are_named() {
        let metadata = json!({"packages": [
            {"name": "a", "version": "1.0.0", "license": "MIT"},
            {"name": "b", "version": "2.0.0", "license": "MPL-2.0"},
            {"name": "c", "version": "3.0.0", "license": null},
        ]});
        let message = check(&metadata).expect_err("two are not permissive").to_string();
        assert!(message.contains("b 2.0.0: MPL-2.0"), "{message}");
        assert!(message.contains("c 3.0.0: no SPDX expression"), "{message}");
        assert!(!message.contains("a 1.0.0"), "{message}");
    }

    #[test]
    fn no_packages_at_all_is_an_error() {
        assert!(check(&json!({"packages": []})).is_err());
    }
}
