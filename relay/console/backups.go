package console

import "time"

// Backups is what there is of backups: what is planned, what is under way, and
// what lies in the folder.
type Backups struct {
	Folder    string        // where they go
	Every     time.Duration // between two of them; 0 makes none by itself
	Keep      int           // how many are kept
	Recipient string        // whom they are encrypted to, an age recipient; empty if they are not

	// Next is when the next one begins; zero if none does by itself. After a
	// failure it is when it is tried again.
	Next time.Time

	// Last is when the newest one of those in the folder was made; zero if there is
	// none, or the folder cannot be looked into.
	Last time.Time

	// Failed says in a sentence why there is no new backup, or what is not in it,
	// and what to do; empty while all is well.
	Failed string

	// Running says that one is being made: Done of Total bytes.
	Running     bool
	Done, Total uint64

	// Kept lists those in the folder, the newest first.
	Kept []Backup
}

// Backup is one that was read back and found whole when it was made.
type Backup struct {
	Name      string // of the file in the folder
	Made      time.Time
	Bytes     uint64 // of the file
	Streams   int
	Entries   uint64
	Encrypted bool

	// Lacking lists the streams that are not in it, since they were damaged.
	Lacking []StreamRef
}

// BackupValues are the settings of backups.
type BackupValues struct {
	// BackupFolder is where they go. A folder that is chosen has to be there, but
	// for the one in the data folder, which is the default.
	BackupFolder Value[string]

	BackupEvery     Value[time.Duration] // 0 makes none by itself
	BackupKeep      Value[int]           // how many are kept, from 1 on
	BackupRecipient Value[string]        // such as age1…; empty leaves them readable
}

// BackupChange holds new values of those; nil leaves a setting as it is. An empty
// folder is the default one.
type BackupChange struct {
	BackupFolder    *string
	BackupEvery     *time.Duration
	BackupKeep      *int
	BackupRecipient *string
}
