import * as Schema from "effect/Schema"
import { ExceededRunLimit } from "./ExceededRunLimit.ts"
import { Ineligibility } from "./Ineligibility.ts"
import { orOlder } from "./OrOlder.ts"
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
  [/^the service did not respond again before the run ended$/u, () => ({ _tag: "ServiceAway", isWhole: false })],
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

/** A selection in a file, or the text that earlier versions stored. */
export const StoredSelection = orOlder(
  Selection,
  Schema.String,
  (text) => selectionOf(text) ?? { tags: [], name: text }
)

/** The reason why a run is partial in a file, or the sentence that earlier versions stored. */
export const StoredPartial = orOlder(Partial, Schema.String, partialOf)

/** An exceeded limit of a run in a file, or the sentence that earlier versions stored. */
export const StoredRunLimit = orOlder(ExceededRunLimit, Schema.String, (text) => ({
  _tag: "Other" as const,
  text
}))

const ineligibilities: Readonly<Record<string, Ineligibility>> = {
  "another target": "OtherTarget",
  "another number of trials": "OtherTrials",
  partial: "Partial",
  "later than this one": "Later"
}

/** The reason why a night wasn't compared in a file, or the words that earlier versions stored. */
export const StoredIneligibility = orOlder(Ineligibility, Schema.String, (text) => ineligibilities[text] ?? "Other")
