package relay

import (
	"errors"
	"syscall"

	"hearth/relay/backup"
	"hearth/relay/console"
	"hearth/relay/reflex"
	"hearth/relay/store"
)

// TellHappenings has just these kinds of happenings told on the streams _relay from
// now on.
func (r *Relay) TellHappenings(kinds []reflex.HappeningKind) { r.news.tell(kinds) }

// moved hears of every stream that has moved.
func (r *Relay) moved(moves []store.Moved) {
	r.hub.Publish(moves)
	r.news.moved(moves)
}

// tellBackup tells what came of a backup.
func (r *Relay) tellBackup(made backup.Kept, err error) {
	if err != nil {
		r.news.addEverywhere(reflex.BackupFailed{Reason: backupFailureOf(err)})
		return
	}
	r.news.addEverywhere(reflex.BackupDone{
		File: made.Name, Streams: made.Streams, Entries: made.Entries, Bytes: made.Bytes,
		Encrypted: made.Encrypted, Lacking: len(made.Lacking),
	})
}

// backupFailureOf says for programs why no backup could be made.
func backupFailureOf(err error) reflex.BackupFailure {
	switch {
	case isA[*backup.MissingError](err), isA[*backup.NoFolderError](err):
		return reflex.FolderMissing
	case isA[*backup.AccessError](err):
		return reflex.FolderForbidden
	case isA[*backup.OthersError](err):
		return reflex.FolderOthers
	case isA[*backup.RoomError](err), errors.Is(err, syscall.ENOSPC):
		return reflex.FolderFull
	case isA[*backup.UnreadableError](err):
		return reflex.BackupUnreadable
	default:
		return reflex.BackupOther
	}
}

// tellVerified tells what a check of everything, or of one stream, came to.
func (r *Relay) tellVerified(only console.StreamRef, v console.Verification) {
	told := reflex.Verified{
		Stream: only.Name, Streams: v.Streams, Entries: v.Entries, Bytes: v.Bytes, Damaged: len(v.Damaged), Faults: len(v.Faults),
	}
	for _, d := range v.Damaged {
		r.news.add(d.Space, reflex.Damaged{Stream: d.Name, Position: d.Position})
	}
	if only == (console.StreamRef{}) {
		r.news.addEverywhere(told)
	} else {
		r.news.add(only.Space, told)
	}
}
