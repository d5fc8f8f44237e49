import { SharedRunsApi } from "@webagent/admin"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Atom from "effect/reactivity/Atom"
import * as AtomHttpApi from "effect/reactivity/AtomHttpApi"

/** The operations that a link opens, without a session. */
class Shared extends AtomHttpApi.Service<Shared>()("@webagent/console/Shared", {
  api: SharedRunsApi,
  httpClient: FetchHttpClient.layer,
  baseUrl: location.origin
}) {}

/** The token behind the `#` of the page's address. */
export const linkToken = (): string => location.hash.slice(1)

/** The run of a link. */
export const sharedRun = Atom.family((id: string) =>
  Shared.query("sharedRuns", "get", { params: { run_id: id }, query: { token: linkToken() } })
)
