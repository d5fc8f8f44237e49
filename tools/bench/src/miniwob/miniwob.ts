import { launch } from "@webagent/test-chromium/Launched"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as Tracer from "effect/Tracer"
import {
  grouped,
  type Heading,
  headingLine,
  inFolder,
  type Options,
  paragraphs,
  plain,
  table
} from "../measure/Report.ts"
import { type Times, timesOf, timesText } from "../measure/Times.ts"
import { withBrowser } from "../measure/WithBrowser.ts"
import * as Episodes from "./Episodes.ts"
import * as Player from "./Player.ts"
import { rules } from "./Rules.ts"

/** Pages that measure distances give a little less than 1 for a pixel. */
const enough = 0.8

/** Time limit for all episodes; the remaining ones then count as failed. */
const longest_ms = 20 * 60_000

/** Result of an episode of a kind. */
interface Result {
  readonly seed: number
  readonly reward: number | null
  readonly steps: number
  /** The reason why it failed; empty if it didn't. */
  readonly why: string
}

interface Kind {
  readonly name: string
  readonly results: ReadonlyArray<Result>
}

/** The result of the bench `miniwob`. */
interface MiniwobReport extends Heading {
  readonly seeds: number
  readonly kinds: ReadonlyArray<Kind>
  readonly steps: number
  /** From each answer of the model to its next request. */
  readonly step_ms: Times
  readonly look_ms: Times
  /** Duration of one tool call. */
  readonly action_ms: Times
  /** Duration of a request to the model, whose response is available immediately. */
  readonly model_ms: Times
}

/** Measures the agent's own spans. */
const spans = () => {
  const taken_ms = {
    "webagent.look": new Array<number>(),
    "webagent.action": new Array<number>(),
    "webagent.model": new Array<number>()
  }
  class Timed extends Tracer.NativeSpan {
    override end(endTime: bigint, exit: Exit.Exit<unknown, unknown>) {
      super.end(endTime, exit)
      if (this.name in taken_ms)
        taken_ms[this.name as keyof typeof taken_ms].push(Number(endTime - this.startTime) / 1e6)
    }
  }
  return { taken_ms, tracer: Tracer.make({ span: (options) => new Timed(options) }) }
}

const reasonOf = (reward: number | null, error: string): string => {
  if (reward !== null && reward >= enough) return ""
  if (error !== "") return error
  return reward === null ? "the page does not take it for carried out" : `reward ${plain(reward)}`
}

/** Has the agent carry out tasks of MiniWoB++, with rules in the place of the model. */
export const miniwob = (options: Options): Promise<MiniwobReport> =>
  inFolder(() =>
    withBrowser(
      Effect.gen(function* () {
        const seeds = options.rounds ?? (options.quick ? 1 : 5)
        const { connect } = yield* launch()
        const episodes = yield* Episodes.make(connect)
        const until = performance.now() + longest_ms
        const steps_ms: Array<number> = []
        const { taken_ms, tracer } = spans()
        const play = Effect.fnUntraced(function* (kind: string, seed: number) {
          const rule = rules[kind]
          if (rule === undefined) return { seed, reward: null, steps: 0, why: "no rule" }
          if (performance.now() > until) return { seed, reward: null, steps: 0, why: "no time was left" }
          yield* episodes.open(kind)
          const task = yield* episodes.begin(seed)
          const played = yield* Player.play(task, rule)
          const reward = yield* episodes.reward
          steps_ms.push(...played.steps_ms)
          return { seed, reward, steps: played.steps_ms.length, why: reasonOf(reward, played.error) }
        })
        const names = episodes.kinds.filter((name) => options.peers.length === 0 || options.peers.includes(name))
        const kinds = yield* Effect.forEach(names, (name) =>
          Effect.map(
            Effect.forEach(
              Array.from({ length: seeds }, (_, index) => index + 1),
              (seed) => play(name, seed)
            ),
            (results): Kind => {
              const failed = results.filter(({ why }) => why !== "")
              options.log(
                `${name}: ${seeds - failed.length} of ${seeds} ${failed.map(({ seed, why }) => `(${seed}: ${why})`).join(" ")}`
              )
              return { name, results }
            }
          )
        ).pipe(Effect.provide(Player.layer(connect)), Effect.withTracer(tracer))
        return {
          seeds,
          kinds,
          steps: steps_ms.length,
          step_ms: timesOf(steps_ms),
          look_ms: timesOf(taken_ms["webagent.look"]),
          action_ms: timesOf(taken_ms["webagent.action"]),
          model_ms: timesOf(taken_ms["webagent.model"])
        }
      })
    )
  )

const passedOf = ({ results }: Kind) => results.filter(({ why }) => why === "").length

/** The tables of a report. */
export const markdown = (report: MiniwobReport): string => {
  const { action_ms, kinds, look_ms, model_ms, seeds, step_ms, steps } = report
  const passed = kinds.map(passedOf)
  const some = passed.filter((count) => count > 0).length
  const whole = passed.filter((count) => count === seeds).length
  const episodes = passed.reduce((sum, count) => sum + count, 0)
  return paragraphs(
    headingLine(report, `${seeds} episodes of each of ${kinds.length} kinds; ms are p50 / p95`),
    `The agent carries out ${some} of ${kinds.length} kinds, ${whole} of them in every episode: ${episodes} of ${kinds.length * seeds} episodes.`,
    table(
      ["what", "ms"],
      [
        [`a step, from the model's answer to its next request (${grouped(steps)} steps)`, timesText(step_ms)],
        ["a look at the page", timesText(look_ms)],
        ["one call of a tool, with the wait for what it set off", timesText(action_ms)],
        ["asking the model, which answers at once", timesText(model_ms)]
      ]
    ),
    table(
      ["kinds with failed episodes", "passed", "why the others failed"],
      kinds
        .filter((kind) => passedOf(kind) < seeds)
        .map((kind) => [kind.name, `${passedOf(kind)} of ${seeds}`, whysOf(kind)])
    ),
    `Carried out in every episode: ${kinds
      .filter((kind) => passedOf(kind) === seeds)
      .map(({ name }) => name)
      .join(", ")}.`
  )
}

const whysOf = ({ results }: Kind): string =>
  Array.from(
    new Set(results.flatMap(({ why }) => (why === "" ? [] : [why.replaceAll(/\s+/gu, " ").slice(0, 100)])))
  ).join("; ")
