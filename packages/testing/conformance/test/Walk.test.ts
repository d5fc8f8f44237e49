import { assert, layer } from "@effect/vitest"
import * as Wire from "@webagent/contract/Wire"
import { SimulatedService } from "@webagent/simulation"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { described } from "./Operation.ts"
import { declaredBy, tooLong, unknownId, walker } from "./Walker.ts"

/** A body is not looked at where none is asked for, and no id is refused where its form is not described. */
const unrefusable = (name: string, status: number) => {
  const operation = described.find((operation) => operation.name === name)
  return operation?.payload === undefined && (status === 413 || (status === 422 && name !== "v2.getSession"))
}

/** Its time moves while the walk waits, and at no other moment: no state is over before it was looked at. */
const server = Layer.orDie(SimulatedService.layer({ turnDuration: "5 millis", time: { mode: "manual" } }))

layer(server, { excludeTestServices: true })("a walk through the described operations", (it) => {
  it.effect("covers every operation with every status, and every resource in every state", () =>
    Effect.gen(function* () {
      const { ask, control, seen } = yield* walker
      const states = { task: new Set(), session: new Set(), v3: new Set(), run: new Set(), browser: new Set() }

      /** Looks at a run, its session and its task through every version. */
      const look = Effect.fnUntraced(function* (run: string, session: string) {
        states.run.add((yield* ask("v4.getRunStatus", run))["status"])
        states.run.add((yield* ask("v4.getRun", run))["status"])
        const view = yield* ask("v2.getSession", session)
        states.session.add(view["status"])
        for (const task of view["tasks"] as ReadonlyArray<Readonly<Record<string, unknown>>>) {
          states.task.add(task["status"])
        }
        states.v3.add((yield* ask("v3.getSession", session))["status"])
      })

      const create = Effect.fnUntraced(function* (task: string) {
        const run = yield* ask("v4.createRun", "", { task, modelParams: { effort: "high" } })
        return { run: String(run["id"]), session: String(run["sessionId"]) }
      })

      const until = Effect.fnUntraced(function* (run: string, status: string) {
        while (true) {
          const view = yield* ask("v4.getRunStatus", run)
          states.run.add(view["status"])
          if (view["status"] === status) return
          yield* control.advance("1 millis")
        }
      })

      // at work, and one that waits behind it
      const busy = yield* create("[simulate duration=1h keepAlive=true]")
      yield* look(busy.run, busy.session)
      const waiting = yield* ask("v4.queueMessage", busy.session, { text: "then this", interrupt: false })
      yield* look(String(waiting["runId"]), busy.session)
      const brief = yield* create("[simulate duration=300ms]")
      yield* until(brief.run, "running")
      yield* look(brief.run, brief.session)
      const next = yield* ask("v4.queueMessage", busy.session, { text: "[simulate duration=1ms]", interrupt: true })
      yield* until(busy.run, "cancelled")
      yield* until(String(next["runId"]), "completed")

      // every end, with everything that a script can put into it
      const full = "cost=0.01 judge=true suggestions=2 proxyMb=1.5 keepAlive=false recording=true persistMemory=false"
      for (const [outcome, output] of [
        ["completed", '"text"'],
        ["completed", '{"total":[42,null]}'],
        ["completed", "null"],
        ["failed", "7"],
        ["cancelled", "true"]
      ] as const) {
        for (const script of [`outcome=${outcome}`, `outcome=${outcome} output=${output} ${full}`]) {
          const ended = yield* create(`[simulate duration=1ms ${script}]`)
          yield* until(ended.run, outcome)
          yield* look(ended.run, ended.session)
          yield* ask("v4.queueMessage", ended.session, { text: "more", interrupt: false })
          yield* ask("v4.createRun", "", { task: "more", sessionId: ended.session })
        }
      }

      const session = yield* ask("v3.createSession", "", { task: "t", thinkingLevel: "high" })
      states.v3.add(session["status"])
      const browser = String((yield* ask("v4.createBrowser", "", { proxyCountryCode: "no" }))["id"])
      yield* ask("v4.createBrowser", "")
      for (const action of ["stop", "stop", "explode"]) {
        const stopped = yield* ask("v4.updateBrowser", browser, { action })
        if (action === "stop") states.browser.add(stopped["status"])
      }
      states.browser.add((yield* ask("v4.createBrowser", "", {}))["status"])

      // every refusal of every operation
      yield* ask("v4.createRun", "", { task: "t", sessionId: unknownId })
      for (const { name, payload } of described) {
        const fits = payload === undefined ? undefined : { task: "t", text: "t", interrupt: false, action: "stop" }
        yield* ask(name, unknownId, fits)
        yield* ask(name, unknownId, fits, "wak_wrong")
        yield* ask(name, "no-uuid", payload === undefined ? undefined : "{")
        if (payload !== undefined) yield* ask(name, unknownId, tooLong)
      }

      assert.sameMembers([...seen], [...declaredBy(described, unrefusable)])
      assert.sameMembers([...states.run], [...Wire.runStatuses])
      assert.sameMembers([...states.task], [...Wire.taskStatuses])
      assert.sameMembers([...states.session], [...Wire.sessionStatuses])
      assert.sameMembers([...states.browser], [...Wire.browserStatuses])
      // our server lets no session time out
      assert.sameMembers(
        [...states.v3],
        Wire.v3SessionStatuses.filter((status) => status !== "timed_out")
      )
    })
  )
})
