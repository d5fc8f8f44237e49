import { assert } from "@effect/vitest"
import { ScriptedModel } from "@webagent/scripted-model"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { chmodSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { call, create, ended, hostOf, key, modelFlags, numberOf, script, site, test } from "./modelServer.ts"
import { folder, ready, start } from "./program.ts"

/** Reloads files as they are, and waits until the server has logged the mistake. */
const reloadAsIs = (
  program: { readonly process: { readonly kill: (signal: "SIGHUP") => boolean } },
  log: () => string
) =>
  Effect.andThen(
    Effect.sync(() => program.process.kill("SIGHUP")),
    Effect.suspend(() => (log().includes("Could not reload after SIGHUP") ? Effect.void : Effect.fail(log()))).pipe(
      Effect.retry({ schedule: Schedule.spaced("20 millis"), times: 500 })
    )
  )

test(
  "SIGHUP changes the secrets, the private addresses and the limits of later runs",
  Effect.gen(function* () {
    const model = yield* ScriptedModel
    const shop = yield* site({
      login: `<input aria-label=User oninput="fetch('/got?'+encodeURIComponent(this.value))">`,
      got: ""
    })
    const path = yield* folder
    // browsers of a server that is root run as another user
    chmodSync(path, 0o711)
    const [config, secrets] = [join(path, "config.json"), join(path, "secrets.json")]
    const approvals = join(path, "approvals.json")
    writeFileSync(approvals, JSON.stringify([{ text: ["pay"], decision: "ask" }]))
    const write = (settings: object, value: string) => {
      writeFileSync(config, JSON.stringify(settings))
      writeFileSync(secrets, JSON.stringify({ shop: { value, domains: [hostOf(shop)] } }))
    }
    write({ maxSteps: 5 }, "first-value")
    const args = [
      "serve",
      "--browsers=chromium",
      "--min-isolation=none",
      "--port=0",
      `--api-key=${key}`,
      "--log-level=info"
    ]
    const files = [
      `--data=${join(path, "server.db")}`,
      `--config=${config}`,
      `--secrets=${secrets}`,
      `--approvals=${approvals}`
    ]
    const program = yield* start([...args, ...files, ...modelFlags(model)], { TMPDIR: path }, undefined, ["setsid"])
    let stderr = ""
    program.process.stderr?.on("data", (chunk) => (stderr += String(chunk)))
    const { v4 } = yield* ready(program)
    const reload = Effect.fnUntraced(function* (settings: object, value: string, text: string) {
      write(settings, value)
      program.process.kill("SIGHUP")
      yield* Effect.suspend(() => (stderr.includes(text) ? Effect.void : Effect.fail(stderr))).pipe(
        Effect.retry({ schedule: Schedule.spaced("20 millis"), times: 500 })
      )
    })
    const signIn = Effect.fnUntraced(function* () {
      script(
        model,
        call("navigate", { url: `${shop.address}/login` }),
        (now) =>
          now.includes('"User"')
            ? call("type", { index: numberOf(now, "User"), text: "<secret:shop>" })
            : call("done", { success: false, output: "refused" }),
        call("find", { text: "a" }),
        call("done", { success: true, output: "typed" })
      )
      return (yield* ended(v4, (yield* create(v4, { task: "Sign in" })).id)).body
    })

    assert.deepInclude(yield* signIn(), { status: "completed", result: "refused" })
    assert.deepStrictEqual(shop.requests, [])

    const allowed = { maxSteps: 5, allowPrivate: hostOf(shop) }
    yield* reload(allowed, "second-value", "changed allowPrivate; read the secrets again")
    assert.deepInclude(yield* signIn(), { status: "completed", result: "typed" })
    const typed = () => shop.requests.map(({ url }) => url).filter((url) => url.includes("got"))
    assert.include(typed().at(-1), "second-value")

    yield* reload({ ...allowed, maxSteps: 3 }, "third-value", "changed maxSteps; read the secrets again")
    assert.deepInclude(yield* signIn(), { status: "failed", error: "The run reached its limit of 3 steps." })
    assert.include(typed().at(-1), "third-value")

    assert.notInclude(stderr, "approval rules")
    writeFileSync(approvals, JSON.stringify([{ tools: ["type"], decision: "refuse" }]))
    const again = "no setting changed; read the secrets again; read the approval rules again"
    yield* reload({ ...allowed, maxSteps: 3 }, "third-value", again)
    yield* signIn()
    assert.lengthOf(typed(), 2)

    // a mistake in the secrets leaves all as it was
    writeFileSync(secrets, "{")
    yield* reloadAsIs(program, () => stderr)
    assert.deepInclude(yield* signIn(), { status: "failed", error: "The run reached its limit of 3 steps." })
    assert.include(typed().at(-1), "third-value")
    assert.notMatch(stderr, /first-value|second-value|third-value/u)
  })
)
