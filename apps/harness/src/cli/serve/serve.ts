import * as SimulationFlags from "@webagent/simulation/SimulationFlags"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { usage } from "@webagent/cli/UserError"
import { description } from "@webagent/cli/Description"
import * as Flags from "../Flags.ts"

/** Options of a replay, which has no simulated agent and no control API. */
const replayOptions = (
  path: string,
  match: "body" | "path",
  options: SimulationFlags.Flags & { readonly port: number; readonly quiet: boolean; readonly json: boolean }
) => {
  const { control, controlKey, controlPort, faults, journalSize, json, port, profile, quiet, time, timeScale } = options
  const others = [faults, profile, time, controlKey, controlPort, journalSize]
  return control || json || others.some((given) => Option.isSome<unknown>(given))
    ? Effect.fail(usage("--cassette can be combined only with --port, --match, --time-scale and --quiet."))
    : Effect.succeed({ path, port, match, quiet, speed: Option.getOrElse(timeScale, () => 1) })
}

/** `serve`: the simulated service in the foreground. What it runs with is loaded when it runs. */
export const serve = Command.make(
  "serve",
  {
    port: Flags.port("Listen on this port of 127.0.0.1"),
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
    ...SimulationFlags.flags,
    cassette: Flags.text("cassette", "Replay this recording instead of simulating (default: none)"),
    match: Flag.Literals("match", ["body", "path"]).pipe(
      Flag.withDescription("With --cassette: replay a create by its body, or by its path alone (default: body)"),
      Flag.withDefault("body" as const)
    ),
    quiet: Flags.switched("quiet", "Print no requests"),
    json: Flags.switched("json", "Print JSON lines: the addresses, then each request")
  },
  ({ cassette, match, ...options }) =>
    Effect.gen(function* () {
      if (cassette !== undefined) {
        const replay = yield* replayOptions(cassette, match, options)
        const { serveCassette } = yield* Effect.promise(() => import("./serveCassette.ts"))
        return yield* serveCassette(replay)
      }
      const { serveService } = yield* Effect.promise(() => import("./serveService.ts"))
      return yield* serveService(options)
    }).pipe(
      Effect.scoped,
      Effect.catchTags({
        SimulationMistake: ({ message }) => Effect.fail(usage(message)),
        PortInUseError: ({ port }) => {
          const flag = port === options.port ? "--port" : "--control-port"
          return Effect.fail(usage(`Port ${port} is in use. Choose another with ${flag}, or 0 for any free port.`))
        },
        ListenError: (error) => Effect.fail(usage(`${error.message}.`))
      })
    )
).pipe(
  Command.withDescription(
    description("Serve the simulated service in the foreground, on this machine only, and print each request", {
      0: "stopped with Ctrl-C",
      2: "wrong usage, or the port is in use"
    })
  ),
  Command.withShortDescription("Serve the simulated service in the foreground")
)
