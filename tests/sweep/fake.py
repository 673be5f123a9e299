"""A host that exists only in memory: namespaces, one NFS server, files of the kernel, and what was done, in order."""

from __future__ import annotations

from advisor.sweep.system import Done, System, TooSlow

SERVER = "192.0.2.1"
HOST = "host1"
FIO = '{"jobs": [{"error": 0, "read": {"total_ios": 0}, "write": {"total_ios": 9, "bw_bytes": 1000, "iops": 1.5, ' \
    '"runtime": 2000, "clat_ns": {"mean": 5000, "percentile": {"99.000000": 9000}}}}]}'
_HOLDER = 77


class FakeHost(System):
    """`production`: where the host has mounted the server itself, or ""; `dead`: commands that never end, by program;
    `refuses`: program → what it says when it fails; `lacks`: programs that are not installed."""

    def __init__(self, production: str = "") -> None:
        self.production = production
        self.done: list[tuple[str, ...]] = []
        self.dead: set[str] = set()
        self.refuses: dict[str, str] = {}
        self.lacks: set[str] = set()
        self.files = {
            "/proc/sys/kernel/hostname": f"{HOST}\n",
            "/proc/sys/sunrpc/tcp_slot_table_entries": "2\n",
            "/sys/class/net/br0/mtu": "9000\n",
        }
        self.inside = {"/proc/sys/kernel/hostname": f"{HOST}\n", "/sys/fs/nfs/net/nfs_client/identifier": "(null)\n"}
        self.stubborn: set[str] = set()
        self.held = False
        self.own_network = False
        self.mounted = ""
        self.folders: set[str] = set()
        self.root = True
        self.links = {"br0"}
        self.answers = False
        self.clock = 0.0

    def run(self, *command: str, within: float, feed: str = "") -> Done:
        inside = command[0] == "nsenter"
        if inside:
            assert self.held, "a command in namespaces that are gone"
            command = command[command.index("--") + 1:]
        self.done.append((*command, f"<{feed}") if feed else command)
        program = command[0]
        if program in self.dead:
            raise TooSlow(command, within)
        if program in self.refuses:
            return Done(1, "", f"{program}: {self.refuses[program]}\n")
        return getattr(self, f"_{program.replace('.', '_')}", self._nothing)(command, feed)

    def hold(self, *command: str) -> int:
        self.done.append(command)
        self.held, self.own_network = True, "--net" in command
        return _HOLDER

    def release(self) -> None:
        self.done.append(("release",))
        self.held, self.mounted = False, ""

    def text(self, path: str) -> str:
        if path == f"/proc/{_HOLDER}/comm":
            return "cat\n"
        if path.endswith("/nfsfs/servers"):
            hosts = bool(self.production) and (path.startswith("/proc/self/") or not self.own_network)
            return "NV SERVER   PORT USE HOSTNAME\n" + "v4 c0000201  801   1 x\n" * (bool(self.mounted) or hosts)
        if path.endswith("/mountinfo"):
            return self._mountinfo(path)
        if path.endswith("/mountstats"):
            return "device x:/ mounted on /run/nfs-advisor-sweep with fstype nfs4 statvers=1.1\n\tage:\t1\n"
        try:
            return self.files[path]
        except KeyError:
            raise FileNotFoundError(2, "No such file", path) from None

    def put(self, path: str, text: str) -> None:
        self.done.append(("put", path, text))
        self.files[path] = text

    def names(self, folder: str) -> list[str]:
        return ["1", "self"] if folder == "/proc" else sorted(self.links) if folder == "/sys/class/net" else []

    def linked(self, path: str) -> str:
        return "net:[1]" if path.endswith("net") else "mnt:[1]"

    def has(self, program: str) -> bool:
        return program not in self.lacks

    def now(self) -> float:
        return self.clock

    def sleep(self, seconds: float) -> None:
        self.clock += seconds

    def is_root(self) -> bool:
        return self.root

    def finish(self) -> None:
        pass

    def names_done(self) -> list[str]:
        return [command[0] for command in self.done]

    def _mountinfo(self, path: str) -> str:
        rows = ["1 1 0:1 / / rw - ext4 /dev/sda rw"]
        if self.production:
            rows.append(f"30 1 0:30 / {self.production} rw - nfs4 {SERVER}:/srv rw,vers=4.1,addr={SERVER}")
        if self.mounted and path == f"/proc/{_HOLDER}/mountinfo":
            words = [word for word in self.mounted.split(",") if not word.startswith("retry=") and word != "async"]
            rows.append(f"40 1 0:40 / /run/nfs-advisor-sweep rw,relatime - nfs4 {SERVER}:/srv "
                        f"rw,{','.join(words)},addr={SERVER}")
        return "\n".join(rows) + "\n"

    def _nothing(self, _command: tuple[str, ...], _feed: str) -> Done:
        return Done(0, "", "")

    def _mount_nfs(self, command: tuple[str, ...], _feed: str) -> Done:
        assert not self.mounted
        self.mounted = command[4]
        return Done(0, "", "")

    def _umount(self, _command: tuple[str, ...], _feed: str) -> Done:
        self.mounted = ""
        return Done(0, "", "")

    def _mkdir(self, command: tuple[str, ...], _feed: str) -> Done:
        if command[1] == "-p":
            return Done(0, "", "")
        assert self.mounted, "a folder beside the mount"
        self.folders.add(command[-1])
        return Done(0, "", "")

    def _rm(self, command: tuple[str, ...], _feed: str) -> Done:
        assert self.mounted, "nothing was mounted"
        self.folders.discard(command[-1])
        return Done(0, "", "")

    def _tee(self, command: tuple[str, ...], feed: str) -> Done:
        if command[1] in self.stubborn or command[1] not in self.inside:
            return Done(1, "", "tee: permission denied\n")
        self.inside[command[1]] = feed
        return Done(0, feed, "")

    def _cat(self, command: tuple[str, ...], _feed: str) -> Done:
        found = self.inside.get(command[1])
        return Done(1, "", "cat: no such file\n") if found is None else Done(0, found, "")

    def _ip(self, command: tuple[str, ...], _feed: str) -> Done:
        if command[1:3] == ("link", "add"):
            self.links.add(command[3])
        elif command[1:3] == ("link", "del"):
            self.links.remove(command[3])
        return Done(0, "2: x: <BROADCAST,UP,LOWER_UP> state UP\n" if "show" in command else "", "")

    def _ping(self, _command: tuple[str, ...], _feed: str) -> Done:
        return Done(int(not self.answers), "", "")

    def _stat(self, _command: tuple[str, ...], _feed: str) -> Done:
        return Done(0, "1000000 4096\n", "")

    def _fio(self, command: tuple[str, ...], _feed: str) -> Done:
        return Done(0, "{}" if "--create_only=1" in command else FIO, "")
