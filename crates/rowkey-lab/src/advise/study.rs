//! What is known before the first key is tried.
//!
//! A [`Study`] puts together what the data says and what is asked; it also says what is missing, in words, because advice
//! is only as good as that.

use rowkey_core::key::{Field, FieldId, Fields};
use rowkey_core::remedy::Remedy;
use rowkey_core::table::NamedQuery;
use rowkey_core::types::Kind;
use rowkey_core::{Table, Type, Value};

use super::facts::FieldFacts;
use super::gather::{Data, first_pass, second_pass};
use super::identity::{self, Basis};
use super::sample::Sample;
use super::{AdviseError, Options, Watched, known};
use crate::profile::{Profile, Profiler};
use crate::size::cell::OVERHEAD;
use crate::workload::{DrawnQueries, Workload};

/// A value with at least this share of the records is a celebrity.
const CELEBRITY: f64 = 0.05;
/// A field with at most so many values has none.
const FEW: usize = 20;
/// A table of up to so many bytes, a hundredth of what a region gathers in memory before it writes a file, is not worth cutting.
const ONE_REGION: f64 = 1e6;

/// What the data says and what is asked of it.
#[derive(Debug, Clone)]
pub struct Study {
    /// The fields of the data, with their types.
    pub fields: Fields,
    /// What is in them, over all records.
    pub profile: Profile,
    /// What that means for keys.
    pub facts: Vec<FieldFacts>,
    /// Records that stand for all.
    pub sample: Sample,
    /// What makes a record unique, and how that is known.
    pub identity: Vec<FieldId>,
    /// How that is known.
    pub basis: Basis,
    /// When a record is written.
    pub time: Option<FieldId>,
    /// What is missing, or was assumed.
    pub notes: Vec<String>,
    /// Values that many records have: the field, the value, its share.
    pub celebrities: Vec<(FieldId, String, f64)>,
    pub(super) asked: DrawnQueries,
    pub(super) questions: Vec<NamedQuery>,
    /// Records of the sample that no key can tell from another.
    pub(super) repeated: usize,
    /// The given table, if there is one.
    pub(super) given: Option<Table>,
}

impl Study {
    /// Reads the data, twice.
    ///
    /// # Errors
    /// When the data cannot be read or has no record, and when a query cannot be read.
    pub fn read(
        data: &Data<'_>,
        fields: &Fields,
        questions: &[NamedQuery],
        given: Option<&Table>,
        options: &Options,
        watch: &mut dyn FnMut(Watched) -> bool,
    ) -> Result<Self, AdviseError> {
        let mut reading = |at| {
            watch(Watched::Reading(at));
        };
        let (profile, records) = first_pass(data, fields, options.sample, options.seed, &mut reading)?;
        let mut study = Self::begin(data.label, fields, records, profile, questions, given, options)?;
        let sets = study.sets();
        let duplicates = second_pass(data, fields, &sets, study.sample.data_rows, &mut reading)?;
        study.conclude(sets.into_iter().zip(duplicates).collect());
        Ok(study)
    }

    /// Takes all records from memory.
    ///
    /// # Errors
    /// As [`Study::read`].
    pub fn of_records(
        label: &str,
        fields: &Fields,
        records: Vec<Vec<Value<'static>>>,
        questions: &[NamedQuery],
        given: Option<&Table>,
        options: &Options,
    ) -> Result<Self, AdviseError> {
        let mut profiler = Profiler::new(fields);
        records.iter().for_each(|record| profiler.record(record));
        let mut study = Self::begin(label, fields, records, profiler.finish(), questions, given, options)?;
        let sets = study.sets();
        let repeated: Vec<u64> =
            sets.iter().map(|(set, _)| identity::repeated(&study.sample.records, set) as u64).collect();
        study.conclude(sets.into_iter().zip(repeated).collect());
        Ok(study)
    }

