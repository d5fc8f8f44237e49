import * as Duration from "effect/Duration"
import * as Result from "effect/Result"
import { type ParsedTaskScript, parseTaskScript } from "@webagent/control"
import { Decimal, Question, type Session, Turn } from "@webagent/engine"
import type { ScheduledProgress } from "./ScheduledAgent.ts"
import * as Seed from "../behavior/Seed.ts"
import { type CompleteProfile, dispatchShare } from "../behavior/Behavior.ts"
import * as Distribution from "../behavior/Distribution.ts"
import * as MadeUp from "./MadeUp.ts"

/** The profile and the seed of a turn: those in force when it began. */
export interface Force {
  readonly profile: CompleteProfile
  readonly seed: Seed.Seed
}

/** Duration of each part of a turn, in milliseconds. */
interface TurnTimes {
  readonly dispatch: number
  readonly work: number
  /** From being cancelled to being gone. */
  readonly letGo: number
}

type Outcome = "completed" | "failed" | "cancelled"

const minute_ms = 60_000

/** A script that cannot be read is one that fails the turn at once, and says why. */
const readScript = (task: string): ParsedTaskScript =>
  Result.getOrElse(parseTaskScript(task), (error) => ({ outcome: "failed", error, duration: Duration.zero }))

const drawer =
  (turn: Turn.Turn, { seed }: Force) =>
  (what: string) =>
    Seed.draw(seed, drawId(turn), what)

const pick = <A>(from: ReadonlyArray<A> | undefined, drawn: number): A | undefined =>
  from?.[Math.floor(drawn * from.length)]

const drawTimes = (id: string, script: ParsedTaskScript, { profile, seed }: Force): TurnTimes => {
  const letGo = Distribution.draw_ms(profile.letGo, seed, id, "letGo")
  if (script.duration !== undefined) {
    const whole = Duration.toMillis(script.duration)
    const dispatch = Math.round(whole * dispatchShare)
    return { dispatch, work: whole - dispatch, letGo }
  }
  return {
    dispatch: Distribution.draw_ms(profile.dispatch, seed, id, "dispatch"),
    work: Distribution.draw_ms(profile.duration, seed, id, "duration"),
    letGo
  }
}

/** The part of a run's work that its replay takes. No model thinks. */
const replayShare = 0.1

/**
 * Returns the id from which a turn's draws are made. A replay has the steps and the result of the turn that it repeats,
 * which may be a replay itself.
 */
export const drawId = ({ id, replay }: Turn.Turn): string => replay?.root ?? replay?.of ?? id

/** The parts of a turn that are fixed when it begins. */
interface Plan {
  readonly task: string
  readonly force: Force
  readonly script: ParsedTaskScript
  readonly times: TurnTimes
  /** The time that the turn works if it's no replay, in milliseconds. */
  readonly recorded_ms: number
}

/** Number of plans that are kept: more turns than report at the same time. Each has a task. */
const mostPlans = 100

/** Plans by turn. Each report of a turn needs its plan several times, and each draw of a plan hashes. */
const plans = new Map<string, Plan>()

/** Returns the plan of a turn. */
const planOf = (turn: Turn.Turn, force: Force): Plan => {
  const { id, replay, task } = turn
  const existing = plans.get(id)
  if (existing !== undefined && existing.task === task && existing.force === force) return existing
  const script = readScript(task)
  const times = drawTimes(drawId(turn), script, force)
  const work = replay === undefined ? times.work : Math.round(times.work * replayShare)
  const plan = { task, force, script, times: { ...times, work }, recorded_ms: times.work }
  if (plans.size >= mostPlans) plans.clear()
  plans.set(id, plan)
  return plan
}

const outcomeOf = (drawn: number, { profile }: Force): Outcome => {
  const { cancelled = 0, completed = 0, failed = 0 } = profile.outcomes
  const at = drawn * (cancelled + completed + failed)
  if (at < failed) return "failed"
  return at < failed + cancelled ? "cancelled" : "completed"
}

const costOf = (work_ms: number, { profile: { cost } }: Force) =>
  Decimal.add(
    cost.start ?? "0",
    Decimal.multiplyRatio(cost.perMinute ?? "0", BigInt(Math.round(work_ms)), BigInt(minute_ms))
  )

/** Returns the cost of a turn that has run for this long, by its script or otherwise the profile. It grows evenly. */
const costBy = (elapsed_ms: number, work_ms: number, script: ParsedTaskScript, force: Force): Decimal.Decimal => {
  if (script.cost === undefined) return costOf(elapsed_ms, force)
  if (elapsed_ms >= work_ms) return script.cost
  return Decimal.multiplyRatio(script.cost, BigInt(Math.floor(elapsed_ms)), BigInt(Math.ceil(work_ms)))
}

