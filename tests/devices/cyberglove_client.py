"""Reads an emulated CyberGlove III with the client `cyberglove`, as its users do.

Prints a line of 22 numbers for each packet. Arguments: the port, and the number of packets.
"""

import sys
import types

# The client's calibration imports these at once; its driver does not use them.
for name in ["numpy", "scipy", "scipy.optimize"]:
    sys.modules[name] = types.ModuleType(name)
sys.modules["scipy.optimize"].minimize = None

from serial import Serial

import cyberglove.driver

port, n_packets = sys.argv[1], int(sys.argv[2])
# The client looks for a USB adapter, which a pseudo-terminal is not.
cyberglove.driver.find_port = lambda timeout=None: Serial(
    port, timeout=timeout, baudrate=115200, exclusive=True
)
glove = cyberglove.driver.CyberGlove()
for _ in range(n_packets):
    print("packet", *glove.read(timeout=20))
# The client leaves the stream on unless its port is closed like this.
if "leave" not in sys.argv:
    glove._close_port()
print("the client has ended")
