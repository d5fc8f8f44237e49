import * as Context from "effect/Context"
import type * as HttpApi from "effect/http-api/HttpApi"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import { Refusal } from "./Refusal.ts"

/**
 * The node that must handle an endpoint's requests: the node of the browser, files or session that a path parameter
 * names, or a node with room for the browser that a create needs, either immediately or when its run starts.
 */
export type Placement =
  | { readonly node: "ofBrowser" | "ofFiles" | "ofSession" | "ofSessionFiles"; readonly param: string }
  | {
      readonly node: "withRoom"
      readonly launches: "immediately" | "later"
      /** The field of the body that may name a session: then the node of that session handles the request. */
      readonly unlessOf?: string
    }

/** An endpoint's annotation. By default, any node handles its requests. */
export const Placement: Context.Reference<Placement | null> = Context.Reference("@webagent/server/Placement", {
  defaultValue: (): Placement | null => null
})

/**
 * Sends each request to the node that must handle it, and responds to refusals of the engine. Every endpoint has it, so
 * handlers may fail with a refusal.
 */
export class NodeRouting extends HttpApiMiddleware.Service<NodeRouting>()("@webagent/server/NodeRouting", {
  error: Refusal
}) {}

/** The placements of an API's endpoints, by group and name. */
type Placements<Groups> = {
  readonly [Group in keyof Groups]?: Groups[Group] extends { readonly endpoints: infer Endpoints }
    ? { readonly [Name in keyof Endpoints]?: Placement }
    : never
}

/** Annotates the endpoints of an API that not every node can handle. */
export const place = <Api extends { readonly groups: object }>(
  api: Api,
  placements: Placements<Api["groups"]>
): Api => {
  let placed = api as object as HttpApi.Top
  const byGroup = placements as Readonly<Record<string, Readonly<Record<string, Placement>>>>
  for (const [groupName, endpoints] of Object.entries(byGroup)) {
    for (const [name, placement] of Object.entries(endpoints)) {
      const group = placed.groups[groupName] as HttpApiGroup.Top
      const endpoint = group.endpoints[name] as HttpApiEndpoint.Top
      placed = placed.add(group.add(endpoint.annotate(Placement, placement))) as HttpApi.Top
    }
  }
  return placed as object as Api
}
