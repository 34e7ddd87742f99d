// Package storetest is what every store has to hold to, written down as tests.
//
// A store's own tests call Run. What only one kind of store can show, such as
// what its files look like after a crash, stays with that store.
package storetest

import (
	"testing"

	"hearth/relay/store"
)

// Open opens the store that is kept in a folder: a new one in an empty folder,
// and what an earlier one left there otherwise. Publish hears of every stream
// that has moved, once that is safe and before its writer is answered. A store
// that cannot be opened ends the test.
type Open func(t testing.TB, folder string, publish func([]store.Moved)) store.Store

// Run holds the stores that open opens to the contract.
func Run(t *testing.T, open Open) {
	for _, promise := range []struct {
		name string
		test func(*testing.T, Open)
	}{
		{"Creation", testCreation},
		{"Identity", testIdentity},
		{"First", testFirst},
		{"Kind", testKind},
		{"Events", testEvents},
		{"EventIDs", testEventIDs},
		{"EventIDsLikeDrawn", testEventIDsLikeDrawn},
		{"MalformedEvents", testMalformedEvents},
		{"RacingEvents", testRacingEvents},
		{"Chains", testChains},
		{"LargePublication", testLargePublication},
		{"Commands", testCommands},
		{"RacingCommands", testRacingCommands},
		{"Types", testTypes},
		{"Epoch", testEpoch},
		{"Chain", testChain},
		{"RacingWriters", testRacingWriters},
		{"RacingCreation", testRacingCreation},
		{"Repeat", testRepeat},
		{"RepeatAfterRestart", testRepeatAfterRestart},
		{"RacingRepeats", testRacingRepeats},
		{"Cursor", testCursor},
		{"CursorEverywhere", testCursorEverywhere},
		{"Behind", testBehind},
		{"PageEntries", testPageEntries},
		{"PageBytes", testPageBytes},
		{"Heads", testHeads},
		{"Streams", testStreams},
		{"Stream", testStream},
		{"Back", testBack},
		{"BackBytes", testBackBytes},
		{"Record", testRecord},
		{"Epochs", testEpochs},
		{"Runs", testRuns},
		{"Restore", testRestore},
		{"RestoreBehind", testRestoreBehind},
		{"RestoreEvents", testRestoreEvents},
		{"RestoreRefused", testRestoreRefused},
		{"RestoreBrokenOff", testRestoreBrokenOff},
		{"Totals", testTotals},
		{"Verify", testVerify},
		{"VerifyOne", testVerifyOne},
		{"VerifyAmongWriters", testVerifyAmongWriters},
		{"Publish", testPublish},
		{"PublishInOrder", testPublishInOrder},
		{"Cancelled", testCancelled},
		{"Closed", testClosed},
		{"CloseAmongWriters", testCloseAmongWriters},
		{"Reopen", testReopen},
		{"ManyEntries", testManyEntries},
		{"LargeEntry", testLargeEntry},
		{"LargeBesideSmall", testLargeBesideSmall},
		{"React", testReact},
		{"ReactStale", testReactStale},
		{"ReactCommand", testReactCommand},
		{"ReactAlone", testReactAlone},
		{"ReactMalformed", testReactMalformed},
		{"RuleVersions", testRuleVersions},
		{"RacingVersions", testRacingVersions},
		{"InStep", testInStep},
		{"States", testStates},
		{"Schedules", testSchedules},
		{"RunLife", testRunLife},
		{"RunOrder", testRunOrder},
		{"RacingRuns", testRacingRuns},
		{"RuleRuns", testRuleRuns},
		{"RuleRunsBytes", testRuleRunsBytes},
		{"Leases", testLeases},
		{"Letters", testLetters},
		{"PruneRuns", testPruneRuns},
		{"RunModel", testRunModel},
		{"Model", testModel},
	} {
		t.Run(promise.name, func(t *testing.T) {
			t.Parallel() // they mostly wait for the disk
			promise.test(t, open)
		})
	}
}
