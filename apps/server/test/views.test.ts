import { assert, it } from "@effect/vitest"
import { type ModelMessage, type ModelReply, ScriptedModel } from "@webagent/scripted-model"
import * as Effect from "effect/Effect"
import { chmodSync } from "node:fs"
import { join } from "node:path"
import { folder, ready, send, start, until } from "./program.ts"

const key = "wak_views"

type Json = Readonly<Record<string, unknown>>

/** With the prices below: 45 millionths of a USD, and 720 where 900 of 1,000 tokens come from the cache. */
const small = { input: 10, output: 1 }
const cached = { input: 1000, output: 10, cacheRead: 900 }
const prices = ["--model-price", "input=3,output=15,cacheRead=0.3"]

const call = (name: string, input: unknown, usage: ModelMessage["usage"] = small): ModelMessage => ({
  calls: [{ name, input }],
  usage
})

const judged = (verdict: boolean, failure_reason: string | null): ModelMessage => ({
  text: JSON.stringify({
    reasoning: "What it did fits.",
    verdict,
    failure_reason,
    impossible_task: false,
    reached_captcha: !verdict
  }),
  usage: small
})

/** What the model says in a run, and what the run is to be in the words of v4 and v2. */
interface Plan {
  readonly says: ReadonlyArray<ModelReply>
  readonly judge?: ModelReply
  readonly run: {
    readonly status: string
    readonly result: unknown
    readonly cost: string | null
    readonly error?: string
  }
  readonly task: { readonly isSuccess: boolean | null; readonly judgeVerdict: boolean | null }
  readonly suggestions: Array<string> | null
  readonly steps: Array<string>
}

const plans = {
  "refused, then found": {
    says: [call("navigate", { url: "http://elsewhere.example/" }), call("done", { success: true, output: "two" })],
    judge: judged(true, null),
    run: { status: "completed", result: "two", cost: "0.000135" },
    task: { isSuccess: true, judgeVerdict: true },
    suggestions: ["domain"],
    steps: ['navigate "http://elsewhere.example/"', 'done true "two"']
  },
  "found a part, from the cache": {
    says: [call("done", { success: false, output: { price: 12.5, tags: ["a", null] } }, cached)],
    judge: judged(false, "no stock"),
    run: { status: "completed", result: { price: 12.5, tags: ["a", null] }, cost: "0.000765" },
    task: { isSuccess: false, judgeVerdict: false },
    suggestions: null,
    steps: ['done false {"price":12.5,"tags":["a",null]}']
  },
  "of unknown cost, and not judged": {
    says: [call("done", { success: true, output: [0] }, null)],
    judge: { status: 400 },
    run: { status: "completed", result: [0], cost: null },
    task: { isSuccess: true, judgeVerdict: null },
    suggestions: null,
    steps: ["done true [0]"]
  },
  "refused by the model": {
    says: [{ status: 401, message: "no" }],
    run: {
      status: "failed",
      result: null,
      cost: null,
      error: "Model scripted-1 answered 401 (no). Set the key of the model in WEBAGENT_MODEL_KEY: none is set."
    },
    task: { isSuccess: null, judgeVerdict: null },
    suggestions: null,
    steps: []
  },
  interrupted: {
    says: [call("wait", { seconds: 0 }), () => undefined],
    run: { status: "cancelled", result: null, cost: "0.000045" },
    task: { isSuccess: null, judgeVerdict: null },
    suggestions: null,
    steps: ["wait 0"]
  },
  "in its place": {
    says: [call("done", { success: true, output: "" })],
    judge: judged(true, null),
    run: { status: "completed", result: "", cost: "0.00009" },
    task: { isSuccess: true, judgeVerdict: true },
    suggestions: null,
    steps: ['done true ""']
  },
  "after that": {
    says: [call("done", { success: true, output: null })],
    judge: judged(true, null),
    run: { status: "completed", result: null, cost: "0.00009" },
    task: { isSuccess: true, judgeVerdict: true },
    suggestions: null,
    steps: ["done true null"]
  }
} satisfies Record<string, Plan>

type Name = keyof typeof plans

