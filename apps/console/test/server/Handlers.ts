import {
  ConsoleApi,
  ForbiddenError,
  NeedsAdmin,
  NotFoundError,
  type Run,
  runStatuses,
  SharedRunsApi
} from "@webagent/admin"
import { UnauthorizedError } from "@webagent/contract"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { readFileSync } from "node:fs"
import { hostile, present_ms, recordedRun, type World } from "./World.ts"

/** The operations that a key may use, as the server tells them. */
const operationsOf = (isAdmin: boolean): ReadonlyArray<string> =>
  Object.values<HttpApiGroup.Top>(ConsoleApi.groups as object as Record<string, HttpApiGroup.Top>).flatMap((group) =>
    Object.values(group.endpoints)
      .filter(({ annotations }) => isAdmin || !Context.get(annotations, NeedsAdmin))
      .map(({ identifier }) => `${group.identifier}.${identifier}`)
  )

/** Behavior of this server, which tests can change. */
export interface Behavior {
  signedIn: boolean
  /** True if the key that signed in has the scope admin. */
  isAdmin: boolean
  /** True if every read fails with a 503. */
  isDown: boolean
  /** True if the socket stays open and sends nothing, as that of a laptop that sleeps. */
  isSilent: boolean
}

const group = HttpApiBuilder.group
const unknown = (what: string) => new NotFoundError({ detail: `There is no ${what}` })

const matches =
  ({
    key,
    search,
    status,
    tag
  }: {
    readonly key?: string
    readonly search?: string
    readonly status?: string
    readonly tag?: string
  }) =>
  (run: Run) =>
    (status === undefined || run.status === status) &&
    (key === undefined || run.owner === key) &&
    (tag === undefined || run.tags.includes(tag)) &&
    (search ?? "")
      .toLowerCase()
      .split(/\s+/u)
      .every((word) => run.task.toLowerCase().includes(word))

const matchesRow = (world: World, filter: Parameters<typeof matches>[0]) => (id: string) => {
  const run = world.runs.get(id)
  return run !== undefined && matches(filter)(run)
}

/** The page of a made-up website. */
export const picture: Uint8Array = readFileSync(new URL("picture.jpg", import.meta.url))

const runs = (world: World) =>
  group(ConsoleApi, "runs", (handlers) => {
    const find = (id: string) => {
      const run = world.runs.get(id)
      return run === undefined ? Effect.fail(unknown(`run ${id}`)) : Effect.succeed(run)
    }
    return handlers.handleAll({
      list: ({ query: { counts: wanted, cursor, limit = 50, ...filters } }) => {
        const { status: _, ...others } = filters
        const all = world.order().flatMap((id) => world.runs.get(id) ?? [])
        const counted = all.filter(matches(others))
        const isWaiting = ({ waitingFor = null }: Run) => filters.waiting === undefined || waitingFor !== null
        const found = counted.filter(matches(filters)).filter(isWaiting)
        const from = Number(cursor ?? 0)
        const counts = runStatuses.map(
          (status) => [status, { count: counted.filter((run) => run.status === status).length, more: false }] as const
        )
        return Effect.succeed({
          rows: found.slice(from, from + limit),
          next: from + limit < found.length ? String(from + limit) : null,
          complete: true,
          counts: cursor === undefined && wanted !== "false" ? Object.fromEntries(counts) : null
        })
      },
      get: ({ params }) => Effect.map(find(params.run_id), world.details),
      steps: ({ params }) => Effect.map(find(params.run_id), world.stepsOf),
      modelCalls: ({ params }) => Effect.map(find(params.run_id), world.callsOf),
      picture: () => Effect.succeed(Stream.make(new Uint8Array(picture))),
      create: ({ payload }) =>
        Effect.sync(() => {
          world.created.push(payload)
          return world.start(payload.task)
        }),
      message: ({ params, payload }) =>
        Effect.map(find(params.run_id), (run) => {
          if (run.finishedAt !== null) return world.start(payload.text)
          if (payload.interrupt) world.cancel(run.id)
          return world.queue(run, payload.text)
        }),
      ask: ({ params }) => find(params.run_id),
      answer: ({ params, payload }) => Effect.map(find(params.run_id), (run) => world.answer(run, payload.answer)),
      cancel: ({ payload }) => {
        const isOpen = (id: string) =>
          !("onlyQueued" in payload && payload.onlyQueued === true) || world.runs.get(id)?.status === "queued"
        const fitting = "filter" in payload ? world.order().filter((id) => matchesRow(world, payload.filter)(id)) : []
        const ids = "ids" in payload ? payload.ids : fitting
        const cancelled = ids.filter((id) => isOpen(id) && world.cancel(id))
        return Effect.succeed({
          cancelled,
          already: ids.filter((id) => !cancelled.includes(id)),
          notFound: [],
          next: null
        })
      },
      retry: ({ payload }) =>
        Effect.sync(() => ({
          started: payload.ids.map((id) => ({ of: id, run: world.start(world.runs.get(id)?.task ?? "") })),
          notFound: []
        }))
    })
  })

