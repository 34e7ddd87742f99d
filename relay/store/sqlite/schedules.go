package sqlite

import (
	"context"
	"time"

	"hearth/relay/store"
)

// Schedules implements [store.Store].
func (r *Reader) Schedules(ctx context.Context, space string) (list []store.Schedule, err error) {
	err = r.readAutomations(ctx, "listing the schedules", func(conn *connection) error {
		last := int64(0)
		return bind(conn.Prep(`SELECT c.key, p.name, c.name, c.spec, c.changed_at, coalesce(t.stream, ''), coalesce(t.last, 0)
			FROM space p JOIN schedule c ON c.space = p.key LEFT JOIN tick t ON t.schedule = c.key
			WHERE ? IN (p.name, '') ORDER BY p.name, c.name`)).text(space).each(func(c *columns) bool {
			key := c.int()
			s := store.Schedule{Space: c.text(), Name: c.text(), Spec: c.blob(), ChangedAt: c.time()}
			if key != last {
				s.Ticks = make(map[string]time.Time)
				list, last = append(list, s), key
			}
			if stream := c.text(); stream != "" {
				list[len(list)-1].Ticks[stream] = c.time()
			}
			return true
		})
	})
	return list, err
}
