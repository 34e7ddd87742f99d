package main

import (
	"fmt"
	"log/slog"

	"github.com/alecthomas/kong"

	"hearth/relay/console"
)

// relayFlags are those of the commands that run a relay. nil means that neither
// a flag nor the environment gave a value for this run.
type relayFlags struct {
	folderFlag
	Listen           *place      `help:"Listen at this address (default: 127.0.0.1:${port}, with --open :${port})." placeholder:"HOST:PORT" env:"HEARTH_LISTEN"`
	Port             *uint16     `help:"Listen at this port (default: ${port}). Port 0 takes a free one." placeholder:"PORT" env:"HEARTH_PORT"`
	Open             *bool       `help:"Let everyone on the network in, to read and to write, without keys." negatable:"" env:"HEARTH_OPEN"`
	Name             *string     `help:"The relay's name, as the network sees it." placeholder:"NAME" env:"HEARTH_NAME"`
	Interface        []string    `help:"Announce the relay on this interface only, or, as !NAME, never on this one; repeat it for more (default: those of networks that people share)." placeholder:"NAME" env:"HEARTH_INTERFACES"`
	AdvertiseAddress []string    `help:"Announce this address instead of the machine's own; repeat it for more." placeholder:"ADDR" env:"HEARTH_ADVERTISE_ADDRESSES"`
	LogLevel         *slog.Level `help:"The least that is logged: debug, info (the default), warn or error." placeholder:"LEVEL" env:"HEARTH_LOG_LEVEL"`
}

// settings returns the settings for this run.
func (f relayFlags) settings(command *kong.Context) (settings, error) {
	folder, err := f.path()
	if err != nil {
		return settings{}, err
	}
	if f.Listen != nil && f.Port != nil {
		return settings{}, &hintedError{
			fmt.Errorf("two ports were given: %d, and that of %s", *f.Port, *f.Listen),
			"give --port, or --listen with the port in it; HEARTH_PORT and HEARTH_LISTEN count as well",
		}
	}
	data := console.Value[string]{Value: folder, Origin: console.OriginDefault}
	if f.Data != "" {
		data.Origin = originOf(command, "data")
	}
	return loadSettings(givens{
		name:   given[string]{f.Name, originOf(command, "name")},
		place:  given[place]{f.Listen, originOf(command, "listen")},
		port:   given[int]{asInt(f.Port), originOf(command, "port")},
		open:   given[bool]{f.Open, originOf(command, "open")},
		faces:  several(f.Interface, originOf(command, "interface")),
		addrs:  several(f.AdvertiseAddress, originOf(command, "advertise-address")),
		level:  given[slog.Level]{f.LogLevel, originOf(command, "log-level")},
		folder: data,
	})
}

// asInt is a number that was given, if it was.
func asInt(n *uint16) *int {
	if n == nil {
		return nil
	}
	return new(int(*n))
}

// several is what a flag that may be repeated gave, if it was given.
func several(texts []string, origin console.Origin) given[[]string] {
	if len(texts) == 0 {
		return given[[]string]{}
	}
	return given[[]string]{new(trimmed(texts)), origin}
}

// originOf says where the value of a flag that has one comes from.
func originOf(command *kong.Context, flag string) console.Origin {
	for _, p := range command.Path {
		if p.Flag != nil && p.Flag.Name == flag {
			return console.OriginFlag
		}
	}
	return console.OriginEnvironment
}
