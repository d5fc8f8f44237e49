import { AdminOperations } from "@webagent/admin"
import type * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import type * as Context from "effect/Context"
import { NodeRouting, place } from "../../api/Placement.ts"

const ofBrowser = { node: "ofBrowser", param: "browser_id" } as const

/** The operations of the admin API that this server has. */
const operations = place(AdminOperations, {
  runs: { create: { node: "withRoom", launches: "later" } },
  schedules: { run: { node: "withRoom", launches: "later" } },
  sessions: { purge: { node: "ofSessionFiles", param: "session_id" } },
  browsers: {
    get: ofBrowser,
    links: ofBrowser,
    control: ofBrowser,
    takeControl: ofBrowser,
    releaseControl: ofBrowser
  }
})

const routed = () => operations.middleware(NodeRouting)

/** The operations of the admin API, as their handlers see them: wherever they are mounted. */
export type Operations = ReturnType<typeof routed>

/**
 * The operations at a path, behind a check of the caller. The check runs at the node that handles the request, so
 * requests are routed first.
 */
export const mountedAt = <I extends HttpApiMiddleware.AnyId, S>(
  path: `/${string}`,
  auth: Context.Key<I, S>
): Operations => operations.prefix(path).middleware(auth).middleware(NodeRouting) as object as Operations
