//! `cargo xtask book`: the book as pages for a browser; and what `cargo xtask test` looks at without building them.
//!
//! Checked are the pages named in `docs/SUMMARY.md`, every link to a file and to a heading, and the figures. The pages are made by
//! mdBook, which is built into `target/tools` the first time (minutes), so that the tests do without it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::place::Place;
use crate::step::{self, Failure, announced, silent, visible};

/// The version of mdBook.
const MDBOOK: &str = "0.5.4";
/// Bytes of the largest figure: a page is read over a telephone too.
const LARGEST: u64 = 100_000;
/// The page that is made from the docstrings of the Python package, and its line in the summary.
const REFERENCE: &str = "python-reference.md";

/// Checks the book and makes its pages.
pub(crate) fn run(place: &Place, arguments: &[String]) -> Result<(), Failure> {
    let only_check = match arguments {
        [] => false,
        [option] if option == "--check" => true,
        _ => return Err(Failure::usage("book [--check]".into())),
    };
    let pages = check(&place.root)?;
    println!("{pages} pages, links and figures are well");
    if only_check {
        return Ok(());
    }
    let mdbook = mdbook(place)?;
    let source = place.target.join("book-source");
    copied(place, &source)?;
    announced("pages", || silent(Command::new(mdbook).arg("build").arg(&source)))?;
    println!("{}", place.target.join("book/index.html").display());
    Ok(())
}

/// The program mdBook: that of the path, or one that is built here.
fn mdbook(place: &Place) -> Result<PathBuf, Failure> {
    if Command::new("mdbook").arg("--version").output().is_ok_and(|output| output.status.success()) {
        return Ok("mdbook".into());
    }
    let tools = place.target.join("tools");
    let program = tools.join("bin/mdbook");
    if !program.is_file() {
        announced("building mdBook", || {
            let mut install = step::cargo(&place.root);
            install.args(["install", "mdbook", "--version", MDBOOK, "--locked", "--no-default-features"]);
            // Search in the pages; neither a server nor a watch.
            install.args(["--features", "search", "--profile", "dev", "--root"]).arg(&tools);
            visible(install.env("CARGO_TARGET_DIR", tools.join("build")))
        })?;
    }
    Ok(program)
}

/// The sources of the book with the reference of the Python package, where the package can be imported.
fn copied(place: &Place, source: &Path) -> Result<(), Failure> {
    let told = |error: std::io::Error| Failure::new(format!("{}: {error}", source.display()));
    if source.exists() {
        fs::remove_dir_all(source).map_err(told)?;
    }
    fs::create_dir_all(source.join("docs/figures")).map_err(told)?;
    fs::copy(place.root.join("book.toml"), source.join("book.toml")).map_err(told)?;
    for folder in ["docs", "docs/figures"] {
        for file in files(&place.root.join(folder))? {
            let name = file.file_name().unwrap_or_default();
            fs::copy(&file, source.join(folder).join(name)).map_err(told)?;
        }
    }
    let python = place.target.join("python-env/bin/python");
    let page = source.join("docs").join(REFERENCE);
    let made = Command::new(&python).arg(place.root.join("python/reference.py")).output();
    match made {
        Ok(made) if made.status.success() => {
            fs::write(&page, made.stdout).map_err(told)?;
            let summary = source.join("docs/SUMMARY.md");
            let text = fs::read_to_string(&summary).map_err(told)?;
            let line =
                format!("- [The Python package](python.md)\n  - [Every class and function]({REFERENCE})");
            fs::write(&summary, text.replace("- [The Python package](python.md)", &line)).map_err(told)?;
        }
        _ => println!("without the reference of the Python package: `cargo xtask test --python` installs it"),
    }
    Ok(())
}

/// The files of a folder, in the order of their names.
fn files(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let told = |error: std::io::Error| Failure::new(format!("{}: {error}", folder.display()));
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(told)? {
        let path = entry.map_err(told)?.path();
        found.extend(path.is_file().then_some(path));
    }
    found.sort();
    Ok(found)
}

/// Checks pages, links and figures; says how many pages there are.
pub(crate) fn check(root: &Path) -> Result<usize, Failure> {
    let docs = root.join("docs");
    let read = |path: &Path| {
        fs::read_to_string(path).map_err(|error| Failure::new(format!("{}: {error}", path.display())))
    };
    let mut texts = BTreeMap::new();
    for path in files(&docs)?.into_iter().chain(files(root)?) {
        if path.extension().is_some_and(|ending| ending == "md") {
            texts.insert(path.clone(), read(&path)?);
        }
    }
    let mut flaws = Vec::new();
    let mut used = BTreeSet::new();
    for (path, text) in &texts {
        let name = path.strip_prefix(root).unwrap_or(path).display();
        for (line, target) in links(text) {
            if let Err(flaw) = follow(path, &target, &texts, &mut used) {
                flaws.push(format!("{name}:{line}: {target}: {flaw}"));
            }
        }
    }
    let named: Vec<String> =
        links(&texts[&docs.join("SUMMARY.md")]).into_iter().map(|(_, target)| target).collect();
    let mut pages = 0;
    for path in texts.keys().filter(|path| path.parent() == Some(&docs) && !path.ends_with("SUMMARY.md")) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        pages += 1;
        match named.iter().filter(|target| **target == name).count() {
            1 => {}
            count => flaws.push(format!("docs/SUMMARY.md: {name} is named {count} times, not once")),
        }
    }
    for figure in files(&docs.join("figures"))? {
        let name = figure.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if figure.extension().is_some_and(|ending| ending == "py") {
            continue;
        }
        if !used.contains(&figure) {
            flaws.push(format!("docs/figures/{name}: no page shows it"));
        }
        let bytes = fs::metadata(&figure).map_or(0, |about| about.len());
        if bytes > LARGEST {
            flaws.push(format!("docs/figures/{name}: {bytes} bytes, of {LARGEST} at most"));
        }
    }
    if flaws.is_empty() { Ok(pages) } else { Err(Failure::new(flaws.join("\n"))) }
}

