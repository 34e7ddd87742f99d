package relay

import (
	"context"
	"io"
	"time"

	"hearth/relay/archive"
	"hearth/relay/console"
	"hearth/relay/store"
)

// Archives returns the way in which streams leave the relay and come back.
func (r *Relay) Archives() console.Archives { return r.view() }

// Export implements [console.Archives].
func (v view) Export(ctx context.Context, to io.Writer, streams []console.StreamRef) error {
	return v.export(ctx, to, streams, archive.Manifest{Relay: v.relay.ID(), Version: v.relay.options.Version})
}

// Export writes an archive as [console.Archives] says it.
func (s *Stopped) Export(ctx context.Context, to io.Writer, streams []console.StreamRef) error {
	return s.export(ctx, to, streams, archive.Manifest{Relay: s.id})
}

func (l look) export(ctx context.Context, to io.Writer, refs []console.StreamRef, m archive.Manifest) error {
	// All of them first: whoever asks for what is not there gets nothing.
	for _, ref := range refs {
		if s, err := l.store.Stream(ctx, store.Ref(ref)); err != nil {
			return notFound(err)
		} else if s.Damage != nil {
			return s.Damage
		}
	}
	m.Made = time.Now().UTC().Truncate(time.Second)
	w, err := archive.NewWriter(to, m)
	if err != nil {
		return err
	}
	for _, ref := range refs {
		if err := l.exportStream(ctx, w, store.Ref(ref)); err != nil {
			return notFound(err)
		}
	}
	return w.Close()
}

// exportStream writes a stream up to the head that it has now.
func (l look) exportStream(ctx context.Context, w *archive.Writer, ref store.Ref) error {
	s, err := l.store.Stream(ctx, ref)
	if err != nil {
		return err
	}
	if err := w.Stream(s); err != nil {
		return err
	}
	walk := store.NewWalk(ref, s.Kind, s.Identity)
	for walk.Seq() < s.Head {
		runs, err := l.store.Runs(ctx, ref, walk.Seq(), s.Head)
		if err != nil {
			return err
		}
		stretch, err := walk.Take(runs)
		if err == nil {
			err = stretch.Check()
		}
		if err != nil {
			return err
		}
		for _, r := range runs {
			if err := w.Run(r); err != nil {
				return err
			}
		}
	}
	return walk.End(s)
}
