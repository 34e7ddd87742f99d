// Package assets holds what the program shows and is not code.
package assets

import _ "embed"

// Icon is the program's mark, a house with a fire in it, as SVG.
//
//go:embed icon.svg
var Icon []byte
