import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll } from "vitest"
import { coloured, plain } from "@webagent/cli/Style"
import { requestLine } from "@webagent/simulation/RequestText"
import { type Request, ServeOutput } from "@webagent/simulation/ServeOutput"
import { begin } from "./inProcess.ts"

const folder = mkdtempSync(join(tmpdir(), "webagent-serve-"))
afterAll(() => rmSync(folder, { recursive: true }))

const faults = join(folder, "faults.json")
writeFileSync(
  faults,
  JSON.stringify([
    {
      name: "busy",
      fault: { kind: "status", status: 429, retryAfter: "2s" },
      when: { operations: ["v4.createRun"], nth: [1] }
    }
  ])
)

const lineOf = Schema.decodeSync(Schema.fromJsonString(ServeOutput))

/** Sends a create that the fault hits and one that succeeds, and gives the run's id. */
const createTwo = async (address: string) => {
  const create = () =>
    fetch(`${address}/api/v4/runs?key=wak_of_mine`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-service-api-key": "wak_test" },
      body: JSON.stringify({ task: "Find a red mug" })
    })
  await create()
  const { id } = (await (await create()).json()) as { readonly id: string }
  return id
}

const addressOf = (said: string) => /http:\/\/127\.0\.0\.1:\d+/u.exec(said)?.[0] ?? ""

describe.concurrent("serve's output", () => {
  it("has one line per request, with the applied fault and the created id, and without keys", async () => {
    const serving = begin(["serve", "--port", "0", "--faults", faults])
    const id = await createTwo(addressOf(await serving.says("try it")))
    const said = await serving.says(id)
    assert.match(
      said,
      /\nPOST {4}429 {2,}\d.*? ms {2}\/api\/v4\/runs\?key=\[key\] {2}fault busy: status.* {2}retry after 2 s\n/u
    )
    assert.match(
      said,
      new RegExp(`\\nPOST {4}201 {2,}\\d.*? ms {2}/api/v4/runs\\?key=\\[key\\] {2}created ${id}\\n$`, "u")
    )
    assert.notInclude(said, "wak_of_mine")
    serving.stop()
    assert.strictEqual((await serving.ended).code, 0)
  })

  it("is JSON on request: the addresses, the key and the control API, then one line per request", async () => {
    const serving = begin(["serve", "--port", "0", "--faults", faults, "--json", "--control-key", "wck_example"])
    const id = await createTwo(addressOf(await serving.says("\n")))
    const said = await serving.says(id)
    const [started, hit, made, ...more] = said
      .trimEnd()
      .split("\n")
      .map((line) => lineOf(line))
    assert.isEmpty(more)
    assert(started?.type === "started" && hit?.type === "request" && made?.type === "request")
    assert.deepInclude(started, { apiKey: "wak_test", address: addressOf(said) })
    assert.strictEqual(started.control?.key, "wck_example")
    assert.include(started.scriptKeys, "outcome")
    assert.deepInclude(hit, {
      path: "/api/v4/runs?key=[key]",
      status: 429,
      resource: null,
      retryAfter_ms: 2000,
      fault: { rule: "busy", kind: "status", placement: hit.fault?.placement ?? null }
    })
    assert.deepInclude(made, { method: "POST", operation: "v4.createRun", status: 201, resource: id, fault: null })
    serving.stop()
    await serving.ended
  })

  it("has no requests with --quiet, and reports if there is no journal to read them from", async () => {
    const [quiet, blind] = [
      begin(["serve", "--port", "0", "--quiet"]),
      begin(["serve", "--port", "0", "--journal-size", "0"])
    ]
    for (const serving of [quiet, blind]) await createTwo(addressOf(await serving.says("try it")))
    quiet.stop()
    blind.stop()
    const said = await Promise.all([quiet.ended, blind.ended])
    assert.notInclude(said[0].stdout, "POST")
    assert.notInclude(said[1].stdout, "POST")
    assert.include(said[1].stdout, "\nrequests   not shown, because --journal-size is 0\n")
  })

  it("has a banner within 80 columns except for its commands, which explains how to script a run", async () => {
    const serving = begin(["serve", "--port", "0"])
    const said = await serving.says("try it")
    serving.stop()
    for (const version of ["v2", "v3", "v4"]) {
      assert.match(said, new RegExp(`\\n${version} +http://127\\.0\\.0\\.1:\\d+/api/${version}\\n`, "u"))
    }
    assert.include(said, "\nscript    [simulate KEY=VALUE ...] in a task decides its run, such as")
    assert.match(said, /Keys: outcome, duration, [^]+\n +\S.*, choices\n/u)
    assert.include(said, "\ncontrol   off (turn it on with --control)\n")
  })
})

const id = "bccfc2ba-1455-4856-a1de-93eb612ebb15"
const request: Request = {
  type: "request",
  at: "2026-11-22T22:00:00.000Z",
  method: "GET",
  path: `/api/v4/runs/${id}/status`,
  operation: "v4.getRunStatus",
  status: 200,
  duration_ms: 1,
  answered: "whole",
  retryAfter_ms: null,
  resource: id,
  fault: null
}
const terminal = { columns: 80, style: plain }

describe("a request's line", () => {
  it("fits into 80 columns with the whole id", () => {
    const line = requestLine(request, terminal)
    assert.strictEqual(line, `GET     200     1 ms  /api/v4/runs/${id}/status`)
    assert.isAtMost(line.length, 80)
  })

  it("shortens an id if a fault would make the line wider, but not in a pipe", () => {
    const fault = { rule: "reset-1", kind: "reset", placement: "after-apply" as const }
    const hit: Request = { ...request, status: null, answered: "none", fault }
    assert.strictEqual(
      requestLine(hit, terminal),
      "GET       -     1 ms  /api/v4/runs/bccfc2ba…/status  fault reset-1 after-apply  no response"
    )
    assert.include(requestLine(hit, { columns: undefined, style: plain }), id)
  })

  it("shows the status in the color of its class, which does not count as width", () => {
    const colored = (status: number) => requestLine({ ...request, status }, { columns: 80, style: coloured })
    assert.include(colored(200), `\u001B[32m200\u001B[0m     1 ms  /api/v4/runs/${id}/status`)
    assert.include(colored(404), "\u001B[33m404")
    assert.include(colored(503), "\u001B[31m503")
  })
})
