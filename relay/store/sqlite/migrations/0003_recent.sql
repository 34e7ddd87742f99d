-- Batches that the index does not have yet, a row for those of one transaction.
-- The index lies in the order of hashes, so that each new row of it is on another
-- page; they go there by the ten thousand, sorted, in several transactions, during
-- which they are in both.
--
-- A row has its greatest batch, in the order of the index, and all others in the
-- same form, 24 bytes each: stream, key and first, big-endian. Since the greatest
-- one goes into the index last, all of the row are there once that is.
CREATE TABLE recent (
  id     INTEGER PRIMARY KEY,
  stream INTEGER NOT NULL,
  key    INTEGER NOT NULL,
  first  INTEGER NOT NULL,
  others BLOB    NOT NULL CHECK (length(others) % 24 = 0)
) STRICT;

CREATE TRIGGER recent_batches_come_once BEFORE INSERT ON recent
WHEN EXISTS (SELECT 1 FROM recent WHERE id = NEW.id)
BEGIN
  SELECT RAISE(ABORT, 'recent batches come once');
END;

CREATE TRIGGER recent_batches_never_change BEFORE UPDATE ON recent BEGIN
  SELECT RAISE(ABORT, 'recent batches never change');
END;

CREATE TRIGGER recent_batches_go_into_the_index BEFORE DELETE ON recent
WHEN NOT EXISTS (SELECT 1 FROM batch WHERE stream = OLD.stream AND key = OLD.key AND first = OLD.first)
BEGIN
  SELECT RAISE(ABORT, 'recent batches go into the index');
END;
