import { loading } from "@webagent/cli/Loading"
import { description } from "@webagent/cli/Description"
import * as Flags from "@webagent/cli/Flags"
import * as Settings from "@webagent/cli/Settings"
import * as Span from "@webagent/cli/Span"
import { listenSettings } from "@webagent/server/ListenSettings"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"

/** The settings of the simulated service. */
export const simulateSettings = {
  ...listenSettings,
  seed: Settings.withDefault(Settings.int("Draw ids, outcomes, durations and costs from this seed (default: 1)"), 1),
  turnDuration: Settings.text(
    "Set how long a turn takes, such as 200ms or 2s (default: about 150ms)",
    Flag.filterMap(Span.parse, () => "a time such as 200ms, 2s or 1m")
  ),
  profile: Settings.text("Behave as PROFILE: instant, realistic, flaky, hostile, overloaded or a file"),
  faults: Settings.text("Inject the faults in a JSON file (default: the profile's)"),
  time: Settings.oneOf(
    ["real", "manual"],
    "Run service time as real, or manual: moved by the control API, which it turns on (default: real)"
  ),
  timeScale: Settings.finite(
    "Speed up service time: with 60 a minute takes a second (default: 1)",
    Flag.filter(
      (factor) => factor > 0 && factor <= 1_000_000,
      () => "a number above 0, up to 1000000"
    )
  ),
  control: Settings.boolean("Serve the control API on its own port, on this machine only (default: off)"),
  controlPort: Settings.int("Listen for the control API on a port (default: 0, any free port)", Flags.isPort),
  journalSize: Settings.int("Keep this many journal rows; 0 turns the journal off (default: 20000)", Flags.atLeast(0))
}

const flags = {
  ...Settings.flags(simulateSettings),
  apiKeys: Flags.apiKeys(
    "Accept an API key; repeatable (default: WEBAGENT_SERVER_API_KEY, else wak_test on this machine)"
  ),
  controlKey: Flags.optional(
    Flag.String("control-key").pipe(Flags.isNotBlank),
    "Set the control API key (default: WEBAGENT_CONTROL_KEY, else a new key)"
  ),
  quiet: Flags.switched("quiet", "Print no requests"),
  json: Flags.switched("json", "Print JSON lines: the addresses, then each request")
}

/** The flags of the simulated service, as the user set them. */
export type SimulateFlags = Command.Command.Config.Infer<typeof flags>

/**
 * Makes the command that serves the simulated service in the foreground and prints each request. The service is loaded
 * when the command runs.
 *
 * @param name - The name of the command.
 * @param more - Flags of the program that the service doesn't need.
 * @returns The command.
 * @example
 * ```ts
 * import { make } from "@webagent/simulation/SimulateCommand"
 *
 * export const command = make("simulate")
 * ```
 */
export const make = <const Name extends string, More extends Command.Command.Config = {}>(name: Name, more?: More) =>
  Command.make(name, { ...flags, ...more }, (given: SimulateFlags) =>
    loading(async () => (await import("./serveSimulation.ts")).serveSimulation(given))
  ).pipe(
    Command.withDescription(
      description("Serve the simulated service in memory, in the foreground, and print each request", {
        0: "stopped with Ctrl-C",
        2: "wrong usage, or the port is in use"
      })
    ),
    Command.withShortDescription("Serve the simulated service in the foreground")
  )
