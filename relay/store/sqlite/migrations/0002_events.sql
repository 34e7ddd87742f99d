-- What a stream of events takes beside its entries: their schemas, and the
-- results of commands.
--
-- The index of batches also has the events, under the first eight bytes of the
-- SHA-256 of their ids, except those whose ids tell their positions.

-- What events of a type have to be like.
CREATE TABLE event_type (
  space      INTEGER NOT NULL REFERENCES space (key),
  name       TEXT    NOT NULL CHECK (octet_length(name) BETWEEN 1 AND 128),
  schema     BLOB    NOT NULL,
  changed_at INTEGER NOT NULL,
  PRIMARY KEY (space, name)
) STRICT, WITHOUT ROWID;

-- The results of commands, in the order in which they came. The first one stays:
-- a command that comes again is answered with it.
CREATE TABLE command (
  seq    INTEGER PRIMARY KEY,
  key    BLOB    NOT NULL UNIQUE CHECK (length(key) = 16),
  at     INTEGER NOT NULL,
  result BLOB    NOT NULL CHECK (length(result) BETWEEN 1 AND 8192)
) STRICT;

CREATE TRIGGER command_runs_once BEFORE INSERT ON command
WHEN EXISTS (SELECT 1 FROM command WHERE key = NEW.key) OR EXISTS (SELECT 1 FROM command WHERE seq = NEW.seq) BEGIN
  SELECT RAISE(ABORT, 'a command runs once');
END;

CREATE TRIGGER command_never_changes BEFORE UPDATE ON command BEGIN
  SELECT RAISE(ABORT, 'a command never changes');
END;

CREATE TRIGGER command_goes_in_turn BEFORE DELETE ON command
WHEN OLD.seq <> (SELECT min(seq) FROM command) BEGIN
  SELECT RAISE(ABORT, 'a command goes in turn');
END;
