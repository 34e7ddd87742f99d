package ui

// lead leads to where something is solved.
func (v *window) lead(l lead) {
	switch l.to {
	case toStream:
		v.shell.openStream(l.stream)
	case toStreams:
		v.visit(v.streams)
	case toRefusals:
		v.visit(v.refusals)
	case toNetwork:
		v.visit(v.network)
	case toSettings:
		v.visit(v.settings)
	case toLog:
		v.visit(v.settings)
		v.settings.showLog()
	case toFolder:
		v.visit(v.settings) // where it is said if that fails
		v.settings.openFolder()
	}
}

// judge puts together what the window knows of how the relay is, and says in
// the header and on the overview what needs the owner.
func (v *window) judge() {
	if !v.reached {
		return // nothing is known of it just now
	}
	o := v.figures
	c := condition{overview: o, unseen: v.refusals.unseen(), network: v.network.last}
	if len(v.refusals.all) > 0 {
		c.newest = v.refusals.all[0]
	}
	list := c.matters()
	v.header.show(o, list)
	v.overview.know(o, list)
	v.connect.show(o)
}
