// gohbase in rowkey's benchmark: clientbench HOST:PORT ROWS COUNTERS.
//
// Reads a job a line from standard input, does it, and answers with a line: two numbers that prove the work. The jobs, rows
// and answers are those of bench/src/hbase/ours.rs. Time, processor and memory are measured from outside.
package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/tsuna/gohbase"
	"github.com/tsuna/gohbase/hrpc"
)

// Rows in a batch of a bulk load, and batches on their way at once; the same as ours.
const (
	batchRows = 2000
	batches   = 2
)

type bench struct {
	client         gohbase.Client
	rows, counters []byte
}

func main() {
	quiet := gohbase.Logger(slog.New(slog.DiscardHandler))
	b := bench{gohbase.NewClient(os.Args[1], quiet), []byte(os.Args[2]), []byte(os.Args[3])}
	fmt.Println("ready 0")
	jobs := bufio.NewScanner(os.Stdin)
	for jobs.Scan() {
		operations, proof, err := b.work(jobs.Text())
		if err != nil {
			fmt.Fprintln(os.Stderr, jobs.Text(), err)
			os.Exit(1)
		}
		fmt.Println(operations, proof)
	}
}

func (b *bench) work(line string) (int64, int64, error) {
	var first, count, more int64
	name, rest, _ := strings.Cut(line, " ")
	fmt.Sscan(rest, &first, &count, &more)
	switch name {
	case "put":
		return count, count, parallel(first, count, batches, batchRows, b.put)
	case "get":
		return b.inFlight(first, count, more, b.get)
	case "multiget":
		var found atomic.Int64
		err := parallel(first, count, 1, more, func(begin, end int64) error { return b.multiGet(begin, end, &found) })
		return count, found.Load(), err
	case "scan":
		return b.scan()
	case "increment":
		return b.inFlight(first, count, more, b.increment)
	}
	return 0, 0, fmt.Errorf("there is no such job")
}

// parallel cuts rows into pieces and has some of them done at once.
func parallel(first, count, workers, size int64, piece func(begin, end int64) error) error {
	var next atomic.Int64
	next.Store(first)
	var wait sync.WaitGroup
	failures := make(chan error, workers)
	for range workers {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for {
				begin := next.Add(size) - size
				if begin >= first+count {
					return
				}
				if err := piece(begin, min(begin+size, first+count)); err != nil {
					failures <- err
					return
				}
			}
		}()
	}
	wait.Wait()
	select {
	case err := <-failures:
		return err
	default:
		return nil
	}
}

func (b *bench) put(begin, end int64) error {
	calls := make([]hrpc.Call, 0, end-begin)
	for row := begin; row < end; row++ {
		cells := map[string]map[string][]byte{"d": {"v": value(row)}}
		call, err := hrpc.NewPut(context.Background(), b.rows, key(row), cells)
		if err != nil {
			return err
		}
		calls = append(calls, call)
	}
	return firstFailure(b.client.SendBatch(context.Background(), calls))
}

func firstFailure(results []hrpc.RPCResult, allOK bool) error {
	if allOK {
		return nil
	}
	for _, result := range results {
		if result.Error != nil {
			return result.Error
		}
	}
	return fmt.Errorf("a batch failed")
}

func (b *bench) multiGet(begin, end int64, found *atomic.Int64) error {
	calls := make([]hrpc.Call, 0, end-begin)
	for row := begin; row < end; row++ {
		call, err := hrpc.NewGet(context.Background(), b.rows, key(row))
		if err != nil {
			return err
		}
		calls = append(calls, call)
	}
	results, allOK := b.client.SendBatch(context.Background(), calls)
	if err := firstFailure(results, allOK); err != nil {
		return err
	}
	found.Add(int64(len(results)))
	return nil
}

// inFlight does single operations, so many at once. A single one does not wait for company.
func (b *bench) inFlight(first, count, most int64,
	operation func(row int64, options ...func(hrpc.Call) error) (int64, error)) (int64, int64, error) {
	var options []func(hrpc.Call) error
	if most == 1 {
		options = append(options, hrpc.SkipBatch())
	}
	var found atomic.Int64
	err := parallel(first, count, most, 1, func(row, _ int64) error {
		there, err := operation(row, options...)
		found.Add(there)
		return err
	})
	return count, found.Load(), err
}

func (b *bench) get(row int64, options ...func(hrpc.Call) error) (int64, error) {
	call, err := hrpc.NewGet(context.Background(), b.rows, key(row), options...)
	if err != nil {
		return 0, err
	}
	result, err := b.client.Get(call)
	if err != nil || len(result.Cells) == 0 {
		return 0, err
	}
	return 1, nil
}

func (b *bench) increment(row int64, options ...func(hrpc.Call) error) (int64, error) {
	call, err := hrpc.NewIncSingle(context.Background(), b.counters, counter(row), "d", "n", 1, options...)
	if err != nil {
		return 0, err
	}
	if _, err := b.client.Increment(call); err != nil {
		return 0, err
	}
	return 1, nil
}

func (b *bench) scan() (int64, int64, error) {
	call, err := hrpc.NewScan(context.Background(), b.rows, hrpc.NumberOfRows(10000))
	if err != nil {
		return 0, 0, err
	}
	scanner := b.client.Scan(call)
	var rows, size int64
	for {
		result, err := scanner.Next()
		if err == io.EOF {
			return rows, size, nil
		}
		if err != nil {
			return 0, 0, err
		}
		rows++
		for _, cell := range result.Cells {
			size += int64(len(cell.Row) + len(cell.Value))
		}
	}
}

func key(row int64) []byte {
	return fmt.Appendf(make([]byte, 0, 16), "%016x", uint64(row+1)*0x9E3779B97F4A7C15)
}

func value(row int64) []byte {
	return bytes.Repeat([]byte{byte('a' + row%26)}, 100)
}

func counter(row int64) []byte {
	return fmt.Appendf(nil, "c%d", row%1000)
}
