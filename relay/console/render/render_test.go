package render

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/fxamacker/cbor/v2"
	"github.com/google/go-cmp/cmp"
)

// What an entry is shows by its content alone.
func TestViews(t *testing.T) {
	for _, test := range []struct {
		name string
		data string
		want []View
	}{
		{"nothing", "", nil},
		{"sealed", "S\x01\xf8\x85\xe0\xaa\x47\x6a\x32\x76\xec", nil},
		{"an object", `{"a":[1,2,{}],"b":"x,y"}`, []View{{KindJSON, "{\n  \"a\": [\n    1,\n    2,\n    {}\n  ],\n  \"b\": \"x,y\"\n}", false}}},
		{"an object in its own layout", " { \"a\" :\n[ ] }\n", []View{{KindJSON, "{\n  \"a\": []\n}", false}}},
		{"quotes in strings", `["\"}","\\",""]`, []View{{KindJSON, "[\n  \"\\\"}\",\n  \"\\\\\",\n  \"\"\n]", false}}},
		{"escaped letters", `["\u00e4\ud83d\udd25\u0022\ud800\u202e"]`, []View{{KindJSON, "[\n  \"ä🔥\\u0022\\ud800\\u202e\"\n]", false}}},
		{"letters that act", "[\"a\u202eb\u2028\"]", []View{{KindJSON, "[\n  \"a\\u202eb\\u2028\"\n]", false}}},
		{"half an object", `{"a":`, []View{{KindText, `{"a":`, false}}},
		{"text", "milk\r\n\tbread äé\n", []View{{KindText, "milk\n\tbread äé\n", false}}},
		{"text that turns around", "abc\u202ecba", []View{{KindText, `abc\u202ecba`, false}}},
		{"a control character", "a\x1b[31mb", nil},
		{"CBOR", "\xa2\x01\x82\x02\x43abc\x62ä\xf6", []View{{KindCBOR, "{\n  1: [\n    2,\n    h'616263'\n  ],\n  \"ä\": null\n}", false}}},
		{"CBOR of indefinite length", "\x9f\xbf\xff\x7f\x61a\x61b\xff\xff", []View{{KindCBOR, "[_\n  {_},\n  (_ \"a\",\n  \"b\")\n]", false}}},
		{"CBOR with tags", "\xc1\x1a\x66\x00\x00\x00", []View{{KindCBOR, "1(1711276032)", false}}},
		{"CBOR and more", "\xa0\xa0", nil},
		{"text that is CBOR, too", "ehello", []View{{KindText, "ehello", false}, {KindCBOR, `"hello"`, false}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, Views([]byte(test.data))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// However much there is, or how deeply it is nested, a view stays small and says
// that it was cut.
func TestViewsAreBounded(t *testing.T) {
	deepCBOR := append(bytes.Repeat([]byte{0x81}, 30), 0x01)
	for name, test := range map[string]struct {
		data []byte
		want Kind
		cut  bool
	}{
		"long text":            {bytes.Repeat([]byte("ä"), 10<<20), KindText, true},
		"long JSON":            {[]byte("[" + strings.Repeat("1,", 5<<20) + "1]"), KindText, true},
		"much JSON":            {[]byte("[" + strings.Repeat("1,", 100_000) + "1]"), KindJSON, true},
		"deep JSON":            {[]byte(strings.Repeat("[", 9_000) + strings.Repeat("]", 9_000)), KindJSON, true},
		"deeper than allowed":  {[]byte(strings.Repeat("[", 11_000) + strings.Repeat("]", 11_000)), KindText, false},
		"deep CBOR":            {deepCBOR, KindCBOR, false},
		"a number of any size": {append([]byte{0xc2, 0x5a, 0, 3, 0, 0}, bytes.Repeat([]byte{0xff}, 3<<16)...), KindCBOR, true},
		"letters to escape":    {bytes.Repeat([]byte("\u202e"), 20_000), KindText, true},
	} {
		t.Run(name, func(t *testing.T) {
			views := Views(test.data)
			if len(views) != 1 || views[0].Kind != test.want || views[0].Cut != test.cut {
				t.Fatalf("got %d views, the first %.40v", len(views), views)
			}
			if got := len(views[0].Text); got > shownMost+64 {
				t.Errorf("the view has %d bytes", got)
			}
		})
	}
}

// Whatever comes, views are printable text of bounded size, JSON means the same
// when it is indented, and CBOR is just what is well-formed.
func FuzzViews(f *testing.F) {
	for _, seed := range []string{"", "{}", `{"a":[1,"\u00e4\\"],"b":{"c":null}}`, "text", "ehello", "\x9f\x7f\x61a\xff\xff", "\xc2\x49\x01\x00\x00\x00\x00\x00\x00\x00\x00"} {
		f.Add([]byte(seed))
	}
	if sealed, err := hex.DecodeString("5301f885e0aa476a3276ecc053ea7b56"); err == nil {
		f.Add(sealed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, v := range Views(data) {
			if len(v.Text) > shownMost+64 || !utf8.ValidString(v.Text) {
				t.Errorf("%s of %d bytes, or not UTF-8", v.Kind, len(v.Text))
			}
			for _, r := range v.Text {
				if !unicode.IsGraphic(r) && r != '\n' && r != '\t' {
					t.Errorf("%s holds %U", v.Kind, r)
				}
			}
			switch {
			case v.Kind == KindJSON && !v.Cut:
				if diff := cmp.Diff(decoded(t, data), decoded(t, []byte(v.Text))); diff != "" {
					t.Errorf("another JSON (-want +got):\n%s", diff)
				}
			case v.Kind == KindCBOR:
				if err := cbor.Wellformed(data); err != nil {
					t.Errorf("no CBOR, yet shown: %v", err)
				}
			}
		}
	})
}

func decoded(t *testing.T, data []byte) any {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%q is not JSON: %v", data, err)
	}
	return v
}
