package main

import (
	"context"
	"errors"
	"slices"

	"hearth/relay/console"
)

// Overview is the relay's, with how it is reached.
func (h *home) Overview(ctx context.Context) (console.Overview, error) {
	o, err := h.Relay.Overview(ctx)
	h.mu.Lock()
	defer h.mu.Unlock()
	o.Name, o.Open = h.run.Name, h.run.Open
	o.URLs = slices.Clone(h.run.URLs)
	return o, err
}

// Neighbourhood is what the network shows.
func (h *home) Neighbourhood(context.Context) (console.Neighbourhood, error) {
	return h.network.neighbourhood(), nil
}

// Changes tells of changes in the relay, on the network and of the settings.
func (h *home) Changes() (changed <-chan struct{}, stop func()) {
	return h.changes.subscribe()
}

// Settings returns the settings of this run.
func (h *home) Settings(context.Context) (console.Values, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.desktopValues(h.settings.values()), nil
}

// Change keeps new settings and puts them into effect at once. If that fails
// everything is as it was.
func (h *home) Change(ctx context.Context, change console.Change) (string, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.stopping {
		return "", errors.New("the relay is stopping: nothing can be changed any more")
	}
	before := h.settings
	after, err := before.with(change)
	if err != nil {
		return "", err
	}
	if err := after.kept.write(after.folder.Value); err != nil {
		return "", err
	}
	said, err := h.effect(ctx, change, after)
	if err != nil {
		h.relay.TellHappenings(before.happenings())
		if change.BackupChange != (console.BackupChange{}) {
			err = errors.Join(err, h.relay.PlanBackups(before.backupPlan(), false))
		}
		return "", errors.Join(err, before.kept.write(before.folder.Value))
	}
	h.changes.send()
	return said, nil
}

// effect puts a change into effect, which after has already. h.mu is held.
func (h *home) effect(ctx context.Context, change console.Change, after settings) (string, error) {
	if change.BackupChange != (console.BackupChange{}) {
		plan := after.backupPlan()
		if err := h.relay.PlanBackups(plan, change.BackupFolder != nil); err != nil {
			return "", err
		}
		change.BackupChange = console.BackupChange{}
		if change == (console.Change{}) {
			h.settings = after
			return backupSummary(plan), nil
		}
	}
	if change.Untold != nil {
		h.relay.TellHappenings(after.happenings())
		change.Untold = nil
		if change == (console.Change{}) {
			h.settings = after
			return untoldSummary(after.values().Untold.Value), nil
		}
	}
	desktop := change.DesktopChange
	change.DesktopChange = console.DesktopChange{}
	if change != (console.Change{}) {
		said, err := h.apply(ctx, after)
		if err != nil || desktop == (console.DesktopChange{}) {
			return said, err
		}
	}
	h.settings = after
	return h.changeDesktop(desktop)
}
