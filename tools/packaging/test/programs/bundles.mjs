/** Uses bundles of several packages together, with layers and schemas of the installed effect. Prints what it saw. */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { TransportError } from "@webagent/core"
import { undici } from "@webagent/core/node"
import { simulate } from "@webagent/simulation"
import * as v2 from "@webagent/v2/promise"
import * as v3 from "@webagent/v3/promise"
import * as v4 from "@webagent/v4/promise"
import { account, ProfileNotFoundError } from "@webagent/v4/promise/account"
import { events, watch } from "@webagent/v4/promise/events"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"

const rejected = (promise) =>
  promise.then(
    () => "not rejected",
    (error) => error
  )
const result = Schema.toStandardSchemaV1(Schema.Struct({ price: Schema.Number }))

await using service = await simulate()
const agent = new v4.WebAgent(service.client)

const absent = await rejected(agent.sessions.get("none"))
const stranger = await rejected(
  new v2.WebAgent({ ...service.client, apiKey: "wak_other" }).sessions.get(crypto.randomUUID())
)
const late = await rejected(agent.runs.createAndWait({ task: "[simulate duration=1h]" }, { timeout: 50 }))
const invalid = await rejected(new v2.WebAgent(service.client).sessions.get("no id"))
const profile = await rejected(account(agent).profiles.get("none"))
const mismatch = await rejected(agent.runs.createAndWait({ task: "[simulate output=none]" }, { result }))

/** The types of the events of a run. */
const watched = async () => {
  const { id } = await agent.runs.create({ task: "t" })
  return Array.fromAsync(watch(agent, id), ({ type }) => type)
}

/** The status of a run whose client has more options. */
const ran = async (options) => {
  await using other = new v4.WebAgent({ ...service.client, ...options })
  return (await other.runs.createAndWait({ task: '[simulate output={"price":7}]' }, { result })).result
}

let sent = 0
const counting = HttpClient.tapRequest(() => Effect.sync(() => void sent++))
const layer = Layer.effect(HttpClient.HttpClient, Effect.map(HttpClient.HttpClient, counting)).pipe(
  Layer.provide(NodeHttpClient.layerUndici)
)

/** A wait of half an hour in virtual time. */
const inVirtualTime = async () => {
  await using simulated = await simulate({ virtualTime: true })
  await using other = new v4.WebAgent(simulated.client)
  const waiting = rejected(other.runs.createAndWait({ task: "[simulate duration=1h]" }))
  await simulated.advance("31 minutes")
  const error = await waiting
  return [error instanceof v3.WaitTimeoutError, error.waited_ms >= 30 * 60_000]
}

console.log(
  JSON.stringify({
    instances: [
      absent instanceof v3.SessionNotFoundError,
      stranger instanceof v4.UnauthorizedError,
      late instanceof v2.WaitTimeoutError,
      profile instanceof ProfileNotFoundError,
      invalid instanceof TransportError,
      mismatch instanceof v4.ResultMismatchError
    ],
    others: [
      absent instanceof v3.RunNotFoundError,
      mismatch instanceof v3.ResultMismatchError,
      new Error("none") instanceof v4.TransportError,
      undefined instanceof v4.TransportError,
      { _tag: "TransportError" } instanceof v4.TransportError
    ],
    caller: /^.*\n.*bundles\.mjs/u.test(absent.stack),
    watched: await watched(),
    events: await ran({ events }),
    undici: await ran({ httpClient: undici }),
    layer: [await ran({ httpClient: { layer } }), sent > 1],
    virtual: await inVirtualTime()
  })
)
await agent.close()
