import { ApiKeys, keyScopes } from "@webagent/engine"
import { Database, SqlApiKeys } from "@webagent/sql"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { DatabaseSync } from "node:sqlite"
import { ready, start } from "./program.ts"

/** What a client was told that there is. */
interface Acknowledged {
  readonly runs: Map<string, string>
  readonly sessions: Set<string>
  readonly messages: Map<string, string>
  readonly browsers: Set<string>
  readonly secrets: Array<string>
}

/** What became of what was acknowledged. */
export interface Outcome {
  readonly kills: number
  readonly acknowledged: Readonly<Record<"runs" | "messages" | "browsers" | "keys", number>>
  /** Acknowledged, and not there afterwards, by kind and id. */
  readonly lost: ReadonlyArray<string>
  /** More in the database than creates that were asked for. */
  readonly doubled: number
  /** Not over at the end, or over without a reason. */
  readonly stuck: ReadonlyArray<string>
}

/** The same numbers for the same seed, from 0 to 1. */
const draws = (seed: number) => {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

const post = async (base: string, path: string, body: unknown, key: string) => {
  const response = await fetch(`${base}${path}`, {
    method: "POST",
    headers: { "x-service-api-key": "K", "content-type": "application/json", "idempotency-key": key },
    body: JSON.stringify(body)
  })
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  return (await response.json()) as Readonly<Record<string, string>>
}

/** Clients that create at once until the server is gone, each create under a key of its own. */
const clients = 6

/**
 * Kills a server over one file in the midst of creates, again and again; `killAfter` creates of a round are
 * acknowledged at the moment. A create that got no answer is sent again to the next server.
 */
export const kill = Effect.fnUntraced(function* (file: string, rounds: number, seed: number) {
  const draw = draws(seed)
  const acknowledged: Acknowledged = {
    runs: new Map(),
    sessions: new Set(),
    messages: new Map(),
    browsers: new Set(),
    secrets: []
  }
  let unanswered: Array<() => Promise<void>> = []
  let asked = 0
  let base = ""

  /** One create of a client; it can be sent again. */
  const create = (): (() => Promise<void>) => {
    const key = `key-${++asked}`
    const kind = draw()
    const [session] = [...acknowledged.sessions].slice(-1 - Math.floor(draw() * 5))
    const task = `Find a mug [simulate output=found duration=${Math.floor(draw() * 400)}ms]`
    if (kind < 0.15) {
      return async () => void acknowledged.browsers.add((await post(base, "/browsers", {}, key))["id"] ?? "")
    }
    if (kind < 0.4 && session !== undefined) {
      const interrupt = draw() < 0.3
      return async () => {
        const { runId = "" } = await post(base, `/sessions/${session}/queue`, { text: task, interrupt }, key)
        acknowledged.messages.set(key, runId)
      }
    }
    return async () => {
      const { id = "", sessionId = "" } = await post(base, "/runs", { task }, key)
      acknowledged.runs.set(key, id)
      acknowledged.sessions.add(sessionId)
    }
  }

  const server = (args: ReadonlyArray<string> = []) =>
    Effect.gen(function* () {
      const program = yield* start(["--port", "0", "--data", file, "--api-key", "K", ...args])
      base = (yield* ready(program))["v4"] ?? ""
      return program
    })

  const round = Effect.scoped(
    Effect.gen(function* () {
      const program = yield* server()
      let left = 5 + Math.floor(draw() * 20)
      let gone = false
      const again = unanswered
      unanswered = []
      const client = async () => {
        while (!gone) {
          const send = again.shift() ?? create()
          try {
            await send()
            if (--left <= 0 && !gone) {
              gone = true
              program.process.kill("SIGKILL")
            }
          } catch (error) {
            // the server is gone, or this answer of it: the next one is asked
            if (!gone) throw error
            unanswered.push(send)
          }
        }
      }
      yield* Effect.promise(() => Promise.all(Array.from({ length: clients }, client)))
      yield* program.ended
      unanswered.push(...again)
    })
  )

  const newKey = (name: string) =>
    ApiKeys.use((keys) =>
      keys.create({
        name,
        scopes: keyScopes,
        limits: { runs: null, browsers: null, requestsPerMinute: null, usdPerDay: null }
      })
    ).pipe(
      Effect.map(({ secret }) => void acknowledged.secrets.push(Redacted.value(secret))),
      Effect.provide(Layer.provide(SqlApiKeys.layer, Database.layer({ file })))
    )

  for (let count = 0; count < rounds; count++) yield* Effect.all([round, newKey(`key-${count}`)], { concurrency: 2 })

  return yield* Effect.scoped(
    Effect.gen(function* () {
      yield* server()
      yield* Effect.promise(async () => {
        for (const send of unanswered) await send()
      })
      const db = yield* Effect.acquireRelease(
        Effect.sync(() => new DatabaseSync(file, { readOnly: true })),
        (open) => Effect.sync(() => open.close())
      )
      const count = (text: string) => Number(Object.values(db.prepare(text).get() ?? {})[0])
      const has = (table: string, id: string) => db.prepare(`SELECT 1 FROM ${table} WHERE id = ?`).get(id) !== undefined
      while (count("SELECT count(*) FROM turns WHERE ended_at_ms IS NULL") > 0) yield* Effect.sleep("20 millis")

      const runs = [...acknowledged.runs.values(), ...acknowledged.messages.values()]
      const found = yield* Effect.forEach(acknowledged.secrets, (secret) =>
        ApiKeys.use((keys) => keys.find(secret))
      ).pipe(Effect.provide(Layer.provide(SqlApiKeys.layer, Database.layer({ file }))))
      const lost = [
        ...runs.filter((id) => !has("turns", id)).map((id) => `run ${id}`),
        ...[...acknowledged.sessions].filter((id) => !has("sessions", id)).map((id) => `session ${id}`),
        ...[...acknowledged.browsers].filter((id) => !has("browsers", id)).map((id) => `browser ${id}`),
        ...found.filter(Option.isNone).map(() => "key")
      ]
      // a browser whose launch was cut short never came to be: its create makes another one
      const made =
        count("SELECT count(*) FROM turns") +
        count(`SELECT count(DISTINCT record ->> 'id') FROM events
          WHERE record ->> 'of' = 'browser' AND record ->> 'to' = 'active'`)
      const wanted = new Set([...runs, ...acknowledged.browsers]).size
      const unexplained = db
        .prepare(
          `SELECT id FROM turns WHERE status = 'failed' AND (record ->> 'failure' IS NULL OR record ->> 'error' IS NULL)
            UNION ALL SELECT id FROM browsers WHERE stopped_at_ms IS NOT NULL AND record ->> 'stopReason' IS NULL`
        )
        .all()
      const sound = Object.values(db.prepare("PRAGMA integrity_check").get() ?? {})[0] === "ok"
      return {
        kills: rounds,
        acknowledged: {
          runs: acknowledged.runs.size,
          messages: acknowledged.messages.size,
          browsers: acknowledged.browsers.size,
          keys: acknowledged.secrets.length
        },
        lost: sound ? lost : [...lost, "the file is damaged"],
        doubled: made - wanted,
        stuck: unexplained.map(({ id }) => String(id))
      } satisfies Outcome
    })
  )
})
