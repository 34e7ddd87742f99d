//go:build !windows && !darwin

package main

import (
	"bufio"
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/adrg/xdg"

	"hearth/relay/durable"
)

// desktopEntry is a file that desktops start at login (freedesktop.org: Desktop
// Application Autostart Specification).
type desktopEntry struct{ path string }

func systemLoginEntry() loginEntry {
	return desktopEntry{filepath.Join(xdg.ConfigHome, "autostart", "hearth.desktop")}
}

func (e desktopEntry) read() ([]string, error) {
	data, err := os.ReadFile(e.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	values := make(map[string]string)
	for lines := bufio.NewScanner(bytes.NewReader(data)); lines.Scan(); {
		key, value, _ := strings.Cut(lines.Text(), "=")
		values[strings.TrimSpace(key)] = strings.TrimSpace(value)
	}
	// This is how desktops' own tools switch an entry off.
	if values["Hidden"] == "true" || values["X-GNOME-Autostart-enabled"] == "false" {
		return nil, nil
	}
	return splitExec(values["Exec"]), nil
}

func (e desktopEntry) write(command []string) error {
	if err := os.MkdirAll(filepath.Dir(e.path), 0o700); err != nil {
		return err
	}
	return durable.WriteFile(e.path, []byte(`[Desktop Entry]
Type=Application
Name=Hearth
Comment=A relay for your home
Exec=`+joinExec(command)+`
Icon=hearth
Terminal=false
`))
}

func (e desktopEntry) remove() error { return removeFile(e.path) }

// execQuoted are the characters that have to be escaped within quotes, and
// percent signs, which stand for something else unless they are doubled
// (freedesktop.org: Desktop Entry Specification, "The Exec key"). The
// backslashes of the quoting are escaped once more, as in every string of a
// desktop entry.
var (
	execQuoted   = strings.NewReplacer(`\`, `\\\\`, `"`, `\\"`, "`", "\\\\`", `$`, `\\$`, `%`, `%%`, "\n", `\n`, "\t", `\t`, "\r", `\r`)
	execUnquoted = strings.NewReplacer(`\\\\`, `\`, `\\"`, `"`, "\\\\`", "`", `\\$`, `$`, `%%`, `%`, `\n`, "\n", `\t`, "\t", `\r`, "\r")
)

// joinExec writes a command as the Exec key has it, each word in quotes.
func joinExec(command []string) string {
	words := make([]string, 0, len(command))
	for _, word := range command {
		words = append(words, `"`+execQuoted.Replace(word)+`"`)
	}
	return strings.Join(words, " ")
}

// splitExec reads what joinExec writes; words without quotes, as others write
// them, as well.
func splitExec(line string) []string {
	var command []string
	for line = strings.TrimSpace(line); line != ""; line = strings.TrimSpace(line) {
		if line[0] != '"' {
			word, rest, _ := strings.Cut(line, " ")
			command, line = append(command, execUnquoted.Replace(word)), rest
			continue
		}
		end := 1
		for end < len(line) && line[end] != '"' {
			if line[end] == '\\' && strings.HasPrefix(line[end:], `\\`) {
				end += 2 // two of the file are one of the quoting: what follows is escaped
				if strings.HasPrefix(line[end:], `\\`) {
					end++
				}
			}
			end++
		}
		command = append(command, execUnquoted.Replace(line[1:min(end, len(line))]))
		line = line[min(end+1, len(line)):]
	}
	return command
}
