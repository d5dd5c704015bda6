// Generated Go beside code written by hand.
//
// It reads names of candidates from standard input, one a line, does that work for some milliseconds, and answers with a line of JSON.
// Its only argument is the file of records.
package main

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"log"
	"math"
	"math/bits"
	"os"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"generated/computed"
	"generated/given"
)

const turn = time.Millisecond

// appendGiven is the key as someone writes it who knows the layout.
func appendGiven(dst []byte, salt uint8, userID uint64, ts int64, orderID string) []byte {
	dst = append(dst, salt)
	dst = binary.BigEndian.AppendUint64(dst, userID)
	dst = binary.BigEndian.AppendUint64(dst, uint64(math.MaxInt64-ts))
	return append(dst, orderID...)
}

func appendComputed(dst []byte, userID uint64, ts int64, orderID string) []byte {
	var id [8]byte
	binary.BigEndian.PutUint64(id[:], userID)
	bucket := int64(murmur3(id[:])) % 16
	if bucket < 0 {
		bucket += 16
	}
	dst = append(dst, byte(bucket))
	dst = append(dst, id[:]...)
	dst = binary.BigEndian.AppendUint64(dst, uint64(math.MaxInt64-ts))
	return append(dst, orderID...)
}

// checked is what somebody adds who does not want keys that HBase refuses, or that are no text elsewhere.
func checked(key []byte, orderID string) ([]byte, error) {
	if !utf8.ValidString(orderID) {
		return nil, errors.New("the order id is not UTF-8")
	}
	if len(key) > math.MaxInt16 {
		return nil, errors.New("the key is too long")
	}
	return key, nil
}

func murmur3(data []byte) int32 {
	hash := ^uint32(0)
	for i := 0; i+4 <= len(data); i += 4 {
		word := bits.RotateLeft32(binary.LittleEndian.Uint32(data[i:])*0xcc9e2d51, 15) * 0x1b873593
		hash = bits.RotateLeft32(hash^word, 13)*5 + 0xe6546b64
	}
	hash ^= uint32(len(data))
	hash = (hash ^ hash>>16) * 0x85ebca6b
	hash = (hash ^ hash>>13) * 0xc2b2ae35
	return int32(hash ^ hash>>16)
}

type records struct {
	given    []given.Record
	computed []computed.Record
}

func read(path string) (all records) {
	text, err := os.ReadFile(path)
	if err != nil {
		log.Fatal(err)
	}
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		values := strings.Split(line, "\t")
		salt, _ := strconv.ParseUint(values[0], 10, 8)
		userID, _ := strconv.ParseUint(values[1], 10, 64)
		ts, _ := strconv.ParseInt(values[2], 10, 64)
		all.given = append(all.given, given.Record{Salt: uint8(salt), UserID: userID, Ts: ts, OrderID: values[3]})
		all.computed = append(all.computed, computed.Record{UserID: userID, Ts: ts, OrderID: values[3]})
	}
	return all
}

func must(key []byte, err error) []byte {
	if err != nil {
		log.Fatal(err)
	}
	return key
}

// key is the last key, as if somebody used it.
var key []byte

func main() {
	all := read(os.Args[1])
	// Each has a loop of its own; with checked, the keys are looked at.
	candidates := map[string]func(look func()){
		"given: by hand": func(look func()) {
			for i := range all.given {
				r := &all.given[i]
				key = appendGiven(key[:0], r.Salt, r.UserID, r.Ts, r.OrderID)
				if look != nil {
					look()
				}
			}
		},
		"given: checked": func(look func()) {
			for i := range all.given {
				r := &all.given[i]
				key = must(checked(appendGiven(key[:0], r.Salt, r.UserID, r.Ts, r.OrderID), r.OrderID))
				if look != nil {
					look()
				}
			}
		},
		"given: generated": func(look func()) {
			for i := range all.given {
				key = must(all.given[i].AppendKey(key[:0]))
				if look != nil {
					look()
				}
			}
		},
		"computed: by hand": func(look func()) {
			for i := range all.computed {
				r := &all.computed[i]
				key = appendComputed(key[:0], r.UserID, r.Ts, r.OrderID)
				if look != nil {
					look()
				}
			}
		},
		"computed: checked": func(look func()) {
			for i := range all.computed {
				r := &all.computed[i]
				key = must(checked(appendComputed(key[:0], r.UserID, r.Ts, r.OrderID), r.OrderID))
				if look != nil {
					look()
				}
			}
		},
		"computed: generated": func(look func()) {
			for i := range all.computed {
				key = must(all.computed[i].AppendKey(key[:0]))
				if look != nil {
					look()
				}
			}
		},
	}
	checksums := map[string]uint64{}
	for name, pass := range candidates {
		hash := uint64(0xcbf29ce484222325)
		pass(func() {
			for _, b := range key {
				hash = (hash ^ uint64(b)) * 0x100000001b3
			}
		})
		checksums[name] = hash
	}
	questions := bufio.NewScanner(os.Stdin)
	for questions.Scan() {
		name := questions.Text()
		pass := candidates[name]
		start, passes, took := time.Now(), 0, time.Duration(0)
		for took < turn {
			pass(nil)
			passes++
			took = time.Since(start)
		}
		nanos := float64(took.Nanoseconds()) / float64(passes) / float64(len(all.given))
		fmt.Printf("{\"ns_per_key\":%.3f,\"checksum\":\"%x\"}\n", nanos, checksums[name])
	}
}
