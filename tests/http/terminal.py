#!/usr/bin/env python3
"""terminal.py COLUMNS COMMAND…: runs a command on a terminal of its own. What comes on our standard input is typed, what
the command prints comes out of our standard output, and its exit status is ours."""
import fcntl
import os
import pty
import selectors
import struct
import sys
import termios


def main():
    columns, command = int(sys.argv[1]), sys.argv[2:]
    # The size is set before the command can ask for it.
    begin, begun = os.pipe()
    child, master = pty.fork()
    if child == 0:
        os.close(begun)
        os.read(begin, 1)
        os.execvp(command[0], command)
    fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    os.close(begin)
    os.close(begun)
    ready = selectors.DefaultSelector()
    ready.register(master, selectors.EVENT_READ)
    ready.register(0, selectors.EVENT_READ)
    while True:
        for key, _ in ready.select():
            if key.fd == 0:
                typed = os.read(0, 65536)
                if typed:
                    os.write(master, typed)
                else:
                    ready.unregister(0)
                continue
            try:
                block = os.read(master, 65536)
            except OSError:  # the command has ended
                block = b""
            if not block:
                return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            os.write(1, block)


if __name__ == "__main__":
    sys.exit(main())
