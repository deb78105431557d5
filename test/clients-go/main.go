// Follows a book topic over github.com/coder/websocket, or with the market "*" one of every market, checks
// every frame, and prints what it has of one market as JSON once its standard input ends, with the faults of
// all: clients-go URL SUBSCRIBE MARKET
// The other forms are those of vectors.go and pairs.go.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math/big"
	"os"
	"sort"
	"strings"
	"time"

	"github.com/coder/websocket"
)

// The rows of each side that the checksum covers.
const checksumRows = 10

// A book of 500 levels has some 60 KiB.
const frameBytesMax = 1 << 20

// Time to hear everything that was sent before the end.
const settleMax = 60 * time.Second

type level struct {
	price *big.Int
	size  string
	row   json.RawMessage
}

type frame struct {
	Type   string            `json:"type"`
	ID     json.RawMessage   `json:"id"`
	Topic  string            `json:"topic"`
	Market string            `json:"market"`
	Epoch  string            `json:"epoch"`
	Prev   int64             `json:"prev"`
	Seq    int64             `json:"seq"`
	Crc    uint32            `json:"crc"`
	Bids   []json.RawMessage `json:"bids"`
	Asks   []json.RawMessage `json:"asks"`
}

type follower struct {
	market string
	epoch  string
	seq    int64
	bids   map[string]level
	asks   map[string]level
	Deltas int
	Faults []string
}

// The result, as the test reads it.
type report struct {
	Epoch  string            `json:"epoch"`
	Seq    int64             `json:"seq"`
	Deltas int               `json:"deltas"`
	Faults []string          `json:"faults"`
	Bids   []json.RawMessage `json:"bids"`
	Asks   []json.RawMessage `json:"asks"`
}

func (f *follower) take(message frame) {
	switch message.Type {
	case "snapshot":
		f.market, f.epoch = message.Market, message.Epoch
		f.bids, f.asks = map[string]level{}, map[string]level{}
	case "delta":
		f.Deltas++
		if message.Epoch != f.epoch || !f.fits(message) {
			f.fault("prev %d of %s after %d of %s", message.Prev, message.Epoch, f.seq, f.epoch)
		}
	case "heartbeat":
		if message.Epoch != f.epoch || message.Seq != f.seq {
			f.fault("heartbeat of %d after %d", message.Seq, f.seq)
		}
		return
	case "error":
		f.fault("error")
		return
	default:
		return
	}
	f.seq = message.Seq
	f.change(f.bids, message.Bids)
	f.change(f.asks, message.Asks)
	if crc := f.checksum(); crc != message.Crc {
		f.fault("crc %d here, %d there at %d", crc, message.Crc, f.seq)
	}
}

// Another process may link to an earlier frame than the book is of; what names no row changes the state alone.
func (f *follower) fits(delta frame) bool {
	isAlone := len(delta.Bids) == 0 && len(delta.Asks) == 0
	return delta.Prev <= f.seq && (delta.Seq > f.seq || (delta.Seq == f.seq && isAlone))
}

func (f *follower) fault(format string, values ...any) {
	f.Faults = append(f.Faults, fmt.Sprintf(format, values...))
}

func (f *follower) change(side map[string]level, rows []json.RawMessage) {
	for _, row := range rows {
		var parts []json.RawMessage
		var price, size string
		if json.Unmarshal(row, &parts) != nil || len(parts) != 3 ||
			json.Unmarshal(parts[0], &price) != nil || json.Unmarshal(parts[1], &size) != nil {
			f.fault("a row was %s", row)
			continue
		}
		if size == "0" {
			if _, known := side[price]; !known {
				f.fault("%s was not there to be removed", price)
			}
			delete(side, price)
			continue
		}
		number, ok := new(big.Int).SetString(price, 10)
		if !ok {
			f.fault("a price was %s", price)
			continue
		}
		side[price] = level{number, size, row}
	}
}

// The rows of a side, best first: `sign` is -1 for bids.
func ordered(side map[string]level, sign int) []level {
	rows := make([]level, 0, len(side))
	for _, row := range side {
		rows = append(rows, row)
	}
	sort.Slice(rows, func(i, j int) bool { return rows[i].price.Cmp(rows[j].price)*sign < 0 })
	return rows
}

func (f *follower) checksum() uint32 {
	var parts []string
	bids, asks := ordered(f.bids, -1), ordered(f.asks, 1)
	for at := 0; at < checksumRows; at++ {
		for _, side := range [][]level{bids, asks} {
			if at < len(side) {
				parts = append(parts, side[at].price.String(), side[at].size)
			}
		}
	}
	return crc32.ChecksumIEEE([]byte(strings.Join(parts, ":")))
}

func rowsOf(side []level) []json.RawMessage {
	rows := make([]json.RawMessage, len(side))
	for at, level := range side {
		rows[at] = level.row
	}
	return rows
}

// What it has of a market, and the faults of all topics.
func reportOf(topics map[string]*follower, market string) report {
	out := report{Faults: []string{}}
	for topic, f := range topics {
		for _, fault := range f.Faults {
			out.Faults = append(out.Faults, topic+": "+fault)
		}
		if f.market == market {
			out.Epoch, out.Seq, out.Deltas = f.epoch, f.seq, f.Deltas
			out.Bids, out.Asks = rowsOf(ordered(f.bids, -1)), rowsOf(ordered(f.asks, 1))
		}
	}
	return out
}

func run(url, subscribe, market string) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	socket, _, err := websocket.Dial(ctx, url, nil)
	if err != nil {
		return err
	}
	defer socket.CloseNow()
	socket.SetReadLimit(frameBytesMax)
	if err := socket.Write(ctx, websocket.MessageText, []byte(subscribe)); err != nil {
		return err
	}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		_ = socket.Write(ctx, websocket.MessageText, []byte(`{"type":"ping","id":"end"}`))
		time.AfterFunc(settleMax, cancel)
	}()
	// Errors have no topic, and are kept under the empty one.
	topics := map[string]*follower{}
	for {
		_, text, err := socket.Read(ctx)
		if err != nil {
			return err
		}
		var message frame
		if err := json.Unmarshal(text, &message); err != nil {
			return err
		}
		if message.Type == "pong" {
			break
		}
		if topics[message.Topic] == nil {
			topics[message.Topic] = &follower{}
		}
		topics[message.Topic].take(message)
	}
	if err := json.NewEncoder(os.Stdout).Encode(reportOf(topics, market)); err != nil {
		return err
	}
	return socket.Close(websocket.StatusNormalClosure, "")
}

func main() {
	var err error
	switch args := os.Args[1:]; {
	case len(args) == 1:
		err = readVectors(args[0])
	case len(args) == 4 && args[0] == "pair":
		err = followPair(args[1], args[2], args[3])
	case len(args) == 3:
		err = run(args[0], args[1], args[2])
	default:
		err = errors.New("usage: clients-go URL SUBSCRIBE MARKET | FILE | pair URL SUBSCRIBE SECONDS")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
