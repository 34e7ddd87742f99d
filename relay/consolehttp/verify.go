package consolehttp

import (
	"context"
	"time"

	"hearth/relay/console"
)

// Verification is console.Verification in JSON.
type Verification struct {
	Sound   bool          `json:"sound"`
	Streams int           `json:"streams"`
	Entries uint64        `json:"entries"`
	Bytes   uint64        `json:"bytes"`
	Took    time.Duration `json:"took_ns"`
	Whole   bool          `json:"whole"`
	Damaged []Damage      `json:"damaged"`
	Faults  []string      `json:"faults"`
}

// VerificationOf puts a verification into its JSON form.
func VerificationOf(v console.Verification) Verification {
	return Verification{
		v.Sound(), v.Streams, v.Entries, v.Bytes, v.Took, v.Whole, mapped(v.Damaged, DamageOf), texts(v.Faults),
	}
}

// Console returns the verification that v is the JSON form of.
func (v Verification) Console() console.Verification {
	if len(v.Faults) == 0 {
		v.Faults = nil
	}
	return console.Verification{
		Streams: v.Streams, Entries: v.Entries, Bytes: v.Bytes, Took: v.Took, Whole: v.Whole,
		Damaged: listed(v.Damaged, Damage.Console), Faults: v.Faults,
	}
}

// checking refuses a check while another one goes on: each reads everything.
var checking = busy("everything is being checked already: try again when that is over")

// verify makes a check as a work.
func verify(c console.Relay, only console.StreamRef) work[Verification] {
	return func(ctx context.Context, progress func(done, total uint64)) (Verification, error) {
		v, err := c.Verify(ctx, only, progress)
		return VerificationOf(v), err
	}
}

// Verify implements [console.Relay].
func (c *Client) Verify(ctx context.Context, only console.StreamRef, progress func(done, total uint64)) (console.Verification, error) {
	what := "verify"
	if only != (console.StreamRef{}) {
		what += "?" + of(only).Encode()
	}
	v, err := watch[Verification](ctx, c, what, progress)
	return v.Console(), err
}
