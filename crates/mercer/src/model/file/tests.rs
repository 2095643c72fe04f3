//! Round trips and hostile files.

use super::*;
use crate::data::Points;
use crate::data::{Column, Dense, Sparse};
use crate::kernel::{self, VectorExpr};
use crate::model::{Coefficients, Expansion, Function, Role, SvcModel, SvddModel, VoteRule};
use crate::solve::{Certificate, Stop};

pub(super) fn certificate() -> Certificate {
    Certificate {
        objective: -1.25,
        gap: Some(0.1 + 0.2),
        violation: 1e-4,
        iterations: 17,
        rows: 2.5,
        stop: Stop::Converged,
        exact: false,
    }
}

fn saved(points: impl Into<Vectors>) -> Saved {
    let certificate = certificate();
    let class_sizes = vec![1, 0, 2];
    let weights = [0.1, -0.2, 1.0 / 3.0, 5e-324, -0.0, 1e300];
    let model = SvcModel {
        expansion: Expansion::new(
            kernel::rbf(1.0 / 3.0) * kernel::linear() + 0.1,
            points.into(),
            parts::blocks(&class_sizes, &weights),
            vec![0.5, -0.7, 1e-17],
        ),
        classes: vec!["cat".into(), "\"dög\"\n".into(), String::new()],
        class_sizes,
        support: vec![4, 0, 9],
        certificates: vec![certificate, Certificate { gap: None, ..certificate }, certificate],
        rule: VoteRule::Votes,
    };
    let training = Training {
        c: Some(10.0),
        nu: None,
        epsilon: None,
        class_weights: vec![1.0, 2.0, 0.5],
        tolerance: 1e-3,
    };
    let names = (0..model.expansion.points().width()).map(|k| format!("feature {k}")).collect();
    let scaler = Scaler::min_max(&model.expansion.points().select(&[0, 1]), -1.0, 0.1).unwrap();
    let categories = (0..model.expansion.points().width()).map(|k| format!("a{k}")).collect();
    let column = Column { name: "é".into(), categories: Some(categories) };
    let encoding = Encoding { columns: vec![column], named: true, label_name: None, label_number: Some(3) };
    let (training, scaler, encoding) = (Some(training), Some(scaler), Some(encoding));
    Saved { training, names, scaler, encoding, ..Saved::from(model) }
}

pub(super) fn dense32() -> Saved {
    saved(Dense::new(2, vec![0.1_f32, -0.0, f32::MIN_POSITIVE, 4.0, f32::MAX, 1e-45]))
}

fn sparse64() -> Saved {
    saved(Sparse::new(9, vec![0, 2, 2, 3], vec![0, 8, 3], vec![0.1_f64, -2.0, f64::MAX]))
}

/// A function over three points.
fn function() -> Function<Vectors, VectorExpr> {
    Function {
        expansion: Expansion::new(
            kernel::rbf(0.5),
            Dense::new(2, vec![0.1_f64, -0.0, 5e-324, 4.0, f64::MAX, 1e-45]).into(),
            Coefficients::single(vec![1.0 / 3.0, -0.0, 1e300]),
            vec![-0.7],
        ),
        role: Role::Regression,
        support: vec![4, 0, 9],
        certificate: Some(certificate()),
    }
}

/// Changes kernel, coefficients and offsets of a model of vectors.
pub(super) fn edit(
    saved: &mut Saved,
    change: impl FnOnce(&mut VectorExpr, &mut Coefficients, &mut Vec<f64>),
) {
    let AnyModel::Vectors(model) = &mut saved.model else { panic!("a model of vectors was saved") };
    let mut change = Some(change);
    model.change(&mut |mut expansion| {
        expansion.edit(change.take().expect("one expansion"));
        expansion
    });
}

fn trained(model: impl Into<Saved>, [c, nu, epsilon]: [Option<f64>; 3]) -> Saved {
    let training = Training { c, nu, epsilon, class_weights: vec![], tolerance: 1e-3 };
    Saved { training: Some(training), ..model.into() }
}

fn regression() -> Saved {
    trained(function(), [Some(2.0), None, Some(0.1)])
}

fn one_class() -> Saved {
    let unknown = Function { role: Role::OneClass, support: vec![], certificate: None, ..function() };
    trained(unknown, [None, Some(0.5), None])
}

