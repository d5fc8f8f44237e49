import { apiKeyHeader } from "@webagent/contract/Wire"
import type { Match } from "@webagent/cassette/Player"
import * as ReplayApp from "@webagent/cassette/ReplayApp"
import { counted, duration, moment } from "@webagent/cli/Text"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Cassettes from "../Cassettes.ts"
import { servesUntilStopped } from "@webagent/cli/ExitCode"
import { listening } from "../Listening.ts"
import { terminal } from "@webagent/cli/Terminal"
import { requestLine } from "@webagent/simulation/RequestText"

const whole = { answered: "whole", fault: null, resource: null, retryAfter_ms: null } as const

/** Serves a cassette in the foreground. */
export const serveCassette = Effect.fnUntraced(function* (options: {
  readonly path: string
  readonly port: number
  readonly timeScale: number
  readonly match: Match
  readonly quiet: boolean
}) {
  const { match, path, port, quiet, timeScale } = options
  const cassette = yield* Cassettes.read(path)
  const { columns, live, style } = yield* terminal
  const width = live ? columns : undefined
  const app = yield* ReplayApp.make(cassette, {
    apiKeyHeader,
    match,
    speed: timeScale,
    ...(quiet
      ? {}
      : { onAnswer: (answered) => Console.log(requestLine({ ...whole, ...answered }, { columns: width, style })) })
  })
  const address = yield* listening(port, app)
  const last = cassette.exchanges.at(-1)
  const length = last === undefined ? "" : ` over ${duration(last.at_ms + last.took_ms)}`
  yield* Console.log(`cassette ${path} on ${address}, until Ctrl-C`)
  yield* Console.log(
    `recorded ${moment(cassette.startedAt)} from ${cassette.target}: ${counted(cassette.exchanges.length, "answer")}${length}`
  )
  yield* Console.log("key      any")
  servesUntilStopped.now = true
  return yield* Effect.never
})