const keys = (world: World) =>
  group(ConsoleApi, "keys", (handlers) => {
    const change = (name: string, edit: (key: World["keys"][number]) => World["keys"][number]) => {
      const index = world.keys.findLastIndex((key) => key.name === name)
      const key = world.keys[index]
      if (key === undefined) return Effect.fail(unknown(`key ${name}`))
      return Effect.sync(() => (world.keys[index] = edit(key)))
    }
    const make = (name: string): World["keys"][number] => ({
      name,
      prefix: "wak_new",
      scopes: ["read", "runs"],
      limits: { runs: null, browsers: null, requestsPerMinute: null, usdPerDay: null },
      createdAt: new Date().toISOString(),
      revokedAt: null,
      lastUsedAt: null,
      usage: { runs: 0, browsers: 0, usdToday: "0" }
    })
    const secret = Redacted.make("wak_newsecret0123456789")
    return handlers.handleAll({
      list: () => Effect.sync(() => [...world.keys]),
      create: ({ payload: { limits, name, scopes } }) =>
        Effect.sync(() => {
          const key = {
            ...make(name),
            ...(limits === undefined ? {} : { limits }),
            ...(scopes === undefined ? {} : { scopes })
          }
          world.keys.push(key)
          return { key, secret }
        }),
      rotate: ({ params }) =>
        Effect.map(
          change(params.name, (key) => ({ ...key, prefix: "wak_rot" })),
          (key) => ({ key, secret })
        ),
      revoke: ({ params }) => change(params.name, (key) => ({ ...key, revokedAt: new Date().toISOString() })),
      setLimits: ({ params, payload }) => change(params.name, (key) => ({ ...key, limits: payload }))
    })
  })

const browsers = (world: World) =>
  group(ConsoleApi, "browsers", (handlers) => {
    const find = (id: string) => {
      const browser = world.browsers.get(id)
      return browser === undefined ? Effect.fail(unknown(`browser ${id}`)) : Effect.succeed(browser)
    }
    const control = (id: string, driver: string | null) => {
      const one = { browserId: id, driver, until: driver === null ? null : new Date(Date.now() + 60_000).toISOString() }
      world.tell("control", one)
      return one
    }
    return handlers.handleAll({
      list: ({ query: { cursor, limit = 50, status } }) => {
        const from = Number(cursor ?? 0)
        const all = [...world.browsers.values()].filter((one) => status === undefined || one.status === status)
        const next = from + limit < all.length ? String(from + limit) : null
        return Effect.succeed({ rows: all.slice(from, from + limit), next, complete: true })
      },
      get: ({ params }) => find(params.browser_id),
      links: ({ params: { browser_id: id } }) =>
        Effect.succeed({
          liveUrl: `http://127.0.0.1/live/${id}/view`,
          controlUrl: `http://127.0.0.1/live/${id}/control`,
          cdpUrl: null,
          recordingUrl: null
        }),
      stop: ({ payload: { ids } }) =>
        Effect.sync(() => {
          for (const id of ids) {
            const browser = world.browsers.get(id)
            if (browser === undefined) continue
            const stopped = {
              ...browser,
              status: "stopped" as const,
              stopReason: "asked",
              finishedAt: new Date().toISOString()
            }
            world.browsers.set(id, stopped)
            world.tell("browser", stopped)
          }
          return { stopped: ids, already: [], notFound: [] }
        }),
      control: ({ params }) => Effect.sync(() => ({ browserId: params.browser_id, driver: null, until: null })),
      takeControl: ({ params }) =>
        Effect.sync(() => ({
          ...control(params.browser_id, "shop"),
          url: `http://127.0.0.1/live/${params.browser_id}/driver`
        })),
      releaseControl: ({ params }) => Effect.sync(() => void control(params.browser_id, null))
    })
  })

