#!/usr/bin/env python3
"""Publishes events that come in as lines of JSON.

    sensors | publish.py http://127.0.0.1:2451 kitchen

Each line is an event: an object with a "type". It gets an id before it is sent
for the first time, and is sent with it until the relay answers. If an answer
was lost, the relay knows the id, writes nothing again, and says "duplicate".
So every event is in the stream once, in the order of the lines, however often
the relay or the network goes away in between.
"""

import http.client
import json
import sys
import time
import urllib.error
import urllib.request
import uuid

LONGEST_PAUSE = 5.0  # seconds between attempts


def publish(url: str, event: dict, event_id: str) -> dict:
    """Publishes one event, as often as it takes, and returns the relay's word."""
    body = json.dumps({"id": event_id, "event": event}).encode()
    request = urllib.request.Request(url, body, {"Content-Type": "application/json"})
    pause = 0.1
    while True:
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return json.load(answer)[0]
        except urllib.error.HTTPError as refused:
            # 429 and what begins with 5 pass; the relay says no to the rest.
            if refused.code != 429 and refused.code < 500:
                sys.exit(f"refused: {refused.read().decode()}")
        except (OSError, json.JSONDecodeError, http.client.HTTPException):
            pass  # not there, or gone before its answer was complete
        time.sleep(pause)
        pause = min(2 * pause, LONGEST_PAUSE)


def main() -> None:
    if len(sys.argv) != 3:
        sys.exit(f"usage: {sys.argv[0]} RELAY STREAM < EVENTS")
    url = f"{sys.argv[1]}/reflex/v1/streams/{sys.argv[2]}/events"
    for line in sys.stdin:
        published = publish(url, json.loads(line), str(uuid.uuid4()))
        print(published["seq"], flush=True)


if __name__ == "__main__":
    main()
