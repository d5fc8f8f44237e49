import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { errors } from "./Errors.ts"
import { NeedsAdmin } from "./NeedsAdmin.ts"
import { Instant } from "./Page.ts"

/** A running server that shares the store. */
export const Node = Schema.Struct({
  /** Id of this start: another start of the node has another. */
  id: Schema.String,
  name: Schema.String,
  /** Address at which other nodes reach it; null if they can't. */
  address: Schema.NullOr(Schema.String),
  /** True if it accepts no new work. */
  draining: Schema.Boolean,
  /** Number of browsers that it can start in addition to the running ones. */
  room: Schema.Int,
  /** Sessions whose current run it carries out. */
  sessions: Schema.Int,
  browsers: Schema.Int,
  startedAt: Instant,
  /** The version of its program; missing for older ones, which don't report it. */
  version: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "Node" })
export type Node = typeof Node.Type

const ofNode = { params: { node_id: Schema.NonEmptyString }, error: [errors.notFound, errors.unavailable] }

/** Servers that share the store. A server with a store of its own is the only one. */
export class NodesGroup extends HttpApiGroup.make("nodes").add(
  HttpApiEndpoint.get("list", "/nodes", { success: Schema.Array(Node), error: errors.unavailable })
    .annotate(OpenApi.Summary, "List nodes (scope admin)")
    .annotate(NeedsAdmin, true),
  HttpApiEndpoint.post("drain", "/nodes/:node_id/drain", { ...ofNode, success: Node })
    .annotate(OpenApi.Summary, "Drain a node (scope admin): it finishes its running work and accepts nothing new")
    .annotate(NeedsAdmin, true),
  HttpApiEndpoint.post("undrain", "/nodes/:node_id/undrain", { ...ofNode, success: Node })
    .annotate(OpenApi.Summary, "End the drain of a node (scope admin)")
    .annotate(NeedsAdmin, true)
) {}
