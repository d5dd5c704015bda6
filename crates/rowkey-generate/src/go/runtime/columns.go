package runtime

// Column is a cell of a row.
type Column struct {
	Family    string
	Qualifier string
	Value     []byte
}

// Entry is a row of an index table.
type Entry struct {
	Table string
	Key   []byte
	Cells []Column
}

// IndexTable is the name of an index table, and the keys at which a new one is cut.
type IndexTable struct {
	Name        string
	SplitPoints [][]byte
}

// entryCells is the mark of an entry and its copies: the columns of the row that have these names.
func entryCells(family string, columns []Column, now, time int64, nonce [8]byte, copies ...string) []Column {
	mark := []byte{'P'}
	mark = binary.BigEndian.AppendUint64(mark, uint64(now))
	mark = binary.BigEndian.AppendUint64(mark, uint64(time))
	mark = append(mark, nonce[:]...)
	cells := make([]Column, 1, 1+len(copies))
	for _, name := range copies {
		count := len(cells)
		for _, column := range columns {
			if column.Family+":"+column.Qualifier == name {
				cells = append(cells, column)
			}
		}
		mark = append(mark, byte(len(cells)-count))
	}
	cells[0] = Column{family, "_", mark}
	return cells
}

func wrongCell(value []byte, width int, field string) error {
	return problem(KindWrongLength, "a cell of it has %d bytes, not %d", width, len(value)).ofField(field)
}

func differentCopy(field string) error {
	return problem(KindTwoValues, "the cell has another value than the key").ofField(field)
}

// CheckFingerprint compares the order of a table's keys with the order of this code: found is the attribute
// ROWKEY_FINGERPRINT of the live table. Programs whose orders differ would not find each other's rows.
func CheckFingerprint(found string) error {
	if found != Fingerprint {
		return problem(KindWrongFingerprint, "the table has keys of order %s, and this code makes keys of order %s; generate it again", found, Fingerprint)
	}
	return nil
}
