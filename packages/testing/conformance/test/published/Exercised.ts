import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

/** A field of a described record: its type as the declarations write it. */
interface Field {
  readonly name: string
  readonly isOptional: boolean
  readonly type: string
}

/** The records, and the type of each method's response, that the declarations of the published client describe. */
interface Declarations {
  readonly records: ReadonlyMap<string, ReadonlyArray<Field>>
  readonly responses: ReadonlyMap<string, string>
}

const declarationsOf = (module: string): Declarations => {
  const file = fileURLToPath(import.meta.resolve(module)).replace(/\.js$/u, ".d.ts")
  const text = readFileSync(file, "utf8").replaceAll(/\/\*[\s\S]*?\*\//gu, "")
  const records = new Map<string, Array<Field>>()
  const aliases = new Map<string, string>()
  const responses = new Map<string, string>()
  let record: Array<Field> = []
  let resource = ""
  for (const line of text.split("\n")) {
    const opened = /^ {8}(\w+): \{$/u.exec(line)?.[1]
    if (opened !== undefined) records.set(opened, (record = []))
    const field = /^ {12}(\w+)(\??): (.*?);?$/u.exec(line)
    if (field !== null) record.push({ name: field[1] ?? "", isOptional: field[2] === "?", type: field[3] ?? "" })
    const alias = /^type (\S+) = components\["schemas"\]\["(\w+)"\];$/u.exec(line)
    if (alias !== null) aliases.set(alias[1] ?? "", alias[2] ?? "")
    resource = /^declare class (\w+)/u.exec(line)?.[1] ?? resource
    const method = /^ {4}(\w+)\(.*\): Promise<([\w$]+)(\[\])?>;$/u.exec(line)
    if (method !== null) {
      const type = `components["schemas"]["${aliases.get(method[2] ?? "") ?? method[2]}"]${method[3] ?? ""}`
      responses.set(`${resource.toLowerCase()}.${method[1]}`, type)
    }
  }
  return { records, responses }
}

const isRecord = (value: unknown): value is object => typeof value === "object" && value !== null

/** Returns the problems with a value of a type that the declarations write. Types beyond these are anything. */
const problems = (
  at: string,
  type: string,
  value: unknown,
  records: Declarations["records"]
): ReadonlyArray<string> => {
  const list = /^(?:\((.+)\)|([^|]+))\[\]$/u.exec(type)
  if (list !== null) {
    const item = list[1] ?? list[2] ?? ""
    if (!Array.isArray(value)) return [`${at} is no list`]
    return value.flatMap((each, index) => problems(`${at}[${index}]`, item, each, records))
  }
  const name = /^components\["schemas"\]\["(\w+)"\]$/u.exec(type)?.[1]
  const fields = name === undefined ? undefined : records.get(name)
  if (fields !== undefined && fields.length > 0) {
    if (!isRecord(value)) return [`${at} is no ${name}`]
    return fields.flatMap((field) => {
      const path = `${at}.${field.name}`
      if (!(field.name in value)) return field.isOptional ? [] : [`${path} is missing`]
      return problems(path, field.type, Reflect.get(value, field.name), records)
    })
  }
  const choices = type.split(" | ")
  const isKnown = choices.every((choice) => /^(?:string|number|boolean|null|"[^"]*"|components\S+)$/u.test(choice))
  if (!isKnown || fields !== undefined) return []
  const fits = choices.some((choice) => {
    if (choice === "null") return value === null
    if (choice.startsWith('"')) return value === JSON.parse(choice)
    if (choice.startsWith("components"))
      return choices.length === 1 || problems(at, choice, value, records).length === 0
    return typeof value === choice
  })
  return fits ? [] : [`${at} is ${JSON.stringify(value)}, not ${type}`]
}

type Method = (...args: Array<unknown>) => unknown

/** The methods of a client by name, such as `runs.create`, as they are found at run time. */
const methodsOf = (client: object) => {
  const owners: Array<readonly [prefix: string, owner: object]> = [["", client]]
  for (const [name, value] of Object.entries(client)) {
    if (name !== "http" && isRecord(value) && Object.getPrototypeOf(value) !== Object.prototype) {
      owners.push([`${name}.`, value])
    }
  }
  return owners.flatMap(([prefix, owner]) =>
    Object.getOwnPropertyNames(Object.getPrototypeOf(owner))
      .filter((name) => name !== "constructor" && typeof Reflect.get(owner, name) === "function")
      .map((name) => ({ owner, key: name, name: `${prefix}${name}` }))
  )
}

/** What a test has called of a client. */
export interface Exercised {
  /** The methods that were never called, or never succeeded. */
  readonly missing: () => ReadonlyArray<string>
  /**
   * The differences between the responses and the types that the client declares, without those of fields with a reason,
   * and the reasons that explain no difference.
   */
  readonly differences: (reasons: Readonly<Record<string, string>>) => ReadonlyArray<string>
  /** The number of methods whose responses were compared with a declared record. */
  readonly compared: () => number
}

/**
 * Notes the methods of a published client that are called and succeed, and compares each response with the client's own
 * declarations: every field that they promise, and its type.
 */
export const exercised = (client: object, module: string): Exercised => {
  const { records, responses } = declarationsOf(module)
  const methods = methodsOf(client)
  const called = new Set<string>()
  const compared = new Set<string>()
  const differences = new Set<string>()
  for (const { key, name, owner } of methods) {
    const method = Reflect.get(owner, key) as Method
    const type = responses.get(name)
    Reflect.set(owner, key, (...args: Array<unknown>) => {
      const response = method.apply(owner, args)
      if (!(response instanceof Promise)) {
        called.add(name)
        return response
      }
      return response.then((value: unknown) => {
        called.add(name)
        if (type === undefined) return value
        if (type.includes("schemas")) compared.add(name)
        for (const difference of problems(name, type, value, records)) {
          differences.add(difference.replaceAll(/\[\d+\]/gu, "[]"))
        }
        return value
      })
    })
  }
  return {
    missing: () =>
      methods
        .map(({ name }) => name)
        .filter((name) => !called.has(name))
        .toSorted(),
    differences: (reasons) => {
      const fieldOf = (difference: string) => /\.(\w+) is /u.exec(difference)?.[1] ?? ""
      const fields = new Set([...differences].map(fieldOf))
      return [
        ...[...differences].filter((difference) => !(fieldOf(difference) in reasons)).toSorted(),
        ...Object.keys(reasons).filter((field) => !fields.has(field))
      ]
    },
    compared: () => compared.size
  }
}
