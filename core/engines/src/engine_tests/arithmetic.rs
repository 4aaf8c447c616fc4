//! Models with floats instead of 8-bit integers, and when they run.

use std::collections::HashMap;
use std::sync::Arc;

use ubp_core::embed::{MemoryFiles, ModelFiles};
use ubp_core::ports::{Embedder, TextKind};

use super::{bert, cosine};
use crate::encoder::Encoder;
use crate::floats::rewritten;
use crate::session::{Cores, Hidden, Load, LoadForMany, Loads, Outcome, Session, Tokens};

/// Dimensions of the tiny model.
const DIMENSIONS: usize = 8;

/// A session whose vectors all point along one axis.
struct Along(usize);

impl Session for Along {
    fn run(&self, _: &Tokens, _: Cores) -> Outcome<Hidden> {
        let values = (0..DIMENSIONS).map(|axis| if axis == self.0 { 1.0 } else { 0.0 }).collect();
        Ok(Hidden { values, shape: vec![1, DIMENSIONS] })
    }
}

fn any(_: &dyn ModelFiles) -> Outcome<Arc<dyn Session>> {
    Ok(Arc::new(Along(0)))
}

fn many(_: &dyn ModelFiles) -> Outcome<Option<Arc<dyn Session>>> {
    Ok(Some(Arc::new(Along(1))))
}

fn few(_: &dyn ModelFiles) -> Outcome<Arc<dyn Session>> {
    Ok(Arc::new(Along(2)))
}

fn encoder(many: Option<LoadForMany>) -> Encoder {
    with(None, many)
}

fn with(few: Option<Load>, many: Option<LoadForMany>) -> Encoder {
    Encoder::new(Box::new(MemoryFiles::new(bert())), Loads { any: &[any], few, many }).unwrap()
}

/// The axis of the vectors of all texts.
fn axis(encoder: &Encoder, kind: TextKind, texts: usize) -> usize {
    let vectors = encoder.embed(kind, &vec!["a text of some words"; texts]).unwrap();
    let axes: Vec<_> = vectors.iter().map(|vector| vector.iter().position(|&value| value == 1.0)).collect();
    assert!(axes.windows(2).all(|pair| pair[0] == pair[1]));
    axes[0].unwrap()
}

#[test]
fn many_passages_run_with_the_session_for_many_until_it_is_released() {
    let encoder = encoder(Some(many));
    assert_eq!(axis(&encoder, TextKind::Passage, 2), 0);
    assert_eq!(axis(&encoder, TextKind::Passage, 2000), 1);
    assert_eq!(axis(&encoder, TextKind::Passage, 1), 1);
    assert_eq!(axis(&encoder, TextKind::Query, 1), 0);
    encoder.release();
    assert_eq!(axis(&encoder, TextKind::Passage, 1), 0);
}

#[test]
fn small_batches_add_up_to_many_passages() {
    let encoder = encoder(Some(many));
    let axes: Vec<usize> = (0..500).map(|_| axis(&encoder, TextKind::Passage, 4)).collect();
    assert!(axes.is_sorted() && axes.first() == Some(&0) && axes.last() == Some(&1));
}

#[test]
fn queries_never_run_with_the_session_for_many() {
    assert_eq!(axis(&encoder(Some(many)), TextKind::Query, 2000), 0);
}

#[test]
fn the_first_texts_run_with_the_session_for_few_and_again_after_a_rest() {
    let encoder = with(Some(few), Some(many));
    let axes: Vec<usize> = (0..6).map(|_| axis(&encoder, TextKind::Query, 1)).collect();
    assert_eq!(axes, [2, 2, 2, 2, 0, 0]);
    encoder.release();
    assert_eq!(axis(&encoder, TextKind::Query, 1), 0);
    encoder.rest();
    assert_eq!(axis(&encoder, TextKind::Passage, 4), 2);
    assert_eq!(axis(&encoder, TextKind::Passage, 1), 0);
    encoder.rest();
    assert_eq!(axis(&encoder, TextKind::Passage, 5), 0);
    encoder.rest();
    assert_eq!(axis(&encoder, TextKind::Passage, 2000), 1);
    assert_eq!(axis(&encoder, TextKind::Query, 4), 2);
}

#[test]
fn without_a_session_for_few_the_other_runs_all_texts() {
    assert_eq!(axis(&with(Some(|_| Err("damaged".into())), None), TextKind::Query, 1), 0);
}

#[test]
fn without_a_session_for_many_the_other_runs_all_passages() {
    for many in [None, Some((|_| Ok(None)) as LoadForMany), Some(|_| Err("damaged".into()))] {
        assert_eq!(axis(&encoder(many), TextKind::Passage, 2000), 0);
    }
}

#[test]
fn a_model_without_8_bit_layers_is_not_rewritten() {
    let [(_, model), ..] = bert();
    assert!(rewritten(model, &HashMap::new()).is_none());
    assert!(rewritten(b"", &HashMap::new()).is_none());
}

#[cfg(feature = "bundled-model")]
#[test]
fn all_linear_layers_of_the_bundled_models_become_floats() {
    for (files, layers) in [
        (&crate::BundledFiles as &dyn ModelFiles, 6 * 6),
        (&crate::MultilingualFiles as &dyn ModelFiles, 12 * 6),
    ] {
        let model = files.read("model.onnx").unwrap();
        let data = files.read("model.onnx.data").unwrap();
        let count = |model: &[u8], name: &str| {
            model.windows(name.len()).filter(|part| *part == name.as_bytes()).count()
        };
        assert_eq!(count(&model, "MatMulInteger"), 2 * layers);
        let floats = rewritten(&model, &HashMap::from([("model.onnx.data".to_owned(), data)])).unwrap();
        assert_eq!(count(&floats.model, "MatMulInteger") + count(&floats.model, "DynamicQuantizeLinear"), 0);
        // As the input of a layer and as the name of its weights.
        assert_eq!(count(&floats.model, "/weight/floats"), 2 * layers);
        // Without the weights, or with a part of them, the model stays as it is.
        assert!(rewritten(&model, &HashMap::new()).is_none());
        let part = HashMap::from([("model.onnx.data".to_owned(), vec![0; 1000].into())]);
        assert!(rewritten(&model, &part).is_none());
        assert!((0..model.len()).step_by(997).all(|end| rewritten(&model[..end], &HashMap::new()).is_none()));
    }
}

#[cfg(feature = "bundled-model")]
#[test]
fn vectors_with_floats_are_those_with_integers() {
    use crate::{Arithmetic, BundledFiles, Engine, MultilingualFiles, open};

    let texts = super::golden::texts();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    for multilingual in [false, true] {
        let [integers, floats] = [Arithmetic::Integers, Arithmetic::Floats].map(|arithmetic| {
            let files: Box<dyn ModelFiles> =
                if multilingual { Box::new(MultilingualFiles) } else { Box::new(BundledFiles) };
            open(Engine::Rten(arithmetic), files).unwrap().embed(TextKind::Passage, &texts).unwrap()
        });
        for ((integers, floats), text) in integers.iter().zip(&floats).zip(&texts) {
            let likeness = cosine(integers, floats);
            assert!(likeness > 0.99999, "{likeness} for {text:.60}");
        }
    }
}
