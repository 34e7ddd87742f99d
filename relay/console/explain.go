package console

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/dustin/go-humanize"
)

// Explanation tells a refusal as one person would tell it to another.
type Explanation struct {
	Title string // what happened, in one sentence
	What  string // why
	Todo  string // what to do, or that nothing needs doing
}

// Explain tells what a refusal means. A code that it does not know gets a
// general sentence that repeats what the client was told.
func Explain(r Refusal) Explanation {
	if explain, ok := explanations[r.Code]; ok {
		return explain(r)
	}
	e := Explanation{
		Title: "A request was refused.",
		What:  fmt.Sprintf("The reason has the code %s, which this window does not know yet.", orSome(r.Code, "(none)")),
		Todo:  "A newer Hearth may explain it; the client was told the reason.",
	}
	if r.Message != "" {
		e.What += " The client was told: " + closed(r.Message)
	}
	return e
}

// explanations has one teller for each code.
var explanations = map[string]func(Refusal) Explanation{
	"bad_request": func(r Refusal) Explanation {
		e := Explanation{
			Title: "An app sent something that makes no sense here.",
			What:  "The request did not follow the protocol, so nothing of it was taken.",
			Todo:  "Look for an update of the app; if it is new, its maker wants to hear of this.",
		}
		if r.Message != "" {
			e.What = "The request did not follow the protocol, so nothing of it was taken: " + closed(r.Message)
		}
		return e
	},
	"stream_not_found": func(r Refusal) Explanation {
		if r.Action == ActionWrite {
			return Explanation{
				Title: fmt.Sprintf("An app wanted to go on with %s, which this relay does not have.", stream(r)),
				What:  "It has written to that stream before, here or on another relay. To start a new one under the same name would hide that the old one is missing.",
				Todo:  "If the data was moved or restored, bring the right copy back. If the loss is meant, tell the app to start over.",
			}
		}
		return Explanation{
			Title: fmt.Sprintf("An app asked for %s, which does not exist.", stream(r)),
			What:  "A stream comes into being with its first write, and nobody has written to this one.",
			Todo:  "There is nothing to do if a device is about to write it. Otherwise check the name in the app.",
		}
	},
	"not_found": func(r Refusal) Explanation {
		if r.Stream != "" {
			return Explanation{
				Title: fmt.Sprintf("An app asked for something that is not in %s.", stream(r)),
				What:  "It named something that this relay does not have. It was told: " + closed(r.Message),
				Todo:  "There is nothing to do if that was removed on purpose. Otherwise look at what the app is set to.",
			}
		}
		return Explanation{
			Title: "Someone asked for a page that is not served here.",
			What:  "The address exists on no relay of this version. A browser, or an app for a newer relay, asks like that.",
			Todo:  "Nothing, unless an app does not work: then check the address that it was given.",
		}
	},
	"validation_failed": func(r Refusal) Explanation {
		e := Explanation{
			Title: "An app sent something that is not as it has to be.",
			What:  "Nothing of it was taken, and the app was told what is wrong.",
			Todo:  "Look for an update of the app; if you wrote it, what it was told says where to look.",
		}
		if r.Message != "" {
			e.What = "Nothing of it was taken. The app was told: " + closed(r.Message)
		}
		return e
	},
	"invalid_state": func(r Refusal) Explanation {
		e := Explanation{
			Title: "An app wanted something that does not go together with what is here.",
			What:  "What it asked for makes sense, but not as things stand now.",
			Todo:  "Look at what the app is set to, and whether it uses a stream that belongs to another app.",
		}
		if r.Message != "" {
			e.What = "What it asked for makes sense, but not as things stand now: " + closed(r.Message)
		}
		return e
	},
	"depth_exceeded": func(Refusal) Explanation {
		return Explanation{
			Title: "Automations set each other off without end.",
			What:  "What one of them published made the next one act, and so on; the relay stopped the chain.",
			Todo:  "Look for rules that react to what they themselves bring about, and make them more selective.",
		}
	},
	"unsupported_protocol": func(Refusal) Explanation {
		return Explanation{
			Title: "An app speaks another language than this relay.",
			What:  "It asked for a protocol, or a version of one, that is not spoken here.",
			Todo:  "Look for an update of the app, or of Hearth.",
		}
	},
	"method_not_allowed": func(Refusal) Explanation {
		return Explanation{
			Title: "An app tried something that this address does not do.",
			What:  "The address is right, but it cannot be used in that way.",
			Todo:  "Look for an update of the app.",
		}
	},
	"stream_replaced": func(r Refusal) Explanation {
		return Explanation{
			Title: fmt.Sprintf("An app means another %s than the one that is here.", stream(r)),
			What:  "The name is the same, the stream is not: it was begun anew since the app last looked. The app was told, so it mixes nothing up.",
			Todo:  "If you started the stream over, let the app do so too. If not, look for the relay or the backup that holds the old one.",
		}
	},
	"cursor_ahead": func(r Refusal) Explanation {
		return Explanation{
			Title: fmt.Sprintf("An app has read further than %s goes.", stream(r)),
			What: fmt.Sprintf("It has everything up to position %s, but the stream ends at %s here. That happens when the relay was restored from an older backup. The app was told; nothing was skipped silently.",
				figure(r.Position), figure(r.Head)),
			Todo: "If you have a newer backup, restore that one. Otherwise the app decides what to send again.",
		}
	},
	"cursor_diverged": func(r Refusal) Explanation {
		return Explanation{
			Title: fmt.Sprintf("An app and this relay remember %s differently.", stream(r)),
			What: fmt.Sprintf("Both have an entry at position %s, but not the same one: the relay was restored, and others wrote on from there. The app was told, and goes on with neither by accident.",
				figure(r.Position)),
			Todo: "Let the app read the stream anew. What only that device has is still on it.",
		}
	},
	"epoch_behind": func(r Refusal) Explanation {
		return Explanation{
			Title: "An app is out of date.",
			What:  fmt.Sprintf("Newer apps have moved %s on to format %d; this one still writes an older format, which the others could misread.", stream(r), r.Epoch),
			Todo:  "Update the app on that device. What it has not sent yet waits there.",
		}
	},
	"too_large": func(r Refusal) Explanation {
		e := Explanation{
			Title: "An app sent more at once than the relay takes.",
			What:  "The request was over the limit for one request; nothing of it was kept.",
			Todo:  "Most apps send smaller pieces by themselves. If this one keeps failing, look for an update of it.",
		}
		if r.Limit > 0 {
			e.What = fmt.Sprintf("The request was over the limit of %s; nothing of it was kept.", humanize.IBytes(r.Limit))
		}
		return e
	},
	"unsupported_media_type": func(Refusal) Explanation {
		return Explanation{
			Title: "Something that is no app for this relay tried to write.",
			What:  "What it sent was not marked as the format that the relay reads.",
			Todo:  "If an app of yours did it, check that it is made for this kind of relay.",
		}
	},
	"internal": func(Refusal) Explanation {
		return Explanation{
			Title: "The relay could not do what it was asked.",
			What:  "This was no fault of the app: something failed here. What was acknowledged before is safe.",
			Todo:  "See the relay's log for the cause. A full or failing disk is the usual one.",
		}
	},
	"host_refused": func(Refusal) Explanation {
		return Explanation{
			Title: "A request came under a name that is not this machine's.",
			What:  "A foreign website can make a browser ask like that, so the relay answers only to names that it knows.",
			Todo:  "If you reach the relay by a name of your own, add that name to “hosts” in settings.json, in the data folder, and start Hearth anew. Otherwise nothing needs doing.",
		}
	},
	"origin_refused": func(Refusal) Explanation {
		return Explanation{
			Title: "A website tried to use this relay through a browser.",
			What:  "Pages from elsewhere may not reach in, and this one got nothing.",
			Todo:  "If it is a page of your own, add its origin to “allowed_origins” in settings.json, in the data folder, and start Hearth anew. Otherwise nothing needs doing.",
		}
	},
	"forbidden": func(r Refusal) Explanation {
		if r.Key == "" {
			return Explanation{
				Title: "A client asked for something that is not meant for it.",
				What:  fmt.Sprintf("It tried to %s. It was told: “%s”.", Doing(r), r.Message),
				Todo:  "If it is yours, do what that says. Otherwise nothing needs doing.",
			}
		}
		return Explanation{
			Title: "A device tried something that it may not do.",
			What:  fmt.Sprintf("It is known here, but its key does not allow it to %s.", Doing(r)),
			Todo:  "If it should be able to, give it a key with more rights. Otherwise nothing needs doing.",
		}
	},
	"https_required": func(Refusal) Explanation {
		return Explanation{
			Title: "A request came over a connection that others can read.",
			What:  "From other machines this relay takes encrypted connections only.",
			Todo:  "Use the address that begins with https in the app.",
		}
	},
	"unauthorized": func(r Refusal) Explanation {
		return Explanation{
			Title: "A device that is not known here was turned away.",
			What:  fmt.Sprintf("It wanted to %s, without a key or with one that does not hold.", Doing(r)),
			Todo:  "If it is yours, take the key out in its app: this relay has no keys yet. If you do not know it, nothing needs doing.",
		}
	},
	"wrong_kind": func(r Refusal) Explanation {
		return Explanation{
			Title: fmt.Sprintf("An app tried to write the wrong kind of thing to %s.", stream(r)),
			What:  "A stream holds either opaque entries or events, as its first write decided, and never both.",
			Todo:  "Give the app a stream name of its own.",
		}
	},
	"out_of_place": func(r Refusal) Explanation {
		e := Explanation{
			Title: fmt.Sprintf("A copy of %s did not fit where it was to go.", stream(r)),
			What:  "A stream that is copied must be written in order, and this piece does not follow the last one.",
			Todo:  "Start the copy again: it goes on where it stopped. If an app writes to the stream meanwhile, stop that first.",
		}
		if r.Head > 0 {
			e.What = fmt.Sprintf("A stream that is copied must be written in order. It ends at position %s here, and this piece does not follow that.", figure(r.Head))
		}
		return e
	},
	"rate_limited": func(Refusal) Explanation {
		return Explanation{
			Title: "A device asks more often than it may.",
			What:  "It was told to wait and when to come back; the others are not slowed down.",
			Todo:  "There is nothing to do if it was a moment's rush. If it goes on, look at what runs on that device.",
		}
	},
	"busy": func(Refusal) Explanation {
		return Explanation{
			Title: "The relay had too much in hand at that moment.",
			What:  "So many large requests came together that there was no room for this one. Nothing was lost: it was not taken.",
			Todo:  "Apps try again by themselves. If it happens often, let fewer devices sync at once.",
		}
	},
	"storage_full": func(Refusal) Explanation {
		return Explanation{
			Title: "The disk is full, so nothing more can be written.",
			What:  "A write was refused as a whole. Everything already here can still be read.",
			Todo:  "Free some space on the disk that holds the relay's data. It goes on by itself, and apps send again.",
		}
	},
	"quota_exceeded": func(r Refusal) Explanation {
		e := Explanation{
			Title: "A space is full.",
			What:  "A write was refused as a whole because it would pass the space's quota. Reading goes on.",
			Todo:  "Raise the quota of that space, or take it away.",
		}
		if r.Limit > 0 {
			e.What = fmt.Sprintf("A write was refused as a whole because it would pass the space's quota of %s. Reading goes on.", humanize.Bytes(r.Limit))
		}
		return e
	},
}

// Doing says what the client was at, without a subject: "write to notes".
func Doing(r Refusal) string {
	name := orSome(r.Stream, "a stream")
	switch r.Action {
	case ActionWrite:
		return "write to " + name
	case ActionRead:
		if r.Position > 0 {
			return fmt.Sprintf("read %s after %s", name, figure(r.Position))
		}
		return "read " + name
	case ActionWait:
		return "wait for " + name
	case ActionFollow:
		return "follow " + name
	default:
		return "use the relay"
	}
}

// figure groups digits in threes. A position may be any 64-bit number, as the
// client sent it.
func figure(n uint64) string { return humanize.BigComma(new(big.Int).SetUint64(n)) }

// stream names the stream in a sentence. It is quoted, since a name may be any
// word.
func stream(r Refusal) string {
	if r.Stream == "" {
		return "a stream"
	}
	return "“" + r.Stream + "”"
}

// closed ends a sentence, for messages that do not.
func closed(s string) string { return strings.TrimRight(s, ".") + "." }

func orSome(s, some string) string {
	if s == "" {
		return some
	}
	return s
}
