// A decoder of frames as bytes, written from docs/binary.md.
package main

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"math/big"
	"unicode/utf8"
)

const (
	textBytesMax = 512
	rowsMax      = 1000
	keysNamedMax = 64
	unitMax      = 1<<32 - 1
	exactBits    = 53
	priceBits    = 64
	sizeBits     = 128
	// Streams that are remembered: twice what one socket may have.
	streamsMax = 2048
)

var (
	errCut   = errors.New("the frame ends too early")
	errLarge = errors.New("a number, a text or a list of the frame is too large")
	states   = []string{"rebuilding", "live", "lagging", "stale"}
	kinds    = []string{"snapshot", "delta", "heartbeat"}
	sources  = []string{"dlob", "vamm", "indicative"}
)

// What a snapshot says of its stream.
type stream struct {
	topic, channel, market, epoch string
	hasTiming                     bool
	priceUnit, sizeUnit           *big.Int
}

// Reads bytes that nobody has checked. After an error all that it reads is 0.
type byteReader struct {
	bytes []byte
	at    int
	err   error
}

func (r *byteReader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

func (r *byteReader) take(count int) []byte {
	if r.err != nil || count > len(r.bytes)-r.at {
		r.fail(errCut)
		return nil
	}
	r.at += count
	return r.bytes[r.at-count : r.at]
}

func (r *byteReader) byte() byte {
	if one := r.take(1); one != nil {
		return one[0]
	}
	return 0
}

func (r *byteReader) u32() uint32 {
	if four := r.take(4); four != nil {
		return binary.LittleEndian.Uint32(four)
	}
	return 0
}

// A number of at most so many bits, in its shortest form.
func (r *byteReader) number(bits int) *big.Int {
	value := new(big.Int)
	for shift := uint(0); r.err == nil && int(shift) < bits; shift += 7 {
		one := r.byte()
		digits := big.NewInt(int64(one & 0x7f))
		value.Or(value, digits.Lsh(digits, shift))
		if one < 0x80 {
			if (one == 0 && shift > 0) || value.BitLen() > bits {
				r.fail(errLarge)
			}
			return value
		}
	}
	r.fail(errLarge)
	return new(big.Int)
}

func (r *byteReader) varint() int64 {
	return r.number(exactBits).Int64()
}

func (r *byteReader) text() string {
	length := r.varint()
	if length > textBytesMax {
		r.fail(errLarge)
		return ""
	}
	text := r.take(int(length))
	if !utf8.Valid(text) {
		r.fail(errors.New("a text is not UTF-8"))
	}
	return string(text)
}

// 0, 1, 2, 3 stand for 0, -1, 1, -2.
func unzigzag(value *big.Int) *big.Int {
	half := new(big.Int).Rsh(value, 1)
	if value.Bit(0) == 1 {
		half.Not(half)
	}
	return half
}

// Decodes the frames of one client, of all its connections.
type decoder struct {
	streams map[uint32]*stream
}

// The frame as the JSON object that says the same.
func (d *decoder) decode(bytes []byte) (map[string]any, error) {
	r := &byteReader{bytes: bytes}
	first := r.byte()
	kind := int(first >> 2 & 3)
	if r.err == nil && (first>>4 != 9 || kind >= len(kinds)) {
		r.fail(fmt.Errorf("a frame begins with %d, which is not version 1", first))
	}
	number := r.u32()
	if r.err == nil && kind == 0 {
		d.readStream(r, number)
	}
	of := d.streams[number]
	if r.err == nil && of == nil {
		r.fail(fmt.Errorf("a frame of stream %d came before its snapshot", number))
	}
	if r.err != nil {
		return nil, r.err
	}
	frame := map[string]any{"type": kinds[kind], "topic": of.topic, "epoch": of.epoch, "state": states[first&3]}
	readBody(r, of, kind, frame)
	return finished(r, frame)
}

func finished(r *byteReader, frame map[string]any) (map[string]any, error) {
	if r.err == nil && r.at != len(r.bytes) {
		r.fail(errors.New("bytes follow the frame"))
	}
	return frame, r.err
}

func (d *decoder) readStream(r *byteReader, number uint32) {
	start := r.at
	of := &stream{topic: r.text(), channel: r.text(), market: r.text(), epoch: r.text()}
	flags := r.byte()
	of.hasTiming, of.priceUnit, of.sizeUnit = flags == 1, r.number(exactBits), r.number(exactBits)
	isKnown := of.channel == "book" || of.channel == "bbo" || of.channel == "l3"
	for _, unit := range []*big.Int{of.priceUnit, of.sizeUnit} {
		isKnown = isKnown && unit.Sign() > 0 && unit.Cmp(big.NewInt(unitMax)) <= 0
	}
	if r.err == nil && (!isKnown || flags > 1 || crc32.ChecksumIEEE(r.bytes[start:r.at]) != number) {
		r.fail(errors.New("a stream is of no kind, or its number is not that of its names"))
	}
	if r.err != nil {
		return
	}
	if d.streams == nil || (len(d.streams) >= streamsMax && d.streams[number] == nil) {
		d.streams = map[uint32]*stream{}
	}
	d.streams[number] = of
}

func readBody(r *byteReader, of *stream, kind int, frame map[string]any) {
	seq := r.varint()
	if kind == 1 {
		prev := seq - r.varint()
		if prev < 0 {
			r.fail(errLarge)
		}
		frame["prev"] = prev
	}
	slot := r.varint()
	frame["seq"], frame["slot"], frame["ts"] = seq, slot, r.varint()
	if kind == 2 {
		return
	}
	frame["channel"], frame["market"] = of.channel, of.market
	if of.hasTiming {
		frame["recvNs"], frame["sendNs"] = r.number(sizeBits).String(), r.number(sizeBits).String()
	}
	if kind == 0 {
		readReply(r, frame)
	}
	if of.channel == "l3" {
		orders := &orderReader{keyReader: keyReader{byteReader: r}, of: of, slot: slot, price: new(big.Int)}
		frame["bids"], frame["asks"] = orders.side(kind), orders.side(kind)
	} else {
		readSides(r, of, frame)
	}
	frame["crc"] = r.u32()
}

func readReply(r *byteReader, frame map[string]any) {
	reset, id := r.byte(), r.text()
	if reset > 1 || (id != "" && !json.Valid([]byte(id))) {
		r.fail(errLarge)
	}
	frame["reset"] = reset == 1
	if id != "" {
		frame["id"] = json.RawMessage(id)
	}
}

func readSides(r *byteReader, of *stream, frame map[string]any) {
	bids, first := readLevels(r, of, -1, new(big.Int))
	asks, _ := readLevels(r, of, 1, first)
	if of.channel == "book" {
		frame["bids"], frame["asks"] = bids, asks
		return
	}
	for name, side := range map[string][]any{"bid": bids, "ask": asks} {
		frame[name] = nil
		if len(side) > 1 {
			r.fail(errLarge)
		} else if len(side) == 1 {
			frame[name] = side[0].([]any)[:2]
		}
	}
}

// The levels of a side, and the price of the first of them; `before` where there is none.
func readLevels(r *byteReader, of *stream, sign int64, before *big.Int) ([]any, *big.Int) {
	levels, first := []any{}, before
	for price := before; ; {
		head := r.number(exactBits)
		if r.err != nil || head.Sign() == 0 {
			return levels, first
		}
		if len(levels) >= rowsMax {
			r.fail(errLarge)
			return levels, first
		}
		kind := head.Bit(0) | head.Bit(1)<<1
		units := new(big.Int).Rsh(head, 2)
		if kind == 3 {
			if units.Sign() != 0 {
				r.fail(errLarge)
			}
			price = r.number(priceBits)
		} else {
			price = moved(r, price, units, new(big.Int).Mul(of.priceUnit, big.NewInt(sign)))
		}
		if len(levels) == 0 {
			first = price
		}
		levels = append(levels, readLevel(r, of, kind, price))
	}
}

func moved(r *byteReader, before, units, unit *big.Int) *big.Int {
	away := unzigzag(units)
	price := away.Mul(away, unit)
	price.Add(price, before)
	if price.Sign() < 0 || price.BitLen() > priceBits {
		r.fail(errLarge)
	}
	return price
}

func readLevel(r *byteReader, of *stream, kind uint, price *big.Int) []any {
	sum, parts := new(big.Int), map[string]string{}
	if kind == 1 {
		sum.Mul(r.number(exactBits), of.sizeUnit)
		parts["dlob"] = sum.String()
		if sum.Sign() == 0 {
			r.fail(errLarge)
		}
	} else if kind > 1 {
		named := r.byte()
		if named > 7 || (named == 0 && kind == 2) {
			r.fail(errLarge)
		}
		for bit, source := range sources {
			if named>>bit&1 == 0 {
				continue
			}
			part := r.number(sizeBits)
			if part.Sign() == 0 {
				r.fail(errLarge)
			}
			sum.Add(sum, part)
			parts[source] = part.String()
		}
	}
	return []any{price.String(), sum.String(), parts}
}

// The orders of a frame, each written after the one before it.
type orderReader struct {
	keyReader
	of    *stream
	slot  int64
	price *big.Int
}

func (r *orderReader) side(kind int) any {
	if kind == 0 {
		return r.list(r.order)
	}
	return map[string]any{"add": r.list(r.order), "change": r.list(r.order), "remove": r.list(func() any {
		return []any{r.key(), r.orderID()}
	})}
}

func (r *orderReader) list(read func() any) []any {
	count := r.varint()
	if count > rowsMax {
		r.fail(errLarge)
	}
	rows := []any{}
	for at := int64(0); r.err == nil && at < count; at++ {
		rows = append(rows, read())
	}
	return rows
}

func (r *orderReader) order() any {
	flags := r.byte()
	has := func(flag byte) bool { return flags&flag != 0 }
	if has(128) {
		r.fail(errLarge)
	}
	if has(8) {
		r.price = r.number(priceBits)
	} else {
		r.price = moved(r.byteReader, r.price, r.number(exactBits), r.of.priceUnit)
	}
	size := func() string {
		if has(16) {
			return r.number(sizeBits).String()
		}
		lots := r.number(exactBits)
		return lots.Mul(lots, r.of.sizeUnit).String()
	}
	order := map[string]any{"price": r.price.String(), "size": size(), "queue": size()}
	order["maker"], order["orderId"] = r.key(), r.orderID()
	order["slot"] = r.slot - unzigzag(r.number(exactBits)).Int64()
	offset, expires := new(big.Int), new(big.Int)
	if has(32) {
		offset = unzigzag(r.number(priceBits))
	}
	if has(64) {
		expires = unzigzag(r.number(priceBits))
	}
	order["oraclePriceOffset"], order["maxTs"] = offset.String(), json.Number(expires.String())
	order["reduceOnly"], order["postOnly"], order["signedMsg"] = has(1), has(2), has(4)
	return order
}

func (r *byteReader) orderID() int64 {
	id := r.varint()
	if id >= 1<<32 {
		r.fail(errLarge)
	}
	return id
}

// The keys of a frame, each in full or as one that came before.
type keyReader struct {
	*byteReader
	keys []string
}

func (r *keyReader) key() string {
	ago := r.varint()
	if ago > keysNamedMax || ago > int64(len(r.keys)) {
		r.fail(errLarge)
		return ""
	}
	if ago == 0 {
		key := r.take(32)
		if key == nil {
			return ""
		}
		r.keys = append(r.keys, base58(key))
		ago = 1
	}
	return r.keys[len(r.keys)-int(ago)]
}

func base58(key []byte) string {
	const alphabet = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
	number, digit, radix := new(big.Int).SetBytes(key), new(big.Int), big.NewInt(58)
	var text []byte
	for number.Sign() > 0 {
		number.DivMod(number, radix, digit)
		text = append(text, alphabet[digit.Int64()])
	}
	for at := 0; at < len(key) && key[at] == 0; at++ {
		text = append(text, alphabet[0])
	}
	for from, to := 0, len(text)-1; from < to; from, to = from+1, to-1 {
		text[from], text[to] = text[to], text[from]
	}
	return string(text)
}
