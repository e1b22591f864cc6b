#!/usr/bin/env python3
"""MuJoCo's flex behind a line protocol: a body of tetrahedra that a ball presses.

A benchmark starts this program and alternates requests to it with its own solver, on the same mesh. Its
environment: python3 -m venv venv && venv/bin/pip install -r requirements-flex.txt

One JSON object per line on stdin, one answer per line on stdout; SI units, times in seconds:

    {"do":"hello"}                                  {"ok":true,"name":"MuJoCo flex","version":..}
    {"do":"body","points":[[x,y,z],..],"elements":[[a,b,c,d],..],"pins":[..],"young":..,"poisson":..,
     "mass":..,"radius":..,"place":[x,y,z],"friction":..,"dt":..}
                                                    {"ok":true,"seconds":..,"freedoms":..}
    {"do":"step","places":[[x,y,z],..]}             {"ok":true,"seconds":[..],"force":[x,y,z],
                                                     "contacts":..,"iterations":..}
    {"do":"quit"}                                   {"ok":true}

After an error the program answers {"ok":false,"error":".."} and is ready for the next request.

The settings are those with which the flex is stable at a step of a millisecond and quickest: the
integrator "discrete", which is implicit in the elastic forces, and the conjugate-gradient solver.
(Explicit integration of the same body diverges at a tenth of that step, and Newton's solver is four
to five times slower.) Contacts are as hard as the step allows: a time constant of two steps.
"""

import json
import os
import sys
import tempfile
import time

import mujoco
import numpy as np


class Flex:
    def __init__(self):
        self.model = None
        self.data = None

    def body(self, request):
        def text(rows):
            return " ".join(f"{value:.9g}" for value in np.asarray(rows).ravel())

        dt = request["dt"]
        place = text(request["place"])
        xml = f"""
        <mujoco>
          <option timestep="{dt}" integrator="discrete" solver="CG" gravity="0 0 0"/>
          <size memory="4G"/>
          <worldbody>
            <flexcomp name="body" type="direct" dim="3" radius="0.0001" mass="{request["mass"]}"
                point="{text(request["points"])}" element="{text(request["elements"])}">
              <elasticity young="{request["young"]}" poisson="{request["poisson"]}" damping="0.01"/>
              <contact selfcollide="none" condim="3" solref="{2 * dt} 1"
                  friction="{request["friction"]}"/>
              <pin id="{text(request["pins"])}"/>
            </flexcomp>
            <body name="ball" mocap="true" pos="{place}">
              <geom type="sphere" size="{request["radius"]}" friction="{request["friction"]}"/>
            </body>
          </worldbody>
        </mujoco>"""
        start = time.perf_counter()
        self.model = mujoco.MjModel.from_xml_string(xml)
        self.data = mujoco.MjData(self.model)
        return {"seconds": time.perf_counter() - start, "freedoms": int(self.model.nv)}

    def step(self, request):
        model, data = self.model, self.data
        seconds = []
        for place in request["places"]:
            data.mocap_pos[0] = place
            start = time.perf_counter()
            mujoco.mj_step(model, data)
            seconds.append(time.perf_counter() - start)
        if not np.isfinite(data.qpos).all():
            raise ValueError("the simulation diverged")
        force, of_contact = np.zeros(3), np.zeros(6)
        for number in range(data.ncon):
            mujoco.mj_contactForce(model, data, number, of_contact)
            force += data.contact[number].frame.reshape(3, 3).T @ of_contact[:3]
        return {
            "seconds": seconds,
            "force": force.tolist(),
            "contacts": int(data.ncon),
            "iterations": int(data.solver_niter[0]),
        }


def main():
    flex = Flex()
    # MuJoCo writes its warnings to a file in the current folder.
    log = tempfile.TemporaryDirectory()
    os.chdir(log.name)
    for line in sys.stdin:
        try:
            request = json.loads(line)
            match request["do"]:
                case "hello":
                    answer = {"name": "MuJoCo flex", "version": mujoco.__version__}
                case "body":
                    answer = flex.body(request)
                case "step":
                    answer = flex.step(request)
                case "quit":
                    print(json.dumps({"ok": True}), flush=True)
                    return
                case other:
                    raise ValueError(f"unknown request {other!r}")
            answer = {"ok": True, **answer}
        except Exception as error:  # Every failure is an answer; the benchmark decides what it means.
            answer = {"ok": False, "error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
