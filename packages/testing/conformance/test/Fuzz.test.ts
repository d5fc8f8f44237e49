import { assert, layer } from "@effect/vitest"
import { Server } from "@webagent/simulation"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import { complaint, violations } from "./Conforming.ts"
import { type FuzzedRequest, furtherCreates, fuzzedRequest, type Known } from "./FuzzedRequest.ts"
import * as ObservedServer from "./ObservedServer.ts"
import { type RawAnswer, request, talk } from "./RawConnection.ts"

const seed = process.env["WEBAGENT_FUZZ_SEED"] ?? "1"
const cases = Number(process.env["WEBAGENT_FUZZ_CASES"] ?? 400)

/** After a body of more bytes that it did not want, the server closes rather than to read on to the next request. */
const unread = 256 * 1024

/** A session, a run of it, a browser, a profile and a workspace, all of them there for good. Each connection ends: fetch would keep it idle. */
const known = Effect.gen(function* () {
  const { address, apiKeys } = yield* Server
  const key = apiKeys[0] ?? ""
  const headers = { "X-Service-API-Key": key, "Content-Type": "application/json" }
  const create = (path: string, body: object) =>
    Effect.map(
      talk(address, request("POST", `/api/v4${path}`, headers, JSON.stringify(body)), { methods: ["POST"] }),
      ({ answers: [answer] }): Readonly<Record<string, string>> => JSON.parse(new TextDecoder().decode(answer?.body))
    )
  const run = yield* create("/runs", { task: "t" })
  const browser = yield* create("/browsers", {})
  const profile = yield* create("/profiles", {})
  const workspace = yield* create("/workspaces", {})
  const ids = {
    "{session_id}": run["sessionId"] ?? "",
    "{run_id}": run["id"] ?? "",
    "{task_id}": run["id"] ?? "",
    "{profile_id}": profile["id"] ?? "",
    "{workspace_id}": workspace["id"] ?? "",
    "{browser_id}": browser["id"] ?? ""
  }
  return { key, ids } satisfies Known
})

/** What of a create has to come back as it was sent. */
const echoed = (request: FuzzedRequest, answer: RawAnswer): boolean => {
  if (request.operation.name !== "v4.createRun" || answer.status !== 201) return true
  const sent = request.json as Readonly<Record<string, unknown>>
  const received = JSON.parse(new TextDecoder().decode(answer.body))
  const same = (one: unknown, other: unknown) => JSON.stringify(one ?? null) === JSON.stringify(other ?? null)
  return same(sent["task"], received["task"]) && same(sent["modelParams"], received["modelParams"])
}

/** A key has at most 100 profiles and 1,000 workspaces. */
const isFull = ({ operation, status }: FuzzedRequest, answer: RawAnswer): boolean =>
  furtherCreates.includes(operation.name) && status === 201 && answer.status === 409

const wrongWith = (request: FuzzedRequest, answer: RawAnswer): ReadonlyArray<string> => [
  ...violations({ ...request, ...answer }),
  ...(answer.status === request.status || isFull(request, answer) ? [] : [`it is due ${request.status}`]),
  ...(echoed(request, answer) ? [] : ["it is not what was sent"])
]

const shown = ({ bytes, label }: FuzzedRequest) =>
  `${label}: ${bytes.length} bytes, ${JSON.stringify(Buffer.from(bytes).toString("latin1").slice(0, 500))}`

layer(ObservedServer.layer, { excludeTestServices: true })("fuzzed requests", (it) => {
  it.effect(
    `${cases} connections of up to four requests, seed ${seed}: each gets its expected response`,
    () =>
      Effect.gen(function* () {
        const { address } = yield* Server
        const { held, settled } = yield* ObservedServer.Observer
        const before = yield* held
        const requests = Arbitrary.array(fuzzedRequest(yield* known), { minLength: 1, maxLength: 4 })
        const result = yield* Arbitrary.checkEffect(
          requests,
          (sent) =>
            Effect.gen(function* () {
              const bytes = Buffer.concat(sent.map(({ bytes }) => bytes))
              const { answers, end, rest } = yield* talk(address, [bytes], {
                methods: sent.map(({ method }) => method)
              })
              for (const [index, request] of sent.entries()) {
                const answer = answers[index]
                const last = answers[index - 1]
                const heard = last?.headers["connection"] !== "close" && (sent[index - 1]?.bytes.length ?? 0) <= unread
                if (answer === undefined && end === "closed" && !heard) return true
                if (answer === undefined) {
                  const told = sent.map((each, at) => `${shown(each)}: ${JSON.stringify(answers[at]?.headers)}`)
                  return yield* Effect.fail(`no answer to request ${index + 1}: ${end} ${rest}\n${told.join("\n")}`)
                }
                const wrong = wrongWith(request, answer)
                const exchange = { ...request, ...answer }
                if (wrong.length > 0) return yield* Effect.fail(`${shown(request)}\n${complaint(exchange, wrong)}`)
              }
              return true
            }),
          { runs: cases, seed, concurrency: 8, size: 6, maxShrinks: 30 }
        )
        const error = result._tag === "Falsified" && result.failure._tag === "PropertyError" ? result.failure.error : ""
        assert.strictEqual(
          result._tag,
          "Passed",
          `${error}\nagain with WEBAGENT_FUZZ_SEED=${seed} WEBAGENT_FUZZ_CASES=${cases}`
        )
        assert.deepStrictEqual(yield* settled(before), { ...before, connections: 0 })
      }),
    Math.max(600_000, cases * 50)
  )
})
