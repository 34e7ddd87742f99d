//go:build !unix

package sqlite

// syncFolder does nothing where a folder cannot be synced: there the file
// system writes names down by itself.
func syncFolder(string) error { return nil }
