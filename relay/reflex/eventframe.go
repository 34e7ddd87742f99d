package reflex

// The parts of an event's frame around its envelope (contract, "Server frames";
// the cursor is an addition).
const (
	frameBegins  = `{"type":"event",`
	cursorBegins = `,"cursor":"`
	cursorEnds   = `"}`
)

// eventFrame is an entry on its way to those who follow its stream.
type eventFrame struct {
	shown
	cursor string // where the stream stands behind it, of a live event; else empty
}

// size returns how many bytes append appends.
func (f eventFrame) size() int {
	size := len(frameBegins) - len("{") + f.shown.size()
	if f.cursor != "" {
		size += len(cursorBegins) + len(f.cursor) + len(cursorEnds) - len("}")
	}
	return size
}

// append appends the frame.
func (f eventFrame) append(dst []byte) []byte {
	dst = append(dst, frameBegins...)
	f.head = f.head[len("{"):]
	dst = f.shown.append(dst)
	if f.cursor == "" {
		return dst
	}
	dst = append(dst[:len(dst)-len("}")], cursorBegins...)
	return append(append(dst, f.cursor...), cursorEnds...)
}
