package sqlite

// RunQueries are the questions for runs that are asked again and again.
var RunQueries = map[string]string{
	"due": dueRuns, "due later": dueLater, "rules with due ones": dueRule, "leases": leasedRuns,
	"the first in line": firstInLine, "the active in line": activeInLine,
}
