import { ControlServer, Journal, scriptKeys, Server, SimulatedService } from "@webagent/simulation"
import * as SimulationFlags from "@webagent/simulation/SimulationFlags"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import { servesUntilStopped } from "@webagent/cli/ExitCode"
import { program } from "../Program.ts"
import { terminal } from "@webagent/cli/Terminal"
import { requestLine } from "./RequestText.ts"
import * as ServeOutput from "./ServeOutput.ts"

type Labelled = ReadonlyArray<readonly [label: string, text: string]>

/** `text` in lines of at most `width` characters. */
const wrapped = (text: string, width: number): ReadonlyArray<string> => {
  const lines = [""]
  for (const word of text.split(" ")) {
    const line = lines.at(-1)
    if (line === "" || `${line} ${word}`.length <= width) lines.push([lines.pop(), word].join(" ").trimStart())
    else lines.push(word)
  }
  return lines
}

const banner = (
  { address, apiKey, baseUrls, control, scriptKeys }: ServeOutput.Started,
  asked: Labelled,
  columns: number
): ReadonlyArray<string> => {
  const labelled: Labelled = [
    ...Object.entries(baseUrls),
    ["docs", `${address}/api/v4/docs`],
    ...asked,
    ...(control === null ? [["control", "off (turn it on with --control)"] as const] : []),
    ["key", apiKey],
    [
      "script",
      `[simulate KEY=VALUE ...] in a task decides its run, such as [simulate outcome=failed duration=2s]. Keys: ${scriptKeys.join(", ")}`
    ],
    ["try it", `WEBAGENT_API_KEY=${apiKey} ${program} run --target ${address}`]
  ]
  const width = Math.max(...labelled.map(([label]) => label.length)) + 3
  const textLines = ([label, text]: Labelled[number]) =>
    // an address or a command in two lines cannot be copied
    (label === "script" ? wrapped(text, columns - width) : [text]).map(
      (line, index) => `${(index === 0 ? label : "").padEnd(width)}${line}`
    )
  return [`simulated service on ${address}, until Ctrl-C`, ...labelled.flatMap(textLines)]
}

/** Hands over the requests of a journal as they end, those of a moment together. */
const eachRequest = Effect.fnUntraced(function* <E, R>(
  journal: Journal["Service"],
  handle: (requests: ReadonlyArray<ServeOutput.Request>) => Effect.Effect<void, E, R>
) {
  const requests = yield* Queue.unbounded<ServeOutput.Request>()
  const read = ServeOutput.reader()
  yield* journal.observe((row) => {
    const request = read(row)
    if (request !== undefined) Queue.offerUnsafe(requests, request)
  })
  return yield* Effect.forever(Effect.flatMap(Queue.takeAll(requests), handle))
})

/** Serves until Ctrl-C: says where the service is and, unless it is to be quiet, each request. */
export const serveService = Effect.fnUntraced(function* (
  given: SimulationFlags.Flags & {
    readonly port: number
    readonly apiKey: string
    readonly seed: number
    readonly quiet: boolean
    readonly json: boolean
  }
) {
  const { apiKey, json, port, quiet, seed } = given
  const asked = yield* SimulationFlags.resolve(given)
  const parts = yield* Layer.build(SimulatedService.layer({ port, apiKeys: [apiKey], seed, ...asked.options }))
  const { address, baseUrls } = Context.get(parts, Server)
  const controlServer = Context.get(parts, ControlServer)
  const { control } = asked.options
  const started: ServeOutput.Started = {
    type: "started",
    address,
    baseUrls,
    apiKey,
    control:
      control === undefined || controlServer.address === undefined
        ? null
        : { address: controlServer.address, key: control.key },
    scriptKeys
  }
  const journal = Context.get(parts, Journal)
  const { columns, live, style, write } = yield* terminal
  const say = (lines: ReadonlyArray<string>) => write(lines.map((line) => `${line}\n`).join(""))
  if (json) {
    yield* say([ServeOutput.encode(started)])
  } else {
    const unseen = journal.enabled || quiet ? [] : [["requests", "not shown, because --journal-size is 0"] as const]
    yield* say([...banner(started, [...asked.lines(controlServer), ...unseen], columns), ""])
  }
  servesUntilStopped.now = true
  if (quiet) return yield* Effect.never
  const width = live ? columns : undefined
  return yield* eachRequest(journal, (requests) =>
    say(requests.map(json ? ServeOutput.encode : (request) => requestLine(request, { columns: width, style })))
  )
}, Effect.scoped)
