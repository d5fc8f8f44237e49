import { assert, describe, it } from "@effect/vitest"
import { type Exchange, violations } from "./Conforming.ts"

const id = "00000000-0000-4000-8000-000000000000"
const json = { "content-type": "application/json" }

const run = {
  id,
  sessionId: id,
  status: "queued",
  task: "t",
  modelParams: null,
  result: null,
  error: null,
  createdAt: "2026-05-01T12:00:00.000Z",
  startedAt: null,
  finishedAt: null,
  cost: null,
  title: null,
  model: "m",
  contextLimit: null,
  workspaceId: null,
  attachedFileIds: null,
  judgement: null,
  totalInputTokens: 0,
  totalOutputTokens: 0,
  totalCostUsd: null,
  updatedAt: "2026-05-01T12:00:00.000Z"
}

const exchange = (
  line: string,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {}
): Exchange => {
  const [method = "", target = ""] = line.split(" ")
  const text = typeof body === "string" ? body : JSON.stringify(body)
  return { method, target, status, headers: { ...json, ...headers }, body: Buffer.from(text) }
}

const get = `GET /api/v4/runs/${id}`
const { cost: _, ...withoutCost } = run

describe("a response that conforms", () => {
  for (const [what, good] of Object.entries({
    "a success": exchange(get, 200, run),
    "arbitrary properties if the contract has them": exchange(get, 200, { ...run, modelParams: { a: { b: 1 } } }),
    "a result of any shape": exchange(get, 200, { ...run, result: { total: [42] } }),
    "a declared error": exchange(get, 404, { detail: "Run not found" }),
    "an unknown path": exchange("GET /api/v4/nope", 404, { detail: "Not Found" }),
    "another method": exchange(
      "PUT /api/v4//runs?x=1",
      405,
      { detail: "Method Not Allowed" },
      { allow: "GET, HEAD, POST" }
    ),
    "204, which has no body": exchange(`DELETE /api/v3/sessions/${id}`, 204, ""),
    "HEAD, which has no body": exchange(`HEAD /api/v4/runs/${id}`, 200, "", { "content-length": "300" }),
    "429 with Retry-After": exchange(get, 429, { detail: "Too many requests" }, { "retry-after": "1" })
  })) {
    it(`${what}`, () => assert.deepStrictEqual(violations(good), []))
  }
})

describe("a response that doesn't conform", () => {
  for (const [what, bad] of Object.entries({
    "an undeclared status": exchange(get, 201, run),
    "a 500": exchange(get, 500, { detail: "Internal Server Error" }),
    "an undeclared 409": exchange(get, 409, { detail: "Conflict" }),
    "the body of another status": exchange(get, 200, { detail: "Run not found" }),
    "a field of a wrong type": exchange(get, 200, { ...run, cost: 1 }),
    "a missing field": exchange(get, 200, withoutCost),
    "an undeclared field": exchange(get, 200, { ...run, secret: 1 }),
    "an undeclared nested field": exchange("GET /api/v4/runs/x", 422, {
      detail: [{ loc: ["body"], msg: "m", type: "t", input: "secret" }]
    }),
    "an unknown status value": exchange(get, 200, { ...run, status: "paused" }),
    "no JSON": exchange(get, 200, "<html>"),
    "no UTF-8": { ...exchange(get, 200, ""), body: Uint8Array.of(34, 255, 34) },
    "a byte order mark": exchange(get, 200, `\uFEFF${JSON.stringify(run)}`),
    nothing: exchange(get, 200, ""),
    "another content type": exchange(get, 200, run, { "content-type": "text/html" }),
    "HEAD with a body": exchange(`HEAD /api/v4/runs/${id}`, 200, run),
    "a wrong length": exchange(get, 200, run, { "content-length": "5" }),
    "429 without Retry-After": exchange(get, 429, { detail: "Too many requests" }),
    "405 without Allow": exchange("PUT /api/v4/runs", 405, { detail: "Method Not Allowed" }),
    "405 with a wrong Allow": exchange("PUT /api/v4/runs", 405, { detail: "Method Not Allowed" }, { allow: "GET" }),
    "404 for a method": exchange("PUT /api/v4/runs", 404, { detail: "Not Found" }),
    "a response at an unknown path": exchange("GET /api/v4/nope", 200, run),
    "an operation's 404 at an unknown path": exchange("GET /api/v4/nope", 404, { detail: "Run not found" })
  })) {
    it(`${what}`, () => assert.notDeepEqual(violations(bad), []))
  }
})
