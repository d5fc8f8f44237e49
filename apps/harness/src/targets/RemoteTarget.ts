import { defined } from "@webagent/cli/Defined"
import { connectionErrors } from "@webagent/cli/PlatformErrorText"
import { isLoopback } from "@webagent/contract/Loopback"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { SessionNotFoundError } from "@webagent/contract"
import { type ApiVersion, apiKeyHeader, basePath } from "@webagent/contract/Wire"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import type * as HttpClientError from "effect/http/HttpClientError"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { ServiceVersion } from "@webagent/report/Revision"
import { unreachable, usage } from "@webagent/cli/UserError"
import * as Capabilities from "./Capabilities.ts"
import { codeOf } from "../observe/SystemError.ts"
import { addressOf, type Connection, type Probe } from "./Target.ts"

/** Address and key of a target that is not embedded. */
interface RemoteOptions {
  /** Its address, with or without `/api/vN`. */
  readonly url: string
  /** The variable that holds the key. */
  readonly apiKeyEnv: string
  readonly apiKey: Redacted.Redacted | undefined
  readonly apiKeyHeader: string | undefined
  readonly v2SessionId: string | undefined
  readonly allowPaid: boolean
  /** True if its control API is available to us. */
  readonly controlled?: boolean
  /** Command that starts the program, for advice. */
  readonly program: string
}

const patience = Duration.seconds(5)

/** Time for a response before a run, when machine and service may both be busy with their start. */
const firstPatience = Duration.seconds(10)

/** A session that no service has: reading it shows whether the service is there and takes the key, and costs nothing. */
const unknownPath = `${basePath.v2}/sessions/00000000-0000-4000-8000-000000000000`

const Identity = Schema.fromJsonString(
  Schema.Struct({ name: Schema.Literal("webagent-server"), version: Schema.String, simulated: Schema.Boolean })
)
const NotFound = Schema.fromJsonString(Schema.toEncoded(SessionNotFoundError))

/** The fields of `/health` that name the code of a service. */
const Health = Schema.fromJsonString(ServiceVersion)
/** Header in which any response may name the version of the service. */
const versionHeader = "x-service-version"

interface Answer {
  readonly status: number
  readonly version: string | undefined
  readonly type: string
  readonly text: string
}

const nothingThere = (url: URL, why: string, program: string) => {
  const advice = isLoopback(url.hostname) ? ` Start ours with: ${program} serve --port ${url.port || "80"}` : ""
  return unreachable(`Nothing answers at ${url.origin} (${why})`, `. Is the service running?${advice}`)
}

const parseUrl = (text: string) => {
  const url = URL.parse(text)
  return url !== null && (url.protocol === "http:" || url.protocol === "https:")
    ? Effect.succeed(url)
    : Effect.fail(usage(`--target takes "simulated" or a web address such as https://host, not "${text}".`))
}

const described = ({ status, text, type }: Answer) => {
  const start = text.replaceAll(/\s+/gu, " ").trim().slice(0, 80)
  return `HTTP ${status}${type === "" ? "" : ` ${type}`}${start === "" ? "" : `: ${start}`}`
}

const whyNot = (error: HttpClientError.HttpClientError): string => {
  const code = codeOf(error)
  return code === undefined ? error.message : (connectionErrors[code] ?? code)
}

/** Returns the version that a service reports: in `/health`, in our servers' identity, or in a response header. */
const versionOf = (
  health: Answer | undefined,
  identity: string | undefined,
  responses: ReadonlyArray<Answer>
): ServiceVersion | undefined => {
  const { commit, version = identity } = Option.getOrElse(
    Schema.decodeUnknownOption(Health)(health?.text),
    (): ServiceVersion => ({})
  )
  const named = version ?? [health, ...responses].map((one) => one?.version).find((one) => one !== undefined)
  return named === undefined && commit === undefined ? undefined : defined({ version: named, commit })
}

/** The reason why a service with this response is of no use to a run: nothing is behind its gateway, or it refuses the key. */
const uselessOf = ({ status }: { readonly status: number }): string | undefined => {
  if (status >= 502 && status <= 504) return `HTTP ${status}`
  return status === 401 || status === 403 ? `it refuses the API key (HTTP ${status})` : undefined
}

