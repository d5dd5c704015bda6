//! How sure the advice is, and why the usual keys are not recommended.

use super::{advise, all_sets, options, study};

/// What is said of the first two designs follows from what they cost with the values of three seeds.
#[test]
fn designs_cost_the_same_exactly_where_that_is_said() {
    let (mut said, mut differ) = (0, 0);
    for set in all_sets() {
        let advice = advise(&study(&set, &options(1)), &options(1));
        let [best, others @ ..] = &advice.proposals[..] else { panic!("{}: no design", set.name) };
        assert!(advice.proposals.iter().all(|proposal| proposal.totals.len() == 3), "{}", set.name);
        differ += usize::from(best.totals.iter().any(|total| *total != best.totals[0]));
        let mean = |totals: &[f64]| totals.iter().sum::<f64>() / totals.len() as f64;
        let next = others.iter().min_by(|a, b| mean(&a.totals).total_cmp(&mean(&b.totals)));
        let Some(next) = next else { continue };
        let ratio = mean(&next.totals) / mean(&best.totals);
        let by_seed = next.totals.iter().zip(&best.totals).map(|(next, best)| next / best);
        let noise = by_seed.map(|own| (own / ratio - 1.0).abs()).fold(0.0, f64::max);
        let words = format!("{} and {} cost the same within", best.name, next.name);
        let is_said = advice.notes.iter().any(|note| note.starts_with(&words));
        // How far apart the two are, beside how much that changes from seed to seed.
        let apart = (ratio - 1.0).abs();
        assert!(is_said || apart > noise, "{}: {apart} {noise}, and nothing is said", set.name);
        assert!(!is_said || apart <= noise.max(0.1), "{}: {apart} {noise}, and {words}", set.name);
        said += usize::from(is_said);
    }
    assert!(differ >= 3, "values of other seeds cost something else in {differ} sets only");
    assert!(said >= 1, "in no set two designs cost the same");
}

#[test]
fn each_favourite_is_of_its_kind_and_costs_more_or_has_something_against_it() {
    let mut kinds = std::collections::HashSet::new();
    for set in all_sets() {
        let study = study(&set, &options(1));
        let advice = advise(&study, &options(1));
        let best = &advice.proposals[0];
        for favourite in &advice.rejected {
            let told = format!("{}: {favourite:?}", set.name);
            assert!(favourite.key != best.key && !favourite.why.is_empty(), "{told}");
            let time = study.time.map(|time| format!("[{}", study.fields.get(time).name));
            let begins = match favourite.what {
                "the time first" => favourite.key.starts_with(&time.unwrap_or_else(|| panic!("{told}"))),
                "a salt by the identity" => favourite.key.starts_with("[salt("),
                "a hash in front" => favourite.key.starts_with("[md5(") || favourite.key.starts_with("[sha"),
                "the first field reversed" => favourite.key.starts_with("[reverse("),
                other => panic!("{other} is new: {told}"),
            };
            assert!(begins, "{told}");
            let no_reason = favourite.why.starts_with("costs about the same");
            assert!(!no_reason || favourite.cost <= 1.1 * best.figures.total, "{told}");
            kinds.insert(favourite.what);
        }
    }
    assert!(kinds.len() >= 3, "{kinds:?}");
}
