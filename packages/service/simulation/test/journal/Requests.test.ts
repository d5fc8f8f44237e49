import { assert, describe, it } from "@effect/vitest"
import { operations } from "@webagent/control"
import { allOperations, basePath } from "@webagent/contract/Wire"
import { makeAddresses, makeAttempts, targetOf } from "../../src/journal/Requests.ts"

const id = "0B0D8E5A-6f3c-4b7e-9d1a-2c3d4e5f6a7b"

const named = Object.entries(allOperations).flatMap(([version, all]) =>
  Object.entries(all as Readonly<Record<string, { readonly method: string; readonly path: string }>>).map(
    ([name, { method, path }]) => ({
      operation: `${version}.${name}`,
      method,
      path: `${basePath[version as keyof typeof basePath]}${path}`
    })
  )
)

describe("Requests", () => {
  it("recognizes every operation by its request line, with its resource in lower case", () => {
    assert.strictEqual(named.length, operations.length)
    for (const { method, operation, path } of named) {
      const target = targetOf(method, path.replace(/\{\w+\}/u, id).replace(/\{\w+\}/u, "7"))
      assert.strictEqual(target.operation, operation)
      assert.strictEqual(target.resource, path.includes("{") ? id.toLowerCase() : null)
      assert.strictEqual(
        target.creates,
        method === "POST" && !/(?:cancelRun|purgeSession|stopSession)$/u.test(operation)
      )
      assert.strictEqual(target.reads, method === "GET")
    }
  })

  for (const [url, operation, resource] of [
    ["/api/v4/runs/a?x=/b", "v4.getRun", "a"],
    ["/api/v4/runs/a/status#x", "v4.getRunStatus", "a"],
    ["/api/v4//runs/a", "v4.getRun", "a"],
    ["/api/v4/ru%6es/a%20b", "v4.getRun", "a b"],
    ["/api/v4/runs/a%2fb", "v4.getRun", "a%2fb"],
    ["/api/v4/runs/%ff", "v4.getRun", "%ff"],
    ["/api/v4/runs/a/", "unrouted", null],
    ["/api/v4/runs//status", "v4.getRun", "status"],
    ["/api/v4/runs/a/b/status", "unrouted", null],
    ["/api/v4/browsers/a/cdp", "unrouted", null],
    ["/api/v4", "unrouted", null],
    ["/health", "unrouted", null],
    ["", "unrouted", null]
  ] as const) {
    it(`recognizes GET ${url} as ${operation}`, () => {
      const target = targetOf("GET", url)
      assert.deepStrictEqual([target.operation, target.resource], [operation, resource])
    })
  }

  it("truncates a very long id", () => {
    assert.strictEqual(targetOf("GET", `/api/v4/runs/${"a".repeat(10_000)}`).resource, `${"a".repeat(256)}…`)
  })

  it("caches addresses with their redacted form", () => {
    const addressOf = makeAddresses((url) => url.replace("secret", "[key]"))
    const first = addressOf("GET", "/api/v4/runs/a?secret")
    assert.deepInclude(first, { shown: "/api/v4/runs/a?[key]" })
    assert.strictEqual(first.target.resource, "a")
    assert.strictEqual(addressOf("GET", "/api/v4/runs/a?secret"), first)
    assert.strictEqual(addressOf("POST", "/api/v4/runs/a?secret").target.operation, "unrouted")
    for (const index of Array.from({ length: 10_001 }, (_, index) => index)) addressOf("GET", `/api/v4/runs/r${index}`)
    assert.notStrictEqual(addressOf("GET", "/api/v4/runs/a?secret"), first)
  })

  it("treats HEAD as a read, and another method as no operation", () => {
    assert.strictEqual(targetOf("HEAD", "/api/v4/runs/a").operation, "v4.getRun")
    assert.strictEqual(targetOf("DELETE", "/api/v4/runs/a").operation, "unrouted")
  })

  it("counts each kind of request separately, from 1", () => {
    const attempts = makeAttempts()
    assert.deepStrictEqual(
      [
        attempts.next("v4.getRun", "a"),
        attempts.next("v4.getRun", "b"),
        attempts.next("v4.getRun", "a"),
        attempts.next("v4.getRunStatus", "a")
      ],
      [1, 1, 2, 1]
    )
    attempts.clear()
    assert.strictEqual(attempts.next("v4.getRun", "a"), 1)
  })

  it("drops the oldest counter when there are too many", () => {
    const attempts = makeAttempts(2)
    for (const key of ["a", "b", "c"]) attempts.next("v4.getRun", key)
    assert.strictEqual(attempts.next("v4.getRun", "c"), 2)
    assert.strictEqual(attempts.next("v4.getRun", "b"), 2)
    assert.strictEqual(attempts.next("v4.getRun", "a"), 1)
  })
})
