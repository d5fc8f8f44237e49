import type { Screen, Seen } from "./Screen.ts"

/** A call of a tool of the agent. */
export interface Call {
  readonly name: string
  readonly input: unknown
}

/** Some steps: calls of tools, and the page after them. */
export type Steps<A = void> = Generator<ReadonlyArray<Call>, A, Screen>

/** Replaces a model for a kind of task: it sees a page, calls tools, and sees the next page until the task is done. */
export type Rule = (task: string, first: Screen) => Steps

/** The rules of some kinds, by their names. */
export type Rules = Readonly<Record<string, Rule>>

export const click = ({ number: index }: Seen, how: object = {}): Call => ({ name: "click", input: { index, ...how } })

export const clickAt = (x: number, y: number): Call => ({ name: "clickAt", input: { x, y } })

export const type = ({ number: index }: Seen, text: string, how: object = {}): Call => ({
  name: "type",
  input: { index, text, ...how }
})

export const press = (...keys: ReadonlyArray<string>): Call => ({ name: "press", input: { keys: keys.join(" ") } })

export const select = ({ number: index }: Seen, ...values: ReadonlyArray<string>): Call => ({
  name: "select",
  input: { index, values }
})

export const check = ({ number: index }: Seen, checked = true): Call => ({ name: "check", input: { index, checked } })

export const hover = ({ number: index }: Seen): Call => ({ name: "hover", input: { index } })

export const wait = (seconds: number): Call => ({ name: "wait", input: { seconds } })

export const drag = (from: Seen, to: Seen, dx = 0, dy = 0): Call => ({
  name: "drag",
  input: { from: from.number, to: to.number, dx: Math.round(dx), dy: Math.round(dy) }
})

export const scroll = (direction: string, within?: Seen): Call => ({
  name: "scroll",
  input: { direction, ...(within === undefined ? {} : { index: within.number }) }
})

/** The texts in quotation marks. */
export const quoted = (task: string): ReadonlyArray<string> =>
  Array.from(task.matchAll(/"([^"]*)"/gu), ([, text = ""]) => text)

/** The part of the task that a pattern names; fails where it has none. */
export const part = (task: string, pattern: RegExp): string => {
  const found = pattern.exec(task)?.[1]
  if (found === undefined) throw new Error(`the task is not understood: ${task}`)
  return found.trim()
}

/** `1st` is 0. */
export const ordinal = (task: string): number => Number(part(task, /(\d+)(?:st|nd|rd|th)/u)) - 1

export const highlight = (text: string, within?: Seen): Call => ({
  name: "highlight",
  input: { text, ...(within === undefined ? {} : { index: within.number }) }
})
