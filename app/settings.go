package main

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"unicode"
	"unicode/utf8"

	"hearth/relay/console"
)

// maxNameBytes bounds the relay's name: together with a number that tells it
// from others of the same name it has to fit into the 63 bytes of a DNS label.
const maxNameBytes = 48

// given is a value that a flag or the environment gave for this run, if one did.
type given[T any] struct {
	value  *T
	origin console.Origin
}

// givens are the settings that were given for this run.
type givens struct {
	name   given[string]
	place  given[place]
	port   given[int] // only without a place
	open   given[bool]
	faces  given[[]string] // interfaces
	addrs  given[[]string] // to advertise
	level  given[slog.Level]
	folder console.Value[string]
}

// settings are what was given for this run over what was kept for every one.
type settings struct {
	givens
	kept keptSettings
}

// loadSettings reads the settings of a data folder and checks them.
func loadSettings(g givens) (settings, error) {
	kept, err := readSettings(g.folder.Value)
	if err != nil {
		return settings{}, err
	}
	s := settings{g, kept}
	values := s.values()
	if err := checkName(values.Name.Value); err != nil {
		return settings{}, wrongValue("the relay's name", values.Name.Origin, g.folder.Value, err)
	}
	if err := checkInterfaces(values.Interfaces.Value); err != nil {
		return settings{}, wrongValue("the interfaces", values.Interfaces.Origin, g.folder.Value, err)
	}
	if err := checkAdvertised(values.Advertise.Value); err != nil {
		return settings{}, wrongValue("the addresses to announce", values.Advertise.Origin, g.folder.Value, err)
	}
	if err := s.backupPlan().Check(); err != nil {
		return settings{}, wrongValue("the backups", console.OriginFile, g.folder.Value, err)
	}
	return s, checkPlace(s.place(), values.Open.Value)
}

// values returns every setting with where it comes from. A place that was given
// settles the port, and whether the network may come in as well: what listens
// there cannot become less or more reachable in this run.
func (s settings) values() console.Values {
	v := console.Values{
		Name:   pick(s.name, s.kept.Name, defaultName()),
		Port:   pick(s.port, s.kept.Port, defaultPort),
		Open:   pick(s.open, s.kept.Open, false),
		Folder: s.folder,

		Interfaces: pick(s.faces, s.kept.Interfaces, nil),
		Advertise:  pick(s.addrs, s.kept.Advertise, nil),
		Untold:     pick(given[[]console.Happening]{}, s.kept.Untold, nil),

		BackupValues: s.backupValues(),
		Desktop: console.Desktop{
			Tray:     pick(given[bool]{}, s.kept.Tray, false),
			Theme:    pick(given[console.Theme]{}, s.kept.Theme, console.ThemeSystem),
			LogLevel: pick(s.level, s.kept.LogLevel, slog.LevelInfo),
		},
	}
	if p := s.givens.place; p.value != nil {
		v.Port = console.Value[int]{Value: int(p.value.port), Origin: p.origin}
		v.Open.Value = v.Open.Value && !p.value.private()
		if !v.Open.Fixed() {
			v.Open.Origin = p.origin
		}
	}
	return v
}

// place returns where to listen.
func (s settings) place() place {
	if p := s.givens.place.value; p != nil {
		return *p
	}
	return usualPlace(s.values())
}

// pick returns the strongest of a setting's values.
func pick[T any](g given[T], kept *T, usual T) console.Value[T] {
	switch {
	case g.value != nil:
		return console.Value[T]{Value: *g.value, Origin: g.origin}
	case kept != nil:
		return console.Value[T]{Value: *kept, Origin: console.OriginFile}
	default:
		return console.Value[T]{Value: usual, Origin: console.OriginDefault}
	}
}

// with returns the settings with a change kept in them.
func (s settings) with(change console.Change) (settings, error) {
	v := s.values()
	switch {
	case change.Name != nil && v.Name.Fixed():
		return s, fixedError("name", v.Name.Origin)
	case change.Port != nil && v.Port.Fixed():
		return s, fixedError("port", v.Port.Origin)
	case change.Open != nil && v.Open.Fixed():
		return s, fixedError("openness to the network", v.Open.Origin)
	case change.Interfaces != nil && v.Interfaces.Fixed():
		return s, fixedError("choice of interfaces", v.Interfaces.Origin)
	case change.Advertise != nil && v.Advertise.Fixed():
		return s, fixedError("choice of addresses", v.Advertise.Origin)
	case change.LogLevel != nil && v.LogLevel.Fixed():
		return s, fixedError("log level", v.LogLevel.Origin)
	}
	if change.Name != nil {
		name := strings.TrimSpace(*change.Name)
		if err := checkName(name); err != nil {
			return s, err
		}
		s.kept.Name = &name
	}
	if change.Port != nil {
		if err := checkPort(*change.Port); err != nil {
			return s, err
		}
		s.kept.Port = new(*change.Port)
	}
	if change.Open != nil {
		s.kept.Open = new(*change.Open)
	}
	if change.Interfaces != nil {
		names := trimmed(*change.Interfaces)
		if err := checkInterfaces(names); err != nil {
			return s, err
		}
		s.kept.Interfaces = &names
	}
	if change.Advertise != nil {
		addrs := trimmed(*change.Advertise)
		if err := checkAdvertised(addrs); err != nil {
			return s, err
		}
		s.kept.Advertise = &addrs
	}
	if change.Untold != nil {
		if err := checkUntold(*change.Untold); err != nil {
			return s, err
		}
		s.kept.Untold = new(*change.Untold)
	}
	backups, err := s.kept.keptBackups.with(change.BackupChange)
	if err != nil {
		return s, err
	}
	s.kept.keptBackups = backups
	if err := s.backupPlan().Check(); err != nil {
		return s, err
	}
	if change.Tray != nil {
		s.kept.Tray = new(*change.Tray)
	}
	if change.Theme != nil {
		if err := checkTheme(*change.Theme); err != nil {
			return s, err
		}
		s.kept.Theme = new(*change.Theme)
	}
	if change.LogLevel != nil {
		s.kept.LogLevel = new(*change.LogLevel)
	}
	return s, nil
}

func fixedError(what string, origin console.Origin) error {
	by := "a flag"
	if origin == console.OriginEnvironment {
		by = "the environment"
	}
	return fmt.Errorf("the relay's %s was given by %s for this run: start it without that to change it here", what, by)
}

func checkName(name string) error {
	switch {
	case strings.TrimSpace(name) == "":
		return errors.New("a relay needs a name")
	case len(name) > maxNameBytes:
		return fmt.Errorf("the name is too long: it takes at most %d bytes", maxNameBytes)
	case !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl):
		return errors.New("the name holds characters that cannot be shown")
	}
	return nil
}

func checkPort(port int) error {
	if port < 0 || port > 65535 {
		return errors.New("a port is a number from 1 to 65535, or 0 for any free one")
	}
	return nil
}

func checkTheme(theme console.Theme) error {
	switch theme {
	case console.ThemeSystem, console.ThemeLight, console.ThemeDark:
		return nil
	default:
		return fmt.Errorf("a theme is %q, %q or %q", console.ThemeSystem, console.ThemeLight, console.ThemeDark)
	}
}

// defaultName names the relay after its machine.
func defaultName() string {
	host, err := os.Hostname()
	host, _, _ = strings.Cut(host, ".")
	name := "Hearth on " + host
	if err != nil || host == "" || checkName(name) != nil {
		return "Hearth"
	}
	return name
}
