package sqlite

import (
	"context"
	"errors"
	"slices"
	"time"

	"hearth/relay/protocol"
	"hearth/relay/store"
)

// runsBack lists the runs of a stream that start at or before a position, the
// last one first.
const runsBack = `SELECT id, count, bytes, body, written_at, coalesce(writer, '') FROM run
	WHERE id BETWEEN ? AND ? ORDER BY id DESC`

// Back implements [store.Store].
func (r *Reader) Back(ctx context.Context, ref store.Ref, before uint64, limit int) (list []store.Record, err error) {
	err = r.read(ctx, func(conn *connection) error {
		s, err := r.find(conn, ref)
		if err != nil {
			return err
		}
		last := s.Head
		if before > 0 {
			last = min(last, before-1)
		}
		list, err = r.back(conn, s, last, limit)
		return err
	})
	return list, err
}

// Record implements [store.Store].
func (r *Reader) Record(ctx context.Context, ref store.Ref, seq uint64) (record store.Record, err error) {
	err = r.read(ctx, func(conn *connection) error {
		s, err := r.find(conn, ref)
		if err != nil {
			return err
		}
		if seq == 0 || seq > s.Head {
			return &store.NotFoundError{Ref: ref, Seq: seq}
		}
		list, err := r.back(conn, s, seq, 1)
		if err != nil {
			return err
		}
		record = list[0]
		return nil
	})
	return record, err
}

// Epochs implements [store.Store]. Epochs only rise, so where one begins is found
// by halving what precedes it.
func (r *Reader) Epochs(ctx context.Context, ref store.Ref, limit int) (list []store.EpochStart, err error) {
	err = r.read(ctx, func(conn *connection) error {
		s, err := r.find(conn, ref)
		if err != nil {
			return err
		}
		for last := s.Head; last > 0 && len(list) < limit; last = list[len(list)-1].Seq - 1 {
			epoch, err := r.epochAt(conn, s, last)
			if err != nil {
				return err
			}
			low, high := uint64(1), last // the epoch begins between these
			for low < high {
				middle := low + (high-low)/2
				there, err := r.epochAt(conn, s, middle)
				if err != nil {
					return err
				}
				if there == epoch {
					high = middle
				} else {
					low = middle + 1
				}
			}
			list = append(list, store.EpochStart{Epoch: epoch, Seq: low})
		}
		return nil
	})
	return list, err
}

// epochAt returns the epoch of an entry.
func (r *Reader) epochAt(conn *connection, s found, seq uint64) (uint32, error) {
	list, err := r.back(conn, s, seq, 1)
	if err != nil {
		return 0, err
	}
	return list[0].Epoch, nil
}

// back reads entries up to a position, newest first, until it has limit of them
// or the bytes of a page.
func (r *Reader) back(conn *connection, s found, last uint64, limit int) (list []store.Record, err error) {
	if last == 0 || limit <= 0 {
		return nil, nil
	}
	stmt := conn.Prep(runsBack)
	stmt.BindInt64(1, runID(s.key, 1))
	stmt.BindInt64(2, runID(s.key, last))
	defer func() { err = errors.Join(err, stmt.Reset()) }()
	for room := protocol.MaxPageData; last > 0 && len(list) < limit && room > 0; {
		more, err := stmt.Step()
		if err != nil {
			return nil, r.damage.reading(s.Ref, last, err)
		}
		if !more {
			return nil, r.damage.note(&store.DamagedError{Ref: s.Ref, Seq: last, Reason: "its entries are missing"})
		}
		records, err := backRun(scanRow(stmt), last, limit-len(list))
		if err != nil {
			return nil, r.damage.note(&store.DamagedError{Ref: s.Ref, Seq: last, Reason: err.Error()})
		}
		at, writer := time.UnixMilli(stmt.ColumnInt64(4)).UTC(), stmt.ColumnText(5)
		for _, e := range slices.Backward(records) {
			list = append(list, store.Record{Entry: e, WrittenAt: at, Writer: writer})
			room -= len(e.Data)
		}
		last = records[0].Seq - 1
	}
	return list, nil
}

// backRun returns up to limit entries of a run that end at a position, in their
// order. The error says how the run is damaged.
func backRun(run row, last uint64, limit int) ([]protocol.Entry, error) {
	if run.last() < last {
		return nil, errors.New("its entries are missing")
	}
	first := max(run.first, last-min(last, uint64(limit))+1)
	e, rest, err := run.seek(first)
	if err != nil {
		return nil, err
	}
	entries := make([]protocol.Entry, 0, last-first+1)
	for entries = append(entries, e); e.Seq < last; entries = append(entries, e) {
		want := e.Seq + 1
		if e, rest, err = protocol.DecodeEntry(rest); err != nil {
			return nil, err
		}
		if e.Seq != want {
			return nil, errors.New("its entries are not in their order")
		}
	}
	return entries, nil
}
