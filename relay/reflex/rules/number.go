package rules

import (
	"bytes"
	"cmp"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// Number is a number: a whole one, exact as far as anybody counts, or a float.
type Number struct {
	fraction bool // it is a float, else whole
	float    float64
	whole    int64
	large    *big.Int // instead of whole, of one that is beyond it
}

// Int returns a whole number.
func Int(n int64) Number { return Number{whole: n} }

// maxDigits is how many letters a whole number may have to be exact. What is longer
// is a float, and mostly infinite: reading digits exactly takes time with the square
// of their number, and nobody means them.
const maxDigits = 1000

// number reads a number as it stands in JSON: whole if it has neither a fraction
// nor an exponent.
func number(text string) Number {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return Number{whole: n}
	}
	if len(text) <= maxDigits {
		if large, ok := new(big.Int).SetString(text, 10); ok {
			return Number{large: large}
		}
	}
	// Out of range it is infinite, which compares as it should.
	float, _ := strconv.ParseFloat(text, 64)
	return Number{fraction: true, float: float}
}

// exactInFloat is up to where every whole number is a float, too.
const exactInFloat = 1 << 53

// compare compares two numbers exactly, also a whole one with a float.
func (n Number) compare(m Number) int {
	switch {
	case n.small() && m.small():
		return cmp.Compare(n.whole, m.whole)
	case n.plain() && m.plain():
		return cmp.Compare(n.Float64(), m.Float64())
	}
	return n.exact().Cmp(m.exact())
}

func (n Number) small() bool { return !n.fraction && n.large == nil }

// plain says whether the number is exactly its float.
func (n Number) plain() bool {
	return n.fraction || n.large == nil && -exactInFloat <= n.whole && n.whole <= exactInFloat
}

func (n Number) exact() *big.Float {
	switch {
	case n.fraction:
		return big.NewFloat(n.float)
	case n.large != nil:
		return new(big.Float).SetInt(n.large)
	}
	return new(big.Float).SetInt64(n.whole)
}

// Float64 returns the float that is nearest, which is infinite for what is beyond
// all floats.
func (n Number) Float64() float64 {
	switch {
	case n.fraction:
		return n.float
	case n.large != nil:
		f, _ := n.exact().Float64()
		return f
	}
	return float64(n.whole)
}

// infinite says whether it is beyond what a float holds, so that what it was is
// lost.
func (n Number) infinite() bool { return n.fraction && math.IsInf(n.float, 0) }

// plainDigits is from how many digits before the point on a float is written with
// an exponent, and plainZeros how many zeros behind it a small one begins with at
// most: the shortest that reads back as the same, as in Python.
const (
	plainDigits = 16
	plainZeros  = 4
)

// appendText writes a float with a point or an exponent, so that it is read as one
// again.
func (n Number) appendText(dst []byte) []byte {
	switch {
	case n.small():
		return strconv.AppendInt(dst, n.whole, 10)
	case n.large != nil:
		return n.large.Append(dst, 10)
	case n.infinite():
		if n.float < 0 {
			dst = append(dst, '-')
		}
		return append(dst, "1e999"...) // what is read as it again
	}
	short := strconv.FormatFloat(n.float, 'e', -1, 64)
	at := strings.IndexByte(short, 'e')
	if exponent, _ := strconv.Atoi(short[at+1:]); exponent < -plainZeros || exponent >= plainDigits {
		return append(dst, short...)
	}
	before := len(dst)
	dst = strconv.AppendFloat(dst, n.float, 'f', -1, 64)
	if !bytes.Contains(dst[before:], []byte(".")) {
		dst = append(dst, ".0"...)
	}
	return dst
}
