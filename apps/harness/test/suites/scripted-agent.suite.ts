import crossVersion from "../../src/suites/cross-version.ts"
import v2 from "../../src/suites/v2-sessions.ts"
import v3 from "../../src/suites/v3-sessions.ts"
import v4 from "../../src/suites/v4-runs.ts"

// The built-in scenarios whose agent does what the task says, for a server whose model does. Its agent is real, so each
// list names what no model can do, or what has a test of its own.

const cancels = "no model cancels a run"
const stops = "no model stops a session"
const browser = "real browsers have a liveUrl and use data"
const many = "takes too many browsers at once"
const tested = "agent.test.ts has it"

const leftOut: Readonly<Record<string, string>> = {
  "v4-runs: a cancelled run has the status cancelled": cancels,
  "v4-runs: a finished run has the same status in both operations": cancels,
  "v4-runs: twenty runs at the same time get their own results": many,
  "v4-runs: a run has every field and its times in order": browser,
  "v4-runs: a failed run has an error and no result": "the sentence is that of the model's provider",
  "v4-runs: a message to a stopped session returns 409": stops,
  "v3-sessions: ten sessions at the same time get their own results": many,
  "v3-sessions: creating a session returns 201 with every field": browser,
  "v3-sessions: a session without keepAlive stops after its turn": stops,
  "v2-sessions: a cancelled run is a stopped task": cancels,
  "v2-sessions: a judge's verdict comes with its report as JSON text": tested,
  "v2-sessions: suggestions are a list of objects": tested,
  "v2-sessions: proxy data is a decimal number of MB": browser,
  "v2-sessions: a session stays alive and keeps its memory by default": browser,
  "v2-sessions: a session without memory reports it": "no model forgets on demand",
  "v2-sessions: a session without keepAlive stops after its task": stops,
  "v2-sessions: a requested recording is available after the run": stops,
  "cross-version: a cancelled run is stopped in v2 and idle in v3": cancels,
  "cross-version: a stopped session is stopped in every version": stops,
  "cross-version: sessions keep their results apart": many
}

const scenarios = [v4, v3, v2, crossVersion].flatMap(({ name: suite, scenarios }) =>
  scenarios
    .filter(({ needs }) => needs.includes("scriptable-agent"))
    .map((scenario) => ({
      ...scenario,
      name: `${suite}: ${scenario.name}`,
      needs: scenario.needs.filter((need) => need !== "scriptable-agent")
    }))
)

const unknown = Object.keys(leftOut).filter((name) => !scenarios.some((scenario) => scenario.name === name))
if (unknown.length > 0) throw new Error(`These scenarios are left out and do not exist: ${unknown.join(", ")}`)

export default { ...v4, name: "scripted-agent", scenarios: scenarios.filter(({ name }) => leftOut[name] === undefined) }
