import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import * as Time from "@webagent/scenario/Time"

/** A flag that is undefined where it is not given. */
export const optional = <A>(flag: Flag.Flag<A>, description: string): Flag.Flag<A | undefined> =>
  flag.pipe(Flag.withDescription(description), Flag.optional, Flag.map(Option.getOrUndefined))

/** A text; undefined where it is not given. */
export const text = (name: string, description: string) => optional(Flag.String(name), description)

/** A text that may be given several times. */
export const texts = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.atLeast(0))

/** A flag that is true if it is present and false by default. */
export const switched = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.withDefault(false))

/** `--json`. */
export const json = switched("json", "Print one JSON document, and nothing else, on standard output")

/** An integer that is at least `least`. */
export const integer = (name: string, least: number) =>
  Flag.Int(name).pipe(
    Flag.filter(
      (value) => value >= least,
      () => `${least} or more`
    )
  )

/** An integer that is at least `least`; undefined where it is not given. */
export const count = (name: string, least: number, description: string) => optional(integer(name, least), description)

/** `--port`; any free one where none is named. */
export const port = (description: string) =>
  Flag.Int("port").pipe(
    Flag.filter(
      (port) => port >= 0 && port <= 65_535,
      () => "a port from 0 to 65535"
    ),
    Flag.withDescription(`${description} (default: 0, any free port)`),
    Flag.withDefault(0)
  )

/** A time such as `30s`. */
export const time = (name: string) =>
  Flag.String(name).pipe(Flag.filterMap(Time.parse, () => "a time such as 500ms, 30s or 5m"))

/** A time; undefined where it is not given. */
export const duration = (name: string, description: string) => optional(time(name), description)

/** `--target`; `simulated` says which service runs when none is named. */
export const target = (simulated: string) =>
  Flag.String("target").pipe(
    Flag.withDescription(
      `Send requests to this URL, or to a target of the configuration (default: simulated, ${simulated})`
    ),
    Flag.withDefault("simulated")
  )

/** `--report-dir`; `what` says what is written there. */
export const reportDir = (what: string) =>
  text("report-dir", `Write ${what} to this folder (default: .webagent/runs/<local time>)`)

/** `--config`. */
export const config = text(
  "config",
  "Read the configuration from this file (default: webagent.config.ts, if it exists)"
)

/** `--built-in`. */
export const builtIn = switched("built-in", "Run the built-in suites, whatever the project has")

/** `--api-key-header`. */
export const apiKeyHeader = text(
  "api-key-header",
  "Send the API key in this header (default: WEBAGENT_API_KEY_HEADER, else X-Service-API-Key)"
)

/** `--api-key-env`. */
export const apiKeyEnv = Flag.String("api-key-env").pipe(
  Flag.withDescription("Read the API key from this variable (default: WEBAGENT_API_KEY)"),
  Flag.withDefault("WEBAGENT_API_KEY")
)

/** `--history` of what only reads one. */
export const history = Flag.String("history").pipe(
  Flag.withDescription("Read the nights from this file (default: .webagent/history.ndjson)"),
  Flag.withDefault(".webagent/history.ndjson")
)
