-- What rules and schedules come to.
--
-- Times are microseconds since 1970 in UTC, as those of events; 0 is no time.

CREATE TABLE rule (
  key   INTEGER PRIMARY KEY,
  space INTEGER NOT NULL REFERENCES space (key),
  name  TEXT    NOT NULL CHECK (octet_length(name) BETWEEN 1 AND 400),
  UNIQUE (space, name)
) STRICT;

CREATE TRIGGER rule_comes_once BEFORE INSERT ON rule
WHEN EXISTS (SELECT 1 FROM rule WHERE key = NEW.key)
  OR EXISTS (SELECT 1 FROM rule WHERE space = NEW.space AND name = NEW.name)
BEGIN
  SELECT RAISE(ABORT, 'a rule comes once');
END;

CREATE TRIGGER rule_stays_itself BEFORE UPDATE ON rule BEGIN
  SELECT RAISE(ABORT, 'a rule stays itself');
END;

CREATE TRIGGER rule_never_goes BEFORE DELETE ON rule BEGIN
  SELECT RAISE(ABORT, 'a rule never goes');
END;

-- The id of its newest version is the revision of a space's rules.
CREATE TABLE version (
  id         INTEGER PRIMARY KEY,
  space      INTEGER NOT NULL REFERENCES space (key), -- that of the rule
  rule       INTEGER NOT NULL REFERENCES rule (key),
  version    INTEGER NOT NULL,
  archived   INTEGER NOT NULL CHECK (archived IN (0, 1)),
  spec       BLOB    NOT NULL CHECK (length(spec) BETWEEN 1 AND 65536),
  provenance BLOB    NOT NULL, -- empty if nothing was said
  actor      BLOB    NOT NULL,
  reason     TEXT    NOT NULL,
  at         INTEGER NOT NULL,
  UNIQUE (rule, version)
) STRICT;

CREATE INDEX version_of_space ON version (space);

CREATE TRIGGER version_follows BEFORE INSERT ON version
WHEN NEW.version IS NOT (SELECT coalesce(max(version), 0) + 1 FROM version WHERE rule = NEW.rule)
  OR NEW.space IS NOT (SELECT space FROM rule WHERE key = NEW.rule)
  OR EXISTS (SELECT 1 FROM version WHERE id = NEW.id)
BEGIN
  SELECT RAISE(ABORT, 'a version follows');
END;

CREATE TRIGGER version_never_changes BEFORE UPDATE ON version BEGIN
  SELECT RAISE(ABORT, 'a version never changes');
END;

CREATE TRIGGER version_never_goes BEFORE DELETE ON version BEGIN
  SELECT RAISE(ABORT, 'a version never goes');
END;

-- How far a stream is evaluated by all rules that are in step.
CREATE TABLE evaluation (
  stream INTEGER PRIMARY KEY REFERENCES stream (key),
  cursor INTEGER NOT NULL CHECK (cursor >= 0)
) STRICT;

CREATE TRIGGER evaluation_comes_once BEFORE INSERT ON evaluation
WHEN EXISTS (SELECT 1 FROM evaluation WHERE stream = NEW.stream)
  OR NEW.cursor > (SELECT head FROM stream WHERE key = NEW.stream)
BEGIN
  SELECT RAISE(ABORT, 'an evaluation comes once');
END;

CREATE TRIGGER evaluation_rises_to_the_head BEFORE UPDATE ON evaluation
WHEN NEW.stream IS NOT OLD.stream OR NEW.cursor < OLD.cursor
  OR NEW.cursor > (SELECT head FROM stream WHERE key = NEW.stream)
BEGIN
  SELECT RAISE(ABORT, 'an evaluation rises to the head');
END;

CREATE TRIGGER evaluation_never_goes BEFORE DELETE ON evaluation BEGIN
  SELECT RAISE(ABORT, 'an evaluation never goes');
END;