const server = (behavior: Behavior, world: World) =>
  group(ConsoleApi, "server", (handlers) =>
    handlers.handleAll({
      get: () =>
        Effect.succeed({
          version: "0.1.0",
          node: "node-a",
          startedAt: "2026-11-28T08:00:00.000Z",
          uptimeMs: 3_600_000,
          has: [
            "runs",
            "sessions",
            "browsers",
            "keys",
            "spend",
            "nodes",
            "audit",
            "events",
            "marks",
            "shares",
            "live",
            "control",
            "profiles",
            "files",
            ...(world.webhooks.length > 0 ? ["webhooks"] : []),
            ...(world.schedules.length > 0 ? ["schedules"] : [])
          ],
          data: "memory",
          browsers: "chromium, isolated in namespaces",
          model: "openai:gpt-6-mini",
          key: { name: "shop", admin: behavior.isAdmin, operations: operationsOf(behavior.isAdmin) }
        }),
      health: () => Effect.succeed({ status: "ok", reason: null, details: {} }),
      settings: () =>
        Effect.succeed([
          { name: "keep days", value: "30", flag: "--keep-days" },
          { name: "model", value: hostile[0], flag: null }
        ])
    })
  )

const signIn = (behavior: Behavior) =>
  group(ConsoleApi, "signIn", (handlers) =>
    handlers.handleAll({
      state: () =>
        Effect.sync(() => (behavior.signedIn ? { state: "signedIn", key: "shop" } : { state: "signedOut", key: null })),
      create: ({ payload }) =>
        Redacted.value(payload.key) === "wak_test"
          ? Effect.sync(() => {
              behavior.signedIn = true
              return { state: "signedIn" as const, key: "shop" }
            })
          : Effect.fail(new UnauthorizedError({ detail: "Invalid API key" })),
      remove: () => Effect.sync(() => void (behavior.signedIn = false))
    })
  )

/** The text of every download. */
export const downloaded = "1,2"

const files = (world: World) =>
  group(ConsoleApi, "files", (handlers) => {
    const filesOf = (id: string) => {
      const run = world.runs.get(id)
      return run === undefined ? Effect.fail(unknown(`run ${id}`)) : Effect.succeed(world.attachmentsOf(run))
    }
    return handlers.handleAll({
      attachments: ({ params }) => filesOf(params.run_id),
      attachment: ({ params }) =>
        Effect.map(filesOf(params.run_id), (files) => {
          const name = files.find(({ id }) => id === params.attachment_id)?.name ?? ""
          return HttpServerResponse.text(downloaded, {
            headers: { "content-disposition": `attachment; filename*=UTF-8''${encodeURIComponent(name)}` }
          })
        }),
      upload: ({ payload }) =>
        Effect.sync(() =>
          payload.files.map(({ name }) => {
            const id = `upload-${world.uploads.size + 1}`
            world.uploads.set(id, { name, bytes: null })
            return { id, name, uploadUrl: `http://public.example/uploads/${id}?token=t` }
          })
        )
    })
  })

