//! Rows of HBase by gohbase, in Go.

use super::{Package, library};
use crate::File;

impl Package<'_> {
    /// `hbase.go`
    pub(super) fn hbase_file(&self) -> File {
        let cell_time = self.design.cell_time.and_then(|field| self.fields.get(field.0));
        let cell_time = match cell_time {
            Some(field) if field.may_be_nil() => {
                Some((format!("if record.{} != nil", field.name), format!("*record.{}", field.name)))
            }
            Some(field) => Some((String::new(), format!("record.{}", field.name))),
            None => None,
        };
        let is_random = self.key().is_random();
        let (parameter, argument) = if is_random { (", draw func(count int) int", "draw") } else { ("", "") };
        let mut runtime =
            include_str!("runtime/hbase.go.txt").replace("/*DRAW*/", parameter).replace("/*WITH*/", argument);
        // A row whose cells have no time of their own gets that of the write.
        let put = "\treturn putRow(ctx, client, TableName, key, columns/*CELL TIME*/)";
        let written = match cell_time {
            None => "\treturn putRow(ctx, client, TableName, key, columns)".to_owned(),
            Some((condition, time)) if condition.is_empty() => {
                format!(
                    "\treturn putRow(ctx, client, TableName, key, columns, hrpc.TimestampUint64(uint64({time})))"
                )
            }
            Some((condition, time)) => format!(
                "\t{condition} {{\n\t\treturn putRow(ctx, client, TableName, key, columns, \
                 hrpc.TimestampUint64(uint64({time})))\n\t}}\n\
                 \treturn putRow(ctx, client, TableName, key, columns)"
            ),
        };
        runtime = runtime.replace(put, &written);
        let mut called = "Put(Get(Scan(".to_owned();
        if self.design.bucket.is_some() {
            called.push_str("ScanMerged(");
        }
        if !self.design.indexes.is_empty() && !is_random {
            called.push_str("PutIndexed(");
        }
        let body = library::needed_from(&called, &[&runtime]) + "\n";
        let own = ["\"github.com/tsuna/gohbase\"", "\"github.com/tsuna/gohbase/hrpc\""];
        let imports = library::imports(&body).trim_end().trim_end_matches(')').to_owned();
        let imports = format!("{imports}\n\t{}\n\t{}\n)\n\n", own[0], own[1]);
        let text = format!("{}{imports}{body}", self.head("//go:build gohbase\n\n"));
        File { name: format!("{}/hbase.go", self.name), text }
    }
}
