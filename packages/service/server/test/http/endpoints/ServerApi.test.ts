import { assert, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as HttpApi from "effect/http-api/HttpApi"
import { NodeRouting, Placement } from "../../../src/api/Placement.ts"
import * as V2 from "../../../src/api/v2/Handlers.ts"
import * as V3 from "../../../src/api/v3/Handlers.ts"
import * as V4 from "../../../src/api/v4/Handlers.ts"
import { ServerApi } from "../../../src/http/endpoints/ServerApi.ts"

interface Placed {
  readonly name: string
  readonly path: string
  readonly isRouted: boolean
  readonly placement: Placement | null
}

const endpoints = [V2.Served, V3.Served, V4.Served, ServerApi].flatMap((api: HttpApi.Constraint) => {
  const all: Array<Placed> = []
  HttpApi.reflect(api as HttpApi.Top, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint: { method, path }, mergedAnnotations, middleware }) =>
      all.push({
        name: `${method} ${path}`,
        path,
        isRouted: (middleware as ReadonlySet<unknown>).has(NodeRouting),
        placement: Context.get(mergedAnnotations, Placement)
      })
  })
  return all
})

it("every endpoint has a route, and those of one node name it in a path parameter", () => {
  for (const { isRouted, name, path, placement } of endpoints) {
    assert.isTrue(isRouted, name)
    // every node can read the record of a browser
    const isRead = /^GET \/api\/v\d\/browsers\/:browser_id(?:\/downloads)?$/u.test(name)
    if (path.includes(":browser_id") && !isRead) assert.deepInclude(placement, { node: "ofBrowser" }, name)
    if (placement !== null && "param" in placement) assert.include(path, `:${placement.param}`, name)
  }
})

it("creates that need a browser go to a node with a free slot, and messages to their session's node", () => {
  assert.deepStrictEqual(
    endpoints.flatMap(({ name, placement }) =>
      placement?.node === "withRoom" || placement?.node === "ofSession" ? [`${name}: ${placement.node}`] : []
    ),
    [
      "POST /api/v2/tasks: withRoom",
      "POST /api/v2/browsers: withRoom",
      "POST /api/v3/sessions: withRoom",
      "POST /api/v3/browsers: withRoom",
      "POST /api/v4/runs: withRoom",
      "POST /api/v4/sessions/:session_id/queue: ofSession",
      "POST /api/v4/browsers: withRoom"
    ]
  )
})
