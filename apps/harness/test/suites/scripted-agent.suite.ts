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
  "v4-runs: a cancelled run is cancelled": cancels,
  "v4-runs: the cheap status and the full run agree at the end": cancels,
  "v4-runs: each of twenty runs at a time gets its own result": many,
  "v4-runs: the full run has every field, its times in order": browser,
  "v4-runs: a failed run says why and has no result": "the sentence is that of the model's provider",
  "v4-runs: a message for a stopped session is our 409": stops,
  "v3-sessions: each of ten sessions at a time gets its own result": many,
  "v3-sessions: creating answers 201 with every field": browser,
  "v3-sessions: a session that need not stay alive is stopped at its end": stops,
  "v2-sessions: a cancelled run is a stopped task": cancels,
  "v2-sessions: a judge's verdict comes with its report as JSON text": tested,
  "v2-sessions: suggestions are a list of objects": tested,
  "v2-sessions: proxy data is a decimal number of MB": browser,
  "v2-sessions: unless asked otherwise a session stays alive and keeps its memory": browser,
  "v2-sessions: a session without memory says so": "no model forgets on demand",
  "v2-sessions: a session that need not stay alive stops at its end": stops,
  "v2-sessions: a recording that was asked for is there after the end": stops,
  "cross-version: a cancelled run reads as stopped in v2 and idle in v3": cancels,
  "cross-version: a session that stopped has stopped in every version": stops,
  "cross-version: sessions do not mix": many
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
