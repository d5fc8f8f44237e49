import { assert, describe, it } from "@effect/vitest"
import { LinkTokens } from "@webagent/server"
import * as Effect from "effect/Effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Links from "../../../src/api/Links.ts"
import { rangeOf } from "../../../src/http/endpoints/RangedFile.ts"
import { layerWith, recordings } from "../shown.ts"
import { send } from "../send.ts"

const content = "0123456789"

/** A server whose first browser has a recording. */
const served = <A, E, R>(test: Effect.Effect<A, E, R>) => {
  const folder = mkdtempSync(join(tmpdir(), "webagent-test-links-"))
  return Effect.ensuring(
    Effect.provide(test, layerWith(recordings(join(folder, "a.webm"), content))),
    Effect.sync(() => rmSync(folder, { recursive: true }))
  )
}

/** The recording of a stopped browser. */
const recorded = Effect.fnUntraced(function* (body: object) {
  const { id } = (yield* send("POST", "/api/v4/browsers", { body })).body
  const { recordingUrl } = (yield* send("PATCH", `/api/v4/browsers/${id}`, { body: { action: "stop" } })).body
  return recordingUrl === null ? null : new URL(String(recordingUrl))
})

const get = (url: URL, headers: Readonly<Record<string, string>> = {}, method = "GET") =>
  send(method, `${url.pathname}${url.search}`, { key: null, headers })

describe("a recordingUrl", () => {
  it.live("exists if a create asked for it, and opens without a key", () =>
    served(
      Effect.gen(function* () {
        const url = (yield* recorded({ enableRecording: true })) ?? assert.fail("no link")
        const { headers, status, text } = yield* get(url)
        assert.deepStrictEqual([status, text], [200, content])
        assert.strictEqual(headers.get("content-type"), "video/webm")
        assert.strictEqual(headers.get("accept-ranges"), "bytes")
        assert.strictEqual(headers.get("cache-control"), "private, no-store")
        assert.isNull(yield* recorded({}))
        assert.isNull(yield* recorded({ enableRecording: null }))
        // the fourth has asked, and its recording is gone by now
        const gone = (yield* recorded({ enableRecording: true })) ?? assert.fail("no link")
        assert.strictEqual((yield* get(gone)).status, 404)
      })
    )
  )

  it.live("serves ranges, HEAD, and the whole file if it has changed", () =>
    served(
      Effect.gen(function* () {
        const url = (yield* recorded({ enableRecording: true })) ?? assert.fail("no link")
        const part = yield* get(url, { range: "bytes=2-4" })
        assert.deepStrictEqual([part.status, part.text], [206, "234"])
        assert.strictEqual(part.headers.get("content-range"), "bytes 2-4/10")
        const end = yield* get(url, { range: "bytes=-3", "if-range": part.headers.get("etag") ?? "" })
        assert.deepStrictEqual([end.status, end.text], [206, "789"])
        const other = yield* get(url, { range: "bytes=2-4", "if-range": '"other"' })
        assert.deepStrictEqual([other.status, other.text], [200, content])
        const beyond = yield* get(url, { range: "bytes=10-" })
        assert.deepStrictEqual([beyond.status, beyond.headers.get("content-range")], [416, "bytes */10"])
        const head = yield* get(url, {}, "HEAD")
        assert.deepStrictEqual([head.status, head.headers.get("content-length"), head.text], [200, "10", ""])
      })
    )
  )

  it.live("opens nothing if it was modified or lost its expiry time", () =>
    served(
      Effect.gen(function* () {
        const url = (yield* recorded({ enableRecording: true })) ?? assert.fail("no link")
        const changed = (change: (search: URLSearchParams) => void) => {
          const other = new URL(url)
          change(other.searchParams)
          return Effect.map(get(other), ({ status }) => status)
        }
        const expires = Number(url.searchParams.get("expires"))
        assert.strictEqual(yield* changed((search) => search.set("expires", String(expires + 1))), 404)
        assert.strictEqual(yield* changed((search) => search.delete("expires")), 404)
        assert.strictEqual(yield* changed((search) => search.delete("token")), 404)
        assert.strictEqual(yield* changed((search) => search.set("token", "A".repeat(43))), 404)
      })
    )
  )

  it.effect("expires", () =>
    Effect.gen(function* () {
      const tokens = yield* LinkTokens
      const at = (expires: string) => ({
        id: "b",
        expires,
        token: tokens.of(`${Links.recordingPath("b")}?expires=${expires}`)
      })
      assert.isTrue(Links.opensRecording(tokens, at("60"), 59_999))
      assert.isFalse(Links.opensRecording(tokens, at("60"), 60_000))
      for (const expires of ["", "-1", "1e9", "Infinity", "9".repeat(13)]) {
        assert.isFalse(Links.opensRecording(tokens, at(expires), 0), expires)
      }
    }).pipe(Effect.provide(LinkTokens.layerRandom))
  )

  it("follows the ranges of RFC 9110", () => {
    assert.deepStrictEqual(
      ["bytes=0-0", "bytes=5-", "bytes=-4", "bytes=-99", "bytes=3-99"].map((header) => rangeOf(header, 10)),
      [
        { start: 0, end: 0 },
        { start: 5, end: 9 },
        { start: 6, end: 9 },
        { start: 0, end: 9 },
        { start: 3, end: 9 }
      ]
    )
    const whole = [undefined, "bytes=-", "bytes=1-2,4-5", "items=1-2", "bytes=4-2"]
    assert.isTrue(whole.every((header) => rangeOf(header, 10) === "whole"))
    assert.deepStrictEqual(
      [rangeOf("bytes=10-", 10), rangeOf("bytes=-0", 10), rangeOf("bytes=0-", 0)],
      ["none", "none", "none"]
    )
  })
})
