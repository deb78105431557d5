// Reads the signed log of a service with Go's own packages for such logs, and checks it: the note of
// the checkpoint, every tile, every leaf, and that the log of each earlier size is a part of it.
//
//	proof URL KEY
package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

type report struct {
	Size     int64 `json:"size"`
	Leaves   int64 `json:"leaves"`
	Tiles    int   `json:"tiles"`
	Prefixes int   `json:"prefixes"`
	Market   bool  `json:"market"`
}

// reader reads tiles over HTTP. Go's paths have the height of a tile, those of C2SP have not.
type reader struct {
	url   string
	tiles int
}

func (r *reader) Height() int { return 8 }

func (r *reader) ReadTiles(tiles []tlog.Tile) ([][]byte, error) {
	var all [][]byte
	for _, tile := range tiles {
		path := strings.TrimPrefix(tile.Path(), "tile/8/")
		body, err := read(r.url + "/log/tile/" + path)
		if err != nil {
			return nil, err
		}
		r.tiles++
		all = append(all, body)
	}
	return all, nil
}

func (r *reader) SaveTiles([]tlog.Tile, [][]byte) {}

func main() {
	if err := check(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func check(url, key string) error {
	tree, err := checkpoint(url, key)
	if err != nil {
		return err
	}
	tiles := &reader{url: url}
	hashes := tlog.TileHashReader(tree, tiles)
	result := report{Size: tree.N}
	for from := int64(0); from < tree.N; from += 256 {
		width := min(256, tree.N-from)
		tile := tlog.Tile{H: 8, L: -1, N: from / 256, W: int(width)}
		path := strings.TrimPrefix(tile.Path(), "tile/8/data")
		bundle, err := read(url + "/log/tile/entries" + path)
		if err != nil {
			return err
		}
		for at := from; at < from+width; at++ {
			length := int(bundle[0])<<8 | int(bundle[1])
			leaf := bundle[2 : 2+length]
			bundle = bundle[2+length:]
			proof, err := tlog.ProveRecord(tree.N, at, hashes)
			if err != nil {
				return err
			}
			if err := tlog.CheckRecord(proof, tree.N, tree.Hash, at, tlog.RecordHash(leaf)); err != nil {
				return fmt.Errorf("leaf %d: %w", at, err)
			}
			result.Leaves++
		}
		if len(bundle) != 0 {
			return fmt.Errorf("bundle %d has %d bytes more", from/256, len(bundle))
		}
	}
	for size := int64(1); size <= tree.N; size += 1 + size/3 {
		root, err := tlog.TreeHash(size, hashes)
		if err != nil {
			return err
		}
		proof, err := tlog.ProveTree(tree.N, size, hashes)
		if err != nil {
			return err
		}
		if err := tlog.CheckTree(proof, tree.N, tree.Hash, size, root); err != nil {
			return fmt.Errorf("the log of %d leaves: %w", size, err)
		}
		result.Prefixes++
	}
	if err := checkMarket(url, key); err != nil {
		return err
	}
	result.Market = true
	result.Tiles = tiles.tiles
	return json.NewEncoder(os.Stdout).Encode(result)
}

func checkpoint(url, key string) (tlog.Tree, error) {
	text, err := read(url + "/log/checkpoint")
	if err != nil {
		return tlog.Tree{}, err
	}
	return openCheckpoint(text, key)
}

func openCheckpoint(text []byte, key string) (tlog.Tree, error) {
	verifier, err := note.NewVerifier(key)
	if err != nil {
		return tlog.Tree{}, err
	}
	opened, err := note.Open(text, note.VerifierList(verifier))
	if err != nil {
		return tlog.Tree{}, err
	}
	lines := strings.Split(opened.Text, "\n")
	if lines[0] != verifier.Name() {
		return tlog.Tree{}, fmt.Errorf("the origin was %s", lines[0])
	}
	size, err := strconv.ParseInt(lines[1], 10, 64)
	if err != nil {
		return tlog.Tree{}, err
	}
	root, err := tlog.ParseHash(lines[2])
	return tlog.Tree{N: size, Hash: root}, err
}

// checkMarket checks the proof of the first market: its entry in the leaf, and the leaf in the log.
func checkMarket(url, key string) error {
	var markets []struct{ Symbol string }
	if err := readJSON(url+"/markets", &markets); err != nil {
		return err
	}
	var proof struct {
		Entry, EntryPath, Leaf, Path, Checkpoint string
		Place, Places, Index                     int64
	}
	if err := readJSON(url+"/proof?marketName="+markets[0].Symbol, &proof); err != nil {
		return err
	}
	tree, err := openCheckpoint([]byte(proof.Checkpoint), key)
	if err != nil {
		return err
	}
	leaf, entry := decode(proof.Leaf), decode(proof.Entry)
	if err := tlog.CheckRecord(pathOf(proof.Path), tree.N, tree.Hash, proof.Index, tlog.RecordHash(leaf)); err != nil {
		return fmt.Errorf("the leaf of the market: %w", err)
	}
	root := tlog.Hash(leaf[80:])
	return tlog.CheckRecord(pathOf(proof.EntryPath), proof.Places, root, proof.Place, tlog.RecordHash(entry))
}

func pathOf(text string) tlog.RecordProof {
	bytes := decode(text)
	path := tlog.RecordProof{}
	for at := 0; at < len(bytes); at += 32 {
		path = append(path, tlog.Hash(bytes[at:at+32]))
	}
	return path
}

func decode(text string) []byte {
	bytes, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		panic(err)
	}
	return bytes
}

func readJSON(url string, into any) error {
	body, err := read(url)
	if err != nil {
		return err
	}
	return json.Unmarshal(body, into)
}

func read(url string) ([]byte, error) {
	reply, err := http.Get(url)
	if err != nil {
		return nil, err
	}
	defer reply.Body.Close()
	body, err := io.ReadAll(reply.Body)
	if err == nil && reply.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s was answered with %d: %s", url, reply.StatusCode, body)
	}
	return body, err
}
