"""An independent judge of the announcer and the browser: python-zeroconf, in a network namespace of its own.

judge.py watch ADDRESSES TYPE              prints, as JSON lines, all that it knows of the services whenever that changes
judge.py announce ADDRESSES TYPE NAME TTL  announces a service until its input ends, then says goodbye
judge.py resolve ADDRESSES HOST            looks a host name up and prints its addresses

ADDRESSES are those of this machine to listen at, with commas between them; TTL is in seconds.
"""

import json
import socket
import sys
import threading

from zeroconf import AddressResolver, IPVersion, ServiceBrowser, ServiceInfo, Zeroconf


def watch(zc, typ):
    known = {}  # by full name; None until resolved
    changed = set()
    news = threading.Condition()

    def tell():
        resolved = [one for one in known.values() if one]
        print(json.dumps(sorted(resolved, key=lambda one: one["instance"])), flush=True)

    class Listener:
        """Takes note only: to resolve what is gone already takes seconds."""

        def add_service(self, zc, typ, name):
            with news:
                known.setdefault(name)
                changed.add(name)
                news.notify()

        update_service = add_service

        def remove_service(self, zc, typ, name):
            with news:
                known.pop(name, None)
                tell()

    def resolve_changed():
        while True:
            with news:
                # The browser does not tell when of two answers in its cache one goes: that is looked at each second.
                if not news.wait_for(lambda: changed, timeout=1):
                    changed.update(known)
                    continue
                name = changed.pop()
                if name not in known:
                    continue
            info = zc.get_service_info(typ, name, timeout=1000)
            with news:
                if name not in known:
                    continue
                if info is None:
                    changed.add(name)
                    continue
                now = {
                    "instance": name.removesuffix("." + typ),
                    "host": info.server,
                    "port": info.port,
                    "addresses": sorted(info.parsed_addresses()),
                    "txt": {k.decode(): (v or b"").decode() for k, v in info.properties.items()},
                }
                if known[name] != now:
                    known[name] = now
                    tell()

    tell()
    threading.Thread(target=resolve_changed, daemon=True).start()
    ServiceBrowser(zc, typ, Listener())
    sys.stdin.read()


def announce(zc, typ, addresses, name, ttl):
    info = ServiceInfo(
        typ,
        f"{name}.{typ}",
        port=2451,
        addresses=[socket.inet_pton(socket.AF_INET6 if ":" in a else socket.AF_INET, a) for a in addresses],
        properties={"v": "1", "name": name},
        server="judge.local.",
        host_ttl=ttl,
    )
    zc.register_service(info)
    print("[]", flush=True)
    sys.stdin.read()


def resolve(zc, host):
    resolver = AddressResolver(host)
    resolver.request(zc, 5000)
    print(json.dumps([{"host": host, "addresses": sorted(resolver.parsed_addresses())}]), flush=True)


def main():
    what, addresses, *rest = sys.argv[1:]
    addresses = addresses.split(",")
    families = {":" in a for a in addresses}
    version = IPVersion.All if len(families) > 1 else IPVersion.V6Only if True in families else IPVersion.V4Only
    zc = Zeroconf(interfaces=addresses, ip_version=version)
    try:
        if what == "watch":
            watch(zc, rest[0])
        elif what == "announce":
            announce(zc, rest[0], addresses, rest[1], int(rest[2]))
        else:
            resolve(zc, rest[0])
    finally:
        zc.close()


main()