/** The cost that a turn stops at; null if it may cost what it costs. */
const limitOf = (cost: Decimal.Decimal, { budget }: Turn.Turn): Decimal.Decimal | null =>
  budget !== null && budget.cost !== null && Decimal.isMore(cost, budget.cost) ? budget.cost : null

const selfReportOf = (outcome: Outcome, drawn: () => number, { profile: { selfReport } }: Force): boolean | null => {
  if (outcome === "completed") return drawn() < (selfReport?.completed ?? 1)
  return outcome === "failed" && selfReport?.failed !== undefined ? drawn() < selfReport.failed : null
}

const suggestion = (_: unknown, index: number) => ({
  category: "simulated",
  message: `Simulated suggestion ${index + 1}.`
})

const suggestions = (count: number) => Array.from({ length: count }, suggestion)

/** Returns the durations of a turn's parts, by its script, or otherwise by profile and seed. */
export const times = (turn: Turn.Turn, force: Force): TurnTimes => planOf(turn, force).times

/** The length of a turn. */
interface Length {
  /** The time that it works, in milliseconds. */
  readonly work: number
  /** The same, or that of the turn that it repeats. */
  readonly recorded: number
  /** The number of its steps, if its script sets one. */
  readonly scripted?: number
}

/** Returns the length of a turn. */
export const length = (turn: Turn.Turn, force: Force): Length => {
  const { recorded_ms, script, times } = planOf(turn, force)
  return {
    work: times.work,
    recorded: recorded_ms,
    ...(script.steps === undefined ? {} : { scripted: script.steps })
  }
}

/** Returns when a running turn has worked for a time, in milliseconds. It doesn't work while it waits for people. */
export const workedAt = ({ questions = [], startedAt_ms }: Turn.Turn, work_ms: number): number =>
  (startedAt_ms ?? 0) + work_ms + Question.waited_ms(questions, Infinity)

/**
 * Returns the question in a turn's script for a person, unless the turn has already asked it. A replay asks none: it has
 * the recorded answer.
 */
export const question = (turn: Turn.Turn, force: Force): ScheduledProgress | undefined => {
  const { script, times } = planOf(turn, force)
  const { ask, choices = null } = script
  const { handOff = Question.defaultHandOff, questions = [] } = turn
  const isAsked = questions.length >= Question.mostQuestions || questions.some(({ askedBy }) => askedBy === "agent")
  if (ask === undefined || isAsked || turn.replay !== undefined) return undefined
  return {
    at_ms: workedAt(turn, Math.floor(times.work / 2)),
    progress: () => ({ ask: { reason: "question", question: ask, choices, askedBy: "agent", ...handOff } })
  }
}

/** Returns the cost of a turn that has worked for this long. A replay asks no model. */
export const costAfter = (turn: Turn.Turn, worked_ms: number, force: Force): Decimal.Decimal => {
  if (turn.replay !== undefined) return "0"
  const { script, times } = planOf(turn, force)
  return costBy(worked_ms, times.work, script, force)
}

/** Returns the question after which a turn ended at its cost limit, because no person raised it. */
export const endedAtCost = ({ questions = [] }: Turn.Turn): Question.Question | undefined =>
  questions.find(
    ({ outcome, reason }) =>
      reason === "max_cost" && outcome !== undefined && Question.raisedCost(outcome.answer, null) === null
  )

/** The event with which a turn is at work. */
export const started = (turn: Turn.Turn, force: Force): Turn.TurnEvent => {
  const { script } = planOf(turn, force)
  const draw = drawer(turn, force)
  const { keepAlive, persistMemory, recording } = script
  const { proxy } = force.profile
  const drawnMb = () =>
    proxy !== undefined && draw("proxy") < proxy.rate
      ? (proxy.mb.min + (proxy.mb.max - proxy.mb.min) * draw("proxyMb")).toFixed(2)
      : undefined
  const proxyUsedMb = script.proxyMb ?? drawnMb()
  return {
    _tag: "Started",
    settings: {
      ...(keepAlive === undefined ? {} : { keepAlive }),
      ...(persistMemory === undefined ? {} : { persistMemory }),
      ...(recording === undefined ? {} : { recording })
    },
    ...(proxyUsedMb === undefined ? {} : { proxyUsedMb })
  }
}

/** Returns the usage of a turn at a time: nothing before it runs, and no more than at its end. */
export const used = (turn: Turn.Turn, at_ms: number, force: Force): Turn.Usage => {
  if (turn.startedAt_ms === null) return {}
  const { work } = times(turn, force)
  const worked_ms = at_ms - turn.startedAt_ms - Question.waited_ms(turn.questions ?? [], at_ms)
  const cost = costAfter(turn, Math.min(Math.max(0, worked_ms), work), force)
  return { cost: limitOf(cost, turn) ?? cost }
}

