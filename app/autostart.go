package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"hearth/relay/console"
)

// loginEntry is the one place, of a fixed name, in which the desktop finds what
// it starts when its owner logs in.
type loginEntry interface {
	// read returns the program with its arguments, nil if the entry is not
	// there, or is but starts nothing.
	read() (command []string, err error)

	// write makes the entry, or makes it anew.
	write(command []string) error

	// remove removes the entry. It is no error if it is not there.
	remove() error
}

// autostart lets the program start, in the tray, when its owner logs in.
type autostart struct {
	entry   loginEntry
	command []string
}

// newAutostart starts this program on a data folder; usual says that the folder
// is the one that it takes by itself.
func newAutostart(folder string, usual bool) (*autostart, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("the program does not know where it lies: %w", err)
	}
	command := []string{program, "--minimized"}
	if !usual {
		if folder, err = filepath.Abs(folder); err != nil {
			return nil, err
		}
		command = append(command, "--data", folder)
	}
	return &autostart{systemLoginEntry(), command}, nil
}

// value says whether the program starts at login. The entry itself is the
// setting, so that what other tools do to it holds.
func (a *autostart) value() console.Value[bool] {
	command, err := a.entry.read()
	if err != nil || !a.ours(command) {
		return console.Value[bool]{Origin: console.OriginDefault}
	}
	return console.Value[bool]{Value: true, Origin: console.OriginFile}
}

// ours says that a command starts this relay: another data folder is another
// relay's.
func (a *autostart) ours(command []string) bool {
	return len(command) > 0 && slices.Equal(command[1:], a.command[1:])
}

// set makes the entry or removes it.
func (a *autostart) set(on bool) error {
	var err error
	if on {
		err = a.entry.write(a.command)
	} else {
		err = a.entry.remove()
	}
	if err != nil {
		return fmt.Errorf("the start at login cannot be changed: %w", err)
	}
	return nil
}

// repair puts the program's present place into the entry, should it have moved.
func (a *autostart) repair() error {
	command, err := a.entry.read()
	if err != nil || !a.ours(command) || slices.Equal(command, a.command) {
		return err
	}
	return a.set(true)
}
