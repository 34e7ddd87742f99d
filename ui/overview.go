package ui

import (
	"context"
	"fmt"

	"fyne.io/fyne/v2"

	"hearth/relay/console"
)

// overview is the first screen: what the relay has been doing, and what needs
// the owner.
type overview struct {
	shell *shell
	body  *fyne.Container
}

func newOverview(s *shell) *overview {
	return &overview{shell: s, body: stacked(gap)}
}

func (v *overview) title() string              { return "Overview" }
func (v *overview) content() fyne.CanvasObject { return v.body }
func (v *overview) restless() bool             { return false }
func (v *overview) age()                       {}

func (v *overview) load(ctx context.Context) (func(), error) {
	activity, err := v.shell.console.Activity(ctx)
	if err != nil {
		return nil, fmt.Errorf("what clients have been doing cannot be told: %w", err)
	}
	return func() { v.show(activity) }, nil
}

func (v *overview) show(console.Activity) {}
