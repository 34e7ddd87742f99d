package protocol

import "fmt"

// Name is a stream's name as the contract spells it ("Streams"): one to 64
// characters of a-z, 0-9, '-', '_' and '.', the first one a letter or a digit.
type Name string

// NameError says why a text is no stream name.
type NameError struct {
	Text string
}

func (e *NameError) Error() string {
	return fmt.Sprintf("%.80q is not a stream name: it takes 1 to %d of a-z, 0-9, '-', '_' and '.', starting with a letter or a digit",
		e.Text, MaxName)
}

// ParseName checks a stream's name. The error is a *NameError.
func ParseName(text string) (Name, error) {
	if text == "" || len(text) > MaxName || !letterOrDigit(text[0]) {
		return "", &NameError{text}
	}
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case letterOrDigit(c), c == '-', c == '_', c == '.':
		default:
			return "", &NameError{text}
		}
	}
	return Name(text), nil
}

func letterOrDigit(c byte) bool {
	return 'a' <= c && c <= 'z' || '0' <= c && c <= '9'
}
