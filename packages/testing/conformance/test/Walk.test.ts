import { assert, layer } from "@effect/vitest"
import * as Wire from "@webagent/contract/Wire"
import { Control, Server, SimulatedService } from "@webagent/simulation"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { complaint, violations } from "./Conforming.ts"
import { operations, pathWith } from "./Operation.ts"
import { request, talk } from "./RawConnection.ts"

const unknownId = "00000000-0000-4000-8000-00000000000f"
const tooLong = `{"task":"${"x".repeat(1_048_576)}"}`

/** Declared for every operation and out of reach here: without limits no client is told to come back later. */
const unreachable = [429]

/** A body is not looked at where none is asked for, and no id is refused where its form is not described. */
const unrefusable = (name: string, status: number) => {
  const operation = operations.find((operation) => operation.name === name)
  return operation?.payload === undefined && (status === 413 || (status === 422 && name !== "v2.getSession"))
}

/** The operations that the description shows. The fuzzed requests and `published` walk through the others. */
const described = operations.filter(({ method, path }) =>
  Object.entries(Wire.operations).some(([version, named]) =>
    Object.values<{ readonly method: string; readonly path: string }>(named).some(
      (one) => one.method === method && `${Wire.basePath[version as Wire.ApiVersion]}${one.path}` === path
    )
  )
)

/** Its time moves while the walk waits, and at no other moment: no state is over before it was looked at. */
const server = Layer.orDie(SimulatedService.layer({ turnDuration: "5 millis", time: { mode: "manual" } }))

layer(server, { excludeTestServices: true })("a walk through all that the contract declares", (it) => {
  it.effect("every operation with every status, every resource in every state", () =>
    Effect.gen(function* () {
      const { address, apiKeys } = yield* Server
      const control = yield* Control
      const seen = new Set<string>()
      const states = { task: new Set(), session: new Set(), v3: new Set(), run: new Set(), browser: new Set() }

      const ask = Effect.fnUntraced(function* (
        name: string,
        id: string,
        body?: unknown,
        key: string | undefined = apiKeys[0]
      ) {
        const operation = operations.find((operation) => operation.name === name)
        if (operation === undefined) return assert.fail(`no operation ${name}`)
        const { method } = operation
        const target = pathWith(operation, id)
        const text = typeof body === "string" ? body : body === undefined ? undefined : JSON.stringify(body)
        const headers = { "X-Service-API-Key": key ?? "", "Content-Type": "application/json" }
        const { answers } = yield* talk(address, request(method, target, headers, text), { methods: [method] })
        const [answer] = answers
        if (answer === undefined) return assert.fail(`${method} ${target} was not answered`)
        const exchange = { ...answer, method, target }
        const found = violations(exchange)
        assert.deepStrictEqual(found, [], complaint(exchange, found))
        seen.add(`${name} ${answer.status}`)
        const content: Readonly<Record<string, unknown>> = JSON.parse(new TextDecoder().decode(answer.body))
        return content
      })

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

      const declared = described.flatMap(({ answers, name }) =>
        [...answers.keys()]
          .filter((status) => !unreachable.includes(status) && !unrefusable(name, status))
          .map((status) => `${name} ${status}`)
      )
      assert.sameMembers([...seen], declared)
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
