//! The search space: the keys that are considered.
//!
//! A [`Choice`] is a point of the candidate space; every axis is a list that can be gone through:
//!
//! | axis | values |
//! | --- | --- |
//! | head | up to three of the fields that queries name, in every order; what else identifies a record follows |
//! | direction | rising, or falling where a query asks for that or the field is a time |
//! | spread | nothing; a salt by the first field, the first two, or what identifies a record; a hash in front; the first field turned round; a salt behind the first field |
//! | buckets | as many as servers, half the regions, the regions, twice the regions |
//! | coarse time | none; hours or days in front, or behind the first field |
//! | forms | safe, compact, coded ([`Forms`]) |
//!
//! The search in stages goes through a part of it, the exhaustive one through all; both measure a key the same way.

use rowkey_core::key::{FieldId, Fields};
use rowkey_core::types::{Kind, Order, Type};

use super::design::{Form, Forms, KeyDesign, PartDesign, Spread, UNITS, form};
use super::facts::FieldFacts;
use crate::unique;
use crate::workload::{AskedQuery, Shape};

/// A head has up to so many fields.
const HEAD: usize = 3;
/// Coarse times are of use between so many of them.
const COARSE: std::ops::RangeInclusive<i128> = 3..=5_000;

/// What choices are made from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ground<'a> {
    pub(super) fields: &'a Fields,
    pub(super) facts: &'a [FieldFacts],
    pub(super) asked: &'a [AskedQuery],
    pub(super) identity: &'a [FieldId],
    pub(super) time: Option<FieldId>,
    pub(super) servers: usize,
    pub(super) regions: usize,
    pub(super) max_buckets: u32,
}

/// A point of the candidate space.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Choice {
    pub(super) head: Vec<FieldId>,
    pub(super) falling: bool,
    pub(super) spread: Spread,
    /// Milliseconds of the unit, and how many parts stand before it.
    pub(super) coarse: Option<(i64, usize)>,
    pub(super) forms: Forms,
}

impl Choice {
    pub(super) fn plain(head: Vec<FieldId>) -> Self {
        Self { head, falling: true, spread: Spread::None, coarse: None, forms: Forms::Safe }
    }
}

