import { help } from "../Help.ts"
import { loading } from "@webagent/cli/Loading"
import * as Command from "effect/cli/Command"
import * as LoadFlags from "./LoadFlags.ts"
import { configured } from "../Configured.ts"

const failures = {
  2: "wrong usage",
  3: "no service at the target, or it refuses the key",
  4: "no k6, and no Go to build it"
}

const compare = configured(
  "load compare",
  LoadFlags.compare,
  (options) => loading(async () => (await import("./comparePair.ts")).comparePair(options)),
  ({ test }) => [test]
).pipe(
  help("Compare two services under the same load", {
    does: "Send the same load to two services in turns and compare them",
    exits: {
      0: "no difference seen, within the tolerance, or faster",
      1: "B is worse",
      ...failures,
      5: "slower, but maybe within the tolerance, or cannot tell; run more pairs, or see why a run failed",
      6: "B is better",
      130: "stopped with Ctrl-C"
    },
    examples: { "load compare http://127.0.0.1:4400 http://127.0.0.1:4401": "Compare two services" }
  })
)

const render = configured(
  "load render",
  LoadFlags.render,
  (options) => loading(async () => (await import("./renderManifests.ts")).renderManifests(options)),
  ({ test }) => [test]
).pipe(
  help("Write manifests for k6-operator", {
    does: "Write manifests that run a load test in a cluster with k6-operator; sends no load",
    exits: { 0: "written", 2: "wrong usage", 4: "no bundled script" },
    examples: { "load render smoke manifests --target http://your.service": "Write a TestRun and a ConfigMap" }
  })
)

/** Runs a load test against a target with k6. Its modules are loaded only when it runs. */
export const load = configured(
  "load",
  LoadFlags.load,
  (options) => loading(async () => (await import("./runLoadTest.ts")).runLoadTest(options)),
  ({ test }) => [test]
).pipe(
  Command.withSubcommands([compare, render]),
  help("Send load to a service with k6", {
    exits: {
      0: "all thresholds held",
      1: "a threshold was crossed, the service got worse, or k6 failed",
      ...failures,
      130: "stopped with Ctrl-C"
    },
    examples: {
      "load smoke": "Load a simulated service for a few seconds",
      "load smoke --rate 50 --duration 60s": "Send more load for longer"
    }
  })
)