    fn begin(
        label: &str,
        fields: &Fields,
        records: Vec<Vec<Value<'static>>>,
        profile: Profile,
        questions: &[NamedQuery],
        given: Option<&Table>,
        options: &Options,
    ) -> Result<Self, AdviseError> {
        let rows = profile.records;
        if rows == 0 || records.is_empty() {
            return Err(AdviseError::NoRecords { data: label.to_owned() });
        }
        let mut facts: Vec<FieldFacts> = profile.fields.iter().cloned().map(FieldFacts::from).collect();
        if facts.iter().all(FieldFacts::is_constant) {
            let fields = fields.names().collect::<Vec<_>>().join(", ");
            return Err(AdviseError::AllAlike { data: label.to_owned(), fields, rows });
        }
        for name in &options.closed {
            facts[field_of(Remedy::Closed, name, fields)?.0].closed = true;
        }
        let time = time_field(fields, &facts, given, options)?;
        let mut sample = Sample::new(records, (rows, options.rows), fields, time);
        if let Some(years) = options.years {
            let columns = sample.columns();
            let time = time.map(|time| time.0);
            sample.rows = sample.data(fields, &columns).rows_after(years, sample.data_rows, time)?;
        }
        let before = known::profile(fields, sample.before());
        for (facts, before) in facts.iter_mut().zip(before.fields) {
            facts.before = FieldFacts::from(before).range();
        }
        let workload = Workload { queries: questions.to_vec(), draws: options.draws.max(1) };
        let asked = workload.draw(&sample.data(fields, &sample.columns()), options.seed)?;
        let mut study = Self {
            fields: fields.clone(),
            profile,
            facts,
            sample,
            identity: declared(fields, given, options)?,
            basis: Basis::Declared,
            time,
            notes: Vec::new(),
            celebrities: Vec::new(),
            asked,
            questions: questions.to_vec(),
            repeated: 0,
            given: given.cloned(),
        };
        study.say_what_is_missing(given);
        Ok(study)
    }

    fn say_what_is_missing(&mut self, given: Option<&Table>) {
        let mut notes = Vec::new();
        match self.time {
            None => notes.push(
                "no field is a time: records are taken to be written in the order of the file, so a hot spot that moves with \
                 the time is not seen unless the file is in that order; declare a field as timestamp if one is"
                    .to_owned(),
            ),
            Some(time) => {
                let others = self.fields.iter().filter(|(id, field)| field.ty.kind() == Kind::Time && *id != time);
                if others.count() > 0 {
                    notes.push(format!("records are taken to be written at `{}`; another field: {}", self.fields.get(time).name, Remedy::Time));
                }
            }
        }
        let facts = || self.fields.iter().zip(&self.facts);
        for ((_, field), _) in facts().filter(|(_, facts)| facts.is_constant()) {
            notes.push(format!(
                "`{}` has one value in all records: it tells no rows apart and is left out of keys",
                field.name
            ));
        }
        let is_number = |field: &Field, facts: &FieldFacts| field.ty == Type::Text && facts.is_whole_number;
        for ((_, field), facts) in facts().filter(|((_, field), facts)| is_number(field, facts)) {
            notes.push(format!(
                "`{}` is text, but every value is a whole number: declared as u64 it takes 8 bytes in a key, wherever it stands, instead \
                 of {:.0} and an end mark, and sorts as a number",
                field.name,
                facts.mean_text()
            ));
        }
        let asks = !self.asked.queries.is_empty();
        if given.is_none() && asks && self.asked.queries.iter().all(|asked| asked.columns.is_none()) {
            notes.push(
                "no query says which fields it returns, so all columns are in one family and index tables copy everything or \
                 nothing; add columns = [\"…\"] to [[query]]"
                    .to_owned(),
            );
        }
        self.notes.extend(notes);
    }

    /// How many regions tables are cut into: one where that holds all rows, four for each server otherwise.
    pub fn regions(&self, options: &Options) -> usize {
        let by_size = if self.bytes() <= ONE_REGION { 1 } else { 4 * options.servers };
        options.regions.unwrap_or(by_size).max(1)
    }

    /// The names of these fields.
    pub fn names(&self, fields: &[FieldId]) -> Vec<&str> {
        fields.iter().map(|field| self.fields.get(*field).name.as_str()).collect()
    }

    /// About how many bytes all rows have: a cell repeats the key.
    pub fn bytes(&self) -> f64 {
        let is_key = |field: &FieldId| self.identity.contains(field);
        let fields = || self.fields.iter().map(|(field, _)| field);
        let bytes = |field: FieldId| self.facts[field.0].mean_bytes();
        let key = OVERHEAD as f64 + fields().filter(is_key).map(bytes).sum::<f64>();
        let cells = fields().filter(|field| !is_key(field)).map(|field| key + bytes(field)).sum::<f64>();
        self.sample.rows as f64 * cells.max(key)
    }

    /// Sets of fields that may identify records, the first first.
    fn sets(&self) -> Vec<(Vec<FieldId>, Basis)> {
        if !self.identity.is_empty() {
            return vec![(self.identity.clone(), Basis::Declared)];
        }
        let asked: Vec<FieldId> = self.asked.queries.iter().flat_map(|query| query.shape.fields()).collect();
        identity::sets(self.sample.before(), &self.fields, &self.facts, &asked)
    }

