import { ConsoleApi } from "@webagent/admin"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import type { World } from "../World.ts"
import { unknown } from "./unknown.ts"

/** Browsers of the world. */
export const browsers = (world: World) =>
  HttpApiBuilder.group(ConsoleApi, "browsers", (handlers) => {
    const find = (id: string) => {
      const browser = world.browsers.get(id)
      return browser === undefined ? Effect.fail(unknown(`browser ${id}`)) : Effect.succeed(browser)
    }
    const control = (id: string, driver: string | null) => {
      world.drive(id, driver)
      return { browserId: id, driver, until: driver === null ? null : new Date(Date.now() + 60_000).toISOString() }
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
        Effect.map(find(id), ({ recording, status }) => ({
          liveUrl: status === "active" ? `http://127.0.0.1/live/${id}/view` : null,
          controlUrl: status === "active" ? `http://127.0.0.1/live/${id}/control` : null,
          cdpUrl: null,
          recordingUrl: recording && status === "stopped" ? `http://public.example/recordings/${id}?token=t` : null
        })),
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
