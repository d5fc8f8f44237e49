import type { RunDetails } from "@webagent/admin"
import { literal } from "../start/code.ts"
import { bodyOf } from "./values.ts"

/** Longest name of a scenario. */
const longestName = 60

/** A name on one line, of at most 60 characters. */
const nameOf = (text: string): string => {
  const line = text.replaceAll(/\s+/gu, " ").trim()
  return line.length > longestName ? `${line.slice(0, longestName - 1).replace(/[\ud800-\udbff]$/u, "")}…` : line
}

/** The name of the suite's file, such as `find-the-cheapest-flight.suite.ts`. */
export const suiteFileOf = ({ task }: Pick<RunDetails, "task">): string => {
  const words = task.toLowerCase().match(/[a-z0-9]+/gu) ?? []
  return `${words.slice(0, 5).join("-").slice(0, 50) || "run"}.suite.ts`
}

const verdictOf = ({ mark }: RunDetails): string =>
  mark === null
    ? "// The result of the run. Check it first: it is not marked as right yet."
    : mark.verdict === "right"
      ? "// The result of the run, which a person marked as right."
      : "// The result of the run, which a person marked as wrong: correct it."

/** The oracle of a run with a result: it compares with the result of that time until someone looks further. */
const comparing = (run: RunDetails): string => `${verdictOf(run)}
const expected: unknown = ${literal(run.result)}

/**
 * Looks up what is right, somewhere else than in the result. Until you replace it, it's the result of the run, so the
 * scenario fails as soon as the page has changed.
 */
const lookUp = async (): Promise<unknown> => expected

const right = (result: unknown) =>
  Oracle.make(lookUp, (facts) =>
    isDeepStrictEqual(result, facts)
      ? Oracle.holds("the result is what the source has")
      : Oracle.refuted(JSON.stringify(facts) ?? "nothing", JSON.stringify(result) ?? "nothing")
  )`

/** The oracle of a run without a result: it refutes everything until someone writes it. */
const unwritten = `/** Looks up what is right, somewhere else than in the result, for example in your shop's database. */
const lookUp = async (): Promise<unknown> => undefined

const right = (result: unknown) =>
  Oracle.make(lookUp, (facts) =>
    facts === undefined
      ? Oracle.refuted("an oracle: replace lookUp", JSON.stringify(result) ?? "nothing")
      : isDeepStrictEqual(result, facts)
        ? Oracle.holds("the result is what the source has")
        : Oracle.refuted(JSON.stringify(facts) ?? "nothing", JSON.stringify(result) ?? "nothing")
  )`

/** A run as a suite with one scenario, which runs its task again and asks an oracle about the result. */
export const scenarioOf = (
  run: RunDetails
): string => `import { Oracle, scenario, Suite } from "@webagent/scenario/promise"
import { isDeepStrictEqual } from "node:util"

// made from run ${run.id.replaceAll(/[^\w-]/gu, "")}
const request = ${literal(bodyOf(run))}

${run.result === null ? unwritten : comparing(run)}

export default Suite.make(${JSON.stringify(suiteFileOf(run).replace(/\.suite\.ts$/u, ""))}, [
  scenario(${literal(nameOf(run.title ?? run.task))}, { needs: ["money"] }, async ({ check, v4 }) => {
    const run = await v4.runs.createAndWait(request)
    check.equal(run.status, "completed")
    await check.oracle("the result is right", right(run.result))
  })
])
`
