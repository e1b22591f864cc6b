"""A client of the solver server that knows nothing of Palpate: messages come from reflection.

    foreign_client.py ADDRESS:PORT PROCESS_ID

The server must have two places for sessions, both free. At the end the server is stopped.
"""

import array
import os
import queue
import signal
import sys

import grpc
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message_factory import GetMessageClass
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import (
    ProtoReflectionDescriptorDatabase,
)

SOLVER = "palpate.solver.v1.Solver"
PATIENCE = 60.0  # seconds; nothing takes longer

address, server = sys.argv[1], int(sys.argv[2])
channel = grpc.insecure_channel(address)


def check(condition, text):
    if not condition:
        sys.exit(f"failed: {text}")
    print("ok:", text)


def code_of(call):
    """Status of a call that must fail."""
    try:
        result = call()
        if hasattr(result, "__next__"):
            for _ in result:
                pass
    except grpc.RpcError as error:
        return error.code()
    return grpc.StatusCode.OK


# Reflection.
database = ProtoReflectionDescriptorDatabase(channel)
services = set(database.get_services())
check({SOLVER, "grpc.health.v1.Health"} <= services, "reflection names the services")
pool = DescriptorPool(database)
description = pool.FindServiceByName(SOLVER)


def message(name):
    return GetMessageClass(pool.FindMessageTypeByName(f"palpate.solver.v1.{name}"))


def method(name):
    """Caller of a method, made from its description."""
    it = description.FindMethodByName(name)
    kind = {
        (False, False): channel.unary_unary,
        (False, True): channel.unary_stream,
        (True, True): channel.stream_stream,
    }[it.client_streaming, it.server_streaming]
    return kind(
        f"/{SOLVER}/{name}",
        request_serializer=lambda request: request.SerializeToString(),
        response_deserializer=GetMessageClass(it.output_type).FromString,
    )


# Health.
health = health_pb2_grpc.HealthStub(channel)


def is_serving(name):
    reply = health.Check(health_pb2.HealthCheckRequest(service=name), timeout=PATIENCE)
    return reply.status == health_pb2.HealthCheckResponse.SERVING


check(is_serving("") and is_serving(SOLVER), "health says SERVING")
unknown = health_pb2.HealthCheckRequest(service="nothing")
check(code_of(lambda: health.Check(unknown)) == grpc.StatusCode.NOT_FOUND, "others are unknown")

# A cube of 1 m under uniaxial stress: its ends move along x, and it may contract. Five tetrahedra
# have this answer exactly, because the strain is the same everywhere.
E, NU, STRETCH = 1e4, 0.3, 0.01
corners = [(x, y, z) for x in (0.0, 1.0) for y in (0.0, 1.0) for z in (0.0, 1.0)]
tets = [(0, 4, 2, 1), (3, 1, 2, 7), (5, 1, 7, 4), (6, 2, 4, 7), (1, 4, 2, 7)]


def numbers(kind, rows):
    return array.array(kind, [number for row in rows for number in row]).tobytes()


solid = message("Solid")(
    rest_positions=numbers("d", corners), elements=numbers("I", tets), young=E, poisson=NU
)
# Bit 0, 1, 2: x, y, z is prescribed. Node 0 holds the cube in y and z, node 2 against turning.
axes = [0b111 if n == 0 else 0b101 if n == 2 else 0b001 for n in range(8)]
moved = [(STRETCH if x == 1.0 else 0.0, 0.0, 0.0) for x, _, _ in corners]
known = message("Known")(
    nodes=numbers("I", [range(8)]), displacements=numbers("d", moved), axes=bytes(axes)
)
cube = message("Object")(solid=solid)
request = message("SolveRequest")(
    object=cube, known=known, algorithm=1, wants_stresses=True  # ALGORITHM_FACTORISE
)
*_, last = method("Solve")(request, timeout=PATIENCE)


def unpacked(kind, data, width):
    values = array.array(kind, data)
    return [values[i : i + width] for i in range(0, len(values), width)]


