package backup_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"hearth/relay/backup"
)

// running runs a keeper within a bubble of time, until the function is called that it
// returns.
func running(t *testing.T, k *backup.Keeper) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		k.Run(ctx)
	}()
	return func() { cancel(); <-ended }
}

// after lets a time pass, and what is due in it happen.
func after(k *backup.Keeper, d time.Duration) int {
	time.Sleep(d)
	synctest.Wait()
	return len(k.State().Kept)
}

// Backups are made as often as is planned, the first once the relay has rested after
// its start; times that were missed while it did not run are made up for once.
func TestSchedule(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, plan := fill(t), backup.Plan{Folder: filepath.Join(t.TempDir(), "own"), Own: true, Every: 24 * time.Hour, Keep: 100}
		k := keeper(t, s, plan)
		stop := running(t, k)
		if n := after(k, 90*time.Second); n != 0 {
			t.Errorf("%d backups at once after the start", n)
		}
		if next := time.Until(k.State().Next); next <= 0 || next > time.Minute {
			t.Errorf("the first is to begin in %v", next)
		}
		if n := after(k, time.Minute); n != 1 {
			t.Errorf("%d backups once it has rested", n)
		}
		if n := after(k, 23*time.Hour); n != 1 {
			t.Errorf("%d backups before the next one is due", n)
		}
		if n := after(k, 9*24*time.Hour+2*time.Hour); n != 11 {
			t.Errorf("%d backups in ten days", n)
		}
		stop()
		time.Sleep(5*24*time.Hour + time.Hour)

		k = keeper(t, s, plan)
		stop = running(t, k)
		defer stop()
		if n := after(k, time.Hour); n != 12 {
			t.Errorf("%d backups after five days of rest, not one more than 11", n)
		}
		if n := after(k, 22*time.Hour); n != 12 {
			t.Errorf("%d backups within a day of the last one", n)
		}
		if n := after(k, 2*time.Hour); n != 13 {
			t.Errorf("%d backups after it", n)
		}

		// Another plan counts at once, and none makes none.
		plan.Every = time.Hour
		if err := k.Change(plan, false); err != nil {
			t.Fatal(err)
		}
		if n := after(k, 3*time.Hour+time.Minute); n != 16 {
			t.Errorf("%d backups three hours later", n)
		}
		plan.Every = 0
		if err := k.Change(plan, false); err != nil {
			t.Fatal(err)
		}
		if n := after(k, 1000*time.Hour); n != 16 || !k.State().Next.IsZero() {
			t.Errorf("%d backups without a plan", n)
		}
	})
}

// What failed is told and tried again, until it works. A share that comes back with
// a backup that is not old yet needs no other one.
func TestRetry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, share := fill(t), filepath.Join(t.TempDir(), "share")
		if err := os.Mkdir(share, 0o700); err != nil {
			t.Fatal(err)
		}
		plan := backup.Plan{Folder: share, Every: 24 * time.Hour, Keep: 100}
		k := keeper(t, s, backup.Plan{Keep: 1})
		if err := k.Change(plan, false); err != nil {
			t.Fatal(err)
		}
		away := func() {
			if err := os.Rename(share, share+".away"); err != nil {
				t.Fatal(err)
			}
		}
		back := func() {
			if err := os.Rename(share+".away", share); err != nil {
				t.Fatal(err)
			}
		}
		away()
		stop := running(t, k)
		if n := after(k, time.Hour); n != 0 {
			t.Errorf("%d backups on no share", n)
		}
		is[*backup.MissingError](t, k.State().Failed)
		back()
		if n := after(k, 11*time.Minute); n != 1 || k.State().Failed != nil {
			t.Errorf("%d backups once it is back, %v", n, k.State().Failed)
		}
		stop()

		away()
		k = keeper(t, s, plan)
		stop = running(t, k)
		defer stop()
		if after(k, time.Minute); k.State().Failed != nil {
			t.Errorf("a share that is on its way perhaps: %v", k.State().Failed)
		}
		after(k, 2*time.Minute) // long before one is due
		is[*backup.MissingError](t, k.State().Failed)
		back()
		if n := after(k, time.Hour); n != 1 || k.State().Failed != nil {
			t.Errorf("%d backups, and one is new enough: %v", n, k.State().Failed)
		}
	})
}

// A clock that was set back far does not keep the next backup away until it has
// caught up.
func TestClockSetBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, plan := fill(t), backup.Plan{Folder: filepath.Join(t.TempDir(), "own"), Own: true, Every: 24 * time.Hour, Keep: 100}
		k := keeper(t, s, plan)
		backUp(t, k, "")
		marker := filepath.Join(plan.Folder, "hearth-backups.json")
		data, err := os.ReadFile(marker)
		if err == nil {
			err = os.WriteFile(marker, later(data), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		k = keeper(t, s, plan)
		stop := running(t, k)
		defer stop()
		if n := after(k, time.Hour); n != 2 {
			t.Errorf("%d backups an hour after the start", n)
		}
		if n := after(k, 24*time.Hour); n != 3 {
			t.Errorf("%d backups a day later", n)
		}
	})
}
