import type { ModelReply, ScriptedModel } from "@webagent/scripted-model"
import * as Duration from "effect/Duration"
import * as Result from "effect/Result"
import { setTimeout as sleep } from "node:timers/promises"
import { parseTaskScript } from "@webagent/simulation"

/** With these prices a token costs a millionth of a USD. */
export const prices = ["--model-price", "input=1,output=1"]

/** Has the model do what the script in the newest task says, as the simulated agent would. */
export const followTasks = (model: ScriptedModel["Service"]) => {
  model.script = async ({ messages }): Promise<ModelReply> => {
    const said = messages.map(({ text }) => text).join("\n")
    const task = said.slice(said.lastIndexOf("\nTask: ") + "\nTask: ".length)
    const {
      cost,
      duration,
      error = "no",
      outcome,
      output = task,
      success = true
    } = Result.getOrThrow(parseTaskScript(task))
    // a run that is never waited for keeps no process alive
    if (duration !== undefined) await sleep(Duration.toMillis(duration), undefined, { ref: false })
    if (outcome === "failed") return { status: 400, message: error }
    const tokens = cost === undefined ? 20 : Math.round(Number(cost) * 1e6)
    return { calls: [{ name: "done", input: { success, output } }], usage: { input: 0, output: tokens } }
  }
}
