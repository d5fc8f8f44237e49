import { type Fault, presets, type Profile } from "@webagent/control"
import { assert, describe, it } from "@effect/vitest"
import { Journal, Server, SimulatedService } from "@webagent/simulation"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { complaint, violations } from "./Conforming.ts"
import { described, type Operation, pathWith } from "./Operation.ts"
import { type Outcome, request, talk } from "./RawConnection.ts"

/** How much faster service time goes, so that a hang of half a minute is over in a moment. */
const factor = 300

/** How often everything is asked for. */
const turns = 24

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

/** What hits a request and still lets it be answered as the contract says: late, twice, of an earlier time. */
const harmless: ReadonlyArray<Fault["kind"]> = [
  "slow-headers",
  "slow-body",
  "duplicate-delivery",
  "stale-read",
  "clock-skew"
]

const twiceAsBad: Profile = {
  ...presets.hostile,
  faults: presets.hostile.faults.map((rule) => ({
    ...rule,
    when: { ...rule.when, rate: (rule.when?.rate ?? 0.5) * 2 }
  }))
}

const profiles: Readonly<Record<string, Profile>> = { ...presets, "hostile, twice as bad": twiceAsBad }

interface Asked {
  readonly method: string
  readonly target: string
  readonly outcome: Outcome
}

/** Asks for everything, again and again, each request with a User-Agent of its own; what came of each, by that name. */
const askAll = Effect.gen(function* () {
  const { address, apiKeys } = yield* Server
  const made = new Map<string, ReadonlyArray<string>>()
  const all = new Map<string, Asked>()
  const ask = Effect.fnUntraced(function* (operation: Operation, turn: number) {
    const { method, name, path } = operation
    const [parameter = ""] = /\{\w+\}/u.exec(path) ?? []
    const ids = made.get(parameter) ?? []
    const target = pathWith(operation, ids[turn % (ids.length + 1)] ?? "00000000-0000-4000-8000-00000000000f")
    const body = wanted[name]?.[turn % 7 === 6 ? 1 : 0]
    const userAgent = `${name}/${turn}`
    const headers = {
      "X-Service-API-Key": turn % 11 === 10 ? "wak_wrong" : (apiKeys[0] ?? ""),
      "Content-Type": "application/json",
      "User-Agent": userAgent
    }
    const bytes = request(method, target, headers, body === undefined ? undefined : JSON.stringify(body))
    const outcome = yield* talk(address, bytes, { methods: [method] })
    all.set(userAgent, { method, target, outcome })
    const id = /"id":"([\da-f-]{36})"/u.exec(new TextDecoder().decode(outcome.answers[0]?.body))?.[1]
    const makes = parameterOf[name]
    if (makes !== undefined && id !== undefined) made.set(makes, [...(made.get(makes) ?? []), id])
  })
  for (let turn = 0; turn < turns; turn++) {
    yield* Effect.forEach(described, (operation) => ask(operation, turn), { concurrency: 9, discard: true })
  }
  return all
})

for (const [name, profile] of Object.entries(profiles)) {
  describe(`under the profile ${name}`, () => {
    it.live("every undamaged response conforms, and only a fault leaves a request without one", () =>
      Effect.gen(function* () {
        const all = yield* askAll
        const { entries } = yield* Effect.flatMap(Journal, (journal) => journal.read({ limit: 20_000 }))
        const kinds = new Map(entries.flatMap((row) => (row.type === "fault" ? [[row.rule, row.kind] as const] : [])))
        const rows = new Map(
          entries.flatMap((row) => (row.type === "request" && row.userAgent !== null ? [[row.userAgent, row]] : []))
        )
        let unspoiled = 0
        for (const [userAgent, { method, outcome, target }] of all) {
          const row = rows.get(userAgent)
          const kind = row?.fault === null || row === undefined ? undefined : kinds.get(row.fault)
          if (kind !== undefined && !harmless.includes(kind)) continue
          // closing the port resets every connection, including those of responses under way
          const isCut = outcome.answers.length === 0 && outcome.end === "reset"
          if (isCut && [...kinds.values()].includes("refuse-connections")) continue
          const [answer] = outcome.answers
          if (answer === undefined) return assert.fail(`${userAgent} was not answered, ${kind}: ${outcome.end}`)
          const exchange = { ...answer, method, target }
          const found = violations(exchange)
          assert.deepStrictEqual(found, [], `${kind}: ${complaint(exchange, found)}`)
          assert.strictEqual(answer.status, row?.status, `${userAgent}: what was sent is not what the journal says`)
          unspoiled++
        }
        assert.isAbove(unspoiled, all.size / 4)
        assert.strictEqual(kinds.size > 0, profile.faults !== undefined)
        const throttled = [...all.values()].filter(({ outcome }) => outcome.answers[0]?.status === 429)
        if (name === "overloaded") assert.isAbove(throttled.length, 0)
      }).pipe(Effect.provide(Layer.fresh(SimulatedService.layer({ profile, time: { mode: "scaled", factor } }))))
    )
  })
}