fn sphere() -> Saved {
    let square_center = 0.1;
    let square_radius = square_center + 2.0 * 0.7;
    let function = Function { role: Role::OneClass, ..function() };
    trained(SvddModel { function, square_radius, square_center }, [Some(1.0), None, None])
}

fn all() -> Vec<Saved> {
    let mut all = scores_tests::all();
    all.extend([fisher_tests::saved(), fisher_tests::two_classes(), cca_tests::saved()]);
    all.push(pca_tests::saved());
    all.push(local_tests::saved());
    all.extend([
        regression(),
        one_class(),
        sphere(),
        dense32(),
        saved(Dense::new(1, vec![0.1_f64, -0.0, 5e-324])),
        saved(Sparse::new(5, vec![0, 2, 2, 3], vec![0, 4, 3], vec![0.1_f32, -2.0, 1e-45])),
        sparse64(),
    ]);
    all
}

#[test]
fn every_storage_comes_back_to_the_bit() {
    for model in all() {
        let bytes = model.to_bytes().unwrap();
        let back = Saved::from_bytes(&bytes).unwrap();
        assert_eq!(back, model);
        // `==` takes 0 for -0; the bytes do not.
        assert_eq!(back.to_bytes().unwrap(), bytes);
    }
}

#[test]
fn a_model_saved_is_a_model_loaded_and_nothing_else_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.mercer");
    std::fs::write(&path, "old").unwrap();
    let model = sparse64();
    model.save(&path).unwrap();
    assert_eq!(Saved::load(&path).unwrap(), model);
    let mut broken = model;
    broken.model.downcast_mut::<SvcModel<Vectors, VectorExpr>>().unwrap().class_sizes[0] = 7;
    let error = broken.save(folder.path().join("b.mercer")).unwrap_err();
    assert!(error.to_string().ends_with("9 points listed by class where 3 are expected"), "{error}");
    let mut hidden = dense32();
    hidden.scaler = Some(Scaler::Standard { mean: vec![f64::NAN; 2], deviation: vec![1.0; 2] });
    assert!(hidden.save(folder.path().join("b.mercer")).unwrap_err().to_string().contains("scaler"));
    let mut hidden = dense32();
    edit(&mut hidden, |kernel, _, _| *kernel = kernel::rbf(f64::NAN));
    assert!(hidden.save(folder.path().join("b.mercer")).unwrap_err().to_string().contains("gamma = NaN"));
    assert!(dense32().save(folder.path().join("none/c.mercer")).is_err());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_cut_file_is_refused_at_every_byte() {
    for model in all() {
        let bytes = model.to_bytes().unwrap();
        for length in 0..bytes.len() {
            let error = Saved::from_bytes(&bytes[..length]).unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::ModelFile { .. }));
        }
    }
}

#[test]
fn a_flipped_byte_is_refused_everywhere() {
    for model in all() {
        let mut bytes = model.to_bytes().unwrap();
        for at in 0..bytes.len() {
            for mask in [0x01, 0x20, 0xff] {
                bytes[at] ^= mask;
                assert!(Saved::from_bytes(&bytes).is_err(), "byte {at}, mask {mask}");
                bytes[at] ^= mask;
            }
        }
    }
}

#[test]
fn bytes_behind_the_end_are_refused() {
    let mut bytes = dense32().to_bytes().unwrap();
    bytes.push(0);
    assert!(Saved::from_bytes(&bytes).is_err());
}

/// The message for a file with the right checksum whose entries and tensors were changed.
pub(super) fn refusal(model: &Saved, change: impl FnOnce(&mut Writer)) -> String {
    let mut writer = Writer::copy(&model.to_bytes().unwrap());
    change(&mut writer);
    let error = Saved::from_bytes(&writer.finish().unwrap()).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::ModelFile { .. }));
    error.to_string().replace("<memory>: ", "")
}

#[test]
fn another_version_format_or_method_is_named() {
    let refusal = |key: &str, value: &str| refusal(&dense32(), |file| file.entry(key, value));
    assert_eq!(refusal("version", "2"), "version 2: this program reads version 1");
    assert_eq!(refusal("format", "pt"), "not a mercer model");
    let known = refusal("method", "gp");
    assert!(known.starts_with("method 'gp': this program reads svc, svr, one-class"), "{known}");
    assert!(refusal("method", "svr").contains("3 certificates where 1"));
    assert!(refusal("surprise", "!").contains("unknown entry or tensor 'surprise'"));
}

