import { assert, describe, it } from "@effect/vitest"
import { MemoryStore, Recordings, type StreamingAgent } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { send } from "../send.ts"
import { layerOver } from "../served.ts"

/** Takes two steps, then goes on for ever. */
const stepping: StreamingAgent["perform"] = (_, { step, stepEnded }) =>
  Stream.make({ _tag: "Started" } as const).pipe(
    Stream.concat(
      Stream.fromEffectDrain(
        Effect.gen(function* () {
          yield* step({ summary: 'navigate "https://shop.example"', address: "about:blank", picture: null })
          yield* stepEnded(null)
          yield* step({ summary: 'click button "Sell"', address: "https://shop.example/", picture: null })
          yield* stepEnded("There is no such button.")
          yield* step({ summary: 'click button "Buy"', address: "https://shop.example/", picture: null })
          yield* Effect.never
        })
      )
    )
  )

const steps = (id: unknown, key?: string) => send("GET", `/api/v4/runs/${id}/steps`, key === undefined ? {} : { key })

/** Takes a step in its browser with a picture, and one without. */
const seeing: StreamingAgent["perform"] = (_, { browser, step }) =>
  Stream.concat(
    Stream.make({ _tag: "Started" } as const),
    Stream.fromEffectDrain(
      Effect.gen(function* () {
        yield* browser
        yield* step({ summary: "look", address: "about:blank", picture: Buffer.from("a picture") })
        yield* step({ summary: "look away", address: "about:blank", picture: null })
        yield* Effect.never
      }).pipe(Effect.scoped)
    )
  )

describe("a run's steps", () => {
  it.live("are available as they happen, for a key that can read the run", () =>
    Effect.gen(function* () {
      const { createdAt, id, sessionId } = (yield* send("POST", "/api/v4/runs", { body: { task: "Buy a mug" } })).body
      const all = ({ body }: { readonly body: Readonly<Record<string, unknown>> }) =>
        Array.isArray(body["steps"]) && body["steps"].length === 3
      const { body, status } = yield* Effect.repeat(Effect.delay(steps(id), "5 millis"), { until: all })
      assert.strictEqual(status, 200)
      assert.deepInclude(body, { runId: id, liveUrl: null, recordingUrl: null })
      const [first, second, third] = body["steps"] as ReadonlyArray<Record<string, unknown>>
      assert.deepInclude(first, { number: 1, address: "about:blank", summary: 'navigate "https://shop.example"' })
      assert.deepInclude(third, { number: 3, address: "https://shop.example/", summary: 'click button "Buy"' })
      assert.deepInclude(first, { outcome: "succeeded", failure: null })
      assert.deepInclude(second, { outcome: "failed", failure: "There is no such button." })
      assert.deepInclude(third, { outcome: null, failure: null, durationMs: null })
      for (const step of [first, second]) assert.isAtLeast(Number(step?.["durationMs"]), 0)
      const times = [createdAt, first?.["beganAt"], third?.["beganAt"], new Date().toISOString()].map(String)
      assert.deepStrictEqual(times, times.toSorted())
      for (const time of times) assert.match(time, /^\d{4}-\d\d-\d\dT.*Z$/u)
      yield* send("POST", `/api/v4/sessions/${sessionId}/queue`, { body: { text: "Buy a cup", interrupt: true } })
      const ended = (yield* steps(id)).body["steps"] as ReadonlyArray<Record<string, unknown>>
      assert.deepStrictEqual(
        ended.map(({ outcome, failure, durationMs }) => [outcome, failure, typeof durationMs]),
        [
          ["succeeded", null, "number"],
          ["failed", "There is no such button.", "number"],
          ["failed", "The run ended before this step did.", "object"]
        ]
      )
    }).pipe(Effect.provide(layerOver(MemoryStore.layer, { perform: stepping })))
  )

  it.live("link to the agent's picture, which opens without a key and only for itself", () => {
    const kept = new Map<string, string>()
    const folder = mkdtempSync(join(tmpdir(), "webagent-test-steps-"))
    const pictures = Layer.succeed(Recordings, {
      find: (id) =>
        Effect.succeed(
          Option.map(Option.fromUndefinedOr(kept.get(id)), (path) => {
            const { mtimeMs, size } = statSync(path)
            return { path, contentType: "image/jpeg", bytes: size, finishedAt_ms: mtimeMs }
          })
        ),
      keep: (browserId, name, jpeg) =>
        Effect.sync(() => {
          const path = join(folder, name)
          writeFileSync(path, jpeg)
          kept.set(`${browserId}/${name}`, path)
          return `${browserId}/${name}`
        }),
      forget: () => Effect.void,
      prune: () => Effect.succeed(0)
    })
    return Effect.gen(function* () {
      const { id } = (yield* send("POST", "/api/v4/runs", { body: { task: "Look" } })).body
      const two = ({ body }: { readonly body: Readonly<Record<string, unknown>> }) =>
        Array.isArray(body["steps"]) && body["steps"].length === 2
      const { body } = yield* Effect.repeat(Effect.delay(steps(id), "5 millis"), { until: two })
      const [first, second] = body["steps"] as ReadonlyArray<Record<string, unknown>>
      assert.isNull(second?.["pictureUrl"])
      const url = new URL(String(first?.["pictureUrl"]))
      const open = (path: string) => send("GET", path, { key: null })
      const { headers, status, text } = yield* open(`${url.pathname}${url.search}`)
      assert.deepStrictEqual([status, text, headers.get("content-type")], [200, "a picture", "image/jpeg"])
      assert.strictEqual((yield* open(`${url.pathname.replace(/-1$/u, "-2")}${url.search}`)).status, 404)
      assert.strictEqual((yield* open(url.pathname)).status, 404)
    }).pipe(
      Effect.provide(Layer.fresh(Layer.provide(layerOver(MemoryStore.layer, { perform: seeing }), pictures))),
      Effect.ensuring(Effect.sync(() => rmSync(folder, { recursive: true })))
    )
  })

  it.live("return 401 without the key, 404 for an unknown run, and 405 for another method", () =>
    Effect.gen(function* () {
      const { id } = (yield* send("POST", "/api/v4/runs", { body: { task: "Buy a mug" } })).body
      assert.deepStrictEqual((yield* steps(id, "wak_other")).body, { detail: "Invalid API key" })
      assert.strictEqual((yield* steps(id, "wak_other")).status, 401)
      const nothing = yield* steps("00000000-0000-4000-8000-999999999999")
      assert.deepStrictEqual([nothing.status, nothing.body], [404, { detail: "Run not found" }])
      const { headers, status } = yield* send("POST", `/api/v4/runs/${id}/steps`)
      assert.deepStrictEqual([status, headers.get("allow")], [405, "GET, HEAD"])
    }).pipe(Effect.provide(layerOver(MemoryStore.layer)))
  )
})
