// Candles and trades as bytes, written from docs/binary.md.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strings"
)

const (
	marketByte  = 0x9c
	tradesMax   = 1000
	quotePlaces = 6
	basePlaces  = 9
	amountBits  = 127
	tradeBits   = 26
	takerBit    = 10
	makerBit    = 18
)

var (
	messages = map[byte][2]string{
		2: {"trades", "init"}, 3: {"trades", "update"},
		4: {"candle", "init"}, 5: {"candle", "create"}, 6: {"candle", "update"},
	}
	marketTypes  = []string{"perp", "spot"}
	candlePrices = []string{
		"fillOpen", "fillHigh", "fillClose", "fillLow",
		"oracleOpen", "oracleHigh", "oracleClose", "oracleLow",
	}
	// What follows the quote of a trade, from bit 6 on.
	otherAmounts = []string{
		"quoteAssetAmountSurplus", "fillerReward", "referrerReward", "spotFulfillmentMethodFee",
	}
)

// A message from its second byte on, as the JSON object that says the same.
func readMarketMessage(r *byteReader) map[string]any {
	kind := r.byte()
	of, isKnown := messages[kind]
	if !isKnown {
		r.fail(fmt.Errorf("what has no stream is of the kind %d", kind))
		return nil
	}
	channel, symbol := of[0], r.text()
	message := map[string]any{"type": of[1]}
	if channel == "trades" || of[1] == "init" {
		message["channelType"], message["symbol"] = channel, symbol
	}
	if channel == "candle" {
		candle := readCandle(r, symbol)
		message["candle"] = candle
		if of[1] == "init" {
			message["data"], message["resolution"] = candle, candle["resolution"]
			return message
		}
	}
	if leftOut := r.varint(); leftOut > 0 {
		message["tradesLeftOut"] = leftOut
	}
	message["trades"] = readTrades(r, symbol)
	return message
}

func readCandle(r *byteReader, symbol string) map[string]any {
	candle := map[string]any{"symbol": symbol, "resolution": r.text()}
	flags, ts := r.byte(), r.varint()
	if flags > 1 {
		r.fail(errLarge)
	}
	candle["ts"] = ts
	price := new(big.Int)
	for _, name := range candlePrices {
		price = r.amount(price)
		candle[name] = shown(price, quotePlaces)
	}
	candle["quoteVolume"] = shown(r.amount(nil), quotePlaces)
	candle["baseVolume"] = shown(r.amount(nil), basePlaces)
	if flags == 1 {
		candle["lastTradeTs"] = r.numberFrom(ts)
		candle["lastFillRecordId"] = r.number(priceBits).String()
	}
	return candle
}

func readTrades(r *byteReader, symbol string) []any {
	trades, count := []any{}, r.varint()
	if count > tradesMax {
		r.fail(errLarge)
	}
	if count == 0 || r.err != nil {
		return trades
	}
	marketType, marketIndex := r.byte(), r.varint()
	if int(marketType) >= len(marketTypes) || marketIndex >= 1<<16 {
		r.fail(errLarge)
		return trades
	}
	market := map[string]any{"symbol": symbol, "marketType": marketTypes[marketType], "marketIndex": marketIndex}
	reader := &tradeReader{keyReader: keyReader{byteReader: r}, id: new(big.Int), price: new(big.Int)}
	for at := int64(0); r.err == nil && at < count; at++ {
		trade := reader.trade()
		for name, value := range market {
			trade[name] = value
		}
		trades = append(trades, trade)
	}
	return trades
}

// The trades of a message, each written after the one before it.
type tradeReader struct {
	keyReader
	signature, explanation string
	slot, ts               int64
	id, price              *big.Int
}

