package reflexhttp

import "hearth/relay/protocol"

// pageRoom is how much memory a page may take while it is read: one envelope as
// large as a body, or half as many bytes in several, with what the store reads
// around them.
const pageRoom = protocol.MaxBody + 1<<20
