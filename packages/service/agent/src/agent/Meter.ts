import type { Attempt, ModelCallReport, Turn } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as ModelCost from "../model/ModelCost.ts"
import type { FailedCall, Spent } from "../model/Models.ts"

interface MeterOptions {
  /** The usage of an earlier attempt of the turn, which counts. */
  readonly before: Pick<Turn.Turn, "cost" | "tokens">
  /** Stores the usage of the turn so far, and a call. */
  readonly used: Attempt["used"]
  /** Replaces the values of secrets in a text. */
  readonly redact: (text: string) => string
}

/** Limits the text of a call's failure, in characters. */
const longestFailure = 300

const nothing = { cost: 0n as ModelCost.ModelCost, input: 0, output: 0 }

const formatted = (cost: ModelCost.ModelCost) => (cost === null ? null : ModelCost.format(cost))

/** Counts what the model calls of a turn use, and stores each before anything else happens, even of a cancelled turn. */
export const make = ({ before, redact, used }: MeterOptions) => {
  const earlier = ModelCost.parse(before.cost ?? "0")
  let turn: typeof nothing = { cost: earlier, input: before.tokens?.input ?? 0, output: before.tokens?.output ?? 0 }
  let step = nothing
  let ordinal: number | null = null
  let estimate: ModelCost.ModelCost = earlier
  let calls = 0
  let hasFailed = false

  // a call that failed has used nothing that is known: before the first response, the usage is unknown and not 0
  const usage = (): Turn.Usage =>
    calls === 0
      ? {}
      : {
          ...(turn.cost === null ? {} : { cost: ModelCost.format(turn.cost) }),
          tokens: { input: turn.input, output: turn.output }
        }

  // an agent whose lease is lost is ended by the engine
  const store = (call: ModelCallReport) => Effect.uninterruptible(Effect.ignore(used(usage(), call)))

  return {
    /** Returns the cost that counts toward the cost limit. */
    estimate: () => (calls === 0 && before.cost === null ? null : estimate),
    tokens: () => turn.input + turn.output,
    /** True if no model was asked, in this attempt and earlier ones. */
    isUnused: () => calls === 0 && !hasFailed && before.cost === null,
    /** Counts calls for this step from now on, or for none. */
    begin: (next: number | null) => {
      ordinal = next
      step = nothing
    },
    /** Returns the tokens and the cost of the step's calls so far. */
    ofStep: (): Pick<Turn.StepDetails, "tokens" | "cost"> => ({
      tokens: { input: step.input, output: step.output },
      cost: formatted(step.cost)
    }),
    spent: ({ at_ms, cost, duration_ms, model, usage: { inputTokens, outputTokens }, ...spent }: Spent) =>
      Effect.suspend((): Effect.Effect<void> => {
        calls += 1
        estimate = ModelCost.add(estimate, spent.estimate)
        const tokens = { input: inputTokens.total ?? 0, output: outputTokens.total ?? 0 }
        const plus = (sum: typeof nothing) => ({
          cost: ModelCost.add(sum.cost, cost),
          input: sum.input + tokens.input,
          output: sum.output + tokens.output
        })
        turn = plus(turn)
        step = plus(step)
        return store({ at_ms, duration_ms, model, tokens, cost: formatted(cost), step: ordinal, failure: null })
      }),
    failed: ({ failure, ...call }: FailedCall): Effect.Effect<void> =>
      Effect.suspend(() => {
        hasFailed = true
        return store({
          ...call,
          tokens: null,
          cost: null,
          step: ordinal,
          failure: redact(failure).slice(0, longestFailure).toWellFormed()
        })
      })
  }
}
