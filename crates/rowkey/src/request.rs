use rowkey_core::query::PlanOptions;
use rowkey_ops::query::QueryOptions;

/// A query and how it may be answered. A text alone is a request: `orders.query("user_id = 7")`.
#[derive(Debug, Clone, Default)]
pub struct QueryRequest<'q> {
    pub(crate) text: &'q str,
    pub(crate) parameters: &'q [&'q str],
    pub(crate) full_scan: bool,
    pub(crate) sort: bool,
    pub(crate) page: Option<&'q str>,
}

impl<'q> QueryRequest<'q> {
    /// A condition, an order and a limit as in SQL: `user_id = ? and ts >= '2025-01-01' order by ts desc limit 20`.
    pub fn new(text: &'q str) -> Self {
        Self { text, ..Self::default() }
    }

    /// The values of its `?`, as they are written in a query, without quotes.
    #[must_use]
    pub fn parameters(self, parameters: &'q [&'q str]) -> Self {
        Self { parameters, ..self }
    }

    /// May read the whole table.
    #[must_use]
    pub fn full_scan(self) -> Self {
        Self { full_scan: true, ..self }
    }

    /// May sort rows that no key has in the order asked for; what does not fit into memory goes to temporary files.
    #[must_use]
    pub fn sort(self) -> Self {
        Self { sort: true, ..self }
    }

    /// Begins behind the page that gave this token ([`crate::Rows::next_page`]).
    #[must_use]
    pub fn after(self, token: &'q str) -> Self {
        Self { page: Some(token), ..self }
    }

    pub(crate) fn planning(&self) -> PlanOptions {
        PlanOptions { full_scan: self.full_scan, sort: self.sort, ..PlanOptions::default() }
    }

    pub(crate) fn running(&self) -> QueryOptions {
        QueryOptions { page: self.page.map(str::to_owned), ..QueryOptions::default() }
    }
}

impl<'q> From<&'q str> for QueryRequest<'q> {
    fn from(text: &'q str) -> Self {
        Self::new(text)
    }
}
