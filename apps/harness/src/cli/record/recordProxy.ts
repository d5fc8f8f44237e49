import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as ProxyApp from "@webagent/cassette/ProxyApp"
import * as Recorder from "@webagent/cassette/Recorder"
import { usage } from "@webagent/cli/UserError"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as Cassettes from "../Cassettes.ts"
import { listening } from "../Listening.ts"
import { servesUntilStopped } from "@webagent/cli/ExitCode"
import type { RunOptions } from "../RunFlags.ts"
import * as TargetSource from "../TargetSource.ts"

/** Passes an app's requests on to the target and writes the answers, until Ctrl-C. */
export const recordProxy = ({
  out,
  port,
  ...options
}: RunOptions & { readonly out: string | undefined; readonly port: number }) =>
  Effect.gen(function* () {
    if (options.target === "simulated") return yield* usage("--proxy needs the address of a service. Add --target URL.")
    if (options.suites.length > 0) return yield* usage("--proxy records an app, not suites. Remove one of them.")
    const { info } = yield* TargetSource.remote(options)
    const cassette = yield* Cassettes.create(yield* Cassettes.fileFor(out), info.address)
    const client = yield* Recorder.make(yield* HttpClient.HttpClient, {
      apiKeyHeader: info.apiKeyHeader,
      keep: cassette.keep
    })
    const address = yield* listening(port, ProxyApp.make(client, info.address))
    yield* Effect.addFinalizer(() => cassette.end)
    yield* Console.log(`recording ${info.address} on ${address}, until Ctrl-C`)
    yield* Console.log(`send     WEBAGENT_BASE_URL=${address}, with your own API key`)
    servesUntilStopped.now = true
    return yield* Effect.never
  }).pipe(Effect.provide(NodeHttpClient.layerUndici), Effect.scoped)