def is_near(a, b, tolerance=1e-9):
    return abs(a - b) <= tolerance


answer = last.answer
error = max(
    max(abs(u[0] - STRETCH * x), abs(u[1] + NU * STRETCH * y), abs(u[2] + NU * STRETCH * z))
    for u, (x, y, z) in zip(unpacked("d", answer.displacements, 3), corners)
)
check(error < 1e-12, "displacements are those of uniaxial stress")
reaction_nodes = array.array("I", answer.reaction_nodes)
force = sum(
    f[0]
    for node, f in zip(reaction_nodes, unpacked("d", answer.reaction_forces, 3))
    if corners[node][0] == 1.0
)
check(is_near(force, E * STRETCH), "the force is stiffness times stretch")
stresses = unpacked("d", answer.stresses, 6)
check(
    len(stresses) == 5
    and all(is_near(s[0], E * STRETCH) and max(map(abs, s[1:])) < 1e-9 for s in stresses),
    "stresses are uniaxial",
)

# Errors.
raw = channel.unary_stream(f"/{SOLVER}/Solve")
check(
    code_of(lambda: raw(b"\xff\xff", timeout=PATIENCE)) == grpc.StatusCode.INVALID_ARGUMENT,
    "a request that is no message is INVALID_ARGUMENT",
)
missing = channel.unary_unary(f"/{SOLVER}/Nothing")
check(
    code_of(lambda: missing(b"", timeout=PATIENCE)) == grpc.StatusCode.UNIMPLEMENTED,
    "an unknown call is UNIMPLEMENTED",
)


# Sessions on the same connection, until the house is full.
class Session:
    def __init__(self):
        self.requests = queue.Queue()
        self.send(open=cube)
        requests = iter(self.requests.get, None)
        self.replies = method("Session")(requests, timeout=PATIENCE)

    def send(self, **request):
        self.requests.put(message("SessionRequest")(**request))

    def frame(self):
        for reply in self.replies:
            if reply.WhichOneof("reply") == "topology":
                self.topology = reply.topology
            if reply.WhichOneof("reply") == "frame":
                return reply.frame
        sys.exit("failed: a session ended")


sessions = [Session(), Session()]
for session in sessions:
    session.frame()
pose = numbers("d", [(0, 0, 0, 0, 0, 0, 1)])
touch = message("Touch")(
    sample=7,
    topology_version=sessions[1].topology.version,
    known=known,
    world_from_object=pose,
)
sessions[1].send(touch=touch)
frame = sessions[1].frame()
by_node = zip(array.array("I", frame.reaction_nodes), unpacked("f", frame.reaction_forces, 3))
force = sum(f[0] for node, f in by_node if corners[node][0] == 1.0)
check(
    frame.sample == 7 and is_near(force, E * STRETCH, 1e-3),
    "a frame of a session has the same force",
)
third = Session()
check(
    code_of(lambda: third.replies) == grpc.StatusCode.RESOURCE_EXHAUSTED,
    "the next stream of a full house is refused",
)
info = method("Info")(message("InfoRequest")(), timeout=PATIENCE)
check(info.sessions == 2 and info.limits.sessions == 2, "a full house describes itself")
check(is_serving(SOLVER), "a full house is healthy")

# The end.
watch = health.Watch(health_pb2.HealthCheckRequest(service=SOLVER), timeout=PATIENCE)
check(next(watch).status == health_pb2.HealthCheckResponse.SERVING, "health can be watched")
os.kill(server, signal.SIGTERM)
check(
    next(watch).status == health_pb2.HealthCheckResponse.NOT_SERVING,
    "a server that is being stopped says NOT_SERVING",
)
for session in sessions:
    code = code_of(lambda: session.replies)
    check(code == grpc.StatusCode.UNAVAILABLE, f"its sessions hear UNAVAILABLE ({code})")
    session.requests.put(None)
third.requests.put(None)
print("all is well")
