import type * as Schema from "effect/Schema"
import type { Cassette, Exchange } from "./Cassette.ts"
import { routeOf } from "./Route.ts"

/** A field over all responses of one kind. */
export interface Field {
  /** In how many of the objects that may have it. */
  readonly seen: number
  readonly of: number
  /** Number of occurrences by JSON type; an array counts once. */
  readonly types: ReadonlyMap<string, number>
  /** The form that all its texts share, such as `uuid`; undefined where they differ or are too few to tell. */
  readonly form: string | undefined
  /** The texts of a field named `status`. */
  readonly values: ReadonlySet<string>
}

/** Answers of one operation with the same HTTP status and, where the body has one, the same `status` in it. */
export interface Kind {
  readonly answers: number
  /** By path, such as `tasks[].cost`; the body itself is the empty path. */
  readonly fields: ReadonlyMap<string, Field>
}

/** The answers of one operation. */
export interface Shape {
  readonly operation: string
  /** Number of responses by HTTP status. */
  readonly statuses: ReadonlyMap<number, number>
  /** Media types by HTTP status. */
  readonly mediaTypes: ReadonlyMap<number, ReadonlySet<string>>
  readonly kinds: ReadonlyMap<string, Kind>
}

// what users and agents put there, not what the service promises
const free = new Set(["result", "metadata", "modelParams", "output", "suggestions", "task", "text", "judgement"])

const forms: ReadonlyArray<readonly [form: string, pattern: RegExp]> = [
  ["uuid", /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/iu],
  ["date-time", /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)$/iu],
  ["date-time without zone", /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?$/u],
  ["decimal number", /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/u],
  ["address", /^[a-z]+:\/\//iu]
]

const formOf = (text: string): string => forms.find(([, pattern]) => pattern.test(text))?.[0] ?? "text"

const typeOf = (value: Schema.Json): string =>
  value === null ? "null" : Array.isArray(value) ? "array" : typeof value === "object" ? "object" : typeof value

// fewer different texts may share a form by chance
const enough = 3

interface Counted {
  seen: number
  of: number
  readonly types: Map<string, number>
  readonly forms: Map<string, Set<string>>
  readonly values: Set<string>
}

const add = <K>(counts: Map<K, number>, key: K) => counts.set(key, (counts.get(key) ?? 0) + 1)

/** Counts the fields of one kind of answer. */
class Counter {
  answers = 0
  private readonly fields = new Map<string, Counted>()
  /** Number of objects at a path, and the fields that occurred in one. */
  private readonly objects = new Map<string, { count: number; readonly names: Set<string> }>()

  body(value: Schema.Json) {
    this.answers++
    this.value("", "", value)
  }

  private value(path: string, name: string, value: Schema.Json) {
    const field = this.fields.get(path) ?? { seen: 0, of: 0, types: new Map(), forms: new Map(), values: new Set() }
    this.fields.set(path, field)
    field.seen++
    const isFree = free.has(name)
    if (!isFree) add(field.types, typeOf(value))
    if (isFree || value === null) return
    if (typeof value === "string") {
      const form = formOf(value)
      field.forms.set(form, (field.forms.get(form) ?? new Set()).add(value))
      if (name === "status") field.values.add(value)
    } else if (Array.isArray(value)) {
      for (const one of value) this.value(`${path}[]`, "", one as Schema.Json)
    } else if (typeof value === "object") {
      const object = this.objects.get(path) ?? { count: 0, names: new Set() }
      object.count++
      this.objects.set(path, object)
      for (const [key, one] of Object.entries(value)) {
        object.names.add(key)
        this.value(path === "" ? key : `${path}.${key}`, key, one as Schema.Json)
      }
    }
  }

  done(): Kind {
    for (const [path, { count, names }] of this.objects) {
      for (const name of names) {
        const field = this.fields.get(path === "" ? name : `${path}.${name}`)
        if (field !== undefined) field.of = count
      }
    }
    return {
      answers: this.answers,
      fields: new Map(
        [...this.fields].map(([path, { forms: found, of, seen, types, values }]) => {
          const [only] = [...found]
          const isShared = found.size === 1 && only !== undefined && only[1].size >= enough
          return [path, { seen, of: of === 0 ? seen : of, types, values, form: isShared ? only[0] : undefined }]
        })
      )
    }
  }
}

const statusIn = ({ got }: Exchange): string => {
  if (got === undefined || !("json" in got)) return ""
  const { json } = got
  return typeof json === "object" && json !== null && "status" in json && typeof json.status === "string"
    ? json.status
    : ""
}

/** An undescribed path with what looks like an id left out, so that two recordings of it are alike. */
const template = (path: string) =>
  path.replace(/[?#].*$/u, "").replaceAll(/\/(?=[^/]*\d)(?!v\d+(?:\/|$))[^/]+/gu, "/{id}")

/** Returns the shapes of a cassette's responses, by operation. */
export const of = ({ exchanges }: Pick<Cassette, "exchanges">): ReadonlyMap<string, Shape> => {
  const groups = Map.groupBy(
    exchanges,
    ({ method, path }) => routeOf(method, path).operation ?? `${method} ${template(path)}`
  )
  return new Map(
    [...groups].map(([operation, answers]) => {
      const statuses = new Map<number, number>()
      const mediaTypes = new Map<number, Set<string>>()
      const counters = new Map<string, Counter>()
      for (const answer of answers) {
        const { got, headers, status } = answer
        add(statuses, status)
        const type = (headers["content-type"] ?? "none").split(";")[0]?.trim().toLowerCase() ?? "none"
        mediaTypes.set(status, (mediaTypes.get(status) ?? new Set()).add(type))
        if (got === undefined || !("json" in got)) continue
        const state = statusIn(answer)
        const key = state === "" ? String(status) : `${status} ${state}`
        const counter = counters.get(key) ?? new Counter()
        counters.set(key, counter)
        counter.body(got.json)
      }
      const kinds = new Map([...counters].map(([key, counter]) => [key, counter.done()]))
      return [operation, { operation, statuses, mediaTypes, kinds }]
    })
  )
}