    /// Takes the first set that tells all records apart; each comes with how many records are like one before.
    fn conclude(&mut self, mut found: Vec<((Vec<FieldId>, Basis), u64)>) {
        let rows = self.sample.data_rows;
        let list = |set: &[FieldId], mark: &str, between: &str| {
            let name = |field: &FieldId| format!("{mark}{}{mark}", self.fields.get(*field).name);
            set.iter().map(name).collect::<Vec<_>>().join(between)
        };
        let names = |set: &[FieldId]| list(set, "`", ", ");
        let clean = found.iter().position(|(_, duplicates)| *duplicates == 0);
        let chosen = clean.map(|place| found.swap_remove(place)).or_else(|| found.pop());
        let ((set, basis), duplicates) = chosen.unwrap_or(((Vec::new(), Basis::Assumed), 0));
        let note = match (basis, duplicates) {
            (Basis::Declared, 0) => None,
            (Basis::Declared, duplicates) => Some(format!(
                "the identity {} does not tell all records apart: about {duplicates} of {rows} have the values of one before and replace it",
                names(&set)
            )),
            (Basis::Numbered, _) => Some(format!(
                "records are told apart by {}: all {rows} differ, and not by luck; if that is wrong, say {} FIELD,…",
                names(&set),
                Remedy::Identity
            )),
            (Basis::Assumed, 0) => Some(format!(
                "question: what makes a record unique? No field numbers the records, so keys hold all of {}, and a later record that is \
                 equal in these replaces the one before. If less is enough, or more is needed, say it: {} {}",
                names(&set),
                Remedy::Identity,
                list(&set, "", ",")
            )),
            (Basis::Assumed, _) => Some(format!(
                "no set of fields tells all records apart: a record that equals another in {} replaces it; add a field that numbers them",
                names(&set)
            )),
        };
        self.notes.extend(note);
        (self.identity, self.basis) = (set, basis);
        self.repeated = identity::repeated(&self.sample.records, &self.identity);
        let mut asked: Vec<FieldId> =
            self.asked.queries.iter().flat_map(|query| query.shape.equal.clone()).collect();
        asked.sort_unstable();
        asked.dedup();
        for field in asked {
            // A field with few values has no celebrity: all of its values have many records.
            let facts = Some(&self.facts[field.0]).filter(|facts| facts.few().is_none_or(|few| few > FEW));
            let hitters = facts.into_iter().flat_map(|facts| &facts.hitters);
            let shares = hitters.map(|hitter| (hitter, hitter.count as f64 / rows.max(1) as f64));
            let celebrities = shares.filter(|(_, share)| *share >= CELEBRITY);
            self.celebrities.extend(celebrities.map(|(own, share)| (field, own.value.to_string(), share)));
        }
        self.celebrities.sort_by(|a, b| b.2.total_cmp(&a.2).then(a.0.cmp(&b.0)));
    }
}

/// The fields that make a record unique, as the caller or the table file says.
fn declared(fields: &Fields, given: Option<&Table>, options: &Options) -> Result<Vec<FieldId>, AdviseError> {
    match &options.identity {
        Some(names) => names.iter().map(|name| field_of(Remedy::Identity, name, fields)).collect(),
        None => Ok(given.map(|given| given.identity.clone()).unwrap_or_default()),
    }
}

/// The field that a setting names.
fn field_of(setting: Remedy, name: &str, fields: &Fields) -> Result<FieldId, AdviseError> {
    let known = || fields.names().collect::<Vec<_>>().join(", ");
    fields.id(name).ok_or_else(|| AdviseError::Field { setting, field: name.to_owned(), known: known() })
}

/// The field that says when a record is written.
fn time_field(
    fields: &Fields,
    facts: &[FieldFacts],
    given: Option<&Table>,
    options: &Options,
) -> Result<Option<FieldId>, AdviseError> {
    let times: Vec<FieldId> =
        fields.iter().filter(|(_, field)| field.ty.kind() == Kind::Time).map(|(id, _)| id).collect();
    if let Some(name) = &options.time {
        let known = times.iter().map(|id| fields.get(*id).name.as_str()).collect::<Vec<_>>().join(", ");
        let wrong = |why: String| AdviseError::Time { field: name.clone(), why, known: known.clone() };
        let id = fields.id(name).ok_or_else(|| wrong("there is no such field".to_owned()))?;
        if !times.contains(&id) {
            return Err(wrong(format!("it is of type {}", fields.get(id).ty)));
        }
        return Ok(Some(id));
    }
    if let Some(time) = given.and_then(|given| given.cell_time) {
        return Ok(Some(time));
    }
    // The one that rises most through the file, then the first.
    let rising = |id: &FieldId| facts[id.0].rising;
    Ok(times.iter().copied().min_by(|a, b| rising(b).total_cmp(&rising(a)).then(a.cmp(b))))
}
