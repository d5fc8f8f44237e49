import * as NodeDns from "@effect/platform-node/NodeDns"
import { Binary, ChromiumPool, Egress, Isolation, Limits, LiveBrowsers, RuntimeFolder } from "@webagent/chromium"
import { usage } from "@webagent/cli/UserError"
import { BrowserPool } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type BrowserLimits, type BrowsersView, type ChromiumOptions, placesOf, ServedBrowsers } from "./browsers.ts"
import { ownFolder } from "./ownFolder.ts"

/** Chromium behind the engine, with what it is kept apart by; a sentence for the operator where it cannot be had. */
export const layerChromium = (
  { egress, folder, isolation: atLeast, languages }: ChromiumOptions,
  limits: BrowserLimits
) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const binary = yield* Binary.find({ data: folder, resolve: (name) => import.meta.resolve(name) })
      const recordings = yield* ownFolder(folder, "recordings")
      const runtime = yield* RuntimeFolder.make()
      const { chromiumSandbox, level, sandbox, sentence } = yield* Isolation.probe({ binary, runtime, atLeast })
      const { count, why } =
        limits.most === undefined ? Limits.most() : { count: limits.most, why: "set by --max-browsers" }
      const pool = ChromiumPool.layer({
        binary,
        chromiumSandbox,
        ...(languages === undefined ? {} : { languages }),
        ...(yield* placesOf(count, limits))
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