/// The targets of a page's links, outside of blocks and inline code, each with its line.
fn links(text: &str) -> Vec<(usize, String)> {
    let (mut found, mut block) = (Vec::new(), false);
    for (number, line) in text.lines().enumerate() {
        if line.starts_with("```") {
            block = !block;
        }
        if block || line.starts_with("    ") && !line.trim_start().starts_with(['-', '*', '|']) {
            continue;
        }
        let plain: String = line.split('`').step_by(2).collect::<Vec<_>>().join("`");
        for part in plain.split("](").skip(1) {
            if let Some((target, _)) = part.split_once(')') {
                found.push((number + 1, target.to_owned()));
            }
        }
    }
    found
}

/// Looks whether a link leads somewhere.
fn follow(
    page: &Path,
    target: &str,
    texts: &BTreeMap<PathBuf, String>,
    used: &mut BTreeSet<PathBuf>,
) -> Result<(), String> {
    if target.contains("://") || target.starts_with("mailto:") {
        return Ok(());
    }
    let (file, heading) =
        target.split_once('#').map_or((target, None), |(file, heading)| (file, Some(heading)));
    let path = if file.is_empty() { page.to_owned() } else { page.parent().unwrap_or(page).join(file) };
    let path = path.canonicalize().map_err(|_| "there is no such file".to_owned())?;
    used.insert(path.clone());
    let Some(heading) = heading else { return Ok(()) };
    let known = texts.iter().find(|(other, _)| other.canonicalize().is_ok_and(|other| other == path));
    match known {
        Some((_, text)) if headings(text).iter().any(|known| known == heading) => Ok(()),
        Some(_) => Err("there is no such heading".into()),
        None => Err("its headings are not looked at".into()),
    }
}

/// The anchors of a page's headings, as mdBook and the hosts of repositories make them: letters and digits in lower case, hyphens for
/// blanks; a second one of the same name ends in `-1`.
fn headings(text: &str) -> Vec<String> {
    let (mut found, mut block): (Vec<String>, bool) = (Vec::new(), false);
    for line in text.lines() {
        if line.starts_with("```") {
            block = !block;
        }
        let title = line.trim_start_matches('#');
        if block || title.len() == line.len() || !title.starts_with(' ') {
            continue;
        }
        let kept = |letter: char| match letter {
            ' ' => Some('-'),
            letter if letter.is_alphanumeric() || letter == '-' || letter == '_' => Some(letter),
            _ => None,
        };
        let anchor: String = title.trim().to_lowercase().chars().filter_map(kept).collect();
        let before = found
            .iter()
            .filter(|other| {
                **other == anchor
                    || other.strip_prefix(&format!("{anchor}-")).is_some_and(|n| n.parse::<u32>().is_ok())
            })
            .count();
        found.push(if before == 0 { anchor } else { format!("{anchor}-{before}") });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_book_of_this_project_is_well() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the workspace");
        match check(&root) {
            Ok(pages) => assert!(pages > 40, "{pages} pages"),
            Err(failure) => panic!("{failure}"),
        }
    }

    #[test]
    fn anchors_are_those_of_hosts() {
        let text = "# When is β optimal?\n```\n# no\n```\n## A `b` c\n## A b c\n#no heading\n";
        assert_eq!(headings(text), ["when-is-β-optimal", "a-b-c", "a-b-c-1"]);
    }

    #[test]
    fn links_in_code_are_none() {
        let text = "[a](a.md) and `[b](b.md)`, ![c](c.svg)\n```\n[d](d.md)\n```\n    [e](e.md)\n";
        assert_eq!(links(text), [(1, "a.md".to_owned()), (1, "c.svg".to_owned())]);
    }

    #[test]
    fn what_leads_nowhere_is_found() {
        let folder = std::env::temp_dir().join(format!("mercer-book-{}", std::process::id()));
        fs::create_dir_all(folder.join("docs/figures")).expect("a folder");
        let write = |name: &str, text: &str| fs::write(folder.join(name), text).expect("a file");
        write("docs/SUMMARY.md", "- [A](a.md)\n- [A](a.md)\n");
        write("docs/a.md", "# A\n[b](b.md) [h](a.md#x) [own](#a)\n");
        write("docs/lost.md", "# Lost\n");
        write("docs/figures/old.svg", "<svg/>");
        let failure = check(&folder).expect_err("it has flaws").to_string();
        fs::remove_dir_all(&folder).expect("its own folder");
        for part in [
            "b.md: there is no such file",
            "a.md#x: there is no such heading",
            "a.md is named 2",
            "lost.md is named 0",
            "old.svg: no page",
        ] {
            assert!(failure.contains(part), "{part}: {failure}");
        }
        assert_eq!(failure.lines().count(), 5, "{failure}");
    }
}
