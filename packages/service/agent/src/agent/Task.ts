import { type AgentError, type Attempt, LeaseLost, Turn } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as LanguageModel from "effect/ai/LanguageModel"
import { CallSettings, refused } from "../model/CallSettings.ts"
import { OnFailedCall, OnSpent } from "../model/Models.ts"
import type { Look } from "../page/Look.ts"
import type { Page } from "../page/Page.ts"
import * as Asking from "./Asking.ts"
import * as Calls from "./Calls.ts"
import type * as ContextBudget from "./ContextBudget.ts"
import * as Conversation from "./Conversation.ts"
import * as CostLimit from "./CostLimit.ts"
import * as Deciding from "./Deciding.ts"
import * as Ending from "./Ending.ts"
import type { Approval } from "./HandOver.ts"
import * as Limits from "./Limits.ts"
import * as Meter from "./Meter.ts"
import * as OutputSchema from "./OutputSchema.ts"
import * as People from "./People.ts"
import * as Remarks from "./Remarks.ts"
import * as Replaying from "./Replaying.ts"
import * as Seen from "./Seen.ts"
import { elementOf, failureOf } from "./StepSummary.ts"
import * as Suggestions from "./Suggestions.ts"
import * as Tools from "./Tools.ts"

/** Options that all tasks of an agent share. */
interface TaskOptions {
  /** Sends pictures to the model with each step. Steps can keep pictures even without this. */
  readonly sees: boolean
  /** Draws the numbers of elements onto these pictures. */
  readonly marks: boolean
  readonly pictures: boolean
  readonly limits: Limits.Limits
  readonly context: ContextBudget.ContextBudget
  /** Part of the time limit that the turn has used before it had this browser, in milliseconds. */
  readonly used_ms: number
  /** Judges the result of a task with a second call; null doesn't. */
  readonly judge: Ending.JudgeOptions | null
  readonly approve: (action: Tools.Action) => Effect.Effect<Approval>
  readonly hasRules: () => boolean
  readonly settings: CallSettings
  /** The task as the model is told of it. */
  readonly told: string
  /** A thinking level of the session that is none. */
  readonly unknownLevel: string | undefined
}

/** Tells the model of a recorded step that was repeated without it. */
const repeatedText = (summary: string, results: ReadonlyArray<Conversation.CallResult>): string =>
  `Repeated from the recorded run: ${summary}\n${results.map(({ result }) => result).join("\n")}`

