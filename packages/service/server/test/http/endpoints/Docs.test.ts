import { assert, layer } from "@effect/vitest"
import { V2Api } from "@webagent/contract/v2"
import { V3Api } from "@webagent/contract/v3"
import { V4Api } from "@webagent/contract/v4"
import * as Effect from "effect/Effect"
import * as OpenApi from "effect/http-api/OpenApi"
import { send } from "../send.ts"
import { layerTest } from "../served.ts"

layer(layerTest, { excludeTestServices: true })("Docs", (it) => {
  for (const [version, document] of [
    ["v2", OpenApi.fromApi(V2Api)],
    ["v3", OpenApi.fromApi(V3Api)],
    ["v4", OpenApi.fromApi(V4Api)]
  ] as const) {
    it.effect(`/api/${version}/openapi.json returns the contract's document without a key, every time`, () =>
      Effect.gen(function* () {
        for (const _ of [1, 2]) {
          const { body, status } = yield* send("GET", `/api/${version}/openapi.json`, { key: null })
          assert.strictEqual(status, 200)
          assert.deepStrictEqual(body, JSON.parse(JSON.stringify(document)))
        }
      })
    )

    it.effect(`/api/${version}/docs returns a page that loads nothing from other hosts, every time`, () =>
      Effect.gen(function* () {
        for (const _ of [1, 2]) {
          const { headers, status, text } = yield* send("GET", `/api/${version}/docs`, { key: null })
          assert.strictEqual(status, 200)
          assert.match(headers.get("content-type") ?? "", /^text\/html/u)
          assert.include(text, document.info.title)
          assert.notMatch(text, /<(?:script|link|img)[^>]+(?:src|href)=["']?https?:/u)
          assert.match(text, /["']?withDefaultFonts["']?:\s*false/u)
          assert.include(text, `/api/${version}/`)
        }
      })
    )
  }
})
