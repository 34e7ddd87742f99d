package reflex

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// document reads JSON, which is known to be sound, for a schema. The error says
// that a number in it is none to calculate with.
func document(text []byte) (doc any, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&doc); err != nil {
		return nil, fmt.Errorf("reading JSON that is sound: %w", err)
	}
	return doc, checkNumbers(doc)
}

const (
	// maxDigits is how many characters a number has at the most that a schema is
	// to check: to calculate exactly with larger ones takes long.
	maxDigits = 400

	// maxExponent is the largest exponent of such a number, either way: a little
	// past what most programs know.
	maxExponent = 400
)

// checkNumbers looks for numbers that take long to calculate with.
func checkNumbers(v any) error {
	switch v := v.(type) {
	case json.Number:
		text := string(v)
		_, exponent, _ := strings.Cut(strings.ToLower(text), "e")
		exponent = strings.TrimLeft(exponent, "+-0")
		if len(text) > maxDigits || len(exponent) > 3 || len(exponent) == 3 && exponent > fmt.Sprint(maxExponent) {
			return fmt.Errorf("the number %s is too large, too small or too exact to be checked", shortened(text))
		}
	case []any:
		for _, element := range v {
			if err := checkNumbers(element); err != nil {
				return err
			}
		}
	case map[string]any:
		for _, member := range v {
			if err := checkNumbers(member); err != nil {
				return err
			}
		}
	}
	return nil
}
