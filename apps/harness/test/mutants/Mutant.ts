import type { Mutation, Sent } from "./MutantProxy.ts"

/** A server broken on purpose, and the scenario that has to notice. */
export interface Mutant {
  readonly name: string
  readonly suite: string
  /** The part of a scenario's name that names the bug. Another scenario's failure, or a chance one, is no proof. */
  readonly noticedBy: string
  /** Noticed by a wait that does not end, where every other mutant has to be noticed by what came. */
  readonly hangs?: true
  /** Noticed in a task that its agent says it has done: the verdict is then that success was claimed. */
  readonly claimed?: true
  /** A new mutation a run: some remember what they saw. */
  readonly make: () => Mutation
}

export type Json = Record<string, unknown>

export const parse = (text: string): Json => {
  try {
    const json: unknown = JSON.parse(text)
    return typeof json === "object" && json !== null ? (json as Json) : {}
  } catch {
    return {}
  }
}

export const matches = (sent: Sent, method: string, path: RegExp) => sent.method === method && path.test(sent.path)

/** Changes the JSON of a successful answer to one kind of request. */
export const answers = (method: string, path: RegExp, change: (json: Json) => Json): Mutation => ({
  onAnswer: (answered, sent) =>
    matches(sent, method, path) && answered.status < 300
      ? { ...answered, body: JSON.stringify(change(parse(answered.body))) }
      : answered
})

/** Answers another status to one kind of request. */
export const statuses = (method: string, path: RegExp, from: number, to: number): Mutation => ({
  onAnswer: (answered, sent) =>
    matches(sent, method, path) && answered.status === from ? { ...answered, status: to } : answered
})

export const tasks = (change: (task: Json) => Json) => (session: Json) => ({
  ...session,
  tasks: (session["tasks"] as ReadonlyArray<Json>).map(change)
})

export const without = (field: string) => (json: Json) =>
  Object.fromEntries(Object.entries(json).filter(([key]) => key !== field))

export const v2Session = /^\/api\/v2\/sessions\/[^/]+$/u
export const v3Sessions = /^\/api\/v3\/sessions$/u
export const v3Session = /^\/api\/v3\/sessions\/[^/]+$/u
export const runs = /^\/api\/v4\/runs$/u
export const run = /^\/api\/v4\/runs\/[^/]+$/u
export const runStatus = /^\/api\/v4\/runs\/[^/]+\/status$/u
export const queue = /^\/api\/v4\/sessions\/[^/]+\/queue$/u
export const browsers = /^\/api\/v4\/browsers$/u
export const browser = /^\/api\/v4\/browsers\/[^/]+$/u

export const validKey = "wak_test"

export const valid = (text: string) =>
  JSON.stringify({ task: "t", text: "t", interrupt: false, action: "stop", ...parse(text) })
