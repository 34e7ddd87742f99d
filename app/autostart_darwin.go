package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/adrg/xdg"

	"hearth/relay/durable"
)

// agentLabel names the launch agent, and its file.
const agentLabel = "hearth"

// launchAgent is a file that macOS starts when its user logs in (launchd.plist(5)).
type launchAgent struct{ path string }

func systemLoginEntry() loginEntry {
	return launchAgent{filepath.Join(xdg.Home, "Library", "LaunchAgents", agentLabel+".plist")}
}

func (a launchAgent) read() ([]string, error) {
	data, err := os.ReadFile(a.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	// The only array in what write makes is the command.
	var command []string
	inArray := false
	for d := xml.NewDecoder(bytes.NewReader(data)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return command, nil
		}
		if err != nil {
			return nil, err
		}
		switch token := token.(type) {
		case xml.StartElement:
			if token.Name.Local == "array" {
				inArray = true
			}
			if token.Name.Local != "string" || !inArray {
				continue
			}
			var word string
			if err := d.DecodeElement(&word, &token); err != nil {
				return nil, err
			}
			command = append(command, word)
		case xml.EndElement:
			if token.Name.Local == "array" {
				inArray = false
			}
		}
	}
}

func (a launchAgent) write(command []string) error {
	if err := os.MkdirAll(filepath.Dir(a.path), 0o700); err != nil {
		return err
	}
	var b bytes.Buffer
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
	<key>Label</key>
	<string>` + agentLabel + `</string>
	<key>RunAtLoad</key>
	<true/>
	<key>ProgramArguments</key>
	<array>
`)
	for _, word := range command {
		b.WriteString("\t\t<string>")
		if err := xml.EscapeText(&b, []byte(word)); err != nil {
			return err
		}
		b.WriteString("</string>\n")
	}
	b.WriteString("\t</array>\n</dict>\n</plist>\n")
	return durable.WriteFile(a.path, b.Bytes())
}

func (a launchAgent) remove() error { return removeFile(a.path) }
