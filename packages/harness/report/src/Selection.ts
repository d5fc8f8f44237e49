import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"

/** The filters that chose some of the scenarios or trials of a run. */
export const Selection = Schema.Struct({
  /** The values of `--tag`. */
  tags: Schema.Array(Schema.String),
  /** The value of `--name`. */
  name: Schema.optionalKey(Schema.String),
  /** True with `--last-failed`. */
  lastFailed: Schema.optionalKey(Schema.Boolean),
  /** The value of `--trial`, which counts from 1. */
  trial: Schema.optionalKey(Schema.Int)
})

/** The filters that chose some of the scenarios or trials of a run. */
export type Selection = typeof Selection.Type

/** Returns the flags of a selection: `--tag smoke and --name "pays"`. */
export const text = ({ lastFailed, name, tags, trial }: Selection): string =>
  [
    ...(lastFailed === true ? ["--last-failed"] : []),
    ...tags.map((tag) => `--tag ${tag}`),
    ...(name === undefined ? [] : [`--name "${name}"`]),
    ...(trial === undefined ? [] : [`--trial ${trial}`])
  ].join(" and ")

const stored =
  /^(?:(?<last>--last-failed)(?: and |$))?(?<tags>(?:--tag \S+(?: and |$))*)(?:--name "(?<name>.*)"(?: and |$))?(?:--trial (?<trial>\d+))?$/su

/** Converts the text that earlier versions stored; undefined if it isn't one. */
export const parse = (text: string): Selection | undefined => {
  const groups = stored.exec(text)?.groups
  if (text === "" || groups === undefined) return undefined
  const { last, name, tags = "", trial } = groups
  return {
    tags: [...tags.matchAll(/--tag (\S+)/gu)].map(([, tag = ""]) => tag),
    ...(name === undefined ? {} : { name }),
    ...(last === undefined ? {} : { lastFailed: true }),
    ...(trial === undefined ? {} : { trial: Number(trial) })
  }
}

/** A selection in a file. It also reads the text that earlier versions stored. */
export const Stored = Schema.Union([Selection, Schema.String]).pipe(
  Schema.decodeTo(Schema.toType(Selection), {
    decode: SchemaGetter.transform((value) =>
      typeof value === "string" ? (parse(value) ?? { tags: [], name: value }) : value
    ),
    encode: SchemaGetter.passthrough({ strict: false })
  })
)
