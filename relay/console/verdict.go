package console

import "fmt"

// ExplainVerdict tells what a cursor is worth in the stream that it was held
// against.
func ExplainVerdict(v Verdict, s Stream) Explanation {
	name := "“" + s.Name + "”"
	switch v.Answer {
	case AnswerEntries:
		e := Explanation{
			Title: "Yes, and it has everything.",
			What:  fmt.Sprintf("The cursor stands at position %s, where %s ends, and its link is the one of the entry there: what its reader has is what is here.", figure(v.Position), name),
			Todo:  "Nothing needs doing: its reader would wait for the next entry.",
		}
		if v.Position == 0 {
			e.What = fmt.Sprintf("The cursor stands at the beginning of %s, which has no entries.", name)
		}
		if v.Behind > 0 {
			e.Title = "Yes, and it only has to go on."
			e.What = fmt.Sprintf("The cursor stands at position %s of %s in %s, and its link is the one of the entry there: what its reader has is what is here.", figure(v.Position), figure(v.Head), name)
			e.Todo = fmt.Sprintf("Nothing needs doing: its reader would get the entries that are new to it, %s of them.", figure(v.Behind))
			if v.Position == 0 {
				e.What = fmt.Sprintf("The cursor stands at the beginning of %s.", name)
			}
		}
		return e
	case AnswerReplaced:
		return Explanation{
			Title: "No, it is of another stream.",
			What:  fmt.Sprintf("The cursor names the identity %s, and %s here has another one. The names may be the same: the stream was begun anew, or the cursor is from somewhere else.", v.Identity, name),
			Todo:  "If the stream was started over on purpose, let the app start over too. If not, look for the relay or the backup that holds the old one.",
		}
	case AnswerAhead:
		return Explanation{
			Title: "It is the same stream, but the end is missing here.",
			What:  fmt.Sprintf("The cursor stands at position %s, and %s ends at %s. Its reader has entries that this relay does not have, as happens when the relay was restored from an older backup.", figure(v.Position), name, figure(v.Head)),
			Todo:  "If you have a newer backup, restore that one. Otherwise its reader would be told, and the app decides what to send again.",
		}
	case AnswerDiverged:
		return Explanation{
			Title: "It was the same stream, until the two parted.",
			What:  fmt.Sprintf("%s has an entry at position %s, but another one than the cursor's link tells of: the relay was restored, and others wrote on from there.", name, figure(v.Position)),
			Todo:  "Let the app read the stream anew. What only that device has is still on it.",
		}
	default:
		return Explanation{
			Title: "That is not known.",
			What:  fmt.Sprintf("The relay answers %s, which this window does not know yet.", orSome(string(v.Answer), "(nothing)")),
			Todo:  "A newer Hearth may explain it.",
		}
	}
}
