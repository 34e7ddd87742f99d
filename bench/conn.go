package main

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
)

// firstRead is how much a connection is ready to read before it knows how long
// an answer is, in bytes: small answers whole, in one system call.
const firstRead = 32 << 10

// conn is the least that speaks HTTP/1.1 to a server on this machine: what a
// general client does besides would be measured with the server.
type conn struct {
	tcp net.Conn
	buf []byte // grows with the largest answer
}

func dial(address string) (*conn, error) {
	tcp, err := net.Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	return &conn{tcp: tcp}, nil
}

func (c *conn) close() { _ = c.tcp.Close() }

// do sends a request and returns the body of its answer, which is valid until the
// next one. Any status but 200 is an error.
func (c *conn) do(request []byte) ([]byte, error) {
	if err := c.send(request); err != nil {
		return nil, err
	}
	return c.answer()
}

func (c *conn) send(request []byte) error {
	_, err := c.tcp.Write(request)
	return err
}

// answer reads the answer to a request.
func (c *conn) answer() ([]byte, error) {
	if c.buf == nil {
		c.buf = make([]byte, firstRead)
	}
	n, end := 0, -1
	for end < 0 {
		if n == len(c.buf) {
			return nil, fmt.Errorf("an answer with more than %d bytes of headers", n)
		}
		m, err := c.tcp.Read(c.buf[n:])
		n += m
		if end = bytes.Index(c.buf[:n], []byte("\r\n\r\n")); end < 0 && err != nil {
			return nil, err
		}
	}
	status, length, err := parseHead(c.buf[:end])
	if err != nil {
		return nil, err
	}
	start := end + 4
	total := start + length
	if total > len(c.buf) {
		c.buf = append(make([]byte, 0, total), c.buf[:n]...)[:total]
	}
	if _, err := io.ReadFull(c.tcp, c.buf[n:max(n, total)]); err != nil {
		return nil, err
	}
	body := c.buf[start:total]
	if status != http.StatusOK {
		return nil, fmt.Errorf("status %d: %.200q", status, body)
	}
	return body, nil
}

// parseHead returns the status and the length of the body.
func parseHead(head []byte) (status, length int, err error) {
	line, rest, _ := bytes.Cut(head, []byte("\r\n"))
	if len(line) < len("HTTP/1.1 200") {
		return 0, 0, fmt.Errorf("an answer that starts %.20q", line)
	}
	if status, err = strconv.Atoi(string(line[9:12])); err != nil {
		return 0, 0, fmt.Errorf("an answer that starts %.20q", line)
	}
	for len(rest) > 0 {
		line, rest, _ = bytes.Cut(rest, []byte("\r\n"))
		name, value, _ := bytes.Cut(line, []byte(":"))
		if bytes.EqualFold(name, []byte("Content-Length")) {
			length, err = strconv.Atoi(string(bytes.TrimSpace(value)))
			return status, length, err
		}
	}
	return 0, 0, fmt.Errorf("an answer without a length: %.200q", head)
}
