import { type AgentError, type Attempt, LeaseLost, Turn } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
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
import * as Ending from "./Ending.ts"
import type { Approval } from "./HandOver.ts"
import * as Limits from "./Limits.ts"
import * as Meter from "./Meter.ts"
import * as OutputSchema from "./OutputSchema.ts"
import * as People from "./People.ts"
import * as Remarks from "./Remarks.ts"
import { detailsOf, elementOf, failureOf, summaryOf } from "./StepSummary.ts"
import * as Suggestions from "./Suggestions.ts"
import * as Tools from "./Tools.ts"

/** Options that all tasks of an agent share. */
interface TaskOptions {
  /** Sends pictures to the model with each step. Steps can keep pictures even without this. */
  readonly sees: boolean
  readonly pictures: boolean
  readonly limits: Limits.Limits
  readonly context: ContextBudget.ContextBudget
  /** Part of the time limit that the turn has used before it had this browser, in milliseconds. */
  readonly used_ms: number
  /** Judges the result of a task with a second call; null doesn't. */
  readonly judge: Ending.JudgeOptions | null
  readonly approve: (action: Tools.Action) => Effect.Effect<Approval>
  readonly settings: CallSettings
  /** The task as the model is told of it. */
  readonly told: string
  /** A thinking level of the session that is none. */
  readonly unknownLevel: string | undefined
}

/** Limits the time a picture may take, and the size in bytes of one that is kept. */
const pictureWithin = "5 seconds"
const largestPicture = 512 * 1024

/** Takes a picture of the visible page, if it may be seen and the browser delivers it soon. */
const pictureOf = (page: Page) =>
  page.picture.pipe(
    Effect.timeoutOption(pictureWithin),
    Effect.map(Option.getOrNull),
    Effect.orElseSucceed(() => null),
    Effect.withSpan("webagent.picture")
  )

/** Carries out one task with a page, step by step: look, ask the model, act. */
export const perform = Effect.fnUntraced(function* (
  turn: Turn.Turn,
  attempt: Pick<
    Attempt,
    "ask" | "budget" | "handedOver" | "paused_ms" | "session" | "step" | "stepEnded" | "untilFree" | "used"
  >,
  page: Page,
  conversation: Conversation.Conversation,
  { approve, context, judge, pictures, settings, sees, told, unknownLevel, used_ms, ...options }: TaskOptions
): Effect.fn.Return<Ending.Ended, AgentError | LeaseLost, LanguageModel.LanguageModel> {
  const model = yield* LanguageModel.LanguageModel
  const limits = Limits.within(options.limits, attempt.budget)
  const meter = Meter.make({ used: attempt.used, redact: page.redact, before: turn })
  const suggestions = Suggestions.make()
  const ending = Ending.make({ turn, session: attempt.session, page, conversation, suggestions, judge })
  const remarks = Remarks.make({ page, limits, suggestions, conversation })
  const repairs = OutputSchema.accepting(yield* OutputSchema.make(turn.outputSchema ?? null))
  const done = Tools.done(turn.outputSchema ?? null)
  let failures = 0
  let lastFailure = ""
  let shown: Look["shown"] = []
  const ignored = refused(settings.body ?? {})
  if (ignored.length > 0) {
    suggestions.add("modelParams", `modelParams cannot set ${ignored.join(", ")}: the agent does. Leave them out.`)
  }
  if (unknownLevel !== undefined) {
    suggestions.add("thinkingLevel", `The thinkingLevel "${unknownLevel}" is unknown and was left out.`)
  }

  const asking = Asking.make({
    model,
    page,
    conversation,
    told,
    context
  })
  const tools = [...Tools.offered(turn.handOff !== undefined), done]

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
    approve: people.approve,
    ask: people.ask,
    untilFree: attempt.untilFree,
    elementOf: (params) => elementOf(params, shown),
    note: conversation.note,
    extract: asking.extract
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
      // while the model thinks: a step waits for it only where the model is faster
      const taken = sees || pictures ? yield* Effect.forkChild(pictureOf(page)) : null
      const seen = taken === null ? Effect.succeed(null) : Fiber.join(taken)
      const isLast = Limits.isLast(limits, step, failures)
      const offered = isLast ? [done] : tools
      const answer = yield* asking.nextStep({
        remarks: remarks.before(step, look, isLast),
        shown: look.text,
        picture: sees ? seen : Effect.succeed(null),
        tools: offered
      })
      const calls = answer.toolCalls
        .filter(({ providerExecuted }) => providerExecuted !== true)
        .map(({ id, name, params }): Calls.Call => ({ id, name, params: Conversation.wellFormed(params) }))
      const jpeg = pictures ? yield* seen : null
      const isSmall = jpeg !== null && jpeg.length <= largestPicture
      yield* attempt.step({
        summary: summaryOf(calls, answer.text, look.shown, page.redact),
        address: look.url,
        picture: isSmall ? jpeg : null,
        ...detailsOf(calls, look.shown, page.redact),
        ...meter.ofStep(),
        ...ending.checkpoint()
      })
      const repairsBefore = repairs.count()
      const results: Array<Conversation.CallResult> = []
      inStep = () => Conversation.answerOf(answer.content, results)
      const kept = Effect.sync(() => {
        inStep = () => []
        conversation.answered(answer.content, results)
      })
      const means = { scene, offered, accept: repairs.accept, longest: context.parts().result }
      const outcome = yield* Calls.carryOut(calls, means, results).pipe(
        Effect.ensuring(kept),
        Effect.tapError(({ message }) => attempt.stepEnded(message, meter.ofStep()))
      )
      const failure = failureOf(outcome, { finishReason: answer.finishReason, text: page.redact(answer.text) })
      // a call that the last step doesn't offer says nothing about the cause
      if (!isLast || lastFailure === "" || calls.some(({ name }) => name === Tools.doneName)) lastFailure = failure
      yield* attempt.stepEnded(outcome.failed ? ending.kept(failure) : null, meter.ofStep())
      // a judge's call belongs to no step
      meter.begin(null)
      if (outcome.ending !== undefined) return yield* ending.completed(outcome.ending)
      yield* people.tellHandedOver
      if (repairs.count() > OutputSchema.mostRepairs) return ending.unfit(repairs)
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
    Effect.provideService(OnSpent, meter.spent),
    Effect.provideService(OnFailedCall, meter.failed),
    Effect.provideService(CallSettings, settings)
  )
})
