"""A stdio server without a mind: what it is sent goes to a socket, and what comes from there is what it says.

python far_end.py SOCKET
"""

import os
import socket
import sys
from threading import Thread

connection = socket.socket(socket.AF_UNIX)
connection.connect(sys.argv[1])


def say() -> None:
    while data := connection.recv(1 << 20):
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(1, rest) :]
    os.close(1)


saying = Thread(target=say)
saying.start()
while data := os.read(0, 1 << 20):
    connection.sendall(data)
connection.shutdown(socket.SHUT_WR)
saying.join()
