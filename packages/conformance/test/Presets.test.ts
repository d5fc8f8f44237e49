import { presetNames } from "@webagent/control"
import { assert, describe, it } from "@effect/vitest"
import { Journal, Server, ServiceClock } from "@webagent/server"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { complaint, violations } from "./Conforming.ts"
import { operations, pathWith } from "./Operation.ts"
import { request, talk } from "./RawConnection.ts"

/** How much faster service time goes, so that a hang of half a minute is over in a moment. */
const factor = 300

const wanted: Readonly<Record<string, ReadonlyArray<unknown>>> = {
  "v3.createSession": [{ task: "t" }, { task: 7 }],
  "v4.createRun": [{ task: "t", modelParams: { effort: "high" } }, {}],
  "v4.queueMessage": [
    { text: "more", interrupt: false },
    { text: "now", interrupt: true }
  ],
  "v4.createBrowser": [{ proxyCountryCode: "no" }, { proxyCountryCode: "nowhere" }],
  "v4.updateBrowser": [{ action: "stop" }, { action: "pause" }]
}

const parameterOf: Readonly<Record<string, string>> = {
  "v3.createSession": "{session_id}",
  "v4.createRun": "{run_id}",
  "v4.createBrowser": "{browser_id}"
}

for (const profile of presetNames) {
  describe(`under the preset ${profile}`, () => {
    it.live("every answer that no fault has struck conforms, and only a fault leaves a request without one", () =>
      Effect.gen(function* () {
        const { address, apiKeys } = yield* Server
        const journal = yield* Journal
        const made = new Map<string, Array<string>>()
        const outcomes = new Map<string, Effect.Success<ReturnType<typeof talk>>>()
        const asked = new Map<string, { readonly method: string; readonly target: string }>()

        const ask = Effect.fnUntraced(function* (operation: (typeof operations)[number], turn: number) {
          const parameter = /\{\w+\}/u.exec(operation.path)?.[0] ?? ""
          const ids = made.get(parameter) ?? []
          const id = ids[turn % (ids.length + 1)] ?? "00000000-0000-4000-8000-00000000000f"
          const bodies = wanted[operation.name] ?? []
          const body = bodies[turn % 7 === 6 ? 1 : 0]
          const { method } = operation
          const target = pathWith(operation, id)
          const name = `conformance/${operation.name}/${turn}`
          const key = turn % 11 === 10 ? "wak_wrong" : (apiKeys[0] ?? "")
          const headers = { "X-Service-API-Key": key, "Content-Type": "application/json", "User-Agent": name }
          asked.set(name, { method, target })
          const text = body === undefined ? undefined : JSON.stringify(body)
          const outcome = yield* talk(address, request(method, target, headers, text), { methods: [method] })
          outcomes.set(name, outcome)
          const makes = parameterOf[operation.name]
          const [answer] = outcome.answers
          if (makes === undefined || answer?.status !== 201) return
          const id_ = /"id":"([\da-f-]{36})"/u.exec(new TextDecoder().decode(answer.body))?.[1]
          if (id_ !== undefined) made.set(makes, [...(made.get(makes) ?? []), id_])
        })

        for (let turn = 0; turn < 24; turn++) {
          yield* Effect.forEach(operations, (operation) => ask(operation, turn), { concurrency: 9, discard: true })
        }

        const { entries } = yield* journal.read({ type: "request", limit: 20_000 })
        const struck = new Set<string>()
        const written = new Map<string, number | null>()
        for (const row of entries) {
          if (row.type !== "request" || row.userAgent === null) continue
          if (row.fault !== null) struck.add(row.userAgent)
          written.set(row.userAgent, row.status)
        }
        for (const [name, outcome] of outcomes) {
          if (struck.has(name)) continue
          const [answer] = outcome.answers
          const { method, target } = asked.get(name) ?? { method: "", target: "" }
          if (answer === undefined) return assert.fail(`${name} was not answered: ${outcome.end} ${outcome.rest}`)
          const exchange = { ...answer, method, target }
          const found = violations(exchange)
          assert.deepStrictEqual(found, [], complaint(exchange, found))
          assert.strictEqual(answer.status, written.get(name), `${name}: what was sent is not what the journal says`)
        }
        const throttled = [...outcomes.values()].flatMap(({ answers }) =>
          answers.filter(({ status }) => status === 429)
        )
        if (profile === "overloaded") assert.isAbove(throttled.length, 0)
        assert.isAbove(outcomes.size - struck.size, outcomes.size / 3)
      }).pipe(
        Effect.provide(
          Layer.fresh(Server.layerSimulated({ profile })).pipe(
            Layer.provide(ServiceClock.layer({ mode: "scaled", factor }))
          )
        )
      )
    )
  })
}
