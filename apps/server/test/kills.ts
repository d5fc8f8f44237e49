import { ApiKeys, keyScopes } from "@webagent/engine"
import { Database, SqlApiKeys } from "@webagent/sql"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { DatabaseSync } from "node:sqlite"
import { ready, start } from "./program.ts"

/** What became of what clients were told. */
export interface Outcome {
  readonly kills: number
  readonly acknowledged: Readonly<Record<"runs" | "sessions" | "messages" | "browsers" | "keys", number>>
  /** Acknowledged, and not there afterwards or not as it was asked for. */
  readonly lost: ReadonlyArray<string>
  /** Made twice for one key, performed twice, or there without a create. */
  readonly doubled: ReadonlyArray<string>
  /** Not over although nothing has happened for a minute, or a browser of a server that was killed. */
  readonly stuck: ReadonlyArray<string>
  /** Failed or stopped without a reason. */
  readonly unexplained: ReadonlyArray<string>
  /** How many runs a kill ended, each with that as its reason. */
  readonly ended: number
}

/** A create that a client asks for until it is answered, and what it was told. */
interface Create {
  readonly kind: "run" | "message" | "browser"
  readonly key: string
  readonly path: string
  readonly body: Readonly<Record<string, unknown>>
  told?: Readonly<Record<string, string>>
  /** How many kills there were when it was answered. */
  after?: number
}

