// Follows a book topic as JSON and as bytes over one socket, which is cut three times and goes on from where it was, and compares
// both books at every number that both have: clients-go pair URL SUBSCRIBE SECONDS
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/coder/websocket"
)

// Connections of one run.
const connections = 4

// Books of a topic that are kept to be compared.
const historyMax = 1024

type pairReport struct {
	Frames   map[string]int `json:"frames"`
	Bytes    map[string]int `json:"bytes"`
	Compared int            `json:"compared"`
	// Numbers at which the books differ.
	Differences []string `json:"differences"`
	Faults      []string `json:"faults"`
	Connects    int      `json:"connects"`
}

// One topic in one encoding.
type side struct {
	follower
	encoding string
	isOpen   bool
	// The books at the last numbers, and these in the order in which they came.
	books   map[string]string
	numbers []string
}

type pair struct {
	sides   [2]*side
	decoder decoder
	report  pairReport
}

func followPair(url, subscribe, seconds string) error {
	total, err := strconv.ParseFloat(seconds, 64)
	if err != nil {
		return err
	}
	p := &pair{report: pairReport{Frames: map[string]int{}, Bytes: map[string]int{}, Differences: []string{}, Faults: []string{}}}
	for at, encoding := range []string{"json", "binary"} {
		p.sides[at] = &side{encoding: encoding, books: map[string]string{}}
	}
	for p.report.Connects = 1; p.report.Connects <= connections; p.report.Connects++ {
		lasts := time.Duration(total / connections * float64(time.Second))
		if err := p.follow(url, subscribe, lasts); err != nil {
			return err
		}
	}
	p.report.Connects--
	for _, side := range p.sides {
		for _, fault := range side.Faults {
			p.report.Faults = append(p.report.Faults, side.encoding+": "+fault)
		}
	}
	return json.NewEncoder(os.Stdout).Encode(p.report)
}

// One connection, which ends without a close frame.
func (p *pair) follow(url, subscribe string, lasts time.Duration) error {
	// What it lasts begins when it is there, however busy the machine is.
	socket, _, err := websocket.Dial(context.Background(), url, nil)
	if err != nil {
		return err
	}
	defer socket.CloseNow()
	ctx, cancel := context.WithTimeout(context.Background(), lasts)
	defer cancel()
	socket.SetReadLimit(frameBytesMax)
	for _, side := range p.sides {
		if err := socket.Write(ctx, websocket.MessageText, side.request(subscribe)); err != nil {
			return err
		}
	}
	for {
		kind, data, err := socket.Read(ctx)
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := p.take(kind, data); err != nil {
			return err
		}
	}
}

// The subscription, from where the book is.
func (s *side) request(subscribe string) []byte {
	message := map[string]any{}
	if err := json.Unmarshal([]byte(subscribe), &message); err != nil {
		s.fault("%v", err)
	}
	message["encoding"] = s.encoding
	if s.isOpen {
		message["resume"] = map[string]any{"epoch": s.epoch, "seq": s.seq}
	}
	text, _ := json.Marshal(message)
	return text
}

func (p *pair) take(kind websocket.MessageType, data []byte) error {
	var message frame
	text := data
	if kind == websocket.MessageBinary {
		decoded, err := p.decoder.decode(data)
		if err != nil {
			return err
		}
		if text, err = json.Marshal(decoded); err != nil {
			return err
		}
	}
	if err := json.Unmarshal(text, &message); err != nil {
		return err
	}
	if message.Type == "error" {
		return fmt.Errorf("the service says %s", text)
	}
	if message.Topic == "" || message.Type == "subscribed" {
		return nil
	}
	at := 0
	if strings.HasSuffix(message.Topic, ":binary") {
		at = 1
	}
	if (at == 1) != (kind == websocket.MessageBinary) {
		return fmt.Errorf("a frame of %s came in the other encoding", message.Topic)
	}
	p.count(at, message, len(data))
	p.sides[at].take(message)
	p.compare(at, message)
	return nil
}

func (p *pair) count(at int, message frame, bytes int) {
	side := p.sides[at]
	p.report.Frames[side.encoding]++
	p.report.Bytes[side.encoding] += bytes
	if message.Type == "delta" && p.report.Connects > 1 && !side.isOpen {
		side.fault("a delta came before its snapshot")
	}
	if message.Type == "snapshot" {
		side.isOpen = true
	}
}

// Compares with what the other topic had at this number, now or when it gets there.
func (p *pair) compare(at int, message frame) {
	if message.Type == "heartbeat" {
		return
	}
	own, other := p.sides[at], p.sides[1-at]
	number := fmt.Sprintf("%s %d", message.Epoch, message.Seq)
	book := own.text()
	if theirs, has := other.books[number]; has {
		p.report.Compared++
		if theirs != book {
			p.report.Differences = append(p.report.Differences, number)
		}
	}
	own.remember(number, book)
}

func (s *side) remember(number, book string) {
	if _, has := s.books[number]; !has {
		s.numbers = append(s.numbers, number)
	}
	s.books[number] = book
	if len(s.numbers) > historyMax {
		delete(s.books, s.numbers[0])
		s.numbers = s.numbers[1:]
	}
}

// Its rows with all that they have, sources in the order of their names.
func (s *side) text() string {
	var out strings.Builder
	for _, rows := range [][]level{ordered(s.bids, -1), ordered(s.asks, 1)} {
		for _, row := range rows {
			sorted, _ := json.Marshal(valueOf(row.row))
			out.Write(sorted)
		}
		out.WriteByte(10)
	}
	return out.String()
}