#[test]
fn entries_of_the_wrong_form_are_refused() {
    let refusal = |key: &str, value: &str| refusal(&sparse64(), |file| file.entry(key, value));
    assert!(refusal("classes", "[\"a\",\"b\"]").contains("2 classes but 3 class sizes"));
    assert!(refusal("classes", "[\"a\",\"b\",\"a\"]").contains("class 'a' is listed twice"));
    assert!(refusal("classes", "[]").contains("0 classes"));
    assert!(refusal("classes", "{").contains("entry 'classes'"));
    assert!(refusal("kernel", "rbf(gamma=").contains("kernel"));
    assert!(refusal("kernel", "system(rm)").contains("unknown kernel 'system'"));
    assert!(refusal("kernel", "rbf(gamma=-1)").contains("gamma = -1"));
    assert!(refusal("kernel", &"(".repeat(100_000)).contains("deep"));
    assert!(refusal("certificates", "[1]").contains("entry 'certificates'"));
    assert!(refusal("training", "{\"c\":1,\"c\":2}").contains("duplicate field"));
    assert!(refusal("names", "[\"height\"]").contains("1 names for 9 features"));
    let standard = |deviation: &str| {
        refusal("scaler", &format!("{{\"Standard\":{{\"mean\":[0.5,1],\"deviation\":[{deviation}]}}}}"))
    };
    assert!(standard("1").contains("two usable numbers"));
    assert!(standard("1,0").contains("two usable numbers"));
    assert!(standard("1,1").contains("a scaler of 2 features for a model of 9"));
    assert!(standard("1,1e999").contains("entry 'scaler'"));
    assert!(refusal("encoding", "{\"columns\":7}").contains("entry 'encoding'"));
    assert!(refusal("scaler", "{").contains("entry 'scaler'"));
    assert!(refusal("columns", "8").contains("inside the width"));
    assert!(refusal("columns", "-1").contains("must be a number"));
    assert!(refusal("columns", "18446744073709551615").contains("at most 2^32"));
}

#[test]
fn tensors_that_do_not_fit_are_refused() {
    let dense = |change: fn(&mut Writer)| refusal(&dense32(), change);
    assert!(
        dense(|file| file.tensor("class_sizes", &[3], [1_u64, 1, 2])).contains("one row per support point")
    );
    assert!(dense(|file| file.tensor("class_sizes", &[3], [u64::MAX, 4, 0])).contains("one row per"));
    assert!(dense(|file| file.tensor("class_sizes", &[3], [1.0, 0.0, 2.0])).contains("dimensions of U64"));
    assert!(dense(|file| file.tensor("offsets", &[2], [0.0, 0.0])).contains("2 offsets where 3"));
    assert!(dense(|file| file.tensor("offsets", &[3], [0.0, f64::NAN, 0.0])).contains("an offset is not"));
    assert!(
        dense(|file| file.tensor("coefficients", &[3, 2], [f64::NAN; 6])).contains("a coefficient is not")
    );
    assert!(
        dense(|file| file.tensor("coefficients", &[2, 3], [0.0; 6])).contains("one row per support point")
    );
    assert!(dense(|file| file.tensor("coefficients", &[6], [0.0; 6])).contains("must have 2 dimensions"));
    assert!(dense(|file| file.tensor("coefficients", &[3, 2], [0_f32; 6])).contains("dimensions of F64"));
    assert!(dense(|file| file.tensor("support", &[2], [0_u64, 1])).contains("2 positions"));
    assert!(
        dense(|file| file.tensor("points", &[2, 2], [0_f32; 4]))
            .contains("one row per support point of a class")
    );
    assert!(dense(|file| file.tensor("points", &[3, 2], [0_u32; 6])).contains("must be F32 or F64"));
    assert!(dense(|file| file.tensor("points", &[1 << 60, 0], [0_f32; 0])).contains("without features"));
    assert!(
        dense(|file| file.tensor("points", &[3, 1], [0.0, f64::INFINITY, 0.0])).contains("support point 2")
    );
    assert!(dense(|file| file.tensor("points.values", &[1], [0.0])).contains("both dense and sparse"));
    assert!(dense(|file| file.tensor("extra", &[1], [0.0])).contains("unknown entry or tensor 'extra'"));
}

