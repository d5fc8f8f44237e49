import { check, CheckFailed, Oracle, scenario, Suite } from "@webagent/scenario"
import { drawing } from "@webagent/statistics/Drawing"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { isDeepStrictEqual } from "node:util"
import type { Site, SiteTask } from "./sites/Site.ts"
import type { OpenEpisode, SiteServer } from "./SiteServer.ts"

/** Options of the suites of sites. */
export interface EvalSuiteOptions {
  readonly server: SiteServer
  /** The model that runs ask for by name; the service's own by default. */
  readonly model?: string | undefined
  /** Receives the instruction of each trial, by its seed, which differs between trials. */
  readonly onInstruction?: (seed: number, instruction: string) => void
}

/** The name of a site's suite, in reports and on the command line. */
export const suiteName = (site: string): string => `eval-${site}`

/** Time that the state of a site has to become final after a run: a form may still be on its way. */
const settling = Schedule.addDelay(Schedule.recurs(5), () => Effect.succeed("100 millis"))

const shown = (facts: unknown): string => JSON.stringify(facts)

/** An addition to the facts in a report, for a service that fails or can't reach the site. */
const hintOf = ({ wasOpened }: OpenEpisode, { url }: SiteServer, error: unknown): string => {
  const failed = typeof error === "string" ? `; the run failed: ${error}` : ""
  const { host } = new URL(url)
  return wasOpened()
    ? failed
    : `${failed}; nothing opened the site: if the service can't reach ${host}, start it with --allow-private ${host}`
}

/** A failure without the line of the check, which is in this package and not in a suite of the user. */
const withoutPlace = ({ actual, expected, name }: CheckFailed): CheckFailed =>
  new CheckFailed({ name, expected, actual })

const scenarioOf = (site: Site, task: SiteTask, { model, onInstruction, server }: EvalSuiteOptions) => {
  const made = scenario(
    task.name,
    { tags: ["eval", site.name], needs: ["money"], allows: ["results-never-fetched"] },
    function* ({ request, seed, v4 }) {
      const episode = yield* server.open(task.begin(drawing(seed)))
      onInstruction?.(seed, episode.instruction)
      const run = yield* v4.runs.createAndWait({
        task: episode.instruction,
        ...(model === undefined ? {} : { model })
      })
      // the agent's own opinion, which is no evidence: a service that has none keeps the trial from no verdict
      yield* Effect.ignore(request("v2", { method: "GET", path: `/sessions/${run.sessionId}` }))
      const isReached = Effect.sync(() => isDeepStrictEqual(episode.actual(), episode.expected))
      yield* check
        .oracle(
          `the state of the site ${site.name}`,
          Oracle.make(Effect.repeat(isReached, { until: (reached) => reached, schedule: settling }), () =>
            isDeepStrictEqual(episode.actual(), episode.expected)
              ? Oracle.holds(shown(episode.expected))
              : Oracle.refuted(shown(episode.expected), shown(episode.actual()) + hintOf(episode, server, run.error))
          )
        )
        .pipe(Effect.mapError(withoutPlace))
    }
  )
  // the body above is the same for all tasks, so that only a changed task starts a new history
  return { ...made, source: String(task.begin), where: undefined }
}

/**
 * Makes the suite of a site. Each task is a scenario: a run gets the instruction, and the state of the site's server
 * decides about success, never the agent itself.
 *
 * @example
 * ```ts
 * import * as EvalSuite from "@webagent/eval/EvalSuite"
 * import * as SiteServer from "@webagent/eval/SiteServer"
 * import { sites } from "@webagent/eval/Sites"
 * import * as Effect from "effect/Effect"
 *
 * // suites that a runner can run while the scope is open
 * const suites = Effect.map(SiteServer.serve(), (server) => sites.map((site) => EvalSuite.make(site, { server })))
 * ```
 */
export const make = (site: Site, options: EvalSuiteOptions): Suite.Suite =>
  Suite.make(
    suiteName(site.name),
    site.tasks.map((task) => scenarioOf(site, task, options))
  )
