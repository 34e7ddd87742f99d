package ui

import (
	"bytes"
	"strings"

	"fyne.io/fyne/v2"

	"hearth/assets"
	"hearth/relay/console"
)

// mood is how the relay is, as far as an icon can say it.
type mood int

const (
	moodPrivate mood = iota // it runs, for this machine
	moodOpen                // it runs, and the network may come in
	moodTrouble             // it needs its owner
)

func moodOf(o console.Overview) mood {
	switch {
	case o.Problem != "" || len(o.Damaged) > 0:
		return moodTrouble
	case o.Open:
		return moodOpen
	default:
		return moodPrivate
	}
}

// marks are drawn over the lower right corner of the icon: a ring that is
// open, a sign that warns. They differ in shape, for eyes that see no colours.
var marks = map[mood]string{
	moodOpen:    `<circle cx="48" cy="48" r="16" fill="#FFFFFF"/><circle cx="48" cy="48" r="14" fill="#2E7D4F"/><circle cx="48" cy="48" r="6" fill="#FFFFFF"/>`,
	moodTrouble: `<path fill="#FFFFFF" d="M46 24 66 64H26z"/><path fill="#B3261E" d="M46 29 62 62H30z"/><path fill="#FFFFFF" d="M44 40H48V51H44z M44 54H48V58H44z"/>`,
}

// icon is the program's mark in a mood.
func (m mood) icon() fyne.Resource {
	if marks[m] == "" {
		return icon
	}
	end := []byte("</svg>")
	name := strings.ReplaceAll(m.String(), " ", "-")
	return fyne.NewStaticResource("hearth-"+name+".svg", bytes.Replace(assets.Icon, end, append([]byte(marks[m]), end...), 1))
}

func (m mood) String() string {
	switch m {
	case moodTrouble:
		return "needs you"
	case moodOpen:
		return "open to this network"
	default:
		return "running for this machine only"
	}
}
