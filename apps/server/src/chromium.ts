import * as NodeDns from "@effect/platform-node/NodeDns"
import { Binary, ChromiumPool, Egress, Isolation, Limits, LiveBrowsers, RuntimeFolder } from "@webagent/chromium"
import { usage } from "@webagent/cli/UserError"
import { BrowserPool } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import { chmodSync, mkdirSync } from "node:fs"
import { resolve } from "node:path"
import { type BrowsersView, type ChromiumOptions, ServedBrowsers } from "./browsers.ts"
import { sharesBrowsers } from "./fairShare.ts"

/** The folder of recordings. Next to a Postgres database it's in the current folder, which may be read-only. */
const recordingsIn = (folder: string) => {
  const recordings = resolve(folder, "recordings")
  const attempt = <A>(run: () => A, sentence: string) => Effect.try({ try: run, catch: () => usage(sentence) })
  return Effect.andThen(
    attempt(
      () => mkdirSync(recordings, { recursive: true, mode: 0o700 }),
      `Cannot create ${recordings}. Start the server in a folder that it can write to.`
    ),
    attempt(() => {
      // fails for a folder of another user, and on a read-only file system
      chmodSync(recordings, 0o700)
      return recordings
    }, `Cannot write to ${recordings}. Make it writable for the user of the server.`)
  )
}

/** Chromium behind the engine, with what it is kept apart by; a sentence for the operator where it cannot be had. */
export const layerChromium = ({ egress, folder, isolation: atLeast, languages, most, mostPerKey }: ChromiumOptions) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const binary = yield* Binary.find({ data: folder, packaged: import.meta.resolve("@sparticuz/chromium") })
      const recordings = yield* recordingsIn(folder)
      const runtime = yield* RuntimeFolder.make()
      const { chromiumSandbox, level, sandbox, sentence } = yield* Isolation.probe({ binary, runtime, atLeast })
      const { count, why } = most === undefined ? Limits.most() : { count: most, why: "set by --max-browsers" }
      const sql = yield* SqlClient.SqlClient
      // the store fails the create itself if it is away
      const applies = (key: string) =>
        sharesBrowsers(key).pipe(
          Effect.provideService(SqlClient.SqlClient, sql),
          Effect.orElseSucceed(() => false)
        )
      const perOwner = { most: mostPerKey ?? Math.max(1, Math.floor((count * 3) / 4)), applies }
      const pool = ChromiumPool.layer({
        binary,
        chromiumSandbox,
        ...(languages === undefined ? {} : { languages }),
        most: count,
        perOwner
      })
      const excepted = egress.allowPrivate ?? []
      const reached = excepted.length === 0 ? "" : ` Reached besides: ${excepted.join(", ")}.`
      const view: BrowsersView = {
        kind: "chromium",
        isolation: level,
        sentence: `${binary.version}. Up to ${count} at once: ${why}. ${sentence}${reached}`
      }
      return pool.pipe(
        Layer.provideMerge(LiveBrowsers.layer({ folder: recordings })),
        Layer.provide(sandbox),
        Layer.merge(Layer.succeed(ServedBrowsers, view))
      )
    })
  ).pipe(
    Layer.provide(Egress.layer(egress)),
    Layer.provide(NodeDns.layer),
    Layer.catch((error) => Layer.effect(BrowserPool, Effect.fail(usage(error.message))))
  )
