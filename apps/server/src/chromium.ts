import * as NodeDns from "@effect/platform-node/NodeDns"
import { Binary, ChromiumPool, Egress, Isolation, Limits, LiveBrowsers, RuntimeFolder } from "@webagent/chromium"
import { usage } from "@webagent/cli/UserError"
import { BrowserPool } from "@webagent/engine"
import { BrowserQueueTimeout } from "@webagent/server"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import { type BrowsersView, type ChromiumOptions, ServedBrowsers } from "./browsers.ts"
import { sharesBrowsers } from "./fairShare.ts"
import { ownFolder } from "./ownFolder.ts"

/** Chromium behind the engine, with what it is kept apart by; a sentence for the operator where it cannot be had. */
export const layerChromium = ({
  browserQueueTimeout,
  egress,
  folder,
  isolation: atLeast,
  languages,
  most,
  mostPerKey,
  runQueueTimeout
}: ChromiumOptions) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const binary = yield* Binary.find({ data: folder, resolve: (name) => import.meta.resolve(name) })
      const recordings = yield* ownFolder(folder, "recordings")
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
        perOwner,
        ...(runQueueTimeout === undefined ? {} : { queue: runQueueTimeout })
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
        Layer.merge(Layer.succeed(ServedBrowsers, view)),
        Layer.merge(
          browserQueueTimeout === undefined ? Layer.empty : Layer.succeed(BrowserQueueTimeout, browserQueueTimeout)
        )
      )
    })
  ).pipe(
    Layer.provide(Egress.layer(egress)),
    Layer.provide(NodeDns.layer),
    Layer.catch((error) => Layer.effect(BrowserPool, Effect.fail(usage(error.message))))
  )
