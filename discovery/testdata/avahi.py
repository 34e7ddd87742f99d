"""An independent judge of the announcer: avahi-daemon with avahi-browse, in a network namespace of its own.

avahi.py INTERFACE TYPE    prints, as JSON lines, all that it knows of the services whenever that changes, until its input ends

Of each service it tells the address that avahi prefers, and over which protocols it was heard.

It runs inside "ip netns exec", which gives it its own view of the file system: what is mounted here is seen by nobody else.
"""

import ctypes
import json
import os
import re
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time

BUS = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <listen>unix:path={folder}/bus</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow receive_type="method_call"/>
    <allow receive_type="method_return"/>
    <allow receive_type="error"/>
    <allow receive_type="signal"/>
    <allow own="*"/>
    <allow user="*"/>
  </policy>
</busconfig>
"""

DAEMON = """[server]
host-name=avahi-judge
use-ipv4=yes
use-ipv6=yes
allow-interfaces={interface}
[wide-area]
enable-wide-area=no
[publish]
disable-publishing=yes
[rlimits]
"""


def unescape(text):
    """Takes back avahi's escapes: a backslash before three digits or one character."""
    raw = re.sub(
        rb"\\(\d{3}|.)",
        lambda m: bytes([int(m[1])]) if len(m[1]) == 3 else m[1],
        text.encode(),
    )
    return raw.decode()


def look(typ):
    known = {}
    try:
        out = subprocess.run(
            ["avahi-browse", "--parsable", "--resolve", "--no-db-lookup", "--terminate", typ],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, timeout=6,
        ).stdout
    except subprocess.TimeoutExpired:  # it waits for ever for what goes away while it is resolved
        return None
    for line in out.splitlines():
        fields = line.split(";", 9)
        if fields[0] != "=" or len(fields) < 10:
            continue
        over, name, host = fields[2], unescape(fields[3]), fields[6] + "."
        address, port, txt = fields[7], int(fields[8]), fields[9]
        pairs = dict(p.split("=", 1) for p in re.findall(r'"((?:[^"\\]|\\.)*)"', txt) if "=" in p)
        one = known.setdefault(
            (name, host, port),
            {
                "instance": name,
                "host": host,
                "port": port,
                "addresses": [],
                "txt": {key: unescape(value) for key, value in pairs.items()},
                "over": [],
            },
        )
        one["addresses"] = sorted({*one["addresses"], address})
        one["over"] = sorted({*one["over"], over})
    return [known[key] for key in sorted(known)]


def ready(what, process, true):
    deadline = time.monotonic() + 30
    while not true():
        if process.poll() is not None or time.monotonic() > deadline:
            sys.exit(f"{what} does not start: {process.poll()}")
        time.sleep(0.02)


def follow():
    """Makes a program that is started end with this one, however that ends."""
    pr_set_pdeathsig = 1
    ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGKILL)


def listens(path):
    """Tells whether somebody takes connections there; that there is a socket does not yet say so."""
    with socket.socket(socket.AF_UNIX) as s:
        return s.connect_ex(path) == 0


def main():
    interface, typ = sys.argv[1:]
    subprocess.run(["mount", "-t", "tmpfs", "tmpfs", "/run"], check=True)
    os.mkdir("/run/avahi-daemon")
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (("bus.conf", BUS), ("avahi.conf", DAEMON)):
            with open(os.path.join(folder, name), "w") as f:
                f.write(text.format(folder=folder, interface=interface))
        os.environ["DBUS_SYSTEM_BUS_ADDRESS"] = f"unix:path={folder}/bus"
        bus = subprocess.Popen(["dbus-daemon", f"--config-file={folder}/bus.conf", "--nofork", "--nopidfile"], stderr=subprocess.DEVNULL, preexec_fn=follow)
        try:
            ready("the bus", bus, lambda: listens(f"{folder}/bus"))
            daemon = subprocess.Popen(
                ["avahi-daemon", "-f", f"{folder}/avahi.conf", "--no-drop-root", "--no-chroot", "--no-rlimits", "--no-proc-title"],
                preexec_fn=follow,
            )
            try:
                ready("avahi", daemon, lambda: subprocess.run(["avahi-browse", "--all", "--terminate"], capture_output=True).returncode == 0)
                last = None
                while not select.select([sys.stdin], [], [], 0.2)[0]:
                    known = look(typ)
                    if known is not None and known != last:
                        print(json.dumps(known), flush=True)
                        last = known
            finally:
                daemon.terminate()
                daemon.wait()
        finally:
            bus.terminate()
            bus.wait()


main()