func (r *tradeReader) trade() map[string]any {
	flags := r.varint()
	has := func(bit int) bool { return flags>>bit&1 == 1 }
	if flags >= 1<<tradeBits {
		r.fail(errLarge)
	}
	r.transaction(has(0))
	trade := map[string]any{"action": "fill", "txSig": r.signature, "slot": r.slot, "ts": r.ts}
	trade["txSigIndex"], trade["bitFlags"] = r.varint(), r.byte()
	if text := r.text(); text != "" {
		r.explanation = text
	} else if r.explanation == "" {
		r.fail(errors.New("the first trade explains nothing"))
	}
	trade["actionExplanation"] = r.explanation
	trade["fillRecordId"], trade["price"], trade["filler"] = nil, nil, nil
	if has(1) {
		r.id = r.amount(r.id)
		if r.id.Sign() < 0 || r.id.BitLen() > priceBits {
			r.fail(errLarge)
		}
		trade["fillRecordId"] = r.id.String()
	}
	oracleFrom := new(big.Int)
	if has(2) {
		r.price = r.amount(r.price)
		oracleFrom, trade["price"] = r.price, shown(r.price, quotePlaces)
	}
	trade["oraclePrice"] = shown(r.amount(oracleFrom), quotePlaces)
	base := r.optional(trade, has(3), "baseAssetAmountFilled", nil, basePlaces)
	if has(4) {
		trade["filler"] = r.key()
	}
	quote := r.optional(trade, has(5), "quoteAssetAmountFilled", nil, quotePlaces)
	for at, name := range otherAmounts {
		r.optional(trade, has(6+at), name, nil, quotePlaces)
	}
	r.side(trade, "taker", flags>>takerBit, base, quote)
	r.side(trade, "maker", flags>>makerBit, base, quote)
	trade["makerRebate"] = trade["makerFee"]
	return trade
}

func (r *tradeReader) transaction(isSame bool) {
	if isSame {
		if r.signature == "" {
			r.fail(errors.New("the first trade has no transaction"))
		}
		return
	}
	if bytes := r.take(64); bytes != nil {
		r.signature = base58(bytes)
	}
	r.slot, r.ts = r.numberFrom(r.slot), r.numberFrom(r.ts)
}

func (r *tradeReader) side(trade map[string]any, side string, flags int64, base, quote *big.Int) {
	has := func(bit int) bool { return flags>>bit&1 == 1 }
	order := side + "Order"
	trade[side], trade[order+"Direction"], trade[order+"Id"] = nil, nil, nil
	if has(2) && !has(1) {
		r.fail(errors.New("a direction is short, and is not there"))
	}
	if has(0) {
		trade[side] = r.key()
	}
	if has(1) {
		trade[order+"Direction"] = map[bool]string{false: "long", true: "short"}[has(2)]
	}
	if has(3) {
		trade[order+"Id"] = r.orderID()
	}
	r.optional(trade, has(4), side+"Fee", nil, quotePlaces)
	r.optional(trade, has(5), order+"BaseAssetAmount", base, basePlaces)
	r.optional(trade, has(6), order+"CumulativeBaseAssetAmountFilled", base, basePlaces)
	r.optional(trade, has(7), order+"CumulativeQuoteAssetAmountFilled", quote, quotePlaces)
}

// An amount that a trade may lack; 0 where it does.
func (r *tradeReader) optional(trade map[string]any, isThere bool, name string, from *big.Int, places int) *big.Int {
	if !isThere {
		trade[name] = nil
		return new(big.Int)
	}
	amount := r.amount(from)
	trade[name] = shown(amount, places)
	return amount
}

// An amount that is written less another one; nil for none.
func (r *byteReader) amount(from *big.Int) *big.Int {
	value := unzigzag(r.number(sizeBits))
	if from != nil {
		value.Add(value, from)
	}
	bits := value
	if value.Sign() < 0 {
		bits = new(big.Int).Not(value)
	}
	if bits.BitLen() > amountBits {
		r.fail(errLarge)
	}
	return value
}

// A number that is written less another one.
func (r *byteReader) numberFrom(from int64) int64 {
	value := from + unzigzag(r.number(exactBits)).Int64()
	if value < 0 || value >= 1<<exactBits {
		r.fail(errLarge)
	}
	return value
}

// An amount as the decimal of JSON.
func shown(amount *big.Int, places int) json.Number {
	digits := new(big.Int).Abs(amount).String()
	if len(digits) <= places {
		digits = strings.Repeat("0", places+1-len(digits)) + digits
	}
	point := len(digits) - places
	text := digits[:point]
	if part := strings.TrimRight(digits[point:], "0"); part != "" {
		text += "." + part
	}
	if amount.Sign() < 0 {
		text = "-" + text
	}
	return json.Number(text)
}