const profiles = group(ConsoleApi, "profiles", (handlers) =>
  handlers.handleAll({
    list: () =>
      Effect.succeed({
        rows: [hostile[1], "Shop, signed in", null].map((name, n) => ({
          id: `00000000-0000-7000-8000-00000098000${n}`,
          name,
          userId: null,
          lastUsedAt: n === 1 ? "2026-11-28T08:00:00.000Z" : null,
          createdAt: "2026-11-27T08:00:00.000Z"
        })),
        total: 3
      })
  })
)

/** A day before the made-up present. */
const dayOf = (ago: number) => new Date(present_ms - ago * 86_400_000).toISOString().slice(0, 10)

const notTested = Effect.die("not part of these tests")

const schedules = (world: World) =>
  group(ConsoleApi, "schedules", (handlers) =>
    handlers.handleAll({
      list: () => Effect.succeed(world.schedules),
      create: () => notTested,
      get: () => notTested,
      update: () => notTested,
      remove: () => notTested,
      run: () => notTested
    })
  )

const webhooks = (world: World) =>
  group(ConsoleApi, "webhooks", (handlers) =>
    handlers.handleAll({
      list: () => Effect.succeed(world.webhooks),
      create: () => notTested,
      get: () => notTested,
      update: () => notTested,
      remove: () => notTested,
      rotate: () => notTested,
      test: () => notTested,
      deliveries: () => notTested,
      delivery: () => notTested,
      redeliver: () => notTested
    })
  )

