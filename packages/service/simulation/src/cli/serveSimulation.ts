import { servesUntilStopped } from "@webagent/cli/ExitCode"
import { layerLog } from "@webagent/cli/Log"
import * as Program from "@webagent/cli/Program"
import { terminal } from "@webagent/cli/Terminal"
import { portInUse, usage } from "@webagent/cli/UserError"
import { scriptKeys } from "@webagent/control"
import { LinkTokens, Server } from "@webagent/server"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import { ControlServer } from "../control/ControlServer.ts"
import { Journal } from "../journal/Journal.ts"
import * as SimulatedService from "../SimulatedService.ts"
import { requestLine } from "./RequestText.ts"
import * as ServeOutput from "./ServeOutput.ts"
import type { SimulateFlags } from "./SimulateCommand.ts"
import { type Lines, resolve } from "./SimulateSettings.ts"

const harness = Program.here("webagent-harness", import.meta.url)

/** Breaks `text` into lines of at most `width` characters. */
const wrapped = (text: string, width: number): ReadonlyArray<string> => {
  const lines = [""]
  for (const word of text.split(" ")) {
    const line = lines.at(-1)
    if (line === "" || `${line} ${word}`.length <= width) lines.push([lines.pop(), word].join(" ").trimStart())
    else lines.push(word)
  }
  return lines
}

/** The lines to print once the service listens. The key is last, so a process that reads it has read the others. */
const banner = (
  { address, apiKey, baseUrls, scriptKeys }: ServeOutput.Started,
  settings: Lines,
  columns: number,
  hasConsole: boolean
): ReadonlyArray<string> => {
  const labelled: Lines = [
    ...Object.entries(baseUrls),
    ["docs", `${address}/api/v4/docs`],
    ...(hasConsole ? [["console", `${address}/console`] as const] : []),
    ...settings,
    [
      "script",
      `[simulate KEY=VALUE ...] in a task decides its run, such as [simulate outcome=failed duration=2s]. Keys: ${scriptKeys.join(", ")}`
    ],
    ["try it", `WEBAGENT_API_KEY=${apiKey} ${harness} run --target ${address}`],
    ["key", apiKey]
  ]
  const width = Math.max(...labelled.map(([label]) => label.length)) + 3
  const textLines = ([label, text]: Lines[number]) =>
    // an address or a command in two lines cannot be copied
    (label === "script" ? wrapped(text, columns - width) : [text]).map(
      (line, index) => `${(index === 0 ? label : "").padEnd(width)}${line}`
    )
  return [`simulated service on ${address}, until Ctrl-C`, ...labelled.flatMap(textLines)]
}

/** Passes finished requests of a journal to `handle`, those of the same moment together. */
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

/** Serves until Ctrl-C: prints the addresses and, without `--quiet`, each request. */
export const serveSimulation = Effect.fnUntraced(
  function* (given: SimulateFlags) {
    const { json, quiet } = given
    const { apiKey, lines, options } = yield* resolve(given)
    const parts = yield* Layer.build(SimulatedService.layer({ ...options, linkTokens: LinkTokens.layerRandom }))
    const { address, baseUrls } = Context.get(parts, Server)
    const { address: controlAddress } = Context.get(parts, ControlServer)
    const key = options.control?.key
    const started: ServeOutput.Started = {
      type: "started",
      address,
      baseUrls,
      apiKey,
      control: key === undefined || controlAddress === undefined ? null : { address: controlAddress, key },
      scriptKeys
    }
    const journal = Context.get(parts, Journal)
    const { columns, live, style, write } = yield* terminal
    const print = (lines: ReadonlyArray<string>) => write(lines.map((line) => `${line}\n`).join(""))
    if (json) {
      yield* print([ServeOutput.encode(started)])
    } else {
      const unseen = journal.enabled || quiet ? [] : [["requests", "not shown, because --journal-size is 0"] as const]
      yield* print([...banner(started, [...lines(controlAddress), ...unseen], columns, options.console), ""])
    }
    servesUntilStopped.now = true
    if (quiet) return yield* Effect.never
    const width = live ? columns : undefined
    return yield* eachRequest(journal, (requests) =>
      print(requests.map(json ? ServeOutput.encode : (request) => requestLine(request, { columns: width, style })))
    )
  },
  Effect.scoped,
  (effect, { controlPort, log }) =>
    effect.pipe(
      Effect.catchTags({
        PortInUseError: ({ port }) =>
          Effect.fail(port === controlPort ? portInUse(port, "--control-port") : portInUse(port)),
        ListenError: (error) => Effect.fail(usage(`${error.message}.`))
      }),
      Effect.provide(layerLog(log))
    )
)
