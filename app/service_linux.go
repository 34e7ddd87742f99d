//go:build !headless

package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/adrg/xdg"
)

// userService is the relay as a person's own service, as systemd knows it.
const userService = "hearth.service"

// wakeService starts that service if the person has enabled it, and says whether
// it did. At login the desktop starts the window just then: were the window's
// relay the first, the service could not start for as long as it is open.
func wakeService(ctx context.Context) bool {
	enabled := slices.ContainsFunc([]string{xdg.ConfigHome, "/etc"}, func(config string) bool {
		_, err := os.Lstat(filepath.Join(config, "systemd", "user", "default.target.wants", userService))
		return err == nil
	})
	if !enabled {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, comePatience)
	defer cancel()
	return exec.CommandContext(ctx, "systemctl", "--user", "start", userService).Run() == nil
}
