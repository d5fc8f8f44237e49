import { browserStatuses, runStatuses, sessionStatuses, taskStatuses, v3SessionStatuses } from "@webagent/contract/Wire"
import * as Schema from "effect/Schema"
import type { Cassette } from "./Cassette.ts"
import * as Shape from "./Shape.ts"

/** One way in which the answers of B are not those of A. */
export const Difference = Schema.Struct({
  /** Such as `v4.getRun`, or method and path where the operation is not described. */
  operation: Schema.String,
  /** The answers that differ: an HTTP status, and the `status` in the body; empty for all of the operation. */
  answers: Schema.String,
  /** The path of the field, such as `tasks[].cost`; null where the whole answer differs. */
  field: Schema.NullOr(Schema.String),
  kind: Schema.Literals(["field", "type", "form", "status", "value", "media type"]),
  before: Schema.String,
  after: Schema.String
})
export type Difference = typeof Difference.Type

/** The differences between two recordings. */
export const Drift = Schema.Struct({
  differences: Schema.Array(Difference),
  /** The operations that both recordings have. */
  compared: Schema.Array(Schema.String),
  /** The operations that only one has: they are not compared. */
  onlyInA: Schema.Array(Schema.String),
  onlyInB: Schema.Array(Schema.String)
})
export type Drift = typeof Drift.Type

// so few answers could all have, or lack, by chance what half of all have: 1 in 32
const enough = 5

const isPassing = (status: number) => status === 408 || status === 425 || status === 429 || status >= 500

const describedStatuses: ReadonlySet<string> = new Set([
  ...sessionStatuses,
  ...taskStatuses,
  ...v3SessionStatuses,
  ...runStatuses,
  ...browserStatuses
])

const list = (values: Iterable<unknown>) => [...values].map(String).toSorted().join(", ")

const shareOf = ({ of, seen }: Shape.Field) => (seen === of ? "always there" : `in ${seen} of ${of}`)

const nullOf = (field: Shape.Field) => field.types.get("null") ?? 0
const typesOf = ({ types }: Shape.Field) => [...types.keys()].filter((type) => type !== "null")

type Found = Omit<Difference, "operation" | "answers">

/** A field that is in both. */
const changed = (path: string, a: Shape.Field, b: Shape.Field): ReadonlyArray<Found> => {
  const differences: Array<Found> = []
  const [before, after] = [typesOf(a), typesOf(b)]
  const say = (kind: Difference["kind"], was: string, is: string) =>
    differences.push({ field: path, kind, before: was, after: is })
  const other = after.filter((type) => !before.includes(type))
  if (before.length > 0 && other.length > 0) say("type", list(before), list(after))
  else if (a.form !== undefined && b.form !== undefined && a.form !== b.form && a.form !== "text") {
    say("form", a.form, b.form)
  }
  if (a.seen === a.of && a.of >= enough && b.seen < b.of) say("field", "always there", shareOf(b))
  const novel = [...b.values].filter((value) => !a.values.has(value) && !describedStatuses.has(value))
  if (a.values.size > 0 && novel.length > 0) say("value", list(a.values), list(novel))
  return differences
}

/** Returns whether a field that occurs in `share` of some objects is expected in one of `count` others. */
const isExpected = ({ of, seen }: Shape.Field, count: number) =>
  count > 0 && (seen === of || (seen / of) * count >= enough)

const parentOf = (path: string) => /^(.*?)\.?[^.]*$/u.exec(path)?.[1] ?? ""

/** Returns the number of objects of a kind that could have a field that none has. */
const objectsAt = ({ answers, fields }: Shape.Kind, path: string) => {
  const parent = parentOf(path)
  return parent === "" ? answers : (fields.get(parent)?.types.get("object") ?? 0)
}

const kindDifferences = (a: Shape.Kind, b: Shape.Kind): ReadonlyArray<Found> => {
  const differences: Array<Found> = []
  for (const [path, field] of a.fields) {
    const other = b.fields.get(path)
    if (other !== undefined) differences.push(...changed(path, field, other))
    else if (isExpected(field, objectsAt(b, path))) {
      differences.push({ field: path, kind: "field", before: shareOf(field), after: "missing" })
    }
  }
  for (const [path, field] of b.fields) {
    if (!a.fields.has(path) && isExpected(field, objectsAt(a, path))) {
      differences.push({ field: path, kind: "field", before: "missing", after: `new, ${shareOf(field)}` })
    }
  }
  return differences
}

/** The kinds of answers that both have. */
const kindsOf = (a: Shape.Shape, b: Shape.Shape) =>
  [...a.kinds].flatMap(([answers, before]) => {
    const after = b.kinds.get(answers)
    return after === undefined ? [] : [{ answers, before, after }]
  })

const isNever = (field: Shape.Field) => nullOf(field) === 0
const isAlways = (field: Shape.Field) => nullOf(field) === field.seen
const seenIn = (fields: ReadonlyArray<Shape.Field>) => fields.reduce((sum, { seen }) => sum + seen, 0)

/**
 * Fields that are always null now where they never were, and the other way round. Whether one is null depends on what
 * happened: it counts only where it is so in all kinds of answers together.
 */
