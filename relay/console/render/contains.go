package render

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// Contains says whether JSON has a text somewhere, which comes in lower case: as it
// is written, or as it reads once letters that were escaped are put in their place.
func Contains(json []byte, lowered []byte) bool {
	if bytes.Contains(bytes.ToLower(json), lowered) {
		return true
	}
	return bytes.IndexByte(json, '\\') >= 0 && bytes.Contains(bytes.ToLower(plain(json)), lowered)
}

// plain puts letters in the place of their escapes, and a space in that of those
// which only part words.
func plain(json []byte) []byte {
	out := make([]byte, 0, len(json))
	for at := 0; at < len(json); at++ {
		if json[at] != '\\' || at+1 == len(json) {
			out = append(out, json[at])
			continue
		}
		if r, length := unescaped(string(json[at:min(len(json), at+2*escapeLength)])); length > 0 {
			out = utf8.AppendRune(out, r)
			at += length - 1
			continue
		}
		at++
		if strings.IndexByte("bfnrt", json[at]) >= 0 {
			out = append(out, ' ')
		} else {
			out = append(out, json[at])
		}
	}
	return out
}