const words = {
  queued: { v2: "created", v3: undefined },
  dispatching: { v2: "created", v3: undefined },
  running: { v2: "started", v3: undefined },
  completed: { v2: "finished", v3: "idle" },
  failed: { v2: "failed", v3: "error" },
  cancelled: { v2: "stopped", v3: "idle" }
} as const

const list = (value: unknown) => value as ReadonlyArray<Json>
const naive = (time: unknown) => (time === null ? null : Date.parse(`${String(time)}Z`))
const moment = (time: unknown) => (time === null ? null : Date.parse(String(time)))

it.live("v2, v3 and v4 agree on every field of a run, while it is running and after each outcome", () =>
  Effect.gen(function* () {
    const model = yield* ScriptedModel
    const said = new Map<string, number>()
    model.script = ({ messages, schema }) => {
      const texts = messages.map(({ text }) => text).join("\n")
      const [, name = ""] = /^Task: ([\w, ]+)/mu.exec(texts.slice(texts.lastIndexOf("\nTask: "))) ?? []
      const plan: Plan = plans[name as Name]
      if (schema !== undefined) return plan.judge ?? { status: 500 }
      const turn = said.get(name) ?? 0
      said.set(name, turn + 1)
      return plan.says[turn] ?? { status: 500 }
    }

    const path = yield* folder
    // browsers of a server that is root run as another user
    chmodSync(path, 0o711)
    const named = ["--model", "openai-compatible:scripted-1", "--model-url", model.baseUrl["openai-compatible"]]
    const { v2, v3, v4 } = yield* Effect.flatMap(
      start(
        [
          "serve",
          ...named,
          ...prices,
          "--port=0",
          `--api-key=${key}`,
          `--data=${join(path, "server.db")}`,
          // what a container forbids is not what is tested here
          "--min-isolation=none",
          "--judge",
          "--allow-domains=allowed.example"
        ],
        { TMPDIR: path }
      ),
      ready
    )
    const get = (base: string | undefined, at: string) =>
      Effect.map(send(base, key, "GET", at), ({ body, status }) => {
        assert.strictEqual(status, 200, `${at}: ${JSON.stringify(body)}`)
        return body
      })

    /** Holds what each version says of a run to what the others do. */
    const agree = Effect.fnUntraced(function* (id: string) {
      const run = yield* get(v4, `/runs/${id}`)
      const sessionId = String(run["sessionId"])
      const [status, steps, session, asV3] = yield* Effect.all([
        get(v4, `/runs/${id}/status`),
        get(v4, `/runs/${id}/steps`),
        get(v2, `/sessions/${sessionId}`),
        get(v3, `/sessions/${sessionId}`)
      ])
      const tasks = list(session["tasks"])
      const task = tasks.find((one) => one["id"] === id) ?? {}
      const word = words[run["status"] as keyof typeof words]
      const output = run["result"] ?? run["error"]
      assert.deepStrictEqual(status, { status: run["status"] })
      assert.deepStrictEqual(
        {
          ...task,
          createdAt: naive(task["createdAt"]),
          startedAt: naive(task["startedAt"]),
          finishedAt: naive(task["finishedAt"])
        },
        {
          id,
          sessionId,
          llm: "scripted-1",
          task: run["task"],
          status: word.v2,
          createdAt: moment(run["createdAt"]),
          startedAt: moment(run["startedAt"]),
          finishedAt: moment(run["finishedAt"]),
          metadata: {},
          output: output === null || typeof output === "string" ? output : JSON.stringify(output),
          serviceVersion: "webagent-0.1.0",
          isSuccess: task["isSuccess"],
          judgement: task["judgement"],
          judgeVerdict: task["judgement"] === null ? null : (JSON.parse(String(task["judgement"])) as Json)["verdict"],
          cost: run["cost"],
          suggestions: task["suggestions"]
        }
      )
      // v3 shows the run that ended last, once none is to come or at work
      const open = tasks.filter((one) => one["finishedAt"] === null)
      if (open.length > 0) {
        const isNew = tasks.every((one) => one["status"] === "created")
        assert.deepInclude(asV3, { status: isNew ? "created" : "running", result: null })
      } else if (tasks.every((one) => String(one["finishedAt"]) <= String(task["finishedAt"]))) {
        assert.deepInclude(asV3, { status: word.v3, result: run["result"] })
        assert.strictEqual(moment(asV3["updatedAt"]), moment(run["finishedAt"]))
      }
      assert.strictEqual(asV3["id"], sessionId)
      assert.strictEqual(asV3["task"], tasks[0]?.["task"])
      assert.strictEqual(moment(asV3["createdAt"]), moment(session["startedAt"]))
      // one browser, wherever it is seen
      const links = [session, asV3, steps, ...(run["status"] === "queued" ? [] : [run])].map(
        (view) => view["liveUrl"] ?? null
      )
      assert.deepStrictEqual(links, Array(links.length).fill(links[0]))
      assert.strictEqual(steps["runId"], id)
      const times = [
        moment(run["createdAt"]),
        ...list(steps["steps"]).map(({ beganAt }) => moment(beganAt)),
        ...(run["finishedAt"] === null ? [] : [moment(run["finishedAt"])])
      ].map(Number)
      assert.deepStrictEqual(
        times,
        times.toSorted((a, b) => a - b)
      )
      assert.deepStrictEqual(
        list(steps["steps"]).map(({ number }) => number),
        list(steps["steps"]).map((_, index) => index + 1)
      )
      return { run, session, asV3, task, steps: list(steps["steps"]) }
    })

    const ended = (id: string) =>
      until(send(v4, key, "GET", `/runs/${id}/status`), ({ body }) =>
        ["completed", "failed", "cancelled"].includes(String(body["status"]))
      )

    /** The run of a plan, once it is over, held to the plan. */
    const over = Effect.fnUntraced(function* (id: string, name: Name) {
      yield* ended(id)
      const plan: Plan = plans[name]
      const { run, session, steps, task } = yield* agree(id)
      assert.deepInclude(run, plan.run, name)
      assert.strictEqual(run["error"] === null, plan.run.status !== "failed", name)
      assert.deepInclude(task, plan.task, name)
      assert.strictEqual(task["judgement"] === null, plan.task.judgeVerdict === null, name)
      assert.deepStrictEqual(
        task["suggestions"] === null ? null : list(task["suggestions"]).map(({ category }) => category),
        plan.suggestions,
        name
      )
      assert.deepStrictEqual(
        steps.map(({ summary }) => summary),
        plan.steps,
        name
      )
      return session["liveUrl"]
    })

    const say = (sessionId: string, text: Name, interrupt = false) =>
      Effect.map(send(v4, key, "POST", `/sessions/${sessionId}/queue`, { text, interrupt }), ({ body }) =>
        String(body["runId"])
      )

    const created = (yield* send(v4, key, "POST", "/runs", { task: "refused, then found" })).body
    const sessionId = String(created["sessionId"])
    const liveUrl = yield* over(String(created["id"]), "refused, then found")
    assert.isString(liveUrl)
    // a follow-up goes on in the same browser
    for (const name of ["found a part, from the cache", "of unknown cost, and not judged"] as const) {
      assert.strictEqual(yield* over(yield* say(sessionId, name), name), liveUrl)
    }

    // a session of v3 is a session of the others
    const asV3 = (yield* send(v3, key, "POST", "/sessions", { task: "refused by the model" })).body
    const other = String(asV3["id"])
    const [task] = list((yield* get(v2, `/sessions/${other}`))["tasks"])
    yield* over(String(task?.["id"]), "refused by the model")

    const slow = yield* say(other, "interrupted")
    yield* Effect.repeat(Effect.sleep("5 millis"), { while: () => (said.get("interrupted") ?? 0) < 2 })
    const waiting = yield* say(other, "after that")
    const [working, queued] = [yield* agree(slow), yield* agree(waiting)]
    assert.deepInclude(working.run, { status: "running", result: null, cost: "0.000045", finishedAt: null })
    assert.deepInclude(queued.run, { status: "queued", startedAt: null, cost: null })
    const next = yield* say(other, "in its place", true)
    // what changes between two reads is no disagreement
    yield* ended(waiting)
    yield* over(slow, "interrupted")
    yield* over(next, "in its place")
    yield* over(waiting, "after that")
  }).pipe(Effect.provide(ScriptedModel.layer), Effect.scoped)
)