impl Ground<'_> {
    fn shapes(&self) -> impl Iterator<Item = &Shape> {
        self.asked.iter().map(|asked| &asked.shape)
    }

    /// The fields that queries name and a key can hold.
    pub(super) fn pool(&self) -> Vec<FieldId> {
        unique(self.shapes().flat_map(Shape::fields).filter(|field| self.is_usable(*field)))
    }

    /// Whether a key can begin with it, and it tells rows apart.
    fn is_usable(&self, field: FieldId) -> bool {
        !self.facts[field.0].is_constant() && self.fields.get(field).ty != Type::Bytes
    }

    /// Every order of up to three fields of the pool.
    pub(super) fn heads(&self) -> Vec<Vec<FieldId>> {
        let pool = self.pool();
        (0..=HEAD).flat_map(|length| orders(&pool, length)).collect()
    }

    /// The heads that some query can use, and those that continue one query's with another's.
    pub(super) fn likely_heads(&self) -> Vec<Vec<FieldId>> {
        // Some fields, and those of others that are not among them.
        let joined = |first: &[FieldId], second: &[FieldId]| -> Vec<FieldId> {
            let rest = second.iter().filter(|field| !first.contains(field));
            let usable = first.iter().chain(rest).copied().filter(|field| self.is_usable(*field));
            usable.take(HEAD).collect()
        };
        let mut own: Vec<Vec<FieldId>> = Vec::new();
        for shape in self.shapes() {
            for equal in orders(&shape.equal, shape.equal.len().min(HEAD)) {
                let by_order: Vec<FieldId> = shape.order.iter().map(|(field, _)| *field).collect();
                own.extend([by_order.as_slice(), &shape.range].map(|behind| joined(&equal, behind)));
            }
        }
        let mut heads = vec![Vec::new()];
        heads.extend(self.pool().into_iter().map(|field| vec![field]));
        for first in &own {
            heads.push(first.clone());
            for second in &own {
                heads.push(joined(first, second));
                // The second query's fields before what the first one only sorts by.
                heads.push(joined(first.get(..1).unwrap_or_default(), second));
            }
        }
        unique(heads)
    }

    /// Numbers of buckets.
    pub(super) fn buckets(&self) -> Vec<u32> {
        let regions = self.regions.max(2);
        let all = [regions, self.servers, regions / 2, regions * 2];
        let counts =
            all.into_iter().filter_map(|count| Some(u32::try_from(count).ok()?.min(self.max_buckets)));
        unique(counts.filter(|count| (2..=1024).contains(count)))
    }

    /// The ways to spread a head that are tried first: as many buckets as regions.
    pub(super) fn first_spreads(&self, head: &[FieldId]) -> Vec<Spread> {
        let buckets = self.buckets().first().copied().unwrap_or(2);
        let mut spreads = vec![Spread::None];
        spreads.extend(self.salted(head).into_iter().map(|by| Spread::Salt { buckets, by }));
        spreads
    }

    /// What keys begin with when nothing is asked: what identifies a record, and the time; each with the usual ways to spread it.
    pub(super) fn usual(&self) -> Vec<Choice> {
        let mut all = Vec::new();
        let buckets = self.buckets().first().copied();
        for field in self.identity.iter().copied().chain(self.time) {
            let usual = |spread: &Spread| match spread {
                Spread::None | Spread::Reverse => true,
                Spread::Salt { buckets: own, .. } => Some(*own) == buckets,
                Spread::Hash { bytes, .. } => *bytes == 1,
                Spread::Within { .. } | Spread::Modulo { .. } => false,
            };
            for spread in self.spreads(&[field]).into_iter().filter(usual) {
                all.push(Choice { spread, falling: false, ..Choice::plain(vec![field]) });
            }
        }
        all
    }

    /// All ways to spread a head.
    pub(super) fn spreads(&self, head: &[FieldId]) -> Vec<Spread> {
        let mut spreads = vec![Spread::None];
        let lead = self.key_fields(head).first().copied();
        for buckets in self.buckets() {
            spreads.extend(self.salted(head).into_iter().map(|by| Spread::Salt { buckets, by }));
            let by: Vec<FieldId> =
                self.identity.iter().copied().filter(|field| Some(*field) != lead).collect();
            if !by.is_empty() {
                spreads.push(Spread::Within { buckets, by });
            }
            // What counts up comes into all buckets in turn; of other numbers the remainders may be alike.
            if let Some(of) = lead.filter(|lead| self.counts_up(*lead)) {
                spreads.push(Spread::Modulo { of, buckets });
            }
        }
        if let Some(of) = lead {
            let hashes = [1, 2].into_iter().filter(|bytes| 1 << (8 * bytes) <= self.max_buckets);
            spreads.extend(hashes.map(|bytes| Spread::Hash { of, bytes }));
            let turns = match self.fields.get(of).ty.kind() {
                Kind::Integer => self.is_positive(of),
                kind => kind == Kind::Text,
            };
            if turns && !self.fields.get(of).nullable {
                spreads.push(Spread::Reverse);
            }
        }
        spreads
    }

    /// Whether no number, or time, of a field is below zero.
    fn is_positive(&self, field: FieldId) -> bool {
        self.facts[field.0].range().is_some_and(|(low, _)| low >= 0)
    }

    fn counts_up(&self, field: FieldId) -> bool {
        const RISES: f64 = 0.95;
        let is_plain = !self.fields.get(field).nullable && self.fields.get(field).ty.kind() == Kind::Integer;
        let rises = self.facts[field.0].rising > RISES;
        is_plain && self.is_positive(field) && self.identity == [field] && rises
    }

    /// What a salt in front can be of.
    fn salted(&self, head: &[FieldId]) -> Vec<Vec<FieldId>> {
        let key = self.key_fields(head);
        let of_key = [key.get(..1), key.get(1..2), key.get(..2), key.get(..3)].into_iter().flatten();
        let by = of_key.chain([self.identity]).filter(|by| !by.is_empty());
        unique(by.map(<[FieldId]>::to_vec))
    }

    /// Where coarse times can stand.
    pub(super) fn coarses(&self, head: &[FieldId]) -> Vec<Option<(i64, usize)>> {
        let mut all = vec![None];
        let key = self.key_fields(head);
        let time = self.time.filter(|time| self.pool().contains(time) && key.contains(time));
        let Some(time) = time.filter(|time| self.is_positive(*time)) else { return all };
        let span = self.facts[time.0].range().map_or(0, |(first, last)| last - first);
        for (unit, _) in UNITS.into_iter().filter(|(unit, _)| COARSE.contains(&(span / i128::from(*unit)))) {
            for place in [0, 1] {
                // Right before the time itself it groups nothing.
                if key.get(place).is_some_and(|field| *field != time)
                    && key.get(..place).is_some_and(|head| !head.contains(&time))
                {
                    all.push(Some((unit, place)));
                }
            }
        }
        all
    }

    /// Whether falling makes a difference.
    pub(super) fn may_fall(&self, head: &[FieldId]) -> bool {
        self.key_fields(head).iter().any(|field| self.falls(*field))
    }

    fn falls(&self, field: FieldId) -> bool {
        let asked = self.shapes().any(|shape| shape.order.contains(&(field, Order::Descending)));
        asked || self.fields.get(field).ty.kind() == Kind::Time
    }

    /// The fields of a key: its head, and what else identifies a record.
    pub(super) fn key_fields(&self, head: &[FieldId]) -> Vec<FieldId> {
        let mut rest: Vec<FieldId> =
            self.identity.iter().copied().filter(|field| !head.contains(field)).collect();
        // What has few values first, then the time, then what tells rows apart.
        rest.sort_by_key(|field| match self.facts[field.0].few() {
            Some(values) => (0, values),
            None if self.fields.get(*field).ty.kind() == Kind::Time => (1, 0),
            None => (2, field.0),
        });
        head.iter().copied().chain(rest).collect()
    }

    /// The key of a choice, with these fields at its end if it does not have them.
    pub(super) fn design(&self, choice: &Choice, and: &[FieldId]) -> KeyDesign {
        let key = unique(self.key_fields(&choice.head).into_iter().chain(and.iter().copied()));
        let mut parts: Vec<PartDesign> = Vec::with_capacity(key.len() + 1);
        for (place, field) in key.iter().enumerate() {
            let order =
                if choice.falling && self.falls(*field) { Order::Descending } else { Order::Ascending };
            let (own, is_last) = (self.fields.get(*field), place + 1 == key.len());
            let form = form(own, order, choice.forms, is_last, &self.facts[field.0]);
            parts.push(PartDesign { field: *field, form, order });
        }
        if let (Some((unit, place)), Some(time)) = (choice.coarse, self.time) {
            let order = if choice.falling { Order::Descending } else { Order::Ascending };
            parts.insert(place.min(parts.len()), PartDesign { field: time, form: Form::Coarse(unit), order });
        }
        KeyDesign { spread: choice.spread.clone(), parts }
    }

    /// The whole space.
    pub(super) fn all(&self) -> Vec<Choice> {
        let mut all = Vec::new();
        for head in self.heads() {
            let directions: &[bool] = if self.may_fall(&head) { &[true, false] } else { &[false] };
            for spread in self.spreads(&head) {
                for coarse in self.coarses(&head) {
                    // What is turned round is the first field, and it must stand first.
                    if spread == Spread::Reverse && coarse.is_some_and(|(_, place)| place == 0) {
                        continue;
                    }
                    for falling in directions {
                        for forms in [Forms::Safe, Forms::Compact, Forms::Coded] {
                            let (head, spread) = (head.clone(), spread.clone());
                            all.push(Choice { head, falling: *falling, spread, coarse, forms });
                        }
                    }
                }
            }
        }
        all
    }
}

/// Every order of so many of some fields.
fn orders(fields: &[FieldId], length: usize) -> Vec<Vec<FieldId>> {
    let longer = |head: &Vec<FieldId>| {
        let more = fields.iter().filter(|field| !head.contains(field));
        more.map(|field| [head.as_slice(), &[*field]].concat()).collect::<Vec<_>>()
    };
    (0..length).fold(vec![Vec::new()], |heads, _| heads.iter().flat_map(longer).collect())
}