-- How far a rule has come in a stream. The cursor of one in step is that of the
-- stream, and here where it was when it came to be so: what an event costs does
-- not grow with the rules.
CREATE TABLE progress (
  stream         INTEGER NOT NULL REFERENCES stream (key),
  rule           INTEGER NOT NULL REFERENCES rule (key),
  in_step        INTEGER NOT NULL CHECK (in_step IN (0, 1)),
  cursor         INTEGER NOT NULL CHECK (cursor >= 0),
  generation     INTEGER NOT NULL CHECK (generation >= 0),
  definition     TEXT    NOT NULL,
  silent_through INTEGER NOT NULL CHECK (silent_through >= 0),
  scopes         INTEGER NOT NULL CHECK (scopes >= 0), -- the rows of scope
  PRIMARY KEY (stream, rule)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER progress_comes_once BEFORE INSERT ON progress
WHEN EXISTS (SELECT 1 FROM progress WHERE stream = NEW.stream AND rule = NEW.rule)
  OR NEW.cursor > (SELECT head FROM stream WHERE key = NEW.stream)
BEGIN
  SELECT RAISE(ABORT, 'the progress comes once');
END;

CREATE TRIGGER progress_goes_on BEFORE UPDATE ON progress
WHEN NEW.stream IS NOT OLD.stream OR NEW.rule IS NOT OLD.rule OR NEW.generation < OLD.generation
  OR NEW.generation = OLD.generation AND NEW.cursor < OLD.cursor
  OR NEW.cursor > (SELECT head FROM stream WHERE key = NEW.stream)
BEGIN
  SELECT RAISE(ABORT, 'the progress goes on');
END;

CREATE TRIGGER progress_never_goes BEFORE DELETE ON progress BEGIN
  SELECT RAISE(ABORT, 'the progress never goes');
END;

-- What a rule remembers of a stream in a scope.
CREATE TABLE scope (
  stream   INTEGER NOT NULL,
  rule     INTEGER NOT NULL,
  scope    TEXT    NOT NULL,
  deadline INTEGER NOT NULL, -- when something is to happen by itself
  state    BLOB    NOT NULL,
  UNIQUE (stream, rule, scope),
  FOREIGN KEY (stream, rule) REFERENCES progress (stream, rule) DEFERRABLE INITIALLY DEFERRED
) STRICT;

CREATE INDEX scope_due ON scope (stream, rule, deadline, scope) WHERE deadline > 0;

-- What rules have set off. Its status: 0 pending, 1 running, 2 retrying, 3 dead
-- lettered, 4 succeeded, 5 skipped, 6 cancelled.
--
-- An ordered run waits for those before it in its scope. When it may begin is in due,
-- and NULL for all that may not: those who look for runs find nothing else there.
CREATE TABLE firing (
  number      INTEGER PRIMARY KEY AUTOINCREMENT, -- so that none comes again
  stream      INTEGER NOT NULL REFERENCES stream (key),
  id          TEXT    NOT NULL CHECK (octet_length(id) BETWEEN 1 AND 256),
  rule        INTEGER NOT NULL REFERENCES rule (key),
  scope_key   TEXT    NOT NULL,
  scope       BLOB    NOT NULL,
  seq         INTEGER NOT NULL CHECK (seq > 0),
  matched     BLOB    NOT NULL, -- positions, as varints
  chain       TEXT    NOT NULL,
  depth       INTEGER NOT NULL CHECK (depth >= 0),
  created_at  INTEGER NOT NULL,
  ordered     INTEGER NOT NULL CHECK (ordered IN (0, 1)),
  blocks      INTEGER NOT NULL CHECK (blocks IN (0, 1)),
  held        INTEGER NOT NULL CHECK (held IN (0, 1)),
  status      INTEGER NOT NULL CHECK (status BETWEEN 0 AND 6),
  epoch       INTEGER NOT NULL CHECK (epoch > 0),
  tried       INTEGER NOT NULL CHECK (tried >= 0),
  next_at     INTEGER NOT NULL,
  due         INTEGER CHECK (due IS NULL OR status IN (0, 2) AND held = 0 AND due IS next_at),
  lease       INTEGER NOT NULL CHECK (lease = 0 OR status = 1),
  updated_at  INTEGER NOT NULL,
  error       TEXT    NOT NULL,
  reason      TEXT    NOT NULL,
  step        TEXT    NOT NULL,
  checkpoints INTEGER NOT NULL CHECK (checkpoints >= 0),
  output      BLOB    NOT NULL,
  UNIQUE (stream, id)
) STRICT;

-- The newest of a stream, of a rule in it, in a scope of that.
CREATE INDEX firing_in_stream ON firing (stream);
CREATE INDEX firing_of_rule ON firing (stream, rule);
CREATE INDEX firing_in_scope ON firing (stream, rule, scope_key);
CREATE INDEX firing_with_status ON firing (stream, status) WHERE status <> 4;

-- Who waits for whom, what may begin and what runs: of runs that are not over, so
-- that a million of those cost nothing.
CREATE INDEX firing_in_line ON firing (stream, rule, scope_key, seq, number)
WHERE ordered = 1 AND (status < 3 OR status = 3 AND blocks = 1);
CREATE INDEX firing_due ON firing (stream, rule, due, number) WHERE due IS NOT NULL;
CREATE INDEX firing_running ON firing (lease) WHERE status = 1;
CREATE INDEX firing_unfinished ON firing (stream, rule, status) WHERE status < 3;

-- Of an ordered scope one is run after the other.
CREATE UNIQUE INDEX firing_one_by_one ON firing (stream, rule, scope_key)
WHERE ordered = 1 AND (status = 1 OR due IS NOT NULL);

-- What has been over the longest.
CREATE INDEX firing_over ON firing (updated_at) WHERE status > 3;

CREATE TRIGGER firing_comes_once BEFORE INSERT ON firing
WHEN EXISTS (SELECT 1 FROM firing WHERE number = NEW.number)
  OR EXISTS (SELECT 1 FROM firing WHERE stream = NEW.stream AND id = NEW.id)
BEGIN
  SELECT RAISE(ABORT, 'a firing comes once');
END;

CREATE TRIGGER firing_stays_itself BEFORE UPDATE ON firing
WHEN NEW.number IS NOT OLD.number OR NEW.stream IS NOT OLD.stream OR NEW.id IS NOT OLD.id OR NEW.rule IS NOT OLD.rule
  OR NEW.scope_key IS NOT OLD.scope_key OR NEW.scope IS NOT OLD.scope OR NEW.seq IS NOT OLD.seq OR NEW.matched IS NOT OLD.matched
  OR NEW.chain IS NOT OLD.chain OR NEW.depth IS NOT OLD.depth OR NEW.created_at IS NOT OLD.created_at OR NEW.epoch < OLD.epoch
BEGIN
  SELECT RAISE(ABORT, 'a firing stays itself');
END;

CREATE TRIGGER firing_goes_once_over BEFORE DELETE ON firing WHEN OLD.status < 4 BEGIN
  SELECT RAISE(ABORT, 'a firing goes once over');
END;

CREATE TABLE attempt (
  run     INTEGER NOT NULL REFERENCES firing (number) ON DELETE CASCADE,
  number  INTEGER NOT NULL CHECK (number > 0),
  started INTEGER NOT NULL,
  ended   INTEGER NOT NULL,
  error   TEXT    NOT NULL,
  reason  TEXT    NOT NULL,
  PRIMARY KEY (run, number)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER attempt_follows BEFORE INSERT ON attempt
WHEN NEW.number IS NOT (SELECT coalesce(max(number), 0) + 1 FROM attempt WHERE run = NEW.run) BEGIN
  SELECT RAISE(ABORT, 'an attempt follows');
END;

CREATE TRIGGER attempt_ends_once BEFORE UPDATE ON attempt
WHEN OLD.ended <> 0 OR NEW.run IS NOT OLD.run OR NEW.number IS NOT OLD.number OR NEW.started IS NOT OLD.started BEGIN
  SELECT RAISE(ABORT, 'an attempt ends once');
END;

CREATE TRIGGER attempt_goes_with_its_run BEFORE DELETE ON attempt
WHEN EXISTS (SELECT 1 FROM firing WHERE number = OLD.run) BEGIN
  SELECT RAISE(ABORT, 'an attempt goes with its run');
END;

-- Where a run would go on, beside its row since it is large and that is written often.
CREATE TABLE checkpoint (
  run  INTEGER PRIMARY KEY REFERENCES firing (number) ON DELETE CASCADE,
  data BLOB    NOT NULL
) STRICT;

-- What went wrong and nobody has dealt with yet.
CREATE TABLE letter (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  stream INTEGER NOT NULL REFERENCES stream (key),
  rule   INTEGER NOT NULL REFERENCES rule (key),
  seq    INTEGER NOT NULL CHECK (seq > 0),
  run    TEXT, -- the id of the run; NULL if it is the event that could not be evaluated
  error  TEXT    NOT NULL,
  reason TEXT    NOT NULL,
  at     INTEGER NOT NULL
) STRICT;

CREATE INDEX letter_in_stream ON letter (stream);
CREATE INDEX letter_of_rule ON letter (stream, rule);
CREATE UNIQUE INDEX letter_of_run ON letter (stream, run) WHERE run IS NOT NULL;

CREATE TRIGGER letter_comes_once BEFORE INSERT ON letter
WHEN EXISTS (SELECT 1 FROM letter WHERE number = NEW.number)
  OR EXISTS (SELECT 1 FROM letter WHERE stream = NEW.stream AND run = NEW.run)
BEGIN
  SELECT RAISE(ABORT, 'a letter comes once');
END;

CREATE TRIGGER letter_never_changes BEFORE UPDATE ON letter BEGIN
  SELECT RAISE(ABORT, 'a letter never changes');
END;

-- A run has its letter for as long as it is dead lettered.
CREATE TRIGGER letter_stays_with_its_run BEFORE DELETE ON letter
WHEN EXISTS (SELECT 1 FROM firing WHERE stream = OLD.stream AND id = OLD.run AND status = 3) BEGIN
  SELECT RAISE(ABORT, 'a letter stays with its run');
END;

CREATE TABLE schedule (
  key        INTEGER PRIMARY KEY,
  space      INTEGER NOT NULL REFERENCES space (key),
  name       TEXT    NOT NULL CHECK (octet_length(name) BETWEEN 1 AND 400),
  spec       BLOB    NOT NULL CHECK (length(spec) BETWEEN 1 AND 65536),
  changed_at INTEGER NOT NULL,
  UNIQUE (space, name)
) STRICT;

-- When a schedule ticked last, by the names of streams: one that it is to tick in
-- need not be there yet.
CREATE TABLE tick (
  schedule INTEGER NOT NULL REFERENCES schedule (key) ON DELETE CASCADE,
  stream   TEXT    NOT NULL CHECK (length(stream) BETWEEN 1 AND 64),
  last     INTEGER NOT NULL,
  PRIMARY KEY (schedule, stream)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER tick_comes_later BEFORE UPDATE ON tick
WHEN NEW.schedule IS NOT OLD.schedule OR NEW.stream IS NOT OLD.stream OR NEW.last <= OLD.last BEGIN
  SELECT RAISE(ABORT, 'a tick comes later');
END;
