package main

// windowCommand opens the window with the relay in it.
type windowCommand struct {
	relayFlags
}

// Help is what --help says beyond the flags.
func (windowCommand) Help() string {
	return `A second start on the same data shows the window that is open already.

Examples:

  hearth
  hearth --data /srv/hearth --name "Hearth in the kitchen"`
}
