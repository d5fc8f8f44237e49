import { ConsoleApi, type Run, runStatuses } from "@webagent/admin"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Stream from "effect/Stream"
import type { World } from "../World.ts"
import { picture } from "../picture.ts"
import { unknown } from "./unknown.ts"

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

/** Runs of the world. */
export const runs = (world: World) =>
  HttpApiBuilder.group(ConsoleApi, "runs", (handlers) => {
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
