import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { assert, describe, it } from "@effect/vitest"
import { LedgerFile } from "@webagent/core"
import { Control, ControlServer, Server, SimulatedService } from "@webagent/simulation"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { call } from "./inProcess.ts"

const key = "wak_reap_key"

/** A service that lacks the operation that cancels runs. */
const withoutCancel = { fault: { kind: "status", status: 404 }, when: { operations: ["v4.cancelRun"] } } as const

/** A simulated service that never answers the create of a Norwegian browser, the fourth one. */
const service = SimulatedService.layer({
  apiKeys: [key],
  faults: [
    { fault: { kind: "hang", placement: "after-apply" }, when: { operations: ["v4.createBrowser"], nth: [4] } },
    { fault: { kind: "status", status: 503 }, when: { operations: ["v4.updateBrowser"], attempts: [1, 2] } },
    withoutCancel
  ]
})

const openBrowsers = Effect.gen(function* () {
  const { browsers } = yield* (yield* Control).open
  return browsers.map(({ id }) => id).toSorted()
})

const post = (path: string, body: unknown = {}) =>
  Effect.gen(function* () {
    const { baseUrls } = yield* Server
    return yield* Effect.promise(async () => {
      const response = await fetch(`${baseUrls.v4}${path}`, {
        method: "POST",
        headers: { "x-service-api-key": key, "content-type": "application/json" },
        body: JSON.stringify(body)
      })
      return (await response.json()) as { readonly id: string }
    })
  })

/** A process that holds three browsers and two runs; what it has said and its ledger. */
const holding = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const ledger = `${yield* fs.makeTempDirectoryScoped()}/ledger`
  const { address } = yield* Server
  const child = spawn(
    process.execPath,
    ["--conditions=@webagent/source", fileURLToPath(new URL("holding.ts", import.meta.url)), ledger, "3"],
    { stdio: ["ignore", "pipe", "inherit"], env: { WEBAGENT_BASE_URL: address, WEBAGENT_API_KEY: key } }
  )
  const exited = once(child, "exit")
  yield* Effect.addFinalizer(() => Effect.sync(() => child.kill("SIGKILL")))
  const [said] = yield* Effect.promise(() => once(child.stdout, "data"))
  const [, running = "", over = ""] = /run=(\S+) over=(\S+)/u.exec(String(said)) ?? []
  const kill = Effect.promise(() => {
    child.kill("SIGKILL")
    return exited
  })
  return { ledger, running, over, kill, pid: child.pid ?? 0 }
})

const env = { WEBAGENT_API_KEY: key }

const until = <A, R>(look: Effect.Effect<A, never, R>, isSo: (seen: A) => boolean): Effect.Effect<A, never, R> =>
  Effect.flatMap(look, (seen) =>
    isSo(seen) ? Effect.succeed(seen) : Effect.andThen(Effect.sleep(5), until(look, isSo))
  )

