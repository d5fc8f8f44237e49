import { decimalPattern } from "@webagent/contract"
import type * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { spanFromText } from "./Span.ts"

/**
 * Instructions for a simulated agent, written into the task as one bracket. Durations are an Effect duration without
 * the space (`"200ms"`, `"2s"`), `cost` is a decimal string in USD, `proxyMb` one in MB.
 */
export interface TaskScript {
  readonly outcome?: "completed" | "failed" | "cancelled"
  readonly duration?: string
  /** Any JSON value; a v2 task shows it as text. */
  readonly output?: unknown
  readonly error?: string
  readonly cost?: string
  /** The agent's own opinion of its success. */
  readonly success?: boolean
  /** A judge's verdict, which comes with a report. */
  readonly judge?: boolean
  /** Number of suggestions that come with the task. */
  readonly suggestions?: number
  readonly keepAlive?: boolean
  readonly persistMemory?: boolean
  readonly recording?: boolean
  readonly proxyMb?: string
  /** Number of steps, 0 to 99. */
  readonly steps?: number
  /** A question to a person, asked in the middle of the work. Its wait doesn't count as work. */
  readonly ask?: string
  /** The answers to choose from; any text by default. */
  readonly choices?: ReadonlyArray<string>
}

/** A script as the agent reads it in a task. */
export interface ParsedTaskScript extends Omit<TaskScript, "duration" | "output"> {
  readonly duration?: Duration.Duration
  readonly output?: Schema.Json
}

const json = (text: string): Result.Result<Schema.Json, unknown> => Result.try(() => JSON.parse(text) as Schema.Json)

const words = (...known: ReadonlyArray<string>) => ({
  expected: known.join(" or "),
  parse: (text: string) => (known.includes(text) ? text : undefined)
})
const truth = { expected: "true or false", parse: (text: string) => ({ true: true, false: false })[text] }
const decimal = {
  expected: "a decimal number such as 0.0132",
  parse: (text: string) => (decimalPattern.test(text) && !text.startsWith("-") ? text : undefined)
}
const count = {
  expected: "a number from 0 to 99",
  parse: (text: string) => (/^\d{1,2}$/u.test(text) ? Number(text) : undefined)
}

const sentence = {
  expected: "a word or a JSON string",
  parse: (text: string) => {
    const value = Result.getOrElse(json(text), () => text)
    return typeof value === "string" ? value : text
  }
}

/** Readers of each key's raw value; `undefined` means that the value is invalid. */
const keys: { readonly [Key in keyof TaskScript]-?: Reader } = {
  outcome: words("completed", "failed", "cancelled"),
  duration: {
    expected: "a number with ms, s, m or h, such as 200ms",
    parse: (text) => Option.getOrUndefined(spanFromText(text))
  },
  output: { expected: "a word or JSON", parse: (text) => Result.getOrElse(json(text), () => text) },
  error: sentence,
  cost: decimal,
  success: truth,
  judge: truth,
  suggestions: count,
  keepAlive: truth,
  persistMemory: truth,
  recording: truth,
  proxyMb: decimal,
  steps: count,
  ask: sentence,
  choices: {
    expected: 'a JSON array of texts such as ["Red","Blue"]',
    parse: (text) => {
      const value = Result.getOrElse(json(text), () => null)
      const isList = Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === "string")
      return isList ? value : undefined
    }
  }
}

/** Keys of a script, before the `=`. */
export const scriptKeys: ReadonlyArray<string> = Object.keys(keys)

interface Reader {
  readonly expected: string
  readonly parse: (text: string) => unknown
}

const bare = /^[\w.+-]+$/u

/** Text stands as it is, but not as an output, where `true` is no text. */
const written = (key: string, value: unknown): string =>
  key !== "output" && typeof value === "string" && bare.test(value) ? value : JSON.stringify(value)

/** The task with the script's bracket behind it: `Buy a mug [simulate outcome=failed error="no mug"]`. */
export const writeTaskScript = (task: string, script: TaskScript): string => {
  const entries = Object.entries(script).filter(([, value]) => value !== undefined)
  return `${task} [${["simulate", ...entries.map(([key, value]) => `${key}=${written(key, value)}`)].join(" ")}]`
}

const opening = /\[simulate(?=[\s\]])/u
const bareWord = /[^\s\]]+/uy
const pair = /\s*(?:(\])|([A-Za-z]+)=)/uy

/**
 * Returns the end of the value that starts at `from`: JSON is followed to its close, anything else to a space or `]`.
 */
const valueEnd = (text: string, from: number): number | undefined => {
  if (!/["{[]/u.test(text.charAt(from))) {
    bareWord.lastIndex = from
    return bareWord.test(text) ? bareWord.lastIndex : undefined
  }
  let depth = 0
  let quoted = false
  for (let index = from; index < text.length; index++) {
    const character = text.charAt(index)
    if (quoted && character === "\\") index++
    else if (character === '"') quoted = !quoted
    else if (!quoted && (character === "{" || character === "[")) depth++
    else if (!quoted && (character === "}" || character === "]")) depth--
    if (depth === 0 && !quoted) return index + 1
  }
  return undefined
}

/**
 * Reads the one `[simulate key=value ...]` of a task text. A text without it is an empty script; a script that
 * cannot be read is a sentence that says what is wrong with it and what is known.
 *
 * @param task - The text of a task.
 * @returns The script, or the reason why the text in brackets isn't one.
 * @example
 * ```ts
 * import { parseTaskScript } from "@webagent/simulation"
 *
 * export const script = parseTaskScript("Buy a mug [simulate output=ordered duration=2s]")
 * ```
 */
export const parseTaskScript = (task: string): Result.Result<ParsedTaskScript, string> => {
  const start = opening.exec(task)
  if (start === null) return Result.succeed({})
  const script: Record<string, unknown> = {}
  let position = start.index + start[0].length
  for (;;) {
    pair.lastIndex = position
    const [matched, close, key] = pair.exec(task) ?? []
    if (close !== undefined) return Result.succeed(script)
    if (matched === undefined || key === undefined) {
      return Result.fail(`Expected key=value or ] in the script at "${task.slice(position, position + 20).trim()}".`)
    }
    if (!Object.hasOwn(keys, key)) {
      return Result.fail(`Unknown key "${key}" in the script. Known are ${scriptKeys.join(", ")}.`)
    }
    if (Object.hasOwn(script, key)) return Result.fail(`The script has the key "${key}" twice.`)
    const reader = keys[key as keyof TaskScript]
    const end = valueEnd(task, position + matched.length)
    const raw = task.slice(position + matched.length, end)
    const value = end === undefined ? undefined : reader.parse(raw)
    if (end === undefined || value === undefined) {
      return Result.fail(`The value of "${key}" in the script is "${raw}", expected ${reader.expected}.`)
    }
    script[key] = value
    position = end
  }
}
