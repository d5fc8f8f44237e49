import { Decimal, type ModelCallReport, type Turn } from "@webagent/engine"
import * as Seed from "../behavior/Seed.ts"
import type { ScheduledProgress } from "./ScheduledAgent.ts"
import * as TurnPlan from "./TurnPlan.ts"

/** Steps of a turn: the number, the times at which they begin, and the last time, at which the turn ends. */
interface Steps {
  readonly count: number
  readonly times_ms: ReadonlyArray<number>
  /** A number in [0, 1) for each place. One draw makes them all, because a draw hashes. */
  readonly vary: (place: number) => number
}

type Action = Pick<Turn.Step, "summary" | "title" | "tool" | "role" | "name" | "value">

/** Steps of a turn whose script doesn't set their number. A shorter turn has none, so that load tests stay cheap. */
const shortest_ms = 500
const fewest = 3
const most = 6

const action = (tool: string, role: string | null, name: string | null, value: string | null): Action => {
  const title = [tool, role, name === null ? null : JSON.stringify(name)].filter((part) => part !== null).join(" ")
  return { title, tool, role, name, value, summary: value === null ? title : `${title} ${JSON.stringify(value)}` }
}

/** Actions between the first step, which opens a page, and the last one, which reads the result. */
const actions = [
  action("type", "searchbox", "Search", "words of the task"),
  action("click", "button", "Search", null),
  action("click", "link", "First result", null),
  action("scroll", null, null, null),
  action("click", "button", "Show details", null),
  action("click", "link", "Next page", null)
] as const

const site = "https://www.example.com/"

/** The page that a task names, without the parts of its address that may hold a secret. */
const pageOf = (task: string): string => {
  const named = /\bhttps?:\/\/[^\s"'<>[\]]{1,200}/iu.exec(task)?.[0]
  const url = named === undefined ? null : URL.parse(named)
  return url === null ? site : `${url.origin}${url.pathname}`
}

let lastDraw: { readonly force: TurnPlan.Force; readonly id: string; readonly drawn: number } | undefined

/** Returns the draw of a turn's steps. Each report needs it several times, and a draw hashes. */
const drawnOf = (id: string, force: TurnPlan.Force): number => {
  if (lastDraw?.id !== id || lastDraw.force !== force) {
    lastDraw = { force, id, drawn: Seed.draw(force.seed, id, "steps") }
  }
  return lastDraw.drawn
}

const stepsOf = (turn: Turn.Turn, force: TurnPlan.Force): Steps | undefined => {
  const { recorded, scripted, work } = TurnPlan.length(turn, force)
  if (scripted === 0 || (scripted === undefined && recorded < shortest_ms)) return undefined
  const drawn = drawnOf(TurnPlan.drawId(turn), force)
  const vary = (place: number) => (drawn * 7919 * (place + 1)) % 1
  const count = scripted ?? fewest + Math.floor(drawn * (most - fewest + 1))
  const parts = Array.from({ length: count + 1 }, (_, place) => (place === 0 ? 0.2 : 0.5 + vary(place)))
  const whole = parts.reduce((sum, part) => sum + part, 0)
  let passed = 0
  const times_ms = parts.map((part) => {
    passed += part
    return TurnPlan.workedAt(turn, Math.round((work * passed) / whole))
  })
  return { count, times_ms, vary }
}

const tokensOf = ({ vary }: Steps, step: number): Turn.Turn["tokens"] & {} => ({
  input: 900 + 600 * step + Math.floor(400 * vary(step + 100)),
  output: 40 + Math.floor(160 * vary(step + 200))
})

/** Cost of a turn up to the end of a step. Nothing is paid before the first step. */
const costAfter = (turn: Turn.Turn, { times_ms }: Steps, step: number, force: TurnPlan.Force): Decimal.Decimal =>
  step === 0 ? "0" : (TurnPlan.used(turn, times_ms[step] ?? 0, force).cost ?? "0")

/** The model call of a step. It takes the first part of the step. */
const callOf = (turn: Turn.Turn, steps: Steps, step: number, force: TurnPlan.Force): ModelCallReport => {
  const at_ms = steps.times_ms[step - 1] ?? 0
  const share = 0.2 + 0.5 * steps.vary(step + 300)
  return {
    at_ms,
    duration_ms: Math.round(((steps.times_ms[step] ?? at_ms) - at_ms) * share),
    model: turn.model,
    tokens: tokensOf(steps, step),
    cost: Decimal.subtract(costAfter(turn, steps, step, force), costAfter(turn, steps, step - 1, force)),
    step,
    failure: null
  }
}

const stepOf = (turn: Turn.Turn, { count, vary }: Steps, step: number): Turn.Step => {
  const page = pageOf(turn.task)
  const first = Math.floor(vary(400) * 2)
  const middle = actions[(first + step - 2) % actions.length] ?? actions[0]
  const acts =
    step === 1
      ? action("navigate", null, null, page)
      : step === count
        ? action("extract", null, null, "The result of the task")
        : middle
  return { ...acts, address: page, picture: null }
}

/**
 * Returns the next report of a running turn; undefined if it has no steps or if the last one is over. The first report
 * begins the first step. Each later one ends a step with its model call, or as repeated, and begins the next one, in one commit. So the
 * turn's numbers of steps and calls say which report is next, even after the restore of a snapshot.
 */
export const next = (turn: Turn.Turn, force: TurnPlan.Force): ScheduledProgress | undefined => {
  const { replay } = turn
  // a step of a replay has no model call
  const over = turn.steps === 0 ? -1 : (replay?.replayed ?? turn.modelCalls ?? 0)
  const steps = stepsOf(turn, force)
  if (steps === undefined || over === steps.count) return undefined
  const ended = over + 1
  const begun = ended === steps.count ? {} : { step: stepOf(turn, steps, ended + 1) }
  const progress: ScheduledProgress["progress"] = (open) => {
    if (ended === 0) return begun
    const beganAt_ms = steps.times_ms[ended - 1] ?? 0
    const step = open ?? { turnId: turn.id, ordinal: ended, ...stepOf(turn, steps, ended), beganAt_ms }
    const failure = ended === steps.count ? TurnPlan.stepFailure(turn, force) : null
    if (replay !== undefined) return { ...begun, ended: { step, failure, details: { repetition: "replayed" } } }
    const call = callOf(turn, steps, ended, force)
    const { cost, tokens } = call
    const before = turn.tokens ?? { input: 0, output: 0 }
    return {
      ...begun,
      call,
      used: {
        cost: costAfter(turn, steps, ended, force),
        tokens: { input: before.input + (tokens?.input ?? 0), output: before.output + (tokens?.output ?? 0) }
      },
      ended: { step, failure, details: { cost, tokens } }
    }
  }
  return { at_ms: steps.times_ms[ended] ?? 0, progress }
}
