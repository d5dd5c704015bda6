package runtime

// Ranges is what a query reads: one group after another.
type Ranges struct {
	Groups []Group
	// Reverse says that each range is read from its last row to its first.
	Reverse bool
	// Limit is how many rows are asked for at most; -1 for all.
	Limit int
}

// Group is ranges that are read at the same time. Their rows are in order if they are merged by their keys from the byte
// MergeFrom on: see Merge.
type Group struct {
	Ranges    []Range
	MergeFrom int
}

// rangeEnd is where a range begins and ends behind the prefix of its keys; without a stop it goes on as far as these.
type rangeEnd struct {
	start, stop []byte
}

// rangeBound is a value at the end of a range, and whether it belongs to it.
type rangeBound struct {
	encoded   []byte
	inclusive bool
}

// queryRanges collects the ranges of a query.
type queryRanges struct {
	ends   []rangeEnd
	pieces []rangePiece
}

type rangePiece struct {
	// rank is the start without the bytes that only spread rows.
	rank, start, stop []byte
	fixed             int
}

// between adds an end: what lies between two values, of which nil is none, in an area.
func (q *queryRanges) between(first, last *rangeBound, wholeKey bool, area rangeEnd) {
	start, stop := area.start, area.stop
	if first != nil {
		begin := first.encoded
		if !first.inclusive && wholeKey {
			begin = successor(begin)
		} else if !first.inclusive {
			if begin = prefixEnd(begin); begin == nil {
				return
			}
		}
		if bytes.Compare(begin, start) > 0 {
			start = begin
		}
	}
	if last != nil {
		end := last.encoded
		if last.inclusive && wholeKey {
			end = successor(end)
		} else if last.inclusive {
			end = prefixEnd(end)
		}
		if end != nil && (stop == nil || bytes.Compare(end, stop) < 0) {
			stop = end
		}
	}
	if stop == nil || bytes.Compare(start, stop) < 0 {
		q.ends = append(q.ends, rangeEnd{start, stop})
	}
}

// add adds the ranges of a prefix; rank is the prefix without the bytes that only spread rows.
func (q *queryRanges) add(prefix, rank []byte) {
	for _, end := range q.ends {
		start, stop := withinLength(joined(prefix, end.start)), prefixEnd(prefix)
		if end.stop != nil {
			stop = withinLength(joined(prefix, end.stop))
		}
		first := start
		if len(first) == 0 {
			first = []byte{0}
		}
		if stop == nil || bytes.Compare(first, stop) < 0 {
			q.pieces = append(q.pieces, rangePiece{joined(rank, end.start), start, stop, len(prefix)})
		}
	}
}

// ranges is all that was added, in order. Ranges of one rank are read at the same time, but for single rows.
func (q *queryRanges) ranges(all Ranges, rows bool) Ranges {
	pieces := q.pieces
	sort.Slice(pieces, func(i, j int) bool {
		a, b := &pieces[i], &pieces[j]
		if order := bytes.Compare(a.rank, b.rank); order != 0 {
			return order < 0
		}
		if order := bytes.Compare(a.start, b.start); order != 0 {
			return order < 0
		}
		return bytes.Compare(a.stop, b.stop) < 0
	})
	for i := range pieces {
		own := Range{Start: pieces[i].start, Stop: pieces[i].stop}
		if i > 0 && bytes.Equal(pieces[i].rank, pieces[i-1].rank) {
			last := pieces[i-1]
			if bytes.Equal(last.start, own.Start) && bytes.Equal(last.stop, own.Stop) {
				continue
			}
			if group := &all.Groups[len(all.Groups)-1]; !rows {
				group.Ranges = append(group.Ranges, own)
				continue
			}
		}
		all.Groups = append(all.Groups, Group{Ranges: []Range{own}, MergeFrom: pieces[i].fixed})
	}
	if all.Reverse {
		for i, j := 0, len(all.Groups)-1; i < j; i, j = i+1, j-1 {
			all.Groups[i], all.Groups[j] = all.Groups[j], all.Groups[i]
		}
	}
	return all
}

// joined is bytes one after another.
func joined(parts ...[]byte) []byte {
	all := []byte{}
	for _, part := range parts {
		all = append(all, part...)
	}
	return all
}

// withinLength is a bound longer than keys can be as one that they can have.
func withinLength(key []byte) []byte {
	if len(key) > 32767 {
		return append(key[:32767:32767], 0)
	}
	return key
}
