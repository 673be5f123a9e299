"""Runs inside of a client: writes down, with times, what an application sees while its server moves.

recorder.py write FILE SECONDS    locks FILE, and twice a second appends the next number and has it on disk
recorder.py rival FILE SECONDS    tries to lock FILE without waiting, twice a second
recorder.py new FILE              creates FILE and locks it
recorder.py crash DIRECTORY       the file system's power fails: what is not on its disk is gone

Times are seconds since the machine started; the output is one event a line."""

import fcntl
import functools
import os
import signal
import struct
import sys
import time

EXT4_IOC_SHUTDOWN, NO_LOG_FLUSH = 0x8004587D, 2
PERIOD, PAGE = 0.5, 4096
# A record fills a page: a client that holds a lock writes pages whole, and would mend with one record those before it.


def now():
    return time.clock_gettime(time.CLOCK_BOOTTIME)


def say(*words):
    print(*words, flush=True)


def timed(name, action):
    began = now()
    try:
        action()
    except OSError as error:
        say(name, f"{began:.2f}", f"{now():.2f}", os.strerror(error.errno).replace(" ", "-"))
        return False
    say(name, f"{began:.2f}", f"{now():.2f}", "ok")
    return True


def append(file, number):
    os.write(file, (b"%d" % number).ljust(PAGE - 1) + b"\n")
    os.fsync(file)


def write(path, seconds):
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
    timed("lock", lambda: fcntl.lockf(file, fcntl.LOCK_EX))
    number, end = 0, now() + seconds
    told = []
    signal.signal(signal.SIGTERM, lambda *_: told.append("to stop"))
    while now() < end and not told:
        number += 1
        began = now()
        timed(f"record {number}", functools.partial(append, file, number))
        time.sleep(max(0, began + PERIOD - now()))
    timed("close", lambda: os.close(file))


def rival(path, seconds):
    file = os.open(path, os.O_RDWR)
    end = now() + seconds
    while now() < end:
        began = now()
        if timed("steal", lambda: fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)):
            fcntl.lockf(file, fcntl.LOCK_UN)
        time.sleep(max(0, began + PERIOD - now()))


def new(path):
    opened = []
    if timed("open", lambda: opened.append(os.open(path, os.O_RDWR | os.O_CREAT, 0o644))):
        timed("lock", lambda: fcntl.lockf(opened[0], fcntl.LOCK_EX))


def crash(directory):
    file = os.open(directory, os.O_RDONLY)
    fcntl.ioctl(file, EXT4_IOC_SHUTDOWN, struct.pack("I", NO_LOG_FLUSH))


if __name__ == "__main__":
    verb, name, *rest = sys.argv[1:]
    {"write": write, "rival": rival, "new": new, "crash": crash}[verb](name, *map(float, rest))
