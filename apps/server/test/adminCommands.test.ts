import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { createHmac } from "node:crypto"
import { join } from "node:path"
import { folder, ready, run, start } from "./program.ts"
import { type ReceivedRequest, receiver, untilTrue } from "./receiver.ts"

/** Checks a request's signature as the specification of Standard Webhooks has it. */
const verify = (secret: string, { body, headers }: ReceivedRequest) => {
  const key = Buffer.from(secret.replace("whsec_", ""), "base64")
  const content = `${String(headers["webhook-id"])}.${String(headers["webhook-timestamp"])}.${body}`
  assert.strictEqual(headers["webhook-signature"], `v1,${createHmac("sha256", key).update(content).digest("base64")}`)
}

/** Runs commands against a server over a file. */
const serving = Effect.gen(function* () {
  const file = join(yield* folder, "server.db")
  const program = yield* start([
    "serve",
    "--port",
    "0",
    "--data",
    file,
    "--admin-key",
    "A",
    "--allow-private-webhooks",
    "--drain-within",
    "0s"
  ])
  const address = ((yield* ready(program)).v4 ?? "").replace("/api/v4", "")
  return {
    address,
    at: (...args: ReadonlyArray<string>) => run([...args, "--server", address], { WEBAGENT_ADMIN_KEY: "A" })
  }
})

/** The id at the beginning of the only row of a table. */
const idIn = (stdout: string) => stdout.split("\n")[1]?.split(" ")[0] ?? assert.fail(stdout)

describe("webagent-server webhooks", () => {
  it.live("creates, lists, tests, rotates and deletes webhooks of a running server", () =>
    Effect.gen(function* () {
      const app = yield* receiver()
      const { address, at } = yield* serving
      const none = yield* at("webhooks")
      assert.deepStrictEqual([none.code, none.stdout], [0, ""])
      assert.include(none.stderr, `${address} has no webhooks for this key. Create one: `)

      const created = yield* at("webhooks", "create", app.url, "--event", "run.failed", "--description", "CI")
      assert.strictEqual(created.code, 0, created.stderr)
      assert.match(created.stdout, /^whsec_[A-Za-z0-9+/]{43}=\n$/u)
      assert.match(created.stderr, /^Created the webhook \S+\. The secret is shown only now/u)
      const id = idIn((yield* at("webhooks")).stdout)
      const listed = yield* at("webhooks", "--json")
      const [hook] = JSON.parse(listed.stdout) as ReadonlyArray<object>
      assert.deepInclude(hook, { id, url: app.url, events: ["run.failed"], description: "CI", lastDelivery: null })
      assert.notInclude(listed.stdout, "whsec_")

      const tested = yield* at("webhooks", "test", id, "--json")
      assert.strictEqual(tested.code, 0, tested.stderr)
      const { id: first } = JSON.parse(tested.stdout) as { readonly id: string }
      yield* untilTrue(() => app.received.length === 1)
      const [request = assert.fail()] = app.requests
      verify(created.stdout.trim(), request)
      const again = yield* at("webhooks", "redeliver", id, first)
      assert.match(again.stdout, /^Sending webhook\.test as delivery \S+\. Its outcome: .* webhooks deliveries /u)
      yield* untilTrue(() => app.received.length === 2)
      assert.strictEqual(app.received[1]?.id, app.received[0]?.id)
      const log = yield* Effect.repeat(Effect.delay(at("webhooks", "deliveries", id), "100 millis"), {
        until: ({ stdout }) => !stdout.includes("queued")
      })
      assert.match(log.stdout, /^ID +TYPE +STATUS .*\n\S+ +webhook\.test +delivered +1 .*HTTP 200\n\S+ +webhook\.test/u)

      const rotated = yield* at("webhooks", "rotate", id)
      assert.match(rotated.stdout, /^whsec_/u)
      assert.notStrictEqual(rotated.stdout, created.stdout)
      const deleted = yield* at("webhooks", "delete", id)
      assert.deepStrictEqual([deleted.code, deleted.stdout], [0, `Deleted the webhook ${id} and its messages.\n`])
      assert.strictEqual((yield* at("webhooks", "--json")).stdout, "[]\n")
    })
  )

  it.live("names an unknown id, a wrong address and a wrong event", () =>
    Effect.gen(function* () {
      const { at } = yield* serving
      const unknown = yield* at("webhooks", "delete", "none")
      assert.deepStrictEqual([unknown.code, unknown.stdout], [2, ""])
      assert.match(unknown.stderr, /^No webhook or message has the id none\. List them: .* webhooks --server http/u)
      const wrong = yield* at("webhooks", "create", "app.example")
      assert.isAbove(wrong.code ?? 0, 0)
      assert.include(wrong.stderr, "Expected an address such as https://app.example/webhooks")
      const event = yield* at("webhooks", "create", "https://app.example", "--event", "run.started")
      assert.strictEqual(event.code, 2)
      assert.include(event.stderr, "run.unanswered")
      const nowhere = yield* run(["schedules", "--server", "http://127.0.0.1:9"], { WEBAGENT_ADMIN_KEY: "A" })
      assert.include(nowhere.stderr, "No server responds at http://127.0.0.1:9 (")
    })
  )
})

describe("webagent-server schedules", () => {
  it.live("creates, lists, runs, pauses and deletes schedules of a running server", () =>
    Effect.gen(function* () {
      const { at } = yield* serving
      const fields = ["--name", "Prices", "--task", "Find a red mug [simulate duration=10ms]"]
      const wrong = yield* at("schedules", "create", ...fields, "--cron", "every day")
      assert.isAbove(wrong.code ?? 0, 0)
      assert.include(wrong.stderr, "Expected five fields")
      const created = yield* at("schedules", "create", ...fields, "--cron", "0 6 1 1 *", "--time-zone", "Europe/Berlin")
      assert.match(created.stdout, /^Created the schedule \S+\. Its first run starts at \d{4}-01-01 05:00 UTC\.\n$/u)
      const listed = yield* at("schedules")
      assert.match(listed.stdout, /active .*0 6 1 1 \* Europe\/Berlin +\d{4}-01-01 05:00 +- +Prices\n$/u)
      const id = idIn(listed.stdout)
      const started = yield* at("schedules", "run", id)
      assert.strictEqual(started.code, 0, started.stderr)
      assert.include((yield* at("runs")).stdout, started.stdout.trim())
      const paused = yield* at("schedules", "pause", id)
      assert.strictEqual(paused.stdout, `The schedule ${id} is paused.\n`)
      assert.match((yield* at("schedules")).stdout, /paused/u)
      assert.match((yield* at("schedules", "resume", id)).stdout, /starts at \d{4}-01-01 05:00 UTC\.\n$/u)
      const deleted = yield* at("schedules", "delete", id)
      assert.strictEqual(deleted.stdout, `Deleted the schedule ${id}. Its runs stay.\n`)
      const unknown = yield* at("schedules", "run", id)
      assert.deepStrictEqual([unknown.code, unknown.stdout], [2, ""])
      assert.include(unknown.stderr, `No schedule has the id ${id}. List them: `)
    })
  )
})