#[test]
fn functions_and_spheres_that_do_not_fit_are_refused() {
    let svr = |change: fn(&mut Writer)| refusal(&regression(), change);
    let one_column = "one row per point, one column per output";
    assert!(svr(|file| file.tensor("coefficients", &[1, 3], [0.0; 3])).contains(one_column));
    assert!(svr(|file| file.tensor("coefficients", &[3, 2], [0.0; 6])).contains(one_column));
    assert!(svr(|file| file.tensor("coefficients", &[3], [0.0; 3])).contains("must have 2 dimensions"));
    assert!(svr(|file| file.tensor("coefficients", &[3, 1], [f64::NAN; 3])).contains("a coefficient is not"));
    assert!(svr(|file| file.tensor("points", &[2, 2], [0.0; 4])).contains(one_column));
    assert!(svr(|file| file.tensor("offsets", &[0], [0.0; 0])).contains("0 offsets where 1"));
    assert!(svr(|file| file.tensor("offsets", &[2], [0.0; 2])).contains("2 offsets where 1"));
    assert!(svr(|file| file.tensor("support", &[2], [0_u64, 1])).contains("2 positions"));
    assert!(svr(|file| file.tensor("class_sizes", &[1], [3_u64])).contains("unknown entry or tensor"));
    assert!(svr(|file| file.entry("classes", "[]")).contains("unknown entry or tensor 'classes'"));
    let twice = text::certificates(&[certificate(), certificate()]).unwrap();
    assert!(refusal(&one_class(), |file| file.entry("certificates", twice)).contains("2 certificates"));
    assert!(svr(|file| file.entry("method", "svdd")).contains("no tensor 'square_center'"));
    assert!(svr(|file| file.entry("method", "svc")).contains("no entry 'classes'"));

    let svdd = |change: fn(&mut Writer)| refusal(&sphere(), change);
    let one = "one offset and one square_center";
    assert!(svdd(|file| file.tensor("square_center", &[2], [0.1, 0.1])).contains(one));
    assert!(svdd(|file| file.tensor("square_center", &[0], [0.0; 0])).contains(one));
    assert!(svdd(|file| file.tensor("offsets", &[0], [0.0; 0])).contains(one));
    assert!(svdd(|file| file.tensor("square_center", &[1], [f64::NAN])).contains("not a finite number"));
    assert!(svdd(|file| file.tensor("offsets", &[1], [f64::MIN])).contains("not a finite number"));
    assert!(svdd(|file| file.entry("method", "svr")).contains("unknown entry or tensor 'square_center'"));
}

#[test]
fn models_whose_parts_do_not_fit_are_not_written() {
    let mut blocks = regression();
    edit(&mut blocks, |_, coefficients, _| coefficients.blocks.clear());
    assert!(blocks.to_bytes().unwrap_err().to_string().contains("one block over all its points"));
    let mut short = regression();
    edit(&mut short, |_, coefficients, _| coefficients.blocks[0].values.truncate(2));
    assert!(short.to_bytes().unwrap_err().to_string().contains("2 coefficients where 3"));
    let mut moved = sphere();
    edit(&mut moved, |_, _, offsets| offsets[0] = 0.0);
    assert!(moved.to_bytes().unwrap_err().to_string().contains("the radius of the sphere"));
}

/// A classifier as version 0.1.0 wrote it, before there were other machines.
#[test]
fn the_first_models_are_still_read() {
    let saved = Saved::from_bytes(include_bytes!("../../../tests/models/svc.mercer")).unwrap();
    let model = saved.model.downcast::<SvcModel<Vectors, VectorExpr>>().unwrap();
    assert_eq!((model.classes.len(), model.expansion.points().len()), (2, 2));
    assert_eq!(saved.training.unwrap().c, Some(10.0));
}

