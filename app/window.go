package main

// windowCommand opens the window with the relay in it.
type windowCommand struct {
	relayFlags
	Minimized bool `help:"Start in the tray, without showing the window, if there is a tray."`
}

// Help is what --help says beyond the flags.
func (windowCommand) Help() string {
	return `A second start on the same data shows the window that is open already. If a relay runs on the data as a service ("hearth serve"), the window shows that one, and closing the window leaves it running.

Examples:

  hearth
  hearth --minimized
  hearth --data /srv/hearth --name "Hearth in the kitchen"`
}