const nullDifferences = (a: Shape.Shape, b: Shape.Shape): ReadonlyArray<Difference> => {
  const kinds = kindsOf(a, b)
  const paths = new Set(kinds.flatMap(({ before }) => [...before.fields.keys()]))
  const turned = (path: string, was: typeof isNever, is: typeof isNever) => {
    const both = kinds.flatMap(({ after, answers, before }) => {
      const [one, other] = [before.fields.get(path), after.fields.get(path)]
      return one === undefined || other === undefined || !was(one) ? [] : [{ answers, one, other }]
    })
    const isSure = [both.map(({ one }) => one), both.map(({ other }) => other)].every((all) => seenIn(all) >= enough)
    return isSure && both.every(({ other }) => is(other)) ? both : []
  }
  const types = (fields: ReadonlyArray<Shape.Field>) => list(new Set(fields.flatMap(typesOf)))
  return [...paths].flatMap((field) => {
    const lost = turned(field, isNever, isAlways)
    const gained = turned(field, isAlways, isNever)
    const say = (both: typeof lost, before: string, after: string): ReadonlyArray<Difference> =>
      both.map(({ answers }) => ({ operation: a.operation, answers, field, kind: "type", before, after }))
    return [
      ...say(lost, types(lost.map(({ one }) => one)), "null"),
      ...say(gained, "null", types(gained.map(({ other }) => other)))
    ]
  })
}

const statusDifference = (a: Shape.Shape, b: Shape.Shape): ReadonlyArray<Found> => {
  const lasting = ({ statuses }: Shape.Shape) => {
    const all = [...statuses.keys()]
    const some = all.filter((status) => !isPassing(status))
    // an operation that only fails has no other answer
    return some.length > 0 ? some : all
  }
  const [before, after] = [lasting(a), lasting(b)]
  const gone = before.filter((status) => !after.includes(status))
  const novel = after.filter((status) => !before.includes(status))
  if (gone.length === 0 && novel.length === 0) return []
  return [
    {
      field: null,
      kind: "status",
      before: gone.length === 0 ? `only ${list(before)}` : list(gone),
      after: novel.length === 0 ? `only ${list(after)}` : list(novel)
    }
  ]
}

const mediaTypeDifferences = (a: Shape.Shape, b: Shape.Shape) =>
  [...a.mediaTypes].flatMap(([status, types]): ReadonlyArray<Difference> => {
    const other = b.mediaTypes.get(status)
    if (other === undefined || isPassing(status) || [...other].every((type) => types.has(type))) return []
    const texts = { before: list(types), after: list(other) }
    return [{ operation: a.operation, answers: String(status), field: null, kind: "media type", ...texts }]
  })

/** The kinds that both have, and the status of the body where a new one took the place of a known one. */
const shapeDifferences = (a: Shape.Shape, b: Shape.Shape): ReadonlyArray<Difference> => {
  const { operation } = a
  const whole = statusDifference(a, b).map((one) => ({ operation, answers: "", ...one }))
  const inKinds = kindsOf(a, b).flatMap(({ after, answers, before }) =>
    kindDifferences(before, after).map((one) => ({ operation, answers, ...one }))
  )
  const states = (shape: Shape.Shape) =>
    new Set([...shape.kinds.keys()].map((key) => key.split(" ").slice(1).join(" ")))
  const had = states(a)
  const novel = [...states(b)].filter((state) => state !== "" && !had.has(state) && !describedStatuses.has(state))
  const values =
    novel.length === 0
      ? []
      : [
          {
            operation,
            answers: "",
            field: "status",
            kind: "value" as const,
            before: list([...had].filter((state) => state !== "")),
            after: list(novel)
          }
        ]
  return [...whole, ...mediaTypeDifferences(a, b), ...values, ...inKinds, ...nullDifferences(a, b)]
}

/** The same difference of several kinds of answers is one. */
const together = (differences: ReadonlyArray<Difference>): ReadonlyArray<Difference> =>
  [
    ...Map.groupBy(differences, ({ after, before, field, kind, operation }) =>
      JSON.stringify([operation, field, kind, before, after])
    ).values()
  ].flatMap(([first, ...others]) =>
    first === undefined ? [] : [{ ...first, answers: [first, ...others].map(({ answers }) => answers).join(", ") }]
  )

/**
 * Compares the responses in B with those in A: fields, their types and formats, HTTP statuses, media types, and
 * undescribed statuses. Ids, times, order, and texts of users and agents don't count, nor do temporary errors (429,
 * 5xx).
 */
export const between = (a: Pick<Cassette, "exchanges">, b: Pick<Cassette, "exchanges">): Drift => {
  const [before, after] = [Shape.of(a), Shape.of(b)]
  const compared = [...before.keys()].filter((operation) => after.has(operation)).toSorted()
  return {
    differences: compared.flatMap((operation) => {
      const [one, other] = [before.get(operation), after.get(operation)]
      return one === undefined || other === undefined ? [] : together(shapeDifferences(one, other))
    }),
    compared,
    onlyInA: [...before.keys()].filter((operation) => !after.has(operation)).toSorted(),
    onlyInB: [...after.keys()].filter((operation) => !before.has(operation)).toSorted()
  }
}
