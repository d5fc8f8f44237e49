import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import * as Selection from "./Selection.ts"
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
  Schema.TaggedStruct("Selection", Selection.Selection.fields),
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

/** The reason why a run isn't complete. */
export type Partial = typeof Partial.Type

/** Returns the sentence of a reason, to follow "the run is partial:". */
export const text = (partial: Partial): string => {
  switch (partial._tag) {
    case "Stopped":
      return partial.isShard ? "a shard was stopped before its end" : "it was stopped before its end"
    case "ServiceAway":
      return partial.isWhole ? "the service was away" : "the service did not come back before the run ended"
    case "Shard":
      return `it is shard ${partial.index} of ${partial.of}`
    case "Selection":
      return `only ${Selection.text(partial)} was selected`
    case "LostShard":
      return `${partial.shards.length === 1 ? "shard" : "shards"} ${partial.shards.join(", ")} ${partial.shards.length === 1 ? "is" : "are"} missing, and with ${partial.shards.length === 1 ? "it" : "them"} ${partial.cut} of ${partial.of} scenarios`
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

type Groups = Readonly<Record<string, string>>

/** The sentences that earlier versions stored, each with the record that it stands for. */
const sentences: ReadonlyArray<readonly [sentence: RegExp, toPartial: (groups: Groups) => Partial | undefined]> = [
  [/^it was stopped before its end$/u, () => ({ _tag: "Stopped", isShard: false })],
  [/^a shard was stopped before its end$/u, () => ({ _tag: "Stopped", isShard: true })],
  [/^the service was away$/u, () => ({ _tag: "ServiceAway", isWhole: true })],
  [/^the service did not come back before the run ended$/u, () => ({ _tag: "ServiceAway", isWhole: false })],
  [
    /^it is shard (?<index>\d+) of (?<of>\d+)$/u,
    ({ index, of }) => ({ _tag: "Shard", index: Number(index), of: Number(of) })
  ],
  [
    /^only (?<flags>.+) was asked for$/su,
    ({ flags = "" }) => {
      const selection = Selection.parse(flags)
      return selection && { _tag: "Selection", ...selection }
    }
  ],
  [
    /^(?<cut>\d+) of (?<of>\d+) scenarios were skipped or cut short$/u,
    ({ cut, of }) => ({ _tag: "Limit", which: [], cut: Number(cut), of: Number(of) })
  ],
  [/^no scenario ran to its end$/u, () => ({ _tag: "NothingRan" })],
  [
    /^the infrastructure ended (?<failed>\d+) of (?<trials>\d+) trials$/u,
    ({ failed, trials }) => ({ _tag: "Infra", failed: Number(failed), trials: Number(trials) })
  ]
]

/** Converts a sentence that an earlier version stored. */
export const parse = (sentence: string): Partial => {
  for (const [expression, toPartial] of sentences) {
    const match = expression.exec(sentence)
    const partial = match === null ? undefined : toPartial({ ...match.groups })
    if (partial !== undefined) return partial
  }
  return { _tag: "Other", text: sentence }
}

/** The reason in a file. It also reads the sentence that earlier versions stored. */
export const Stored = Schema.Union([Partial, Schema.String]).pipe(
  Schema.decodeTo(Schema.toType(Partial), {
    decode: SchemaGetter.transform((value) => (typeof value === "string" ? parse(value) : value)),
    encode: SchemaGetter.passthrough({ strict: false })
  })
)
