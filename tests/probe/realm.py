"""A Kerberos realm of MIT's programs, whose key distribution centre answers in a network namespace."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SERVICE = "server.example"
_REALM = "TEST.EXAMPLE"
_PROGRAMS = ("krb5kdc", "kdb5_util", "kadmin.local", "kinit")
_PACKAGES = Path("/usr/lib/python3/dist-packages")
"""Where Debian keeps gssapi, which has no wheel for Linux."""
_CLIENT = """
[libdefaults]
default_realm = {realm}
dns_lookup_kdc = false
dns_canonicalize_hostname = false
rdns = false
udp_preference_limit = 1
[realms]
{realm} = {{
 kdc = 127.0.0.1
}}
[domain_realm]
{service} = {realm}
"""
_CENTRE = """
[realms]
{realm} = {{
 database_name = {folder}/db
 key_stash_file = {folder}/stash
 kdc_listen = 127.0.0.1:88
 kdc_tcp_listen = 127.0.0.1:88
}}
"""


def why_not() -> str:
    """Why there can be no realm here; "" if there can."""
    missing = [name for name in _PROGRAMS if not shutil.which(name)]
    version = f"cpython-{sys.version_info[0]}{sys.version_info[1]}"
    built = importlib.util.find_spec("gssapi") or [*_PACKAGES.glob(f"gssapi/raw/creds.{version}-*.so")]
    return f"not installed: {', '.join([*missing, *([] if built else ['gssapi'])])}" if missing or not built else ""


class Realm:
    """With a key of the NFS service in `keytab`, and one user, who has no ticket yet."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.keytab = folder, folder / "keytab"
        words = {"realm": _REALM, "service": SERVICE, "folder": folder}
        (folder / "krb5.conf").write_text(_CLIENT.format(**words))
        (folder / "kdc.conf").write_text(_CENTRE.format(**words))
        self.names = {
            "KRB5_CONFIG": f"{folder}/krb5.conf", "KRB5_KDC_PROFILE": f"{folder}/kdc.conf",
            "KRB5CCNAME": f"FILE:{folder}/tickets", "PYTHONPATH": f"{os.environ.get('PYTHONPATH', '')}:{_PACKAGES}",
        }
        self._run("kdb5_util", "create", "-s", "-P", "master", "-r", _REALM)
        self._run("kadmin.local", "addprinc", "-randkey", f"nfs/{SERVICE}")
        self._run("kadmin.local", "addprinc", "-pw", "secret", "someone")
        self._run("kadmin.local", "ktadd", "-k", str(self.keytab), f"nfs/{SERVICE}")

    def change_key(self) -> None:
        """Give the service another key than that in `keytab`."""
        self._run("kadmin.local", "cpw", "-randkey", f"nfs/{SERVICE}")

    @contextmanager
    def centre(self, namespace: str) -> Iterator[None]:
        """The key distribution centre while it runs."""
        command = ["ip", "netns", "exec", namespace, "krb5kdc", "-n"]
        with subprocess.Popen(command, env={**os.environ, **self.names}) as process:
            try:
                yield
            finally:
                process.terminate()

    def log_in(self, namespace: str) -> None:
        """Get the user a ticket, in place of those that there are."""
        self._run("ip", "netns", "exec", namespace, "sh", "-c",
                  "for n in 1 2 3 4 5 6 7 8 9; do echo secret | kinit someone && exit; sleep 0.2; done; exit 1")

    def _run(self, *command: str) -> None:
        subprocess.run(command, env={**os.environ, **self.names}, check=True, capture_output=True)
