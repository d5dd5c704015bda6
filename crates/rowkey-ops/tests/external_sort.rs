//! Does sorting with little memory give what a stable sort in memory gives, and leave nothing behind?

use rowkey_ops::external_sort::{ExternalSort, SortError};

/// A generator of numbers, always the same ones.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }

    /// Keys with few different bytes, so that many are equal, prefixes of others, or differ far behind only.
    fn key(&mut self) -> Vec<u8> {
        let same = [0, 0, 0, 1, 2, 9][self.below(6) as usize];
        let mut key = [b"sameeight".as_slice(), &[0; 9]][self.below(2) as usize].repeat(same);
        for _ in 0..self.below(5) {
            key.push([0, 0, 1, b'a', 0xFF][self.below(5) as usize]);
        }
        key
    }
}

type Records = Vec<(Vec<u8>, Vec<u8>)>;

fn records(seed: u64, count: usize) -> Records {
    let mut numbers = Numbers(seed);
    let payload = |numbers: &mut Numbers, at: usize| {
        let mut payload = at.to_be_bytes().to_vec();
        payload.resize(8 + numbers.below(40) as usize, 7);
        payload
    };
    (0..count).map(|at| (numbers.key(), payload(&mut numbers, at))).collect()
}

fn sorted(records: &Records, memory: usize) -> (Records, u64) {
    let folder = tempfile::tempdir().expect("the folder can be written");
    let mut sort = ExternalSort::new(memory, folder.path());
    for (key, payload) in records {
        sort.push(key, payload).expect("the folder can be written");
    }
    let spilled = sort.spilled_bytes();
    let mut sorted = sort.finish().expect("the folder can be written");
    let mut out = Vec::new();
    while let Some((key, payload)) = sorted.next().expect("the folder can be written") {
        out.push((key.to_vec(), payload.to_vec()));
    }
    assert_eq!(sorted.next().expect("the folder can be written"), None, "the end stays the end");
    drop(sorted);
    assert_eq!(
        std::fs::read_dir(folder.path()).expect("the folder can be written").count(),
        0,
        "a temporary file is left"
    );
    (out, spilled)
}

/// From everything in memory to a run for each record, which takes several rounds of merging.
#[test]
fn sorts_as_a_stable_sort_does() {
    for (seed, count) in [(1, 0), (2, 1), (3, 100), (4, 5_000)] {
        let records = records(seed, count);
        let mut expected = records.clone();
        expected.sort_by(|a, b| a.0.cmp(&b.0));
        for memory in [0, 1, 200, 4_000, 100_000, usize::MAX] {
            let (found, spilled) = sorted(&records, memory);
            assert!(found == expected, "{count} records in {memory} bytes");
            let all: usize = records.iter().map(|(key, payload)| key.len() + payload.len() + 24).sum();
            assert_eq!(spilled > 0, all > memory && count > 1, "{count} records in {memory} bytes");
        }
    }
}

/// 5,000 runs are more than a process may have open files for by default.
#[test]
fn few_files_are_open_at_once() {
    let folder = tempfile::tempdir().unwrap();
    // Links of open files name them even when they have no name any more; other systems have no such folder.
    let open = || {
        let links = std::fs::read_dir("/proc/self/fd").into_iter().flatten().flatten();
        links.filter(|link| link.path().read_link().is_ok_and(|to| to.starts_with(folder.path()))).count()
    };
    let mut sort = ExternalSort::new(1, folder.path());
    let mut most = 0;
    for at in 0u32..5_000 {
        sort.push(&at.reverse_bits().to_be_bytes(), b"").unwrap();
        most = most.max(open());
    }
    let sorted = sort.finish().unwrap();
    most = most.max(open());
    drop(sorted);
    assert!(most <= 2 * 64, "{most} files were open");
    assert!(most > 60 || cfg!(not(target_os = "linux")), "{most} files were open, so none was seen");
}

/// A sort that is given up, or that fails, leaves nothing behind either.
#[test]
fn nothing_is_left_when_it_is_given_up() {
    let folder = tempfile::tempdir().unwrap();
    let mut sort = ExternalSort::new(100, folder.path());
    for (key, payload) in records(9, 200) {
        sort.push(&key, &payload).unwrap();
    }
    drop(sort);
    let mut sort = ExternalSort::new(100, folder.path());
    for (key, payload) in records(9, 200) {
        sort.push(&key, &payload).unwrap();
    }
    let mut sorted = sort.finish().unwrap();
    sorted.next().unwrap();
    drop(sorted);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_folder_that_is_not_there_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let mut sort = ExternalSort::new(1, folder.path().join("no such folder"));
    sort.push(b"a", b"").unwrap();
    let error = sort.push(b"b", b"").unwrap_err();
    assert!(matches!(&error, SortError::Create { .. }), "{error:?}");
    assert!(error.to_string().contains("no such folder/rowkey-sort-"), "{error}");
}
