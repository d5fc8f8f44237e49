import * as Schema from "effect/Schema"
import { Selection } from "./Selection.ts"
import { Skip } from "./Skip.ts"

/** The tag of each reason to skip a scenario or a trial. */
const which = Schema.Literals(Skip.members.map(({ fields }) => fields._tag.schema.literal))

/** The reason why a run isn't complete, so that it can't be part of the baseline of later runs. */
export const Partial = Schema.Union([
  /** The run, or one of its shards, was stopped before it finished. */
  Schema.TaggedStruct("Stopped", { isShard: Schema.Boolean }),
  /** The service didn't respond from the start, or not again before the run finished. */
  Schema.TaggedStruct("ServiceAway", { isWhole: Schema.Boolean }),
  /** The run is one shard, which has not been merged with the others. */
  Schema.TaggedStruct("Shard", { index: Schema.Int, of: Schema.Int }),
  /** Filters chose some of the scenarios. */
  Schema.TaggedStruct("Selection", Selection.fields),
  /** The shards with these numbers are missing, and with them `cut` of the `of` scenarios. */
  Schema.TaggedStruct("LostShard", { shards: Schema.Array(Schema.Int), cut: Schema.Int, of: Schema.Int }),
  /** Limits kept `cut` of the `of` scenarios from running all their trials; earlier versions didn't store which. */
  Schema.TaggedStruct("Limit", { which: Schema.Array(which), cut: Schema.Int, of: Schema.Int }),
  /** No scenario ran. */
  Schema.TaggedStruct("NothingRan", {}),
  /** Infrastructure failures ended too many trials. */
  Schema.TaggedStruct("Infra", { failed: Schema.Int, trials: Schema.Int }),
  /** A sentence of an earlier version that isn't one of the above. */
  Schema.TaggedStruct("Other", { text: Schema.String })
])
export type Partial = typeof Partial.Type
