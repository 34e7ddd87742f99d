// Package sqlite is the store on SQLite: one file, one goroutine that writes,
// and readers beside it.
//
// Writes that wait are taken together, applied one after the other in one
// transaction, and answered once it is on the disk. What is stored is what is
// served: a row is a run of entries in the encoding of the wire. The database
// itself refuses to change or lose what it was given; see migrations.
package sqlite
