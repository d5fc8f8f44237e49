import * as Flag from "effect/cli/Flag"

/** An integer that is at least `least`. */
export const integer = (name: string, least: number) =>
  Flag.Int(name).pipe(
    Flag.filter(
      (value) => value >= least,
      (value) => `Expected: ${least} or more, got ${value}`
    )
  )

/** `--target`; `simulated` says which service runs when none is named. */
export const target = (simulated: string) =>
  Flag.String("target").pipe(
    Flag.withDescription(`Send requests to the service at this URL (default: simulated, ${simulated})`),
    Flag.withDefault("simulated")
  )

/** `--report-dir`; `what` says what is written there. */
export const reportDir = (what: string) =>
  Flag.String("report-dir").pipe(
    Flag.withDescription(`Write ${what} to this folder (default: .webagent/runs/<local time>)`),
    Flag.optional
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
