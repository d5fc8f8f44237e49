import type { Server } from "@webagent/simulation"
import * as SimulationFlags from "@webagent/simulation/SimulationFlags"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Console from "effect/Console"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { usage } from "@webagent/report/UserError"
import { byHand } from "../Ending.ts"
import { program } from "../Program.ts"

type Labelled = ReadonlyArray<readonly [label: string, text: string]>

const lines = ({ address, baseUrls }: Server["Service"], key: string, asked: Labelled): ReadonlyArray<string> => {
  const labelled: Labelled = [
    ...Object.entries(baseUrls),
    ["docs", `${address}/api/v4/docs`],
    ...asked,
    ["key", key],
    ["try it", `WEBAGENT_API_KEY=${key} ${program} run --target ${address}`]
  ]
  const width = Math.max(...labelled.map(([label]) => label.length)) + 3
  return labelled.map(([label, text]) => `${label.padEnd(width)}${text}`)
}

/** `serve`: the simulated service in the foreground. */
export const serve = Command.make(
  "serve",
  {
    port: Flag.Int("port").pipe(
      Flag.filter(
        (port) => port >= 0 && port <= 65_535,
        () => "a port from 0 to 65535"
      ),
      Flag.withDescription("Listen on this port of 127.0.0.1 (default: 0, any free port)"),
      Flag.withDefault(0)
    ),
    apiKey: Flag.String("api-key").pipe(
      Flag.filter(
        (key) => key.trim() !== "",
        () => "a key that is not empty"
      ),
      Flag.withDescription("Accept this API key (default: wak_test)"),
      Flag.withDefault("wak_test")
    ),
    seed: Flag.Int("seed").pipe(
      Flag.withDescription("Draw ids, outcomes, durations and costs from this seed (default: 1)"),
      Flag.withDefault(1)
    ),
    ...SimulationFlags.flags
  },
  ({ apiKey, port, seed, ...simulation }) =>
    Effect.gen(function* () {
      const asked = yield* SimulationFlags.resolve(simulation)
      const { ControlServer, Server, SimulatedService } = yield* Effect.promise(() => import("@webagent/simulation"))
      const layer = SimulatedService.layer({ port, apiKeys: [apiKey], seed, ...asked.options })
      const parts = yield* Layer.build(layer)
      const server = Context.get(parts, Server)
      yield* Console.log(`simulated service on ${server.address}, until Ctrl-C`)
      for (const line of lines(server, apiKey, asked.lines(Context.get(parts, ControlServer)))) yield* Console.log(line)
      byHand.now = true
      return yield* Effect.never
    }).pipe(
      Effect.scoped,
      Effect.catchTags({
        SimulationMistake: ({ message }) => Effect.fail(usage(message)),
        PortInUseError: ({ port: taken }) => {
          const flag = taken === port ? "--port" : "--control-port"
          return Effect.fail(usage(`Port ${taken} is in use. Choose another with ${flag}, or 0 for any free port.`))
        },
        ListenError: (error) => Effect.fail(usage(`${error.message}.`))
      })
    )
).pipe(Command.withDescription("Serve the simulated service in the foreground, on this machine only"))