/** Carries out one task with a page, step by step: look, ask the model, act. */
export const perform = Effect.fnUntraced(function* (
  turn: Turn.Turn,
  attempt: Pick<
    Attempt,
    "ask" | "budget" | "handedOver" | "paused_ms" | "recorded" | "session" | "step" | "stepEnded" | "untilFree" | "used"
  >,
  page: Page,
  conversation: Conversation.Conversation,
  { approve, context, judge, marks, pictures, settings, sees, told, unknownLevel, used_ms, ...options }: TaskOptions
): Effect.fn.Return<Ending.Ended, AgentError | LeaseLost, LanguageModel.LanguageModel> {
  const model = yield* LanguageModel.LanguageModel
  const seen = Seen.make()
  const replaying = Replaying.make({ recorded: yield* attempt.recorded, page, seen })
  const within = Limits.within(options.limits, attempt.budget)
  // recorded steps ask no model
  const limits = { ...within, steps: within.steps + replaying.length }
  const meter = Meter.make({ used: attempt.used, redact: page.redact, before: turn })
  const suggestions = Suggestions.make()
  const ending = Ending.make({ turn, session: attempt.session, page, conversation, suggestions, judge })
  const remarks = Remarks.make({ page, limits, suggestions, conversation })
  const repairs = OutputSchema.accepting(yield* OutputSchema.make(turn.outputSchema ?? null))
  const done = Tools.done(turn.outputSchema ?? null)
  let failures = 0
  let lastFailure = ""
  let shown: Look["shown"] = []
  Suggestions.addAboutSettings(suggestions, refused(settings.body ?? {}), unknownLevel)
  if (turn.replay !== undefined && !replaying.isReplay) return ending.notReplayable(Replaying.gone(turn.replay))

  const asking = Asking.make({ model, page, conversation, told, context })
  const deciding = Deciding.make({
    asking,
    replaying,
    page,
    remarks,
    limits,
    done,
    mayAskPeople: turn.handOff !== undefined,
    sees,
    marks,
    pictures
  })
  let isRepeated = false

  /** Returns the step in progress, which isn't part of the conversation yet. */
  let inStep: () => ReturnType<typeof Conversation.answerOf> = () => []
  const people = People.make({
    attempt,
    page,
    conversation,
    approve,
    mayAsk: turn.handOff !== undefined,
    notes: () => ending.checkpoint(inStep()).checkpoint,
    onCost: (over) => costLimit.apply(over)
  })
  const costLimit = CostLimit.make({ turn, server: options.limits.cost, ask: people.askPerson })

  const scene: Tools.Scene = {
    page,
    hasRules: options.hasRules,
    approve: people.approve,
    ask: people.ask,
    untilFree: attempt.untilFree,
    elementOf: (params) => elementOf(params, [...replaying.recalled(), ...shown]),
    note: conversation.note,
    extract: (what, text) => {
      seen.add(text)
      return isRepeated ? Effect.succeed("The recorded run has read it.") : asking.extract(what, text)
    },
    resume: replaying.resume
  }

  const steps = Effect.gen(function* () {
    // a turn that waited for a person at another node has steps already
    if (Turn.isPaused(turn)) {
      yield* people.tellHandedOver
      yield* attempt.stepEnded(null)
    }
    for (let step = turn.steps + 1; ; step++) {
      meter.begin(step)
      const spent = { steps: step - 1, cost: meter.estimate(), tokens: meter.tokens(), failures, lastFailure }
      const limit = Limits.reached({ ...limits, cost: costLimit.current() }, spent)
      if (limit?.failure === "cost_limit" && (yield* costLimit.raise(spent.cost))) {
        step -= 1
        continue
      }
      if (limit !== undefined) return ending.reached(limit)
      const looking = Effect.andThen(attempt.untilFree, page.look({ maxChars: context.parts().page }))
      const look = yield* Effect.withSpan(looking, "webagent.look")
      shown = look.shown
      seen.add(look.text)
      const decision = yield* deciding.next(step, look, failures, turn.replay?.mayAsk !== false)
      if ("problem" in decision) return ending.notReplayable(decision)
      const { calls, content, finishReason, isLast, offered, text } = decision
      isRepeated = decision.isRepeated
      yield* attempt.step({ ...decision.step, ...meter.ofStep(), ...ending.checkpoint() })
      const repairsBefore = repairs.count()
      const results: Array<Conversation.CallResult> = []
      inStep = () => (isRepeated ? [] : Conversation.answerOf(content, results))
      const kept = Effect.sync(() => {
        inStep = () => []
        if (isRepeated) conversation.say(repeatedText(decision.step.summary, results))
        else conversation.answered(content, results)
      })
      const { prepare } = replaying
      const means = { scene, offered, accept: repairs.accept, longest: context.parts().result, prepare, seen }
      const outcome = yield* Calls.carryOut(calls, means, results).pipe(
        Effect.ensuring(kept),
        Effect.tapError(({ message }) => attempt.stepEnded(message, meter.ofStep()))
      )
      const failure = failureOf(outcome, { finishReason, text: page.redact(text) })
      // a call that the last step doesn't offer says nothing about the cause
      if (!isLast || lastFailure === "" || calls.some(({ name }) => name === Tools.doneName)) lastFailure = failure
      yield* attempt.stepEnded(outcome.failed ? ending.kept(failure) : null, {
        ...meter.ofStep(),
        ...deciding.detailsOf(decision, outcome)
      })
      // a judge's call belongs to no step
      meter.begin(null)
      if (outcome.ending !== undefined) return yield* ending.completed(outcome.ending)
      yield* people.tellHandedOver
      if (repairs.count() > OutputSchema.mostRepairs) return ending.unfit(repairs)
      if (isRepeated) continue
      // repairs have a limit of their own
      if (!outcome.failed) failures = 0
      else if (repairs.count() === repairsBefore) failures += 1
      const circled = remarks.after(look, calls)
      if (circled !== undefined) return ending.reached(circled)
    }
  })

  return yield* steps.pipe(
    Effect.raceFirst(
      Effect.andThen(
        Limits.worked(limits.duration_ms - used_ms, attempt.paused_ms),
        Effect.sync(() => ending.unjudged() ?? ending.reached(Limits.overdue(limits)))
      )
    ),
    Effect.catch((error) => (error instanceof LeaseLost ? Effect.fail(error) : Effect.succeed(ending.caught(error)))),
    Effect.map((ended) => (replaying.isReplay && meter.isUnused() ? Ending.atNoCost(ended) : ended)),
    Effect.onInterrupt(() =>
      replaying.isReplay && meter.isUnused() ? Effect.ignore(attempt.used({ cost: "0" })) : Effect.void
    ),
    Effect.provideService(OnSpent, meter.spent),
    Effect.provideService(OnFailedCall, (failed) => {
      context.failing(failed.model)
      return meter.failed(failed)
    }),
    Effect.provideService(CallSettings, settings)
  )
})