/** Looks once whether the service answers and still takes the key. */
const reach = (address: string, key: Readonly<Record<string, string>>): Probe =>
  HttpClient.get(`${address}${unknownPath}`, { headers: key }).pipe(
    Effect.map(uselessOf),
    Effect.timeoutOrElse({
      duration: patience,
      orElse: () => Effect.succeed(`no response within ${Duration.format(patience)}`)
    }),
    Effect.catchTag("HttpClientError", (error) => Effect.succeed(whyNot(error))),
    // a connection of before the outage says nothing
    Effect.provide(NodeHttpClient.layerUndici)
  )

/** Looks once whether the service is at an address and takes the key, and which needs it serves. */
export const probe = Effect.fnUntraced(function* (options: RemoteOptions) {
  const url = yield* parseUrl(options.url)
  const { apiKey, program } = options
  if (apiKey === undefined || Redacted.value(apiKey).trim() === "") {
    const other =
      options.apiKeyEnv === "WEBAGENT_API_KEY" ? ", or pass --api-key-env NAME to read it from another variable" : ""
    return yield* usage(`No API key: set ${options.apiKeyEnv}${other}.`)
  }
  const client = yield* HttpClient.HttpClient
  const header = options.apiKeyHeader ?? apiKeyHeader
  const address = addressOf(options.url)
  const base = (version: ApiVersion) => `${address}${basePath[version]}`

  const ask = (path: string, headers: Readonly<Record<string, string>>) =>
    client.execute(HttpClientRequest.get(`${address}${path}`, { headers })).pipe(
      Effect.flatMap((response) =>
        Effect.map(response.text, (text): Answer => ({
          status: response.status,
          version: response.headers[versionHeader],
          type: response.headers["content-type"]?.split(";")[0] ?? "",
          text
        }))
      ),
      Effect.timeoutOrElse({
        duration: firstPatience,
        orElse: () => Effect.fail(nothingThere(url, `no answer within ${Duration.format(firstPatience)}`, program))
      }),
      Effect.catchTag("HttpClientError", (error: HttpClientError.HttpClientError) => {
        return Effect.fail(nothingThere(url, whyNot(error), program))
      })
    )

  const key = { [header]: Redacted.value(apiKey) }
  const [health, root, unknown, odd, list] = yield* Effect.all(
    [
      // a service need not have one
      Effect.option(ask("/health", key)),
      ask("/", {}),
      ask(unknownPath, key),
      ask(`${basePath.v2}/sessions/no-uuid`, key),
      ask(`${basePath.v4}/runs?limit=1`, key)
    ],
    { concurrency: 5 }
  )
  if (unknown.status === 401 || unknown.status === 403) {
    return yield* unreachable(
      `${address} does not take the API key in ${options.apiKeyEnv} (HTTP ${unknown.status})`,
      ": set it to a key of this service."
    )
  }
  const identity = Option.getOrUndefined(Schema.decodeUnknownOption(Identity)(root.text))
  // a server of ours may have a bug, which is for the suites to find; anything else has to look like the service
  const isDescribed = unknown.status === 404 && Option.isSome(Schema.decodeUnknownOption(NotFound)(unknown.text))
  const knowsSessions = odd.status !== 404 || odd.text !== unknown.text
  if (identity === undefined && !(isDescribed && knowsSessions)) {
    return yield* unreachable(
      `Something answers at ${address}, but it is not the service`,
      [
        ". Is the base address right?",
        `  asked     GET ${unknownPath}`,
        "  expected  HTTP 404 that says the session is not found",
        `  got       ${described(unknown)}`
      ].join("\n")
    )
  }
  const simulated = identity?.simulated === true
  const version = versionOf(Option.getOrUndefined(health), identity?.version, [unknown, root])
  const { allowPaid, controlled = false, v2SessionId } = options
  return {
    simulated,
    apiKey,
    probe: reach(address, key),
    ...(version === undefined ? {} : { version }),
    info: {
      name: identity === undefined ? address : simulated ? "simulated service" : "server of ours",
      address,
      baseUrls: { v2: base("v2"), v3: base("v3"), v4: base("v4") },
      apiKeyHeader: header,
      capabilities: Capabilities.of({
        ours: identity !== undefined,
        extended: list.status === 200,
        simulated,
        allowPaid,
        v2SessionId,
        controlled
      }),
      ...(v2SessionId === undefined ? {} : { v2SessionId })
    }
  } satisfies Connection
}, Effect.provide(NodeHttpClient.layerUndici))
