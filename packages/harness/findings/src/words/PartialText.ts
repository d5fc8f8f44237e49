import type { Partial } from "@webagent/report/Partial"
import { shards } from "./Names.ts"
import * as SelectionText from "./SelectionText.ts"

/** Returns the sentence of a reason, to follow "the run is partial:". */
export const text = (partial: Partial): string => {
  switch (partial._tag) {
    case "Stopped":
      return partial.isShard ? "a shard was stopped before its end" : "it was stopped before its end"
    case "ServiceAway":
      return partial.isWhole ? "the service was unavailable" : "the service did not respond again before the run ended"
    case "Shard":
      return `it is shard ${partial.index} of ${partial.of}`
    case "Selection":
      return `only ${SelectionText.text(partial)} ${(partial.scenarios ?? 1) === 1 ? "was" : "were"} selected`
    case "LostShard":
      return `${shards(partial.shards)} ${partial.shards.length === 1 ? "is" : "are"} missing, and with ${partial.shards.length === 1 ? "it" : "them"} ${partial.cut} of ${partial.of} scenarios`
    case "Limit":
      return `${partial.cut} of ${partial.of} scenarios were skipped or cut short`
    case "NothingRan":
      return "no scenario ran to its end"
    case "Infra":
      return `the infrastructure ended ${partial.failed} of ${partial.trials} trials`
    case "Other":
      return partial.text
  }
}
