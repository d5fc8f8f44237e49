import { assert, describe, it } from "@effect/vitest"
import { mkdtempSync, rmSync } from "node:fs"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll } from "vitest"
import { call } from "./inProcess.ts"
import { reportIn } from "./lastLine.ts"

const folder = mkdtempSync(join(tmpdir(), "webagent-revisions-"))
const servers: Array<Server> = []
afterAll(() => {
  for (const server of servers) server.close()
  rmSync(folder, { recursive: true })
})

/** A service that only says that it has no session, and its version in `/health` or in a header. */
const service = async (health: unknown, header?: string) => {
  const server = createServer((request, response) => {
    if (header !== undefined) response.setHeader("x-service-version", header)
    const isHealth = request.url === "/health" && health !== undefined
    const detail = request.url?.endsWith("no-uuid") === true ? "invalid id" : "Session not found"
    response.writeHead(isHealth ? 200 : 404, { "content-type": "application/json" })
    response.end(JSON.stringify(isHealth ? health : { detail }))
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

let runs = 0
const revisionsOf = async (target: string, ...more: ReadonlyArray<string>) => {
  const directory = join(folder, String(runs++))
  const args = ["run", "test/cli/weather.suite.ts", "--trials", "1", "--reporter", "json", "--report-dir", directory]
  const { stderr } = await call([...args, "--target", target, ...more], { WEBAGENT_API_KEY: "wak_any_key_at_all" })
  assert.strictEqual(stderr, "")
  return reportIn(directory).header.revisions
}

describe("a run's code versions", () => {
  it("include the service's version, as reported or given by a flag", async () => {
    const commit = "9b2c0d1ea4"
    const healthy = await service({ status: "ok", version: "1.5.0", commit })
    assert.deepStrictEqual((await revisionsOf(healthy))?.service, { version: "1.5.0", commit })
    assert.deepStrictEqual((await revisionsOf(healthy, "--service-version", "2"))?.service, { version: "2" })
    assert.deepStrictEqual((await revisionsOf(await service(undefined, "1.4")))?.service, { version: "1.4" })
    // a service may say anything there
    for (const health of [undefined, "fine", { version: 7 }, ["1.5.0"]])
      assert.isUndefined((await revisionsOf(await service(health)))?.service)
  })

  it("include the commits of the suites and of the harness in a checkout", async () => {
    const revisions = await revisionsOf("simulated")
    assert.match(revisions?.suites?.commit ?? "", /^[\da-f]{40}$/u)
    assert.strictEqual(revisions?.harness?.commit, revisions?.suites?.commit)
    assert.isUndefined(revisions?.service)
  })
})

describe("--owner", () => {
  it("runs only an owner's scenarios, which is a partial night", async () => {
    const directory = join(folder, "owner")
    const args = ["run", "test/cli/weather.suite.ts", "test/cli/outage.suite.ts", "--trials", "1"]
    const { code, stderr } = await call([
      ...args,
      "--owner",
      "Weather Team",
      "--reporter",
      "json",
      "--report-dir",
      directory
    ])
    assert.deepStrictEqual([code, stderr], [0, ""])
    const { header, partial, results } = reportIn(directory)
    assert.deepStrictEqual(
      results.map(({ name, owner }) => [name, owner]),
      [
        ["holds", "weather team"],
        ["always holds", "weather team"]
      ]
    )
    assert.deepStrictEqual(header.selection, { tags: [], owners: ["Weather Team"] })
    assert.strictEqual(partial?._tag, "Selection")
    const none = await call([...args, "--owner", "ada"])
    assert.match(none.stderr, /^No scenario of weather, .+ matches .*ada.* See: /u)
  })
})
