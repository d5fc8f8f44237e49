import { assert, describe, it } from "@effect/vitest"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpTags from "../src/HttpTags.ts"

describe("HttpTags", () => {
  it.each(["HttpClient", "TracerDisabledWhen"] as const)("%s is Effect's own", (name) => {
    assert.strictEqual(HttpTags[name].key, HttpClient[name].key)
  })
})
