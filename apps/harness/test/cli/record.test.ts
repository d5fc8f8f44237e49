import { assert, beforeAll, describe, it } from "@effect/vitest"
import { Profile } from "@webagent/control"
import { Control, Server, SimulatedService } from "@webagent/simulation"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll } from "vitest"
import { begin, call } from "./inProcess.ts"

const folder = mkdtempSync(join(tmpdir(), "cassettes-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const path = (name: string) => join(folder, name)
const cassette = path("night.ndjson")
const suites = ["v2-sessions", "v3-sessions"]

const addressIn = (text: string): string => /http:\/\/127\.0\.0\.1:\d+/u.exec(text)?.[0] ?? ""

const askAt = async (address: string, method: string, at: string, body?: object) => {
  const response = await fetch(`${address}/api/v4${at}`, {
    method,
    headers: { "content-type": "application/json", "x-service-api-key": "wak_test" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
  return { status: response.status, json: (await response.json()) as Record<string, unknown> }
}

describe("record, drift, profile and replay", () => {
  beforeAll(async () => {
    const { code, stdout } = await call(["record", ...suites, "--out", cassette, "--reporter", "console"])
    assert.strictEqual(code, 0, stdout)
    assert.match(
      stdout,
      /^recorded \d+ answers in .*night\.ndjson\nreplay {3}npm run harness -- replay \S+night\.ndjson$/mu
    )
  })

  it.live("record leaves no run running on a server without a control API", () =>
    Effect.gen(function* () {
      const { address } = yield* Server
      const names = ["v2-sessions", "v3-sessions", "v4-runs", "cross-version"]
      const args = [
        "record",
        ...names,
        "--target",
        address,
        "--out",
        path("remote.ndjson"),
        "--report-dir",
        path("remote")
      ]
      const { code, stdout } = yield* Effect.promise(() => call(args, { WEBAGENT_API_KEY: "wak_record" }))
      assert.strictEqual(code, 0, stdout)
      assert.notInclude(stdout, "left running")
      assert.deepStrictEqual((yield* Control.use(({ open }) => open)).turns, [])
    }).pipe(
      Effect.provide(SimulatedService.layer({ apiKeys: ["wak_record"], turnDuration: "20 millis" })),
      Effect.scoped
    )
  )

  it("drift finds nothing between a recording and the same service with another seed", async () => {
    const { code, stdout } = await call(["drift", cassette, "simulated", ...suites, "--seed", "5"])
    assert.strictEqual(code, 0, stdout)
    assert.match(stdout, /^No difference in \d+ operations\n$/u)
  })

  it("drift names a difference by operation and field, and exits with 1", async () => {
    const changed = path("changed.ndjson")
    writeFileSync(changed, readFileSync(cassette, "utf8").replaceAll('"updatedAt":', '"changedAt":'))
    const { code, stdout } = await call(["drift", cassette, changed])
    assert.strictEqual(code, 1)
    const lines = stdout.trimEnd().split("\n")
    assert.include(lines, "v3.getSession")
    assert.isTrue(lines.some((line) => /^ {2}changedAt +missing -> new, always there/u.test(line)))
    assert.isTrue(lines.some((line) => /^ {2}updatedAt +always there -> missing/u.test(line)))
    assert.match(lines.at(-1) ?? "", /^\d+ differences in [1-9]\d* of \d+ operations$/u)
    const json = JSON.parse((await call(["drift", cassette, changed, "--json"])).stdout)
    assert.deepInclude(json.differences, {
      operation: "v3.createSession",
      answers: "201 created",
      field: "updatedAt",
      kind: "field",
      before: "always there",
      after: "missing"
    })
  })

  it("drift cannot tell if no operation is in both", async () => {
    const empty = path("empty.ndjson")
    writeFileSync(empty, `${readFileSync(cassette, "utf8").split("\n")[0]}\n`)
    const { code, stdout } = await call(["drift", cassette, empty])
    assert.deepStrictEqual(
      [code, stdout.trimEnd().split("\n").at(-1)],
      [5, "CANNOT TELL: no operation is in both recordings"]
    )
  })

  it("profile prints a profile that serve accepts", async () => {
    const printed = await call(["profile", cassette])
    const profile = Schema.decodeUnknownSync(Schema.fromJsonString(Profile))(printed.stdout)
    assert.strictEqual(profile.name, "night")
    assert.isAbove(profile.outcomes?.completed ?? 0, 0)
    const written = await call(["profile", cassette, "--out", path("night.json")])
    assert.include(written.stdout, "serve --profile")
    assert.strictEqual(readFileSync(path("night.json"), "utf8"), printed.stdout)
  })

  it.each([
    ["record over a file", ["record", "--out", cassette], /night\.ndjson exists already\. Choose another file/u],
    [
      "a proxy without a service",
      ["record", "--proxy"],
      /^--proxy needs the address of a service\. Add --target URL\.$/mu
    ],
    [
      "a proxy with suites",
      ["record", "v4-runs", "--proxy", "--target", "http://127.0.0.1:9"],
      /^--proxy records an app, not suites\. Remove one of them\.$/mu
    ],
    [
      "a missing cassette",
      ["drift", "simulated", path("no.ndjson")],
      /^There is no cassette, target or service \S+no\.ndjson\. Use one of simulated, a web address such as https:\/\/host, or a file\.$/mu
    ],
    ...(process.platform === "linux"
      ? ([
          [
            "a cassette below a read-only folder",
            ["record", "versions", "--out", "/proc/none/x.ndjson"],
            /^The cassette \/proc\/none\/x\.ndjson cannot be written: /u
          ],
          [
            "manifests below a read-only folder",
            ["load", "render", "smoke", "/proc/none/x", "--target", "http://a.example"],
            /^Cannot write the manifests: \/proc\/none /u
          ]
        ] as const)
      : []),
    ["a file that isn't a cassette", ["replay", "package.json"], /^package\.json is not a cassette\./mu],
    [
      "a replay with a profile",
      ["replay", cassette, "--profile", "flaky"],
      /^No flag --profile\. See: npm run harness -- replay --help$/mu
    ],
    [
      "a recording for the simulated service",
      ["serve", "--cassette", cassette],
      /^--cassette is a command now: npm run harness -- replay FILE\. See: npm run harness -- serve --help$/mu
    ]
  ] as const)("refuses %s in one line", async (_, args, said) => {
    const { code, stderr } = await call(args)
    assert.strictEqual(code, 2)
    assert.match(stderr, said)
    assert.lengthOf(stderr.trimEnd().split("\n"), 1)
  })

  it("record and drift accept targets of the configuration", async () => {
    const config = path("webagent.config.ts")
    const shop = { url: "http://127.0.0.1:9", apiKeyEnv: "SHOP_KEY" }
    writeFileSync(config, `export default ${JSON.stringify({ targets: { shop }, suites: ["versions"] })}\n`)
    const asked = ["--config", config]
    const drift = await call(["drift", cassette, "shop", ...asked])
    assert.deepStrictEqual(
      [drift.code, drift.stderr],
      [2, "running the suites against http://127.0.0.1:9\nNo API key: set SHOP_KEY.\n"]
    )
    const misspelt = await call(["drift", "simulated", "shp", ...asked])
    assert.deepStrictEqual(
      [misspelt.code, misspelt.stderr],
      [
        2,
        "There is no cassette, target or service shp. Use one of simulated, shop, a web address such as https://host, or a file.\n"
      ]
    )
    const record = await call(["record", "--target", "shop", "--proxy", ...asked], { SHOP_KEY: "wak_test" })
    assert.strictEqual(record.code, 3)
    assert.match(record.stderr, /^Nothing answers at http:\/\/127\.0\.0\.1:9 /u)
  })

  it("record leaves no cassette if the service doesn't respond", async () => {
    const out = path("none.ndjson")
    const args = ["record", "--target", "http://127.0.0.1:9", "--out", out]
    const { code, stdout } = await call(args, { WEBAGENT_API_KEY: "wak_test" })
    assert.deepStrictEqual([code, stdout, existsSync(out)], [3, "", false])
  })

  it("record and replay work with an app through the proxy", async () => {
    const service = begin(["serve", "--port", "0"])
    const target = addressIn(await service.says("try it"))
    const out = path("app.ndjson")
    const proxy = begin(["record", "--proxy", "--target", target, "--out", out], { WEBAGENT_API_KEY: "wak_test" })
    const recording = (await proxy.says("send ")).split("\n").find((line) => line.startsWith("send ")) ?? ""
    const created = await askAt(addressIn(recording), "POST", "/runs", { task: "Buy a mug" })
    assert.strictEqual(created.status, 201)
    const read = await askAt(addressIn(recording), "GET", `/runs/${created.json["id"]}`)
    proxy.stop()
    const ended = await proxy.ended
    assert.strictEqual(ended.code, 0, ended.stderr)
    assert.include(ended.stdout, "recorded 2 answers in ")
    assert.notInclude(readFileSync(out, "utf8"), "wak_test")
    service.stop()
    await service.ended

    const replay = begin(["replay", out])
    const address = addressIn(await replay.says("key "))
    assert.deepStrictEqual(await askAt(address, "POST", "/runs", { task: "Buy a mug" }), created)
    assert.deepStrictEqual(await askAt(address, "GET", `/runs/${created.json["id"]}`), read)
    assert.deepStrictEqual(await askAt(address, "POST", "/runs", { task: "Buy a mug" }), {
      status: 501,
      json: { detail: "POST /api/v4/runs was recorded once and is used up" }
    })
    replay.stop()
    assert.strictEqual((await replay.ended).code, 0)
  })
})