/** The same numbers for the same seed, from 0 to 1. */
const draws = (seed: number) => {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

const headers = { "x-service-api-key": "K", "content-type": "application/json" }

/** What the server answers; it throws where no whole answer comes. */
const ask = async (url: string, init: RequestInit = {}) => {
  const response = await fetch(url, init)
  const body = (await response.json()) as Readonly<Record<string, string>>
  return { status: response.status, body }
}

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

/** Clients that create at once until the server is gone, and clients that read what was acknowledged. */
const [creators, readers] = [6, 2]

/** How long a run may be in the way of the end without anything happening. */
const patience_ms = 60_000

/**
 * Kills a server over one file again and again, in the midst of creates and reads, and each fifth time as it starts. A
 * create that got no answer is sent again to the next server, as a client would. Then all that was acknowledged is
 * looked for at a last server, and asked for once more. `program` is another build of the server.
 */
export const kill = Effect.fnUntraced(function* (file: string, kills: number, seed: number, program?: string) {
  const draw = draws(seed)
  const answered: Array<Create> = []
  const secrets: Array<string> = []
  const lost: Array<string> = []
  const doubled: Array<string> = []
  let unanswered: Array<Create> = []
  let asked = 0
  let killed = 0
  let base = ""

  const create = (): Create => {
    const key = `key-${++asked}`
    const kind = draw()
    const task = `Find mug ${asked} [simulate output=found duration=${Math.floor(draw() * 400)}ms]`
    if (kind < 0.15) return { kind: "browser", key, path: "/browsers", body: {} }
    const session = answered.at(-1 - Math.floor(draw() * 5))?.told?.["sessionId"]
    if (kind < 0.4 && session !== undefined) {
      const body = { text: task, interrupt: draw() < 0.3 }
      return { kind: "message", key, path: `/sessions/${session}/queue`, body }
    }
    return { kind: "run", key, path: "/runs", body: { task } }
  }

  const send = async (wanted: Create) => {
    const { body, status } = await ask(`${base}${wanted.path}`, {
      method: "POST",
      headers: { ...headers, "idempotency-key": wanted.key },
      body: JSON.stringify(wanted.body)
    })
    if (status >= 300) throw new Error(`${wanted.path}: ${status} ${JSON.stringify(body)}`)
    if (wanted.told === undefined) answered.push(wanted)
    else if (wanted.told["id"] !== body["id"]) doubled.push(`${wanted.kind} ${wanted.told["id"]} and ${body["id"]}`)
    wanted.told ??= body
    wanted.after ??= killed
  }

  const runOf = ({ kind, told }: Create) => (kind === "message" ? told?.["runId"] : told?.["id"]) ?? ""

  /** Reads a run that was acknowledged. */
  const read = async (of: Create) => {
    const { body, status } = await ask(`${base}/runs/${runOf(of)}`, { headers })
    const task = of.body["task"] ?? of.body["text"]
    if (status !== 200 || body["task"] !== task) lost.push(`run ${runOf(of)}: ${status}`)
    return body
  }

  const started = start(["serve", "--port", "0", "--data", file, "--api-key", "K"], {}, program)
  const serving = Effect.gen(function* () {
    const server = yield* started
    base = (yield* ready(server))["v4"] ?? ""
    return server
  })

  const underLoad = Effect.scoped(
    Effect.gen(function* () {
      const server = yield* serving
      let left = Math.floor(draw() * 25)
      const gone = new AbortController()
      const end = async () => {
        await sleep(draw() * 10)
        gone.abort()
        server.process.kill("SIGKILL")
      }
      /** What a client does again and again; it may fail only because the server is gone. */
      const until = async (work: () => Promise<void>) => {
        while (!gone.signal.aborted) {
          try {
            await work()
          } catch (error) {
            if (!gone.signal.aborted) throw error
          }
        }
      }
      const again = unanswered
      unanswered = []
      const creating = async () => {
        const wanted = again.shift() ?? create()
        try {
          await send(wanted)
          if (left-- === 0) await end()
        } catch (error) {
          unanswered.push(wanted)
          throw error
        }
      }
      const runs = answered.filter(({ kind }) => kind !== "browser")
      const reading = async () => {
        const one = runs[Math.floor(draw() * runs.length)]
        await (one === undefined ? sleep(1) : read(one))
      }
      yield* Effect.promise(() =>
        Promise.all([
          ...Array.from({ length: creators }, () => until(creating)),
          ...Array.from({ length: readers }, () => until(reading))
        ])
      )
      yield* server.ended
      unanswered.push(...again)
    })
  )

  let start_ms = 0
  const asItStarts = Effect.scoped(
    Effect.gen(function* () {
      const server = yield* started
      yield* Effect.sleep(start_ms * draw() * 1.2)
      server.process.kill("SIGKILL")
      yield* server.ended
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
      Effect.map(({ secret }) => void secrets.push(Redacted.value(secret))),
      Effect.provide(Layer.provide(SqlApiKeys.layer, Database.layer({ file })))
    )

  while (killed < kills) {
    const began_ms = performance.now()
    if (killed % 5 === 4) yield* asItStarts
    else yield* Effect.all([underLoad, newKey(`key-${killed}`)], { concurrency: 2 })
    if (killed === 0) start_ms = performance.now() - began_ms
    killed++
  }

  return yield* Effect.scoped(
    Effect.gen(function* () {
      yield* serving
      const early = [...answered]
      yield* Effect.promise(async () => {
        for (const wanted of unanswered) await send(wanted)
        // once more, each with its key
        for (const wanted of early) await send(wanted)
      })
      const db = yield* Effect.acquireRelease(
        Effect.sync(() => new DatabaseSync(file, { readOnly: true })),
        (open) => Effect.sync(() => open.close())
      )
      const names = (text: string) =>
        db
          .prepare(text)
          .all()
          .map(({ name }) => String(name))
      const open = () => names("SELECT 'run ' || id AS name FROM turns WHERE ended_at_ms IS NULL")
      let stuck = open()
      for (let since_ms = performance.now(); stuck.length > 0;) {
        yield* Effect.sleep("20 millis")
        const now = open()
        if (now.length < stuck.length) since_ms = performance.now()
        stuck = now
        if (performance.now() - since_ms > patience_ms) break
      }

      const of = (kind: Create["kind"]) => answered.filter((each) => each.kind === kind)
      const [runs, messages, browsers] = [of("run"), of("message"), of("browser")]
      const sessions = new Set(runs.map(({ told }) => told?.["sessionId"] ?? ""))
      yield* Effect.promise(async () => {
        for (const run of [...runs, ...messages]) await read(run)
      })
      // a message's id is a number within its session, so its run tells which one it is
      const has = (table: string, id: string) =>
        db
          .prepare(`SELECT 1 FROM ${table} WHERE ${table === "messages" ? "record ->> 'turnId'" : "id"} = ?`)
          .get(id) !== undefined
      for (const [table, ids] of [
        ["sessions", [...sessions]],
        ["messages", messages.map(runOf)],
        ["browsers", browsers.map(({ told }) => told?.["id"] ?? "")]
      ] as const) {
        lost.push(...ids.filter((id) => !has(table, id)).map((id) => `${table} ${id}`))
      }
      const found = yield* Effect.forEach(secrets, (secret) => ApiKeys.use((keys) => keys.find(secret))).pipe(
        Effect.provide(Layer.provide(SqlApiKeys.layer, Database.layer({ file })))
      )
      lost.push(...found.filter(Option.isNone).map((_, index) => `API key ${index + 1} of those lost`))
      if (names("SELECT * FROM (SELECT integrity_check AS name FROM pragma_integrity_check)")[0] !== "ok") {
        lost.push("the file is damaged")
      }

      const known = new Set([...runs, ...messages].map(runOf))
      const launched = new Set(browsers.map(({ told }) => told?.["id"] ?? ""))
      doubled.push(
        ...names("SELECT id AS name FROM turns").flatMap((id) => (known.has(id) ? [] : [`run ${id} of no create`])),
        // a browser whose launch was cut short never came to be: its create makes another one
        ...names(`SELECT DISTINCT record ->> 'id' AS name FROM events
          WHERE record ->> 'of' = 'browser' AND record ->> 'to' = 'active'`).flatMap((id) =>
          launched.has(id) ? [] : [`browser ${id} of no create`]
        ),
        ...names(`SELECT 'run ' || (record ->> 'id') || ' was ' || (record ->> 'to') || ' twice' AS name FROM events
          WHERE record ->> 'of' = 'turn' AND record ->> 'to' IN ('running', 'completed', 'failed', 'cancelled')
          GROUP BY record ->> 'id', record ->> 'to' HAVING count(*) > 1`)
      )
      // nodes end with their server, so only a browser of the last one runs
      const gone = new Set(browsers.filter(({ after = 0 }) => after < kills).map(({ told }) => told?.["id"] ?? ""))
      const running = names("SELECT id AS name FROM browsers WHERE stopped_at_ms IS NULL")
      stuck.push(...running.filter((id) => gone.has(id)).map((id) => `browser ${id}`))
      return {
        kills,
        acknowledged: {
          runs: runs.length,
          sessions: sessions.size,
          messages: messages.length,
          browsers: browsers.length,
          keys: secrets.length
        },
        lost,
        doubled,
        stuck,
        unexplained: names(`SELECT 'run ' || id AS name FROM turns
            WHERE status = 'failed' AND (record ->> 'failure' IS NULL OR record ->> 'error' IS NULL)
              OR status = 'cancelled' AND record ->> 'cancel' IS NULL
          UNION ALL SELECT 'browser ' || id FROM browsers
            WHERE stopped_at_ms IS NOT NULL AND record ->> 'stopReason' IS NULL`),
        ended: names("SELECT id AS name FROM turns WHERE record ->> 'failure' = 'node_lost'").length
      } satisfies Outcome
    })
  )
})
