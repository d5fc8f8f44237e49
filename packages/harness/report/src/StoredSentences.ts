import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import { ExceededRunLimit } from "./ExceededRunLimit.ts"
import { Partial } from "./Partial.ts"
import { Selection } from "./Selection.ts"

const selections =
  /^(?:(?<last>--last-failed)(?: and |$))?(?<tags>(?:--tag \S+(?: and |$))*)(?:--name "(?<name>.*)"(?: and |$))?(?:--trial (?<trial>\d+))?$/su

/** Converts the text that earlier versions stored; undefined if it isn't one. */
const selectionOf = (text: string): Selection | undefined => {
  const groups = selections.exec(text)?.groups
  if (text === "" || groups === undefined) return undefined
  const { last, name, tags = "", trial } = groups
  return {
    tags: [...tags.matchAll(/--tag (\S+)/gu)].map(([, tag = ""]) => tag),
    ...(name === undefined ? {} : { name }),
    ...(last === undefined ? {} : { lastFailed: true }),
    ...(trial === undefined ? {} : { trial: Number(trial) })
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
      const selection = selectionOf(flags)
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
const partialOf = (sentence: string): Partial => {
  for (const [expression, toPartial] of sentences) {
    const match = expression.exec(sentence)
    const partial = match === null ? undefined : toPartial({ ...match.groups })
    if (partial !== undefined) return partial
  }
  return { _tag: "Other", text: sentence }
}

/** A record in a file, or the sentence that an earlier version stored in its place. */
const orSentence = <A>(record: Schema.Codec<A>, parse: (sentence: string) => A) =>
  Schema.Union([record, Schema.String]).pipe(
    Schema.decodeTo(Schema.toType(record), {
      decode: SchemaGetter.transform((value) => (typeof value === "string" ? parse(value) : value)),
      encode: SchemaGetter.passthrough({ strict: false })
    })
  )

/** A selection in a file, or the text that earlier versions stored. */
export const StoredSelection = orSentence(Selection, (text) => selectionOf(text) ?? { tags: [], name: text })

/** The reason why a run is partial in a file, or the sentence that earlier versions stored. */
export const StoredPartial = orSentence(Partial, partialOf)

/** An exceeded limit of a run in a file, or the sentence that earlier versions stored. */
export const StoredRunLimit = orSentence(ExceededRunLimit, (text) => ({ _tag: "Other" as const, text }))
