// Reads the vectors of frames as bytes, and refuses what is made of them: clients-go FILE
package main

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
)

// A book of 500 levels has some 60 KiB.
const frameBytesMax = 1 << 20

// What came of a file of vectors; every frame that is cut must be refused.
type vectorReport struct {
	Frames        int      `json:"frames"`
	Different     []string `json:"different"`
	CutTaken      int      `json:"cutTaken"`
	Spoilt        int      `json:"spoilt"`
	SpoiltRefused int      `json:"spoiltRefused"`
}

func readVectors(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	report, known := vectorReport{Different: []string{}}, &decoder{}
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, frameBytesMax)
	for lines.Scan() {
		var vector struct {
			Hex   string          `json:"hex"`
			Frame json.RawMessage `json:"frame"`
			// Of a line without a frame: whether it must be taken.
			Taken bool   `json:"taken"`
			Name  string `json:"name"`
		}
		if err := json.Unmarshal(lines.Bytes(), &vector); err != nil {
			return err
		}
		data, err := hex.DecodeString(vector.Hex)
		if err != nil {
			return err
		}
		frame, err := known.decode(data)
		report.Frames++
		if vector.Frame == nil {
			if (err == nil) != vector.Taken {
				report.Different = append(report.Different, vector.Name)
			}
			continue
		}
		if err != nil || !isSame(frame, vector.Frame) {
			report.Different = append(report.Different, vector.Hex)
		}
		report.spoil(known, data)
	}
	if err := lines.Err(); err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(report)
}

// Cuts the frame at every byte, and changes a bit of each byte; what is then taken must not make the decoder fail.
func (report *vectorReport) spoil(known *decoder, data []byte) {
	isRefused := func(spoilt []byte) bool {
		copied := &decoder{streams: map[uint32]*stream{}}
		for number, of := range known.streams {
			copied.streams[number] = of
		}
		_, err := copied.decode(spoilt)
		return err != nil
	}
	for length := range data {
		if !isRefused(data[:length]) {
			report.CutTaken++
		}
	}
	for at := range data {
		spoilt := append([]byte{}, data...)
		spoilt[at] ^= 1 << (at % 8)
		report.Spoilt++
		if isRefused(spoilt) {
			report.SpoiltRefused++
		}
	}
}

// Whether a frame has the members of a JSON text, numbers digit by digit.
func isSame(frame map[string]any, text []byte) bool {
	own, err := json.Marshal(frame)
	return err == nil && reflect.DeepEqual(valueOf(own), valueOf(text))
}

func valueOf(text []byte) any {
	var value any
	reader := json.NewDecoder(bytes.NewReader(text))
	reader.UseNumber()
	if err := reader.Decode(&value); err != nil {
		return err
	}
	return value
}

func main() {
	err := fmt.Errorf("usage: clients-go FILE")
	if args := os.Args[1:]; len(args) == 1 {
		err = readVectors(args[0])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
