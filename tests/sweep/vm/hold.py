"""An application on the host: holds a lock on a file, writes to it twice a second, and says what goes wrong."""

import fcntl
import os
import signal
import sys
import time

file = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT, 0o644)
fcntl.lockf(file, fcntl.LOCK_EX)
ended = []
signal.signal(signal.SIGTERM, lambda *_: ended.append(1))
count = 0
while not ended:
    try:
        os.pwrite(file, b"x" * 4096, 0)
        os.fsync(file)
        count += 1
    except OSError as error:
        print("error", error, flush=True)
    time.sleep(0.5)
try:
    fcntl.lockf(file, fcntl.LOCK_UN)
    os.close(file)
except OSError as error:
    print("error", error, flush=True)
print("written", count, flush=True)