describe("cleanup", () => {
  it.live("stops exactly the browsers that a killed process held, and lists those that it cannot stop", () =>
    Effect.gen(function* () {
      const { address } = yield* Server
      const { kill, ledger, over, pid, running } = yield* holding
      // the fourth is there, and its answer never comes
      const all = yield* until(openBrowsers, ({ length }) => length === 4)
      const file = yield* LedgerFile.make({ directory: ledger })
      const items = yield* file.open
      const held = items.flatMap(({ id, kind }) => (kind === "browser" && id !== undefined ? [id] : []))
      const [lost = ""] = all.filter((id) => !held.includes(id))
      const other = (yield* post("/browsers")).id

      const early = yield* Effect.promise(() => call(["cleanup", "--ledger", ledger, "--target", address], env))
      assert.strictEqual(early.code, 0, early.stderr)
      assert.include(early.stdout, `process ${pid} is at work`)
      assert.deepStrictEqual(yield* openBrowsers, [...all, other].toSorted())

      yield* kill
      const planned = yield* Effect.promise(() => call(["cleanup", "--ledger", ledger, "--dry-run"]))
      assert.strictEqual(planned.code, 1)
      for (const id of held) assert.match(planned.stdout, new RegExp(`to stop +browser +${id}`, "u"))
      assert.deepStrictEqual(yield* openBrowsers, [...all, other].toSorted())

      const { code, stderr, stdout } = yield* Effect.promise(() =>
        call(["cleanup", "--ledger", ledger, "--target", address], env)
      )
      assert.deepStrictEqual([code, stderr], [1, ""])
      assert.strictEqual(held.length, 3)
      for (const id of held) assert.match(stdout, new RegExp(`stopped +browser +${id} `, "u"))
      assert.deepStrictEqual(yield* openBrowsers, [lost, other].toSorted())
      assert.match(
        stdout,
        new RegExp(
          `open +run +${running} +opened \\d+ min ago by process ${pid}[^:]*: \\w+; the service offers no way`,
          "u"
        )
      )
      assert.match(stdout, new RegExp(`over +run +${over} +opened .*: completed`, "u"))
      assert.match(
        stdout,
        /unknown +browser +\S+ +opened \d+ min ago by process \d+[^:]*: POST \/api\/v4\/browsers, request \S+, no response/u
      )
      assert.match(
        stdout,
        /\nnext {5}look for it at the service, then: .+ cleanup --ledger \S+ --forget \S+\nnext {5}a simulated server can stop its runs: .+\n3 browsers stopped · 1 run over by itself · 1 run may continue and cost money · 1 browser may exist\n$/u
      )

      // what was stopped or was over is closed: the second time only the rest is there
      const left = yield* file.open
      assert.deepStrictEqual(
        left.map(({ kind, state }) => [kind, state]),
        [
          ["run", "opened"],
          ["browser", "opening"]
        ]
      )
      const [run = "", browser = ""] = left.map(({ id, key }) => id ?? key)
      const open = yield* Effect.promise(() =>
        call(["cleanup", "--ledger", ledger, "--target", address, "--forget", browser], env)
      )
      assert.match(
        open.stdout,
        new RegExp(`\nnext {5}when it is over at the service: .+ cleanup --ledger \\S+ --forget ${run}\n`, "u")
      )
      const names = ["--forget", run]
      const last = yield* Effect.promise(() =>
        call(["cleanup", "--ledger", ledger, "--target", address, ...names], env)
      )
      assert.deepStrictEqual([last.code, last.stderr], [0, ""])
      assert.match(last.stdout, /\nnothing is open\n$/u)
    }).pipe(Effect.scoped, Effect.provide([service, NodeFileSystem.layer]))
  )

  it.live("stops runs through a simulated server's control API, and otherwise only names them", () =>
    Effect.gen(function* () {
      const { address } = yield* Server
      const control = (yield* ControlServer).address ?? ""
      const fs = yield* FileSystem.FileSystem
      const directory = yield* fs.makeTempDirectoryScoped()
      const ledger = yield* LedgerFile.make({ directory, owner: "elsewhere" })
      const ids = yield* Effect.forEach(["k-1", "k-2"], (key) =>
        Effect.gen(function* () {
          const { id } = yield* post("/runs", { task: "[simulate duration=1h]" })
          const opening = { _tag: "opening", at_ms: 1, kind: "run", method: "POST", requestId: "q" } as const
          yield* ledger.write({ ...opening, key, path: "/api/v4/runs", origin: address })
          yield* ledger.write({ _tag: "opened", at_ms: 2, key, id })
          return id
        })
      )
      const turns = Effect.flatMap(Control, ({ open }) => Effect.map(open, (open) => open.turns.length))
      const args = ["cleanup", "--ledger", directory, "--target", address]
      const without = yield* Effect.promise(() => call(args, env))
      assert.strictEqual(without.code, 1)
      for (const id of ids) assert.match(without.stdout, new RegExp(`open +run +${id} `, "u"))
      assert.include(
        without.stdout,
        "\nnext     a simulated server can stop its runs: add --control with its control API\n"
      )
      assert.strictEqual(yield* turns, 2)

      const { code, stderr, stdout } = yield* Effect.promise(() =>
        call([...args, "--control", control], { ...env, WEBAGENT_CONTROL_KEY: "control_key" })
      )
      assert.deepStrictEqual([code, stderr], [0, ""], stdout)
      assert.match(stdout, /\n2 runs stopped\n$/u)
      assert.strictEqual(yield* turns, 0)
      assert.deepStrictEqual(yield* ledger.open, [])
    }).pipe(
      Effect.scoped,
      Effect.provide([
        SimulatedService.layer({ apiKeys: [key], control: { key: "control_key" }, faults: [withoutCancel] }),
        NodeFileSystem.layer
      ])
    )
  )

  it.live("retries until its time limit, then names the resources that it could not stop", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const directory = yield* fs.makeTempDirectoryScoped()
      const ledger = yield* LedgerFile.make({ directory, owner: "elsewhere" })
      const origin = "http://127.0.0.1:9"
      const opening = { _tag: "opening", at_ms: 1, kind: "browser", method: "POST", requestId: "q-1" } as const
      yield* ledger.write({ ...opening, key: "k-1", path: "/api/v4/browsers", origin })
      yield* ledger.write({ _tag: "opened", at_ms: 2, key: "k-1", id: "b-1" })
      yield* ledger.write({ ...opening, key: "k-2", path: "/api/v4/browsers", origin: "https://other.example" })
      yield* ledger.write({ _tag: "opened", at_ms: 2, key: "k-2", id: "b-2" })
      const args = ["cleanup", "--ledger", directory, "--target", origin, "--for", "5s"]
      const { code, stdout } = yield* Effect.promise(() => call(args, env))
      assert.strictEqual(code, 1)
      assert.match(stdout, /open +browser +b-1 +opened \d+ days ago by elsewhere: PATCH .*connection refused/u)
      assert.match(stdout, /\((\d+) attempts\)/u)
      assert.match(stdout, /open +browser +b-2 +opened .*: at another service, https:\/\/other\.example\n/u)
      assert.match(stdout, /\n2 browsers may continue and cost money\n$/u)
      assert.strictEqual((yield* ledger.open).length, 2)
    }).pipe(Effect.scoped, Effect.provide(NodeFileSystem.layer))
  )

  it.live("refuses wrong arguments with one sentence", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const directory = yield* fs.makeTempDirectoryScoped()
      const ledger = yield* LedgerFile.make({ directory })
      yield* ledger.write({
        _tag: "opening",
        at_ms: 1,
        kind: "browser",
        method: "POST",
        requestId: "q-1",
        key: "k-1",
        path: "/api/v4/browsers",
        origin: "https://a.example"
      })
      const complain = (...args: ReadonlyArray<string>) => Effect.promise(() => call(["cleanup", ...args]))
      const said = yield* Effect.all(
        [
          complain("--ledger", `${directory}/none`),
          complain("--ledger", directory),
          complain("--ledger", directory, "--target", "https://a.example"),
          complain("--ledger", directory, "--forget", "k-2")
        ],
        { concurrency: 2 }
      )
      assert.deepStrictEqual(
        said.map(({ code }) => code),
        [2, 2, 2, 2]
      )
      assert.deepStrictEqual(
        said.map(({ stderr }) => stderr),
        [
          `No ledger at ${directory}/none. Set --ledger to the folder of a ledger.\n`,
          "No address: set --target to the service's. The ledger is of https://a.example.\n",
          "No API key: set WEBAGENT_API_KEY.\n",
          "--forget: the ledger has no open item with the key or id k-2.\n"
        ]
      )
    }).pipe(Effect.scoped, Effect.provide(NodeFileSystem.layer))
  )
})
