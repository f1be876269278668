// Checks seal and proofs of an unpacked evidence pack by golang.org/x/mod (Debian: golang-golang-x-mod-dev):
// GO111MODULE=off GOPATH=/usr/share/gocode go run check-log.go FOLDER KEY…, with the keys of /log/keys.json.
package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

func main() {
	read := func(name string) []byte { return must(os.ReadFile(filepath.Join(os.Args[1], name))) }
	var keys []note.Verifier
	for _, key := range os.Args[2:] {
		keys = append(keys, must(note.NewVerifier(key)))
	}
	open := func(text []byte) []string {
		return strings.Split(must(note.Open(text, note.VerifierList(keys...))).Text, "\n")
	}
	if open(read("SHA256SUMS.note"))[2] != fmt.Sprintf("%x", sha256.Sum256(read("SHA256SUMS"))) {
		log.Fatal("the key of the log has sealed other sums")
	}
	var record struct{ Leaves []struct{ Proof, Entry string } }
	must(0, json.Unmarshal(read("log/leaves.json"), &record))
	for _, leaf := range record.Leaves {
		head, checkpoint, _ := strings.Cut(string(read(leaf.Proof)), "\n\n")
		lines, signed := strings.Split(head, "\n"), open([]byte(checkpoint))
		var path tlog.RecordProof
		for _, line := range lines[2:] {
			path = append(path, must(tlog.ParseHash(line)))
		}
		index := must(strconv.ParseInt(strings.TrimPrefix(lines[1], "index "), 10, 64))
		size, root := must(strconv.ParseInt(signed[1], 10, 64)), must(tlog.ParseHash(signed[2]))
		must(0, tlog.CheckRecord(path, size, root, index, tlog.RecordHash([]byte(leaf.Entry))))
	}
	fmt.Println("sealed, and in the log:", len(record.Leaves))
}
