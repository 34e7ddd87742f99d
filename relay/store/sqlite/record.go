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

// back reads entries up to a position, newest first.
func (r *Reader) back(conn *connection, s found, last uint64, limit int) (list []store.Record, err error) {
	if last == 0 || limit <= 0 {
		return nil, nil
	}
	stmt := conn.Prep(runsBack)
	stmt.BindInt64(1, runID(s.key, 1))
	stmt.BindInt64(2, runID(s.key, last))
	defer func() { err = errors.Join(err, stmt.Reset()) }()
	for last > 0 && len(list) < limit {
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
