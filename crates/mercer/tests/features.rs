//! Features of texts are those of scikit-learn's vectorizers, in the same columns; `features/make_answers.py` made the answers.
#![expect(clippy::unwrap_used, reason = "a failed unwrap is the report")]

use mercer::data::{Points, TextFeatures, TextMap, Vectors};
use serde_json::Value;

fn strings(value: &Value) -> Vec<String> {
    value.as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_owned()).collect()
}

fn compare(found: &Vectors, expected: &Value, what: &str) {
    let expected = expected.as_array().unwrap();
    assert_eq!(found.len(), expected.len(), "{what}");
    for (i, expected) in expected.iter().enumerate() {
        let mut row = Vec::new();
        found.row(i).for_each(|k, value| row.push((k as u64, value)));
        let expected: Vec<(u64, f64)> = expected
            .as_array()
            .unwrap()
            .iter()
            .map(|entry| (entry[0].as_u64().unwrap(), entry[1].as_f64().unwrap()))
            .collect();
        let columns = |row: &[(u64, f64)]| row.iter().map(|entry| entry.0).collect::<Vec<u64>>();
        assert_eq!(columns(&row), columns(&expected), "{what}, text {i}");
        for (a, b) in row.iter().zip(&expected) {
            // Sums of a few hundred terms in another order.
            assert!((a.1 - b.1).abs() <= 1e-13 * (1.0 + b.1.abs()), "{what}, text {i}: {a:?} and {b:?}");
        }
    }
}

#[test]
fn columns_and_values_are_those_of_scikit_learn() {
    let stored: Value = serde_json::from_str(include_str!("features/answers.json")).unwrap();
    let texts = strings(&stored["texts"]);
    let (fitted, others) = texts.split_at(7);
    let answers = stored["answers"].as_array().unwrap();
    assert_eq!(answers.len(), 18);
    for answer in answers {
        let text = answer["features"].as_str().unwrap();
        let features: TextFeatures = text.parse().unwrap();
        let map = features.fit(fitted, &[]).unwrap();
        assert_eq!(map.vocabulary(), strings(&answer["vocabulary"]), "{text}");
        compare(&map.apply(fitted), &answer["fitted"], text);
        compare(&map.apply(others), &answer["others"], text);
        // As text and as a file it is the same.
        assert_eq!(features.to_string().parse::<TextFeatures>().unwrap(), features, "{text}");
        let folder = tempfile::tempdir().unwrap();
        map.save(folder.path().join("map")).unwrap();
        assert_eq!(TextMap::load(folder.path().join("map")).unwrap(), map, "{text}");
    }
}

#[test]
fn weights_are_copies() {
    let texts: Vec<String> = ["one two two", "two three", "four", "one"].map(String::from).into();
    let copies: Vec<String> = [0, 0, 1, 3, 3, 3].map(|i: usize| texts[i].clone()).into();
    for text in ["tfidf", "tfidf(min_df=2)", "tfidf(bits=4)", "counts(max_df=0.6)"] {
        let features: TextFeatures = text.parse().unwrap();
        let (weighted, copied) =
            (features.fit(&texts, &[2.0, 1.0, 0.0, 3.0]).unwrap(), features.fit(&copies, &[]).unwrap());
        assert_eq!(weighted, copied, "{text}");
    }
}

#[test]
fn flaws_of_the_text_are_told_with_their_place() {
    for (text, expected) in [
        ("idf", "column 1: expected counts, tfidf or hashed"),
        ("tfidf(ngrams=1..2", "column 18: expected ')'"),
        ("tfidf(grams=1..2)", "column 7: expected ngrams"),
        ("tfidf(ngrams=1..x)", "column 14: not one of the values"),
        ("tfidf(lowercase=no, norm=l3)", "column 26: not one of the values"),
        ("tfidf(ngrams)", "column 7: expected key=value"),
        ("tfidf(ngrams=3..2)", "must be a range"),
        ("hashed(bits=31)", "must lie in 1 to 30"),
        ("hashed(min_df=2)", "hashed terms have none"),
        ("hashed(sublinear=yes)", "signed=no"),
        ("tfidf(max_df=0)", "must lie in (0, 1]"),
    ] {
        let error = text.parse::<TextFeatures>().unwrap_err().to_string();
        assert!(error.contains(expected), "{text}: {error}");
    }
    let nothing = "tfidf".parse::<TextFeatures>().unwrap().fit(&["a b".to_owned()], &[]).unwrap_err();
    assert!(nothing.to_string().contains("no terms"), "{nothing}");
}

#[test]
fn damaged_files_are_refused() {
    let map = "tfidf".parse::<TextFeatures>().unwrap().fit(&["some words here".to_owned()], &[]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("map");
    map.save(&path).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    for at in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x04;
        std::fs::write(&path, damaged).unwrap();
        assert!(TextMap::load(&path).is_err(), "byte {at}");
        std::fs::write(&path, &bytes[..at]).unwrap();
        assert!(TextMap::load(&path).is_err(), "{at} bytes");
    }
}
