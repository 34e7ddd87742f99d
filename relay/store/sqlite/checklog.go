package sqlite

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"os"
)

// Places in a write-ahead log (SQLite's file format, section 4.1), which is a
// header and frames of a page each. Its numbers are big-endian.
const (
	logHeaderSize     = 32
	logMagic          = 0x377f0682 // its last bit says how checksums read what they sum up
	logPageSize       = 8
	logSalt           = 16 // two words, which each frame repeats
	logChecksum       = 24 // two words, over what precedes them
	frameHeaderSize   = 24
	frameCommit       = 4 // not 0 in the last frame of a commit
	frameSalt         = 8
	frameChecksum     = 16
	summedFrameHeader = 8 // bytes of it that are summed up, before the page
	maxPageSize       = 64 << 10
)

// checkLog tells a log that was hurt from one that was cut short. SQLite takes a
// log up to the first frame that is not whole: what a crash leaves ends in such a
// frame, if it is not whole itself, since a commit is only begun when the one
// before it is on the disk. Where commits follow that frame they were promised,
// and would be gone without a word.
func checkLog(path string) error {
	f, err := os.Open(path + logSuffix)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return &AccessError{Path: path, Err: err}
	}
	defer f.Close()
	in := bufio.NewReaderSize(f, 1<<20)
	var header [logHeaderSize]byte
	if _, err := io.ReadFull(in, header[:]); err != nil || header == [logHeaderSize]byte{} {
		return nil // it is synced before the first commit
	}
	l := logReader{order: binary.LittleEndian, salt: [8]byte(header[logSalt:])}
	magic := binary.BigEndian.Uint32(header[:])
	if magic&1 == 1 {
		l.order = binary.BigEndian
	}
	size := binary.BigEndian.Uint32(header[logPageSize:])
	l.sums = l.over(checksums{}, header[:logChecksum])
	if magic&^1 != logMagic || size > maxPageSize || l.sums != checksumsAt(header[logChecksum:]) {
		return &DamagedFileError{Path: path, Err: errors.New("the header of its log is not as SQLite wrote it")}
	}
	for frame := make([]byte, frameHeaderSize+size); ; {
		if _, err := io.ReadFull(in, frame); err != nil {
			if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
				return nil
			}
			return &AccessError{Path: path, Err: err}
		}
		if !l.take(frame) {
			return &DamagedFileError{Path: path, Err: errors.New("its log is hurt before commits that it holds")}
		}
	}
}

// checksums are the checksums at a place of a log.
type checksums [2]uint32

func checksumsAt(b []byte) checksums {
	return checksums{binary.BigEndian.Uint32(b), binary.BigEndian.Uint32(b[4:])}
}

// logReader goes along a log.
type logReader struct {
	order binary.ByteOrder
	salt  [8]byte
	sums  checksums // that the last frame says to have

	broken    bool // a frame was not whole
	committed bool // since then, and by the last frame
}

// over continues checksums over some words.
func (l *logReader) over(s checksums, data []byte) checksums {
	for ; len(data) >= 8; data = data[8:] {
		s[0] += l.order.Uint32(data) + s[1]
		s[1] += l.order.Uint32(data[4:]) + s[0]
	}
	return s
}

// take goes on to the next frame, and returns false if a commit before it is lost:
// one that ends behind the first frame that is not whole, and that this one was
// written after. What an earlier use of the file left has another salt, and what a
// failed commit left was not followed by anything.
func (l *logReader) take(frame []byte) bool {
	sums := l.over(l.over(l.sums, frame[:summedFrameHeader]), frame[frameHeaderSize:])
	l.sums = checksumsAt(frame[frameChecksum:])
	whole := sums == l.sums && [8]byte(frame[frameSalt:]) == l.salt
	if whole && l.committed {
		return false
	}
	l.broken = l.broken || !whole
	l.committed = l.broken && binary.BigEndian.Uint32(frame[frameCommit:]) != 0
	return true
}
