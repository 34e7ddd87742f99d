package reflex_test

import (
	"strings"
	"testing"

	"hearth/relay/protocol"
	"hearth/relay/reflex"

	"github.com/google/go-cmp/cmp"
)

// A hello says where its client goes on and what it wants; what is left out has
// its default, and null is as good as left out.
func TestHello(t *testing.T) {
	cursor := protocol.Cursor{Seq: 7}.String()
	for _, c := range []struct {
		body string
		want reflex.Hello
	}{
		{`{"protocol":"reflexr.v1"}`, reflex.Hello{Type: "hello", Protocol: reflex.Protocol}},
		{
			`{"type":"hello","protocol":"reflexr.v1","resume_after_seq":41,"types":["service.error","\u00e4"],"from_head":false,"key":"k","resume_cursor":"` + cursor + `"}`,
			reflex.Hello{
				Type: "hello", Protocol: reflex.Protocol, ResumeAfterSeq: new(uint64(41)), Types: &[]string{"service.error", "ä"},
				Key: "k", ResumeCursor: cursor,
			},
		},
		{
			`{"protocol":"reflexr.v1","types":null,"key":null,"resume_cursor":null,"from_head":true}`,
			reflex.Hello{Type: "hello", Protocol: reflex.Protocol, FromHead: true},
		},
		{`{"protocol":"reflexr.v1","types":[]}`, reflex.Hello{Type: "hello", Protocol: reflex.Protocol, Types: &[]string{}}},
	} {
		got, err := reflex.DecodeHello([]byte(c.body))
		if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", c.body, err, diff)
		}
	}
}

// A first frame that is no hello is refused, place by place, and one for another
// protocol with its own reason.
func TestBadHellos(t *testing.T) {
	for _, c := range []struct {
		body string
		want []string
	}{
		{``, []string{"json_invalid"}},
		{`[]`, []string{"model_type"}},
		{`{}`, []string{"missing protocol"}},
		{`{"protocol":"reflexr.v2"}`, []string{"unsupported_protocol"}},
		{`{"protocol":""}`, []string{"unsupported_protocol"}},
		{`{"protocol":1}`, []string{"string_type protocol"}},
		{`{"protocol":"reflexr.v1","type":"command"}`, []string{"literal_error type"}},
		{`{"protocol":"reflexr.v1","token":"x"}`, []string{"extra_forbidden token"}},
		{`{"protocol":"reflexr.v1","resume_after_seq":-1}`, []string{"int_type resume_after_seq"}},
		{`{"protocol":"reflexr.v1","resume_after_seq":1.5}`, []string{"int_type resume_after_seq"}},
		{`{"protocol":"reflexr.v1","resume_after_seq":"1"}`, []string{"int_type resume_after_seq"}},
		{`{"protocol":"reflexr.v1","resume_after_seq":18446744073709551616}`, []string{"int_type resume_after_seq"}},
		{`{"protocol":"reflexr.v1","types":"x"}`, []string{"list_type types"}},
		{`{"protocol":"reflexr.v1","types":["x",7,""]}`, []string{"string_type types/1", "string_too_short types/2"}},
		{`{"protocol":"reflexr.v1","types":[` + strings.Repeat(`"x",`, 1000) + `"y","z"],"x":1}`, []string{"too_long types", "extra_forbidden x"}},
		{`{"protocol":"reflexr.v1","from_head":1}`, []string{"bool_type from_head"}},
		{`{"protocol":"reflexr.v1","from_head":true,"resume_after_seq":1}`, []string{"value_error from_head"}},
		{`{"protocol":"reflexr.v1","key":["k"]}`, []string{"string_type key"}},
		{`{"protocol":"reflexr.v1","key":"` + strings.Repeat("k", 1025) + `"}`, []string{"string_too_long key"}},
		{`{"protocol":"reflexr.v1","resume_cursor":"41"}`, []string{"value_error resume_cursor"}},
	} {
		_, err := reflex.DecodeHello([]byte(c.body))
		if diff := cmp.Diff(c.want, mistakes(t, err)); diff != "" {
			t.Errorf("%.80s: %v (-want +got):\n%s", c.body, err, diff)
		}
	}
}
