-- Streams of entries, append-only by the database's own word.
--
-- Times are milliseconds since 1970 in UTC.

CREATE TABLE space (
  key        INTEGER PRIMARY KEY,
  name       TEXT    NOT NULL UNIQUE CHECK (length(name) BETWEEN 1 AND 64),
  created_at INTEGER NOT NULL
) STRICT;

-- Triggers that name columns would miss a key that is called rowid, and delete
-- triggers miss a REPLACE unless recursive_triggers is on.

CREATE TRIGGER space_comes_once BEFORE INSERT ON space
WHEN EXISTS (SELECT 1 FROM space WHERE key = NEW.key OR name = NEW.name) BEGIN
  SELECT RAISE(ABORT, 'a space comes once');
END;

CREATE TRIGGER space_never_changes BEFORE UPDATE ON space BEGIN
  SELECT RAISE(ABORT, 'a space never changes');
END;

CREATE TRIGGER space_never_goes BEFORE DELETE ON space BEGIN
  SELECT RAISE(ABORT, 'a space never goes');
END;

-- A stream is there for others once its head is above 0. Entries up to the head
-- are promised; those between head and tail belong to a batch that is still
-- being written in several transactions, and go away if it is given up.
--
-- A key takes 25 bits and a position 38, so that both fit a run's id: room for
-- 33 million streams of 275 thousand million entries each.
CREATE TABLE stream (
  key        INTEGER PRIMARY KEY CHECK (key BETWEEN 1 AND 0x1ffffff),
  space      INTEGER NOT NULL REFERENCES space (key),
  name       TEXT    NOT NULL CHECK (length(name) BETWEEN 1 AND 64),
  kind       INTEGER NOT NULL CHECK (kind IN (0, 1)), -- 0 entries, 1 events
  id         BLOB    NOT NULL CHECK (length(id) = 16),
  epoch      INTEGER NOT NULL CHECK (epoch BETWEEN 0 AND 0xffffffff),
  head       INTEGER NOT NULL CHECK (head BETWEEN 0 AND 0x3fffffffff),
  tail       INTEGER NOT NULL CHECK (tail BETWEEN head AND 0x3fffffffff),
  link       BLOB    NOT NULL CHECK (length(link) = 32), -- at the head
  bytes      INTEGER NOT NULL CHECK (bytes >= 0),        -- of entries, up to the head
  created_at INTEGER NOT NULL,
  written_at INTEGER NOT NULL,
  UNIQUE (space, name)
) STRICT;

CREATE TRIGGER stream_starts_empty BEFORE INSERT ON stream
WHEN NEW.head <> 0 OR NEW.tail <> 0 OR NEW.bytes <> 0
  OR EXISTS (SELECT 1 FROM stream WHERE key = NEW.key)
  OR EXISTS (SELECT 1 FROM stream WHERE space = NEW.space AND name = NEW.name)
BEGIN
  SELECT RAISE(ABORT, 'a stream starts empty and once');
END;

CREATE TRIGGER stream_stays_itself BEFORE UPDATE ON stream
WHEN NEW.key IS NOT OLD.key OR NEW.space IS NOT OLD.space OR NEW.name IS NOT OLD.name
  OR NEW.kind IS NOT OLD.kind OR NEW.id IS NOT OLD.id OR NEW.created_at IS NOT OLD.created_at
BEGIN
  SELECT RAISE(ABORT, 'a stream stays itself');
END;

CREATE TRIGGER stream_only_grows BEFORE UPDATE OF head, epoch, bytes, link ON stream
WHEN NEW.head < OLD.head OR NEW.epoch < OLD.epoch OR NEW.bytes < OLD.bytes
  OR NEW.head = OLD.head AND (NEW.link IS NOT OLD.link OR NEW.epoch <> OLD.epoch OR NEW.bytes <> OLD.bytes)
BEGIN
  SELECT RAISE(ABORT, 'a stream only grows');
END;

CREATE TRIGGER stream_never_goes BEFORE DELETE ON stream WHEN OLD.head > 0 BEGIN
  SELECT RAISE(ABORT, 'a stream never goes');
END;

-- A run of consecutive entries, written in one transaction by one key, in the
-- encoding of the wire: id = stream << 38 | first position.
CREATE TABLE run (
  id         INTEGER PRIMARY KEY,
  count      INTEGER NOT NULL CHECK (count > 0),
  bytes      INTEGER NOT NULL CHECK (bytes >= 0), -- of entries
  written_at INTEGER NOT NULL,
  writer     TEXT,                                -- the key that wrote; NULL if none
  body       BLOB    NOT NULL
) STRICT;

CREATE TRIGGER run_follows_the_tail BEFORE INSERT ON run
WHEN NOT EXISTS (SELECT 1 FROM stream WHERE key = NEW.id >> 38 AND tail + 1 = NEW.id & 0x3fffffffff)
BEGIN
  SELECT RAISE(ABORT, 'a run follows the tail');
END;

CREATE TRIGGER run_moves_the_tail AFTER INSERT ON run BEGIN
  UPDATE stream SET tail = tail + NEW.count WHERE key = NEW.id >> 38;
END;

CREATE TRIGGER run_never_changes BEFORE UPDATE ON run BEGIN
  SELECT RAISE(ABORT, 'a run never changes');
END;

CREATE TRIGGER run_never_goes BEFORE DELETE ON run
WHEN OLD.id & 0x3fffffffff <= (SELECT head FROM stream WHERE key = OLD.id >> 38)
BEGIN
  SELECT RAISE(ABORT, 'a run never goes');
END;

CREATE TRIGGER tail_rises_with_a_run BEFORE UPDATE OF tail ON stream
WHEN NEW.tail > OLD.tail
  AND NOT EXISTS (SELECT 1 FROM run WHERE id = OLD.key << 38 | OLD.tail + 1 AND count = NEW.tail - OLD.tail)
BEGIN
  SELECT RAISE(ABORT, 'a tail rises with a run');
END;

CREATE TRIGGER tail_only_falls_to_the_head BEFORE UPDATE OF tail ON stream
WHEN NEW.tail < OLD.tail AND NEW.tail <> OLD.head
BEGIN
  SELECT RAISE(ABORT, 'a tail only falls to the head');
END;

-- Where batches are whose repeats can be told: the first eight bytes of the
-- batch's key, as a signed number, and its first position.
CREATE TABLE batch (
  stream INTEGER NOT NULL,
  key    INTEGER NOT NULL,
  first  INTEGER NOT NULL,
  PRIMARY KEY (stream, key, first)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER batch_never_changes BEFORE UPDATE ON batch BEGIN
  SELECT RAISE(ABORT, 'a batch never changes');
END;

CREATE TRIGGER batch_never_goes BEFORE DELETE ON batch BEGIN
  SELECT RAISE(ABORT, 'a batch never goes');
END;
