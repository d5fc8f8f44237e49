import { Runs, V4 } from "@webagent/v4"
import * as Effect from "effect/Effect"

export const program = Effect.gen(function* () {
  const runs = yield* Runs
  return yield* runs.createAndWait({
    task: "Sign in with <secret:password> and download the invoice [simulate duration=200ms]",
    secretBindings: [
      {
        alias: "password",
        source: { type: "inline", value: process.env["SHOP_PASSWORD"] ?? "only a test" },
        allowedDomains: ["shop.example", "*.shop.example"]
      }
    ],
    maxCostUsd: "0.50",
    onMaxCost: "pause",
    judge: { context: "The invoice has the number 4711" },
    browserSettings: { screenWidth: 1440, screenHeight: 900, languages: ["de-DE"], timeZone: "Europe/Berlin" },
    tags: ["invoices"],
    metadata: { order: "17" }
  })
})

export const layer = V4.layer()
