package reflex

// Frame is a frame that carries a command, as it was read.
type Frame struct {
	CommandID string
	Command   any // a PublishCommand
}
