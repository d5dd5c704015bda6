package runtime

// Merge gives the rows of several scans as one, in the order of their keys behind bucketEnd: without the bucket that
// they begin with.
//
// Each scan is a function that gives its next row, in order, and false behind the last. A row is asked for only when it is
// needed, and costs O(log n) comparisons for n scans. With reverse the scans run backwards, and so does what they give.
// Rows of equal keys come in the order of their scans. After an error there is no next row.
func Merge[Row any](key func(Row) []byte, bucketEnd int, reverse bool, scans ...func() (Row, bool, error)) func() (Row, bool, error) {
	m := &merged[Row]{key: key, bucketEnd: bucketEnd, reverse: reverse, waiting: scans}
	return m.next
}

type mergedScan[Row any] struct {
	next  func() (Row, bool, error)
	place int
	row   Row
	key   []byte
}

type merged[Row any] struct {
	key       func(Row) []byte
	bucketEnd int
	reverse   bool
	waiting   []func() (Row, bool, error)
	// heap has the scan of the next row first.
	heap   []mergedScan[Row]
	given  bool
	failed error
}

func (m *merged[Row]) next() (row Row, ok bool, err error) {
	for place, next := range m.waiting {
		scan := mergedScan[Row]{next: next, place: place}
		if m.advance(&scan) {
			m.heap = append(m.heap, scan)
		}
	}
	if m.waiting != nil {
		m.waiting = nil
		for i := len(m.heap)/2 - 1; i >= 0; i-- {
			m.sink(i)
		}
	}
	if m.given && len(m.heap) > 0 && m.failed == nil {
		if !m.advance(&m.heap[0]) {
			last := len(m.heap) - 1
			m.heap[0] = m.heap[last]
			m.heap = m.heap[:last]
		}
		m.sink(0)
	}
	if len(m.heap) == 0 || m.failed != nil {
		return row, false, m.failed
	}
	m.given = true
	return m.heap[0].row, true, nil
}

// advance asks a scan for its next row.
func (m *merged[Row]) advance(scan *mergedScan[Row]) bool {
	row, ok, err := scan.next()
	if err != nil && m.failed == nil {
		m.failed = err
	}
	if err != nil || !ok {
		return false
	}
	scan.row, scan.key = row, m.key(row)
	scan.key = scan.key[min(m.bucketEnd, len(scan.key)):]
	return true
}

func (m *merged[Row]) isBefore(a, b *mergedScan[Row]) bool {
	order := bytes.Compare(a.key, b.key)
	if m.reverse {
		order = -order
	}
	return order < 0 || order == 0 && a.place < b.place
}

func (m *merged[Row]) sink(at int) {
	for {
		first := at
		for child := 2*at + 1; child <= 2*at+2 && child < len(m.heap); child++ {
			if m.isBefore(&m.heap[child], &m.heap[first]) {
				first = child
			}
		}
		if first == at {
			return
		}
		m.heap[at], m.heap[first] = m.heap[first], m.heap[at]
		at = first
	}
}
