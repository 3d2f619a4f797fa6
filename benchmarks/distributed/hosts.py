"""Hosts made of network namespaces of this machine. Each has a link to one router; `tc` limits what goes over it.

    with Hosts(4, rate="1gbit") as hosts:
        process = hosts.start(2, ["python", "program.py", hosts.address(0)])
        hosts.cut(2)  # no packet comes or goes from now on

It needs root and the packages iproute2 and procps; `reason_against()` says what is missing. Kernels without sch_netem have rates,
but no delay and no loss.
"""

import os
import shutil
import subprocess

# A token bucket: what may go at once, and how long a packet may wait.
BURST, WAIT = "256kb", "100ms"


def _run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr.strip() or done.stdout.strip()}")


class Hosts:
    """`count` hosts, until the end of a `with` block. `rate` is one of `tc`, such as "1gbit"; `delay`, such as "50us", is that of
    one way; `loss` is a share of packets, such as "0.1%".
    """

    def __init__(self, count, rate=None, delay=None, loss=None):
        self.count, self.rate, self.delay, self.loss = count, rate, delay, loss
        self.router = f"torch{os.getpid()}"
        self.names = [f"{self.router}h{k}" for k in range(count)]

    def address(self, host):
        return f"10.77.{host}.2"

    def __enter__(self):
        try:
            _run("ip", "netns", "add", self.router)
            _run("ip", "netns", "exec", self.router, "sysctl", "-qw", "net.ipv4.ip_forward=1")
            for k, name in enumerate(self.names):
                _run("ip", "netns", "add", name)
                _run("ip", "-n", self.router, "link", "add", f"v{k}", "type", "veth", "peer", "name", "eth0", "netns", name)
                _run("ip", "-n", self.router, "address", "add", f"10.77.{k}.1/24", "dev", f"v{k}")
                _run("ip", "-n", self.router, "link", "set", f"v{k}", "up")
                _run("ip", "-n", name, "address", "add", f"{self.address(k)}/24", "dev", "eth0")
                for device in ("lo", "eth0"):
                    _run("ip", "-n", name, "link", "set", device, "up")
                _run("ip", "-n", name, "route", "add", "default", "via", f"10.77.{k}.1")
                self._shape(name, "eth0")
                self._shape(self.router, f"v{k}")
        except BaseException:
            self.__exit__()
            raise
        return self

    def _shape(self, name, device):
        if self.delay or self.loss:
            options = [*(["delay", self.delay] if self.delay else []), *(["loss", self.loss] if self.loss else [])]
            rate = ["rate", self.rate] if self.rate else []
            _run("tc", "-n", name, "qdisc", "add", "dev", device, "root", "netem", *options, *rate, "limit", "20000")
        elif self.rate:
            _run(
                "tc", "-n", name, "qdisc", "add", "dev", device, "root", "tbf", "rate", self.rate, "burst", BURST, "latency", WAIT
            )

    def start(self, host, command, **options):
        """A process on a host."""
        options.setdefault("env", {**os.environ})
        options["env"]["GLOO_SOCKET_IFNAME"] = "eth0"
        return subprocess.Popen(["ip", "netns", "exec", self.names[host], *command], **options)

    def cut(self, host):
        _run("ip", "-n", self.router, "link", "set", f"v{host}", "down")

    def mend(self, host):
        _run("ip", "-n", self.router, "link", "set", f"v{host}", "up")

    def __exit__(self, *exception):
        for name in (*self.names, self.router):
            subprocess.run(["ip", "netns", "del", name], capture_output=True)


def reason_against(**shape):
    """Why hosts cannot be made here, or None."""
    for program in ("ip", "tc", "sysctl"):
        if shutil.which(program) is None:
            return f"there is no {program}; apt-get install iproute2 procps brings it"
    try:
        with Hosts(1, **shape):
            return None
    except RuntimeError as error:
        return str(error)
