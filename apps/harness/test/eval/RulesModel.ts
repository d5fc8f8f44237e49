import type { ModelReply, ModelRequest } from "@webagent/scripted-model"
import { rules as miniwob } from "./rules/MiniWoBRules.ts"
import type { Call, Rule } from "./rules/Rule.ts"
import { read } from "./rules/Screen.ts"
import { siteRules } from "./rules/SiteRules.ts"

const done = (success: boolean): ModelReply => ({ calls: [{ name: "done", input: { success, output: "" } }] })

/** Maximum number of calls per response that the agent carries out. */
const calls_most = 5

/** A run that the rules carry out. */
interface Playing {
  readonly next: (request: ModelRequest) => ReadonlyArray<Call> | undefined
  error: string
}

/** Answers by a rule, page after page. */
const follow = (rule: (request: ModelRequest) => Rule, taskOf: (request: ModelRequest) => string): Playing => {
  let playing: ReturnType<Rule> | undefined
  let left: ReadonlyArray<Call> = []
  const next = (request: ModelRequest): ReadonlyArray<Call> | undefined => {
    const results = request.messages.filter(({ role }) => role === "tool").slice(-calls_most)
    const screen = read(request.text, results.map(({ text }) => text).join("\n"))
    if (left.length === 0) {
      const answer =
        playing === undefined ? (playing = rule(request)(taskOf(request), screen)).next() : playing.next(screen)
      if (answer.done === true) return undefined
      left = answer.value
    }
    const calls = left.slice(0, calls_most)
    left = left.slice(calls_most)
    return calls
  }
  return { next, error: "" }
}

const titleOf = ({ text }: ModelRequest): string => /^Title: (.*)$/mu.exec(text)?.[1] ?? ""

/** The rule for an instruction: that of a kind of MiniWoB++, or of a site. */
const playingOf = (instruction: string, address: string, override?: Rule): Playing => {
  const [, kind] = /\/miniwob\/([\w-]+)\.html$/u.exec(address) ?? []
  if (kind !== undefined) {
    return follow(() => {
      const rule = miniwob[kind]
      if (rule === undefined) throw new Error("there is no rule")
      return rule
    }, titleOf)
  }
  const [, rule] = Object.entries(siteRules).find(([part]) => instruction.includes(part)) ?? []
  return follow(
    () => {
      if (rule === undefined) throw new Error("there is no rule")
      return override ?? rule
    },
    () => instruction
  )
}

/** Rules in place of a model, for any number of runs at a time. */
export interface RulesModel {
  readonly script: (request: ModelRequest) => ModelReply
  /** The reasons why rules gave up, by the address of the first page. */
  readonly errors: () => ReadonlyMap<string, string>
}

/** Makes a model that carries out the tasks of evaluations by rules. `override` replaces the rules of all sites. */
export const make = (override?: Rule): RulesModel => {
  const runs = new Map<string, Playing>()
  const script = (request: ModelRequest): ModelReply => {
    // a request for a summary
    if (request.tools.length === 0) return { text: "The task continues." }
    const instruction = request.messages.findLast(({ text }) => text.startsWith("Task: "))?.text ?? ""
    const address = /Open (http:\S+?)[.,]?\s/u.exec(instruction)?.[1] ?? ""
    const known = runs.get(address)
    if (known === undefined) {
      runs.set(address, playingOf(instruction, address, override))
      return { calls: [{ name: "navigate", input: { url: address } }] }
    }
    // a page of MiniWoB++ that has not begun its episode has another title
    if (address.includes("/miniwob/") && titleOf(request).endsWith(" Task")) {
      return { calls: [{ name: "wait", input: { seconds: 0.2 } }] }
    }
    try {
      const calls = known.next(request)
      return calls === undefined ? done(true) : { calls }
    } catch (thrown) {
      known.error = thrown instanceof Error ? thrown.message : String(thrown)
      return done(false)
    }
  }
  return {
    script,
    errors: () =>
      new Map([...runs].flatMap(([address, { error }]) => (error === "" ? [] : [[address, error] as const])))
  }
}
