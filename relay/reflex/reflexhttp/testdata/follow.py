"""Follows a stream of a relay at the address that is given, with a client that
shares no line with the relay, and prints what it saw."""

import asyncio
import json
import sys

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

LIVE = f"ws://{sys.argv[1]}/reflex/v1/streams/%s/live"
HELLO = {"type": "hello", "protocol": "reflexr.v1"}


def publish(command_id, n, text=""):
    event = {"type": "count", "n": n, "text": text}
    return json.dumps({"type": "command", "command_id": command_id,
                       "command": {"type": "publish", "event": event}})


async def until_closed(stream, first, **options):
    """Returns the code with which a first message is answered, and whether both
    sides said goodbye."""
    async with connect(LIVE % stream, subprotocols=["reflexr.v1"], **options) as socket:
        try:
            await socket.send(first)
            async for _ in socket:
                pass
        except ConnectionClosed:
            pass
        await socket.wait_closed()
        both = socket.protocol.close_rcvd is not None and socket.protocol.close_sent is not None
        return [socket.close_code, both]


async def follow(stream):
    async with connect(LIVE % stream, subprotocols=["reflexr.v1"], max_size=None) as socket:
        await socket.send(json.dumps(HELLO | {"resume_after_seq": 2}))
        welcome = json.loads(await socket.recv())
        replayed = []
        while (frame := json.loads(await socket.recv()))["type"] == "event":
            replayed.append(frame["seq"])
        complete = [frame["type"], frame["up_to_seq"], frame["cursor"] == welcome["cursor"]]
        await (await socket.ping(b"are you there?"))
        live, results = [], []
        for n in range(20):
            await socket.send(publish(f"c{n}", n))
        text = "x" * 300_000
        whole = publish("long", 20, text)
        await socket.send([whole[:1000], whole[1000:200_000], whole[200_000:]])  # in pieces
        await socket.send("junk")
        await socket.send(b"\xff junk")
        errors = 0
        while len(live) < 21 or len(results) < 21 or errors < 2:
            frame = json.loads(await socket.recv())
            match frame["type"]:
                case "event":
                    live.append([frame["seq"], frame["event"]["n"], len(frame["event"]["text"])])
                case "command_result":
                    results.append([frame["command_id"], frame["ok"], frame["outcome"]["seq"]])
                case "error":
                    errors += 1
        await socket.close(1000, "thank you")
        return {
            "subprotocol": socket.subprotocol,
            "welcome": [welcome["head_seq"], welcome["reset"]],
            "replayed": replayed,
            "complete": complete,
            "live": live,
            "results": results,
            "closed": socket.close_code,
        }


async def main():
    seen = await follow("judged")
    seen["codes"] = {
        "hello": await until_closed("judged", "hello"),
        "protocol": await until_closed("judged", json.dumps({"protocol": "reflexr.v0"})),
        "stream": await until_closed("Judged", json.dumps(HELLO)),
        "key": await until_closed("judged", json.dumps(HELLO | {"key": "none"})),
    }
    print(json.dumps(seen))


asyncio.run(main())
