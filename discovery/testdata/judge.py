"""An independent judge of the announcer and the browser: python-zeroconf, in a network namespace of its own.

judge.py watch ADDRESS TYPE            prints, as JSON lines, all that it knows of the services whenever that changes
judge.py announce ADDRESS TYPE NAME    announces a service until its input ends, then says goodbye
judge.py resolve ADDRESS HOST          looks a host name up and prints its addresses
"""

import json
import socket
import sys
import threading

from zeroconf import AddressResolver, ServiceBrowser, ServiceInfo, Zeroconf


def watch(zc, typ):
    known = {}
    lock = threading.Lock()

    def tell():
        print(json.dumps([known[name] for name in sorted(known)]), flush=True)

    class Listener:
        def add_service(self, zc, typ, name):
            info = zc.get_service_info(typ, name, timeout=5000)
            if info is None:
                return
            with lock:
                known[name] = {
                    "instance": name.removesuffix("." + typ),
                    "host": info.server,
                    "port": info.port,
                    "addresses": sorted(info.parsed_addresses()),
                    "txt": {k.decode(): (v or b"").decode() for k, v in info.properties.items()},
                }
                tell()

        update_service = add_service

        def remove_service(self, zc, typ, name):
            with lock:
                known.pop(name, None)
                tell()

    tell()
    ServiceBrowser(zc, typ, Listener())
    sys.stdin.read()


def announce(zc, typ, address, name):
    info = ServiceInfo(
        typ,
        f"{name}.{typ}",
        port=2451,
        addresses=[socket.inet_aton(address)],
        properties={"v": "1", "name": name},
        server="judge.local.",
    )
    zc.register_service(info)
    print("[]", flush=True)
    sys.stdin.read()


def resolve(zc, host):
    resolver = AddressResolver(host)
    resolver.request(zc, 5000)
    print(json.dumps([{"host": host, "addresses": sorted(resolver.parsed_addresses())}]), flush=True)


def main():
    what, address, *rest = sys.argv[1:]
    zc = Zeroconf(interfaces=[address])
    try:
        if what == "watch":
            watch(zc, rest[0])
        elif what == "announce":
            announce(zc, rest[0], address, rest[1])
        else:
            resolve(zc, rest[0])
    finally:
        zc.close()


main()
