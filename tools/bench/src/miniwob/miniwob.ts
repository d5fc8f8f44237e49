import { quantile, sorted } from "@webagent/statistics/Quantile"
import { launch } from "@webagent/test-chromium/Launched"
import * as Effect from "effect/Effect"
import { type Heading, headingLine, inFolder, type Options, paragraphs, plain, table } from "../measure/Report.ts"
import * as Episodes from "./Episodes.ts"
import * as Player from "./Player.ts"
import { rules } from "./Rules.ts"

/** Pages that measure distances give a little less than 1 for a pixel. */
const enough = 0.8

/** How long all episodes may take; those that are left then count as failed. */
const longest_ms = 20 * 60_000

/** How an episode of a kind went. */
interface Result {
  readonly seed: number
  readonly reward: number | null
  readonly steps: number
  /** Why it failed; empty for one that did not. */
  readonly why: string
}

interface Kind {
  readonly name: string
  readonly results: ReadonlyArray<Result>
}

interface Times {
  readonly p50: number
  readonly p95: number
}

/** The result of the bench `miniwob`. */
export interface MiniwobReport extends Heading {
  readonly seeds: number
  readonly kinds: ReadonlyArray<Kind>
  readonly step_ms: Times
  readonly steps: number
}

const timesOf = (all: ReadonlyArray<number>): Times => {
  const ordered = sorted(all)
  return ordered.length === 0 ? { p50: 0, p95: 0 } : { p50: quantile(ordered, 0.5), p95: quantile(ordered, 0.95) }
}

const reasonOf = (reward: number | null, trouble: string): string => {
  if (reward !== null && reward >= enough) return ""
  if (trouble !== "") return trouble
  return reward === null ? "the page does not take it for carried out" : `reward ${plain(reward)}`
}

/** Has the agent carry out tasks of MiniWoB++, with rules in the place of the model. */
export const miniwob = (options: Options): Promise<MiniwobReport> =>
  inFolder(() => {
    // what waits for the browser's processes does not keep this one alive
    const alive = setInterval(() => undefined, 60_000)
    return Effect.gen(function* () {
      const seeds = options.rounds ?? (options.quick ? 1 : 5)
      const { connect } = yield* launch()
      const episodes = yield* Episodes.make(connect)
      const until = performance.now() + longest_ms
      const steps_ms: Array<number> = []
      const play = Effect.fnUntraced(function* (kind: string, seed: number) {
        const rule = rules[kind]
        if (rule === undefined) return { seed, reward: null, steps: 0, why: "no rule" }
        if (performance.now() > until) return { seed, reward: null, steps: 0, why: "no time was left" }
        yield* episodes.open(kind)
        const task = yield* episodes.begin(seed)
        const played = yield* Player.play(task, rule)
        const reward = yield* episodes.reward
        steps_ms.push(...played.steps_ms)
        return { seed, reward, steps: played.steps_ms.length, why: reasonOf(reward, played.trouble) }
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
      ).pipe(Effect.provide(Player.layer(connect)))
      return { seeds, kinds, step_ms: timesOf(steps_ms), steps: steps_ms.length }
    }).pipe(Effect.scoped, Effect.runPromise, (done) => done.finally(() => clearInterval(alive)))
  })

const passedOf = ({ results }: Kind) => results.filter(({ why }) => why === "").length

/** The tables of a report. */
export const markdown = (report: MiniwobReport): string => {
  const { kinds, seeds, step_ms, steps } = report
  const passed = kinds.map(passedOf)
  const some = passed.filter((count) => count > 0).length
  const whole = passed.filter((count) => count === seeds).length
  const failed = kinds.filter((kind) => passedOf(kind) < seeds)
  return paragraphs(
    headingLine(report, `${seeds} episodes of each of ${kinds.length} kinds`),
    `${some} of ${kinds.length} kinds are carried out, ${whole} of them in every episode: ${passed.reduce((sum, count) => sum + count, 0)} of ${kinds.length * seeds} episodes. ${steps} steps take ${plain(step_ms.p50)} / ${plain(step_ms.p95)} ms (p50 / p95) from an answer of the model to its next request.`,
    table(
      ["kinds with failed episodes", "passed", "why the others failed"],
      failed.map((kind) => [
        kind.name,
        `${passedOf(kind)} of ${seeds}`,
        Array.from(new Set(kind.results.flatMap(({ why }) => (why === "" ? [] : [why.slice(0, 100)])))).join("; ")
      ])
    )
  )
}
