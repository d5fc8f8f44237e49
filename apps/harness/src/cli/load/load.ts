import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import { program } from "../Program.ts"
import * as LoadFlags from "./LoadFlags.ts"
import { description } from "@webagent/cli/Description"
import { configured } from "../Configured.ts"

const failures = {
  2: "wrong usage",
  3: "no service at the target, or it refuses the key",
  4: "no k6, and no Go to build it"
}

const compare = configured(
  "load compare",
  LoadFlags.compare,
  ({ config, test }) => ({ config, named: [test] }),
  (options) =>
    Effect.flatMap(
      Effect.promise(() => import("./comparePair.ts")),
      ({ comparePair }) => comparePair(options)
    )
).pipe(
  Command.withDescription(
    description("Send the same load to two services in turns and compare them", {
      0: "no difference seen, within the tolerance, or faster",
      1: "B is worse",
      ...failures,
      5: "slower, but maybe within the tolerance, or cannot tell; run more pairs, or see why a run failed",
      6: "B is better",
      130: "stopped with Ctrl-C"
    })
  ),
  Command.withShortDescription("Compare two services under the same load"),
  Command.withExamples([
    {
      command: `${program} load compare http://127.0.0.1:4400 http://127.0.0.1:4401`,
      description: "Compare two services"
    }
  ])
)

const render = configured(
  "load render",
  LoadFlags.render,
  ({ config, test }) => ({ config, named: [test] }),
  (options) =>
    Effect.flatMap(
      Effect.promise(() => import("./renderManifests.ts")),
      ({ renderManifests }) => renderManifests(options)
    )
).pipe(
  Command.withDescription(
    description("Write manifests that run a load test in a cluster with k6-operator; sends no load", {
      0: "written",
      2: "wrong usage",
      4: "no bundled script"
    })
  ),
  Command.withShortDescription("Write manifests for k6-operator"),
  Command.withExamples([
    {
      command: `${program} load render smoke manifests --target http://your.service`,
      description: "Write a TestRun and a ConfigMap"
    }
  ])
)

/** Runs a load test against a target with k6. Its modules are loaded only when it runs. */
export const load = configured(
  "load",
  LoadFlags.load,
  ({ config, test }) => ({ config, named: [test] }),
  (options) =>
    Effect.flatMap(
      Effect.promise(() => import("./runLoadTest.ts")),
      ({ runLoadTest }) => runLoadTest(options)
    )
).pipe(
  Command.withDescription(
    description("Send load to a service with k6", {
      0: "all thresholds held",
      1: "a threshold was crossed, the service got worse, or k6 failed",
      ...failures,
      130: "stopped with Ctrl-C"
    })
  ),
  Command.withShortDescription("Send load to a service with k6"),
  Command.withSubcommands([compare, render]),
  Command.withExamples([
    { command: `${program} load smoke`, description: "Load a simulated service for a few seconds" },
    { command: `${program} load smoke --rate 50 --duration 60s`, description: "Send more load for longer" }
  ])
)
