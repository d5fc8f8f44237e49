import * as Flag from "effect/cli/Flag"
import { switched, text } from "@webagent/cli/Flags"

export * from "@webagent/cli/Flags"

/** `--json`. */
export const json = switched("json", "Print one JSON document, and nothing else, on standard output")

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
export const builtIn = switched("built-in", "Run the built-in suites, even if the project has its own")

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
