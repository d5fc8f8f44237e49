import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Ledger from "./Ledger.ts"
import { OpenItems } from "./LedgerEntry.ts"

/** A ledger that lasts as long as its process: it tells what is open now. */
export const make: Effect.Effect<Ledger.Ledger> = Effect.sync(() => {
  const items = new OpenItems()
  return {
    write: (entry) => Effect.sync(() => items.add(entry)),
    open: Effect.sync(() => items.list())
  }
})

/** Provides `Ledger.Current` with a ledger in memory. */
export const layer: Layer.Layer<never> = Layer.effect(Ledger.Current, make)
