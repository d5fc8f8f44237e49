import type { StepCall } from "@webagent/engine"
import * as Effect from "effect/Effect"
import type { JsonObject } from "effect/Schema"
import { mapTexts } from "../model/Texts.ts"
import type { Page } from "../page/Page.ts"
import type { Seen } from "./Seen.ts"
import { doneName, elementNames, focusName, pressName } from "./Tools.ts"

/** A call as it is about to be made. */
interface Made {
  readonly name: string
  readonly params: unknown
}

/** Limits the arguments of a call that are stored, in characters of JSON, and those of the call that ends the task. */
const longest = 16_000
const longestDone = 200_000

const isSecret = /^(?:<secret:[\w.-]+>)+$/u

const isRecord = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Describes a call for a replay, before it's made: afterwards, the page may be another one. */
export const recordOf = Effect.fnUntraced(function* (
  {
    redact,
    remember,
    rememberFocused,
    rememberPage
  }: Pick<Page, "redact" | "remember" | "rememberFocused" | "rememberPage">,
  seen: Pick<Seen, "among">,
  { name: tool, params: all }: Made
) {
  const args = isRecord(all) ? all : {}
  const named = elementNames.flatMap((name) => {
    const number = args[name]
    return typeof number === "number" ? [[name as string, remember(number)] as const] : []
  })
  if (tool === pressName) named.push([focusName, rememberFocused])
  // all are sent in one go
  const [page, ...described] = yield* Effect.all([rememberPage, ...named.map(([, element]) => element)], {
    concurrency: "unbounded"
  })
  const elements: Record<string, StepCall.RecordedElement> = Object.fromEntries(
    named.flatMap(([name], at) => {
      const element = described[at] ?? null
      return element === null ? [] : [[name, element]]
    })
  )
  const params = Object.fromEntries(Object.entries(args).filter(([name]) => !(name in elements)))
  // a password that isn't one of the agent's secrets isn't stored
  const { text } = params
  const isPassword = elements["index"]?.role === "password" && typeof text === "string" && !isSecret.test(redact(text))
  if (isPassword) delete params["text"]
  const kept = mapTexts(params, (each) => redact(each).toWellFormed()) as JsonObject
  const isLong = JSON.stringify(kept).length > (tool === doneName ? longestDone : longest)
  const record: Omit<StepCall.StepCall, "status"> = {
    tool: redact(tool.slice(0, 100)),
    params: isLong ? {} : kept,
    elements,
    isComplete: isRecord(all) && !isPassword && !isLong,
    ...(page === null ? {} : { page }),
    ...(tool === doneName && !isLong ? { words: seen.among(kept["output"]) } : {})
  }
  return record
})
