// Bench measures relays side by side: Hearth, the published relay
// efema-server where it is installed, and, as the ceiling of both, a server that
// does nothing on the HTTP library that Hearth uses. Each runs in a process of
// its own, with its data on the same disk and its full durability; they take
// turns, round by round, so that a busy minute of the machine meets all of them.
//
// It prints a table in Markdown, and below it which of Hearth's targets are met.
// Progress goes to standard error. What it knows of processes comes from /proc:
// elsewhere than on Linux those columns stay empty.
package main