/** Returns the question for which a turn fails, because no person answered it. */
const unansweredOf = ({ questions = [] }: Turn.Turn) =>
  questions.find(
    ({ outcome, reason, whenUnanswered }) =>
      outcome?.kind === "expired" && whenUnanswered === "fail" && reason !== "max_cost"
  )

/** Returns when a running turn ends: at the end of its work, or as soon as it fails after a question. */
export const endsAt = (turn: Turn.Turn, force: Force): number =>
  (unansweredOf(turn) ?? endedAtCost(turn))?.outcome?.at_ms ?? workedAt(turn, times(turn, force).work)

/** The text that a script or a profile gives a failure; undefined if neither has one. */
const errorText = (turn: Turn.Turn, force: Force): string | undefined =>
  planOf(turn, force).script.error ?? pick(force.profile.errors, drawer(turn, force)("error"))

/** The reason why a turn's last step fails; null unless the turn fails by its script or its profile. */
export const stepFailure = (turn: Turn.Turn, force: Force): string | null => {
  const event = ended(turn, force)
  return event._tag === "Failed" && event.failure === undefined ? (errorText(turn, force) ?? MadeUp.stepFailure) : null
}

/** The event with which a turn ends by itself. */
export const ended = (turn: Turn.Turn, force: Force): Turn.TurnEvent => {
  const missing = unansweredOf(turn)
  if (missing !== undefined) {
    const { cost = null } = used(turn, missing.outcome?.at_ms ?? 0, force)
    return {
      _tag: "Failed",
      error: Question.unanswered(missing),
      failure: "unanswered",
      report: { cost, isSuccess: null }
    }
  }
  const { script, times } = planOf(turn, force)
  const draw = drawer(turn, force)
  const { profile } = force
  const isReplay = turn.replay !== undefined
  const outcome = script.outcome ?? (isReplay ? "completed" : outcomeOf(draw("outcome"), force))
  const completed = outcome === "completed"
  const answer = Turn.answerOf(turn)
  const unscripted = () => {
    if (!completed) return null
    const result = pick(profile.results, draw("result")) ?? MadeUp.result(turn)
    return typeof answer === "string" && typeof result === "string" ? `${result} Answer: ${answer}` : result
  }
  const judged = (): Turn.Judgement | null => {
    if (script.judge !== undefined) return MadeUp.judgement(script.judge, undefined)
    // without a result, there is nothing to judge
    if (!completed || isReplay || profile.judge === undefined || draw("judge") >= profile.judge.enabled) return null
    return MadeUp.judgement(draw("judge agrees") < (profile.judge.agrees ?? 1), profile)
  }
  const suggested = () =>
    profile.suggestions !== undefined && draw("suggestions") < profile.suggestions.rate
      ? suggestions(1 + Math.floor(draw("suggestion count") * (profile.suggestions.max ?? 3)))
      : null
  const report: Turn.TurnReport = {
    // a script may well ask for null
    output: script.output === undefined ? unscripted() : script.output,
    isSuccess: script.success ?? selfReportOf(outcome, () => draw("selfReport"), force),
    judgement: judged(),
    suggestions: script.suggestions === undefined ? suggested() : suggestions(script.suggestions),
    cost: isReplay ? "0" : (script.cost ?? costOf(times.work, force))
  }
  const limit = limitOf(report.cost ?? "0", turn)
  if (limit !== null) {
    const reached = `The run reached its cost limit of ${limit} USD.`
    return { _tag: "Failed", error: reached, failure: "cost_limit", report: { cost: limit, isSuccess: null } }
  }
  if (outcome !== "failed") return { _tag: completed ? "Completed" : "Cancelled", report }
  const ownError = script.outcome === "failed" ? MadeUp.scriptedError : MadeUp.profileError(profile)
  return { _tag: "Failed", error: errorText(turn, force) ?? ownError, report }
}

/** Draws the settings of a new session, once; a later script may override them. */
export const settings = (sessionId: string, { profile, seed }: Force): Partial<Session.SessionSettings> => {
  const { keepAlive, persistMemory, recording } = profile.session
  const on = (what: keyof Session.SessionSettings, share: number | undefined) =>
    share === undefined ? {} : { [what]: share >= 1 || (share > 0 && Seed.draw(seed, sessionId, what) < share) }
  return { ...on("keepAlive", keepAlive), ...on("persistMemory", persistMemory), ...on("recording", recording) }
}