#[test]
fn sparse_rows_that_do_not_fit_are_refused() {
    let sparse = |change: fn(&mut Writer)| refusal(&sparse64(), change);
    let starts = "ascend from 0";
    assert!(sparse(|file| file.tensor("points.start", &[4], [0_u64, 3, 2, 3])).contains(starts));
    assert!(sparse(|file| file.tensor("points.start", &[4], [1_u64, 2, 2, 3])).contains(starts));
    assert!(sparse(|file| file.tensor("points.start", &[4], [0_u64, 2, 2, 4])).contains(starts));
    assert!(sparse(|file| file.tensor("points.start", &[4], [0, 2, u64::MAX, 3])).contains(starts));
    assert!(sparse(|file| file.tensor("points.start", &[0], [0_u64; 0])).contains(starts));
    assert!(sparse(|file| file.tensor("points.index", &[3], [8_u32, 0, 3])).contains("must ascend"));
    assert!(sparse(|file| file.tensor("points.index", &[3], [0_u32, 0, 3])).contains("must ascend"));
    assert!(sparse(|file| file.tensor("points.index", &[3], [0_u32, 9, 3])).contains("inside the width"));
    assert!(sparse(|file| file.tensor("points.index", &[2], [0_u32, 3])).contains("2 columns but 3 values"));
}

/// A file with this header and these bytes behind it.
fn raw(header: &str, data: &[u8]) -> Vec<u8> {
    let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
    bytes.extend_from_slice(header.as_bytes());
    bytes.extend_from_slice(data);
    bytes
}

#[test]
fn hostile_headers_are_refused() {
    let tensor = |shape: &str, offsets: &str| {
        raw(
            &format!("{{\"a\":{{\"dtype\":\"F64\",\"shape\":{shape},\"data_offsets\":{offsets}}}}}"),
            &[0; 16],
        )
    };
    let overlapping = "{\"a\":{\"dtype\":\"U8\",\"shape\":[9],\"data_offsets\":[0,9]},\
                       \"b\":{\"dtype\":\"U8\",\"shape\":[9],\"data_offsets\":[7,16]}}";
    let mut long = (1_u64 << 63).to_le_bytes().to_vec();
    long.extend_from_slice(b"{}");
    let files = [
        Vec::new(),
        long,
        u64::MAX.to_le_bytes().to_vec(),
        raw("", &[]),
        raw("{", &[]),
        raw("null", &[]),
        raw(&"[".repeat(100_000), &[]),
        raw(&format!("{{\"__metadata__\":{}", "{\"a\":".repeat(100_000)), &[]),
        tensor("[-2]", "[0,16]"),
        tensor("[2]", "[-16,0]"),
        tensor("[2]", "[16,0]"),
        tensor("[4294967296,4294967296]", "[0,16]"),
        tensor("[18446744073709551615,18446744073709551615]", "[0,16]"),
        tensor("[2]", "[0,18446744073709551615]"),
        tensor("[1]", "[0,16]"),
        tensor("[2,2]", "[0,32]"),
        tensor("[2]", "[0,16]"),
        raw(overlapping, &[0; 16]),
        b"svm_type c_svc\nkernel_type rbf\n".to_vec(),
    ];
    for (number, file) in files.iter().enumerate() {
        let error = Saved::from_bytes(file).unwrap_err();
        assert!(error.to_string().contains("not a mercer model"), "file {number}: {error}");
    }
}

#[test]
fn a_header_with_a_key_twice_or_blanks_inside_is_refused() {
    let bytes = dense32().to_bytes().unwrap();
    let length = u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    let (header, data) = (std::str::from_utf8(&bytes[8..8 + length]).unwrap(), &bytes[8 + length..]);
    assert!(Saved::from_bytes(&raw(header, data)).is_ok());
    let twice = header.replacen(
        "\"offsets\":",
        "\"offsets\":{\"dtype\":\"F64\",\"shape\":[3],\"data_offsets\":[48,72]},\"offsets\":",
        1,
    );
    let entry_twice = header.replacen("\"format\":", "\"format\":\"mercer\",\"format\":", 1);
    let blank = header.replacen("\"format\":", "\"format\": ", 1);
    for changed in [twice, entry_twice, blank, format!("{header} ")] {
        assert_ne!(changed, header);
        let error = Saved::from_bytes(&raw(&changed, data)).unwrap_err().to_string();
        assert!(error.contains("not in the form"), "{error}");
    }
}
