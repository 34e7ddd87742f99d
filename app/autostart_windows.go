package main

import (
	"errors"

	"golang.org/x/sys/windows"
	"golang.org/x/sys/windows/registry"
)

const (
	// runKey lists what Windows starts when its user logs in.
	runKey = `Software\Microsoft\Windows\CurrentVersion\Run`

	// approvedKey says of each of those whether the task manager has switched
	// it off: then its first byte is odd.
	approvedKey = `Software\Microsoft\Windows\CurrentVersion\Explorer\StartupApproved\Run`

	runValue = "Hearth"
)

// registryEntry is a value in the user's part of the registry.
type registryEntry struct{}

func systemLoginEntry() loginEntry { return registryEntry{} }

func (registryEntry) read() ([]string, error) {
	approved, err := registry.OpenKey(registry.CURRENT_USER, approvedKey, registry.QUERY_VALUE)
	if err == nil {
		defer approved.Close()
		if state, _, err := approved.GetBinaryValue(runValue); err == nil && len(state) > 0 && state[0]&1 == 1 {
			return nil, nil
		}
	}
	run, err := registry.OpenKey(registry.CURRENT_USER, runKey, registry.QUERY_VALUE)
	if errors.Is(err, registry.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer run.Close()
	line, _, err := run.GetStringValue(runValue)
	if errors.Is(err, registry.ErrNotExist) || line == "" {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return windows.DecomposeCommandLine(line)
}

func (registryEntry) write(command []string) error {
	run, _, err := registry.CreateKey(registry.CURRENT_USER, runKey, registry.SET_VALUE)
	if err != nil {
		return err
	}
	defer run.Close()
	if err := run.SetStringValue(runValue, windows.ComposeCommandLine(command)); err != nil {
		return err
	}
	return deleteValue(approvedKey)
}

func (registryEntry) remove() error { return deleteValue(runKey) }

// deleteValue deletes the program's value of a key, if both are there.
func deleteValue(path string) error {
	key, err := registry.OpenKey(registry.CURRENT_USER, path, registry.SET_VALUE)
	if err == nil {
		defer key.Close()
		err = key.DeleteValue(runValue)
	}
	if errors.Is(err, registry.ErrNotExist) {
		return nil
	}
	return err
}