/** The handlers of a server with made-up records. */
export const layer = (world: World, behavior: Behavior) =>
  Layer.mergeAll(
    runs(world),
    keys(world),
    browsers(world),
    files(world),
    profiles,
    webhooks(world),
    schedules(world),
    server(behavior, world),
    signIn(behavior),
    group(ConsoleApi, "nodes", (handlers) =>
      handlers.handleAll({ list: () => Effect.succeed(world.nodes), drain: () => notTested, undrain: () => notTested })
    ),
    group(ConsoleApi, "spend", (handlers) =>
      handlers.handleAll({
        get: () =>
          Effect.succeed({
            from: "2026-11-01",
            to: "2026-11-28",
            totalUsd: "12.3456",
            rows: Array.from({ length: 14 }, (_, n) => ({
              day: dayOf(n),
              key: null,
              model: null,
              usd: (0.4 + ((n * 7) % 5) * 0.31).toFixed(4),
              runs: 20 + n,
              inputTokens: 1000,
              outputTokens: 100
            }))
          })
      })
    ),
    group(ConsoleApi, "sessions", (handlers) =>
      handlers.handleAll({
        list: () =>
          Effect.succeed({
            rows: [...world.runs.values()].slice(0, 5).map((run) => ({
              id: run.sessionId,
              status: "active" as const,
              owner: run.owner,
              node: run.node,
              browserId: null,
              runs: 1,
              keepAlive: false,
              recording: false,
              shared: false,
              proxyCostUsd: "0",
              createdAt: run.createdAt,
              finishedAt: null
            })),
            next: "more",
            complete: true
          }),
        get: ({ params }) => {
          const run = [...world.runs.values()].find(({ sessionId }) => sessionId === params.session_id)
          if (run === undefined) return Effect.fail(unknown("session"))
          return Effect.succeed({
            id: run.sessionId,
            status: "active" as const,
            owner: run.owner,
            node: run.node,
            browserId: null,
            runs: 1,
            keepAlive: false,
            recording: false,
            shared: false,
            proxyCostUsd: "0",
            createdAt: run.createdAt,
            finishedAt: null,
            runList: [...world.runs.values()].filter(({ sessionId }) => sessionId === run.sessionId)
          })
        },
        stop: () => notTested,
        purge: () => notTested
      })
    ),
    group(ConsoleApi, "recordings", (handlers) =>
      handlers.handleAll({ list: () => Effect.succeed({ rows: [], next: null, complete: true }) })
    ),
    group(ConsoleApi, "audit", (handlers) =>
      handlers.handleAll({
        export: ({ payload }) => Effect.sync(() => void world.exports.push(payload)),
        list: () =>
          Effect.succeed({
            rows: [
              {
                id: 1,
                at: "2026-11-28T08:00:00.000Z",
                key: hostile[1],
                address: "127.0.0.1",
                action: "runs.cancel",
                targets: [hostile[0]],
                count: 1,
                status: 200
              }
            ],
            next: null,
            complete: true
          })
      })
    ),
    group(ConsoleApi, "shares", (handlers) =>
      handlers.handleAll({
        list: ({ query: { cursor, limit = 50 } }) =>
          Effect.sync(() => {
            const from = Number(cursor ?? 0)
            const all = [...world.shares.values()].map((share) => {
              const { owner = null, task = "", title = null } = world.runs.get(share.runId) ?? {}
              return { ...share, owner, task, title }
            })
            const next = from + limit < all.length ? String(from + limit) : null
            return { rows: all.slice(from, from + limit), next, complete: true }
          }),
        get: ({ params }) => {
          const share = world.shares.get(params.run_id)
          return share === undefined ? Effect.fail(unknown("link")) : Effect.succeed(share)
        },
        create: ({ params }) => Effect.sync(() => world.share(params.run_id)),
        revoke: ({ params }) => Effect.sync(() => void world.shares.delete(params.run_id))
      })
    ),
    group(ConsoleApi, "marks", (handlers) =>
      handlers.handleAll({
        set: ({ params, payload }) =>
          Effect.sync(() => {
            const mark = {
              verdict: payload.verdict,
              note: payload.note ?? null,
              by: "shop",
              at: new Date().toISOString()
            }
            world.marks.set(params.run_id, mark)
            return mark
          }),
        remove: ({ params }) => Effect.sync(() => void world.marks.delete(params.run_id))
      })
    ),
    group(ConsoleApi, "events", (handlers) =>
      handlers.handleAll({
        stream: () => notTested,
        list: ({ query: { before = Infinity, cursor, key, kind, limit = 50, run } }) => {
          const end = Math.min(before, Number(cursor ?? Infinity))
          const all = world.log.filter(
            (event) =>
              Number(event.position) < end &&
              (key === undefined || event.owner === key) &&
              (kind === undefined || event.kind === kind) &&
              (run === undefined || event.id === run)
          )
          const rows = all.slice(0, limit)
          const next = all.length > limit ? (rows.at(-1)?.position ?? null) : null
          return Effect.succeed({ rows, next, complete: true })
        }
      })
    )
  )

/** The handlers of the runs that links show. */
export const sharedLayer = (world: World) =>
  group(SharedRunsApi, "sharedRuns", (handlers) => {
    const find = (id: string, token: string | undefined) => {
      const run = world.runs.get(id)
      return run !== undefined && token !== undefined && world.shares.get(id)?.token === token
        ? Effect.succeed(run)
        : Effect.fail(new NotFoundError({ detail: "This link shows nothing. Check that it is complete" }))
    }
    return handlers.handleAll({
      get: ({ params, query }) =>
        Effect.map(find(params.run_id, query.token), (run) => ({
          ...run,
          stepList: world.stepsOf(run),
          recording: run.id === recordedRun
        })),
      picture: ({ params, query }) =>
        Effect.map(find(params.run_id, query.token), () => Stream.make(new Uint8Array(picture))),
      recording: ({ params, query }) =>
        Effect.map(find(params.run_id, query.token), () => HttpServerResponse.redirect("/recordings/shared"))
    })
  })

/** The error of a key without the scope. */
export const forbidden = new ForbiddenError({ detail: "This operation needs an API key with the scope admin" })
