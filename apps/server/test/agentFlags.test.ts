import { assert } from "@effect/vitest"
import { ScriptedModel } from "@webagent/scripted-model"
import * as Effect from "effect/Effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { call, create, ended, key, modelFlags, numberOf, script, serve, site, test } from "./modelServer.ts"
import { folder, send, until } from "./program.ts"

const shop = `<p id=o>Cart</p><button onclick="o.textContent='Paid'">Pay</button>
  <button onclick="o.textContent='Deleted'">Delete account</button>
  <canvas width=200 height=100 style="display:block" onclick="o.textContent+=' at '+event.offsetX"></canvas>`

const pictures = (body: unknown) => JSON.stringify(body).match(/data:image\/jpeg;base64,/gu)?.length ?? 0

test(
  "approval rules ask and refuse, and the model sees marks and clicks a point of a canvas",
  Effect.gen(function* () {
    const model = yield* ScriptedModel
    const pages = yield* site({ shop })
    const path = yield* folder
    const rules = join(path, "approvals.json")
    writeFileSync(
      rules,
      JSON.stringify([
        { tools: ["click"], text: ["delete account"], decision: "refuse" },
        { tools: ["click"], text: ["pay"], decision: "ask" }
      ])
    )
    const flags = [...modelFlags(model), "--approvals", rules, "--model-sees", "--model-marks"]
    const { v4 } = yield* serve([pages], flags, {}, path)
    const said: Array<string> = []
    const middle = (now: string) => {
      said.push(now)
      const [, x = "", y = ""] = /canvas.*?200x100 at (\d+),(\d+)/u.exec(now) ?? []
      return call("clickAt", { x: Number(x) + 100, y: Number(y) + 50 })
    }
    script(
      model,
      call("navigate", { url: `${pages.address}/shop` }),
      (now) => call("click", { index: numberOf(now, "Pay") }),
      (now) => call("click", { index: numberOf(now, "Delete account") }),
      middle,
      (now) => call("done", { success: true, output: /^(?:Paid|Cart|Deleted).*$/mu.exec(now)?.[0] ?? now })
    )
    const { id } = yield* create(v4, { task: "Pay" })
    const { body: waiting } = yield* until(send(v4, key, "GET", `/runs/${id}`), ({ body }) => "waitingFor" in body)
    const question = JSON.parse(JSON.stringify(waiting["waitingFor"]))
    assert.deepInclude(question, { reason: "approval" })
    assert.include(question.question, 'click button "Pay"')
    const answer = { questionId: question.id, answer: "Approve" }
    assert.strictEqual((yield* send(v4, key, "POST", `/runs/${id}/answer`, answer)).status, 200)
    const run = yield* ended(v4, id)
    assert.deepInclude(run.body, { status: "completed", result: "Paid at 100" }, JSON.stringify(run.body))
    assert.include(said[0], "a box with a number is the element with this number")
    assert.strictEqual(pictures(model.requests.at(-1)?.body), 1)
    assert.include(JSON.stringify(model.requests.at(-1)?.body), "a rule of this server forbids it")
  })
)
