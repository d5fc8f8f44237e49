import * as Wire from "@webagent/contract/Wire"
import * as Arbitrary from "effect/Arbitrary"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { hash } from "node:crypto"
import { described, hasUuid, type Operation, operations, pathWith } from "./Operation.ts"

/** What a fuzzed request may name and use on the server that it is sent to. */
export interface Known {
  readonly key: string
  /** The id of something that is there, by the parameter of the path. */
  readonly ids: Readonly<Record<string, string>>
}

/** A request that may be odd, and what it has to be answered. */
export interface FuzzedRequest {
  /** What is odd about it, in words. */
  readonly label: string
  readonly operation: Operation
  readonly method: string
  readonly target: string
  readonly status: number
  readonly bytes: Uint8Array
  /** The body as JSON where there is one that fits. */
  readonly json: unknown
}

const { all, flatMap, map } = Arbitrary
const pick = <const A>(...options: ReadonlyArray<A>): Arbitrary.Arbitrary<A> =>
  Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: options.length - 1 }))).pipe(
    map((index) => options[index] as A)
  )

const maxBytes = 1_048_576
const maxNesting = 200
const text = Arbitrary.schema(Schema.String)
const json = Arbitrary.schema(Schema.Json)

type Fields = Readonly<Record<string, unknown>>
type Damage = (fields: Fields, field: string, junk: unknown) => string | Uint8Array

const whole = (value: unknown) => JSON.stringify(value)
const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`
const beside = (fields: Fields, member: string) =>
  whole(fields).replace(/^\{/u, whole(fields) === "{}" ? `{${member}` : `{${member},`)
const padded = (fields: Fields, bytes: number) => {
  const start = Buffer.from(whole(fields))
  return Buffer.concat([start, Buffer.alloc(Math.max(0, bytes - start.length), " ")])
}

/** Ways to send a body; the first leaves it as it is. */
const damages: Readonly<Record<string, Damage>> = {
  none: (fields) => whole(fields),
  "a field missing": (fields, field) =>
    whole(Object.fromEntries(Object.entries(fields).filter(([key]) => key !== field))),
  "a field null": (fields, field) => whole({ ...fields, [field]: null }),
  "a field of any type": (fields, field, junk) => whole({ ...fields, [field]: junk }),
  "a field more": (fields, _, junk) => whole({ ...fields, surprise: junk }),
  "any JSON": (_fields, _field, junk) => whole(junk),
  "in a list": (fields) => whole([fields]),
  "as a text": (fields) => whole(whole(fields)),
  "broken off": (fields) => whole(fields).slice(0, -1),
  "with a comma too much": (fields) => whole(fields).replace(/\}$/u, ",}"),
  "in single quotes": (fields) => whole(fields).replaceAll('"', "'"),
  "with NaN": (fields) => beside(fields, '"n":NaN'),
  "with a comment": (fields) => `/* */${whole(fields)}`,
  "a key twice": (fields, field, junk) => beside(fields, `${whole(field)}:${whole(junk)}`),
  "keys of objects": (fields) =>
    beside(fields, '"__proto__":{"task":1},"constructor":1,"toString":null,"hasOwnProperty":0'),
  "with a huge number": (fields) => beside(fields, `"n":${"9".repeat(400)},"m":1e-999,"z":-0`),
  "with a byte order mark": (fields) => `\uFEFF${whole(fields)}`,
  "not UTF-8": (fields) =>
    Buffer.concat([Buffer.from(beside(fields, '"n":"')).subarray(0, 5), Uint8Array.of(0xff, 0xfe)]),
  "a text not UTF-8": (fields) => Buffer.from(beside(fields, '"\u00ff":1'), "latin1"),
  "UTF-16": (fields) => Buffer.from(whole(fields), "utf16le"),
  "a raw control character": (fields) => beside(fields, '"n":"\u0000"'),
  "a text that does not end": (fields) => `${whole(fields).slice(0, -1)},"n":"${String.raw`\"`.repeat(500_000)}`,
  "lone surrogates": (fields) => beside(fields, String.raw`"n":"\ud800","\udfff":1`),
  "nested as deep as may be": (fields) => beside(fields, `"n":${nested(maxNesting - 1)}`),
  "nested too deep": (fields) => beside(fields, `"n":${nested(maxNesting)}`),
  "nested far too deep": (fields) => beside(fields, `"n":${nested(100_000)}`),
  "many keys": (fields) => beside(fields, Array.from({ length: 5000 }, (_, index) => `"k${index}":${index}`).join()),
  nothing: () => "",
  spaces: () => " \r\n\t",
  twice: (fields) => whole(fields).repeat(2),
  "as large as may be": (fields) => padded(fields, maxBytes),
  "too large": (fields) => padded(fields, maxBytes + 1)
}

const unharmed = Array.from({ length: 12 }, () => "none")

const ids = {
  known: undefined,
  "known, in capitals": undefined,
  unknown: "00000000-0000-4000-8000-00000000000f",
  "upper case": "00000000-0000-4000-8000-00000000000F",
  "no uuid": "unknown",
  dots: "..",
  dot: ".",
  "encoded dots": "%2e%2e",
  NUL: "%00",
  slash: "a%2Fb",
  slashes: "%2f..%2f..%2fetc",
  "no character": "%ff",
  percent: "%",
  "half an escape": "%e2%8",
  euro: "%E2%82%AC",
  space: "%20",
  newline: "%0d%0aSet-Cookie:%20a=b",
  star: "*",
  colon: ":run_id",
  braces: "{run_id}",
  proto: "__proto__",
  status: "status",
  long: "x".repeat(9000),
  "long escapes": "%41".repeat(3000)
}

const keys: Readonly<Record<string, (key: string) => string>> = {
  valid: (key) => `X-Service-API-Key: ${key}\r\n`,
  "in another case, with spaces": (key) => `x-SERVICE-api-key:  \t${key}  \r\n`,
  missing: () => "",
  empty: () => "X-Service-API-Key:\r\n",
  wrong: (key) => `X-Service-API-Key: ${key}x\r\n`,
  shorter: (key) => `X-Service-API-Key: ${key.slice(0, -1)}\r\n`,
  twice: (key) => `X-Service-API-Key: ${key}\r\nX-Service-API-Key: ${key}\r\n`,
  long: (key) => `X-Service-API-Key: ${key.repeat(300)}\r\n`,
  "no ASCII": (key) => `X-Service-API-Key: ${key}\u00e9\r\n`,
  elsewhere: (key) => `Authorization: Bearer ${key}\r\nCookie: X-Service-API-Key=${key}\r\n`
}
const goodKeys = ["valid", "in another case, with spaces"]

const types = {
  "": true,
  "Content-Type: application/json\r\n": true,
  "content-type: Application/JSON ; charset=utf-8\r\n": true,
  "Content-Type:\r\n": false,
  "Content-Type: text/plain\r\n": false,
  "Content-Type: application/jsonp\r\n": false,
  "Content-Type: application/x-www-form-urlencoded\r\n": false,
  "Content-Type: multipart/form-data; boundary=x\r\n": false,
  "Content-Type: application/json\r\nContent-Type: text/plain\r\n": true
}
const usualType = "Content-Type: application/json\r\n"

const extras = {
  "": true,
  "Content-Encoding: identity\r\n": true,
  "Content-Encoding: gzip\r\n": false,
  "Expect: 100-continue\r\n": true,
  "Accept: text/html\r\nAccept-Encoding: br, *;q=0\r\n": true,
  "Cookie: %;;=a; __proto__=1\r\ntraceparent: zz\r\nb3: 0\r\n": true,
  "X-HTTP-Method-Override: DELETE\r\nX-Forwarded-Proto: javascript\r\nX-Forwarded-Host: a/b c\r\n": true,
  "Connection: Upgrade\r\nUpgrade: h2c\r\n": true,
  "If-None-Match: *\r\nRange: bytes=0-1\r\n": true,
  [`X-Long: ${"y".repeat(2000)}\r\n`]: true
}

/** What makes a create safe to send again: `once` is the same for the same create only. */
const safes: Readonly<Record<string, (once: string) => string>> = {
  none: () => "",
  good: (once) => `Idempotency-Key: ${once}\r\n`,
  "as long as may be": (once) => `idempotency-key: ${once.padEnd(255, "y")}\r\n`,
  twice: (once) => `Idempotency-Key: ${once}\r\nIdempotency-Key: ${once}\r\n`,
  "no ASCII": (once) => `Idempotency-Key: ${once}\u00e9\r\n`,
  empty: () => "Idempotency-Key:\r\n",
  "too long": (once) => `Idempotency-Key: ${once.padEnd(256, "y")}\r\n`,
  "with a control character": (once) => `Idempotency-Key: ${once}\u0085\r\n`
}
const badSafes = ["empty", "too long", "with a control character"]

const hosts = ["service.test", "service.test", "service.test", "", 'a b<>"', "[::1", "x".repeat(1000), "\u00e9"]
const queries = ["", "", "", "?", "?x=1", "?run_id=x&%ff=%zz&a[b]=c&__proto__=1", `?${"q".repeat(500)}`, ";x", "#y"]

const depthOf = (value: unknown): number =>
  typeof value === "object" && value !== null ? 1 + Math.max(0, ...Object.values(value).slice(0, 50).map(depthOf)) : 0

/** How deep a text of JSON is nested, told from its brackets as a chain of that many would recurse too deep. */
const tooDeep = (body: string) =>
  body.includes(nested(maxNesting)) || (body.length < 50_000 && depthOf(JSON.parse(body)) > maxNesting)

const isCountry = ({ proxyCountryCode = null }: Fields) =>
  proxyCountryCode === null || /^[A-Za-z]{2}$/u.test(String(proxyCountryCode))

/** What our server asks of a body beyond the description. */
const asks: Readonly<Record<string, (fields: Fields) => boolean>> = {
  "v3.createSession": ({ thinkingLevel = null }) => thinkingLevel === null || typeof thinkingLevel === "string",
  "v2.createBrowser": isCountry,
  "v3.createBrowser": isCountry,
  "v4.createBrowser": isCountry
}

/** Creates of profiles and workspaces, which honor an idempotency key as the described creates do. */
export const furtherCreates = [
  "v2.createProfile",
  ...["v3", "v4"].flatMap((version) => [`${version}.createProfile`, `${version}.createWorkspace`])
]

const moreCreates = [...furtherCreates, "v2.createSession", "v2.createBrowser", "v3.createBrowser"]

/** The operations whose fields are all optional, so that they need no body. */
const mayBeEmpty = ["v4.createBrowser", "v3.stopSession", ...moreCreates]

/**
 * Further operations on one record: reads, writes and deletes. Those with two ids are left out, as each is drawn for
 * itself, the delete of a file, as it needs a query, and the upload of files, as their names have rules of their own.
 */
const further = operations.filter(
  ({ isExtension, method, path }) =>
    isExtension &&
    (method === "GET" || path.includes("{")) &&
    (path.match(/\{/gu)?.length ?? 0) < 2 &&
    !(method === "DELETE" && path.endsWith("/files")) &&
    !path.endsWith("/files/upload")
)

/** Writes that leave a record as all other requests expect it. The rest are sent for records that aren't there. */
const harmless = ["v4.cancelRun", "updateProfile", "updateWorkspace"]

const isHarmful = ({ isExtension, method, name }: Operation) =>
  isExtension && method !== "GET" && !harmless.some((end) => name.endsWith(end))

const fuzzed = [...described, ...operations.filter(({ name }) => moreCreates.includes(name)), ...further]

/** The JSON that the body is for its operation, or nothing if it does not fit. */
const fitting = ({ name, payload }: Operation, body: Uint8Array): Result.Result<unknown, unknown> => {
  if (payload === undefined) return Result.succeed(undefined)
  if (body.length === 0) return mayBeEmpty.includes(name) ? Result.succeed({}) : Result.fail("nothing")
  return Result.flatMap(
    Result.try((): unknown => {
      const body_ = new TextDecoder("utf-8", { fatal: true }).decode(body)
      const value: unknown = JSON.parse(body_)
      if (tooDeep(body_)) throw new Error("too deep")
      return value
    }),
    (value) =>
      Result.filterOrFail(
        Result.map(Schema.decodeUnknownResult(Schema.toCodecJson(payload))(value), () => value),
        (value) => asks[name]?.(value as Fields) ?? true,
        () => "not accepted"
      )
  )
}

const isUuid = (id: string) => /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/iu.test(id)

const chunksOf = (body: Uint8Array, size: number) => {
  const parts: Array<Uint8Array> = []
  for (let at = 0; at < body.length; at += size) {
    const part = body.subarray(at, at + size)
    parts.push(Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from("\r\n"))
  }
  return Buffer.concat([...parts, Buffer.from("0\r\n\r\n")])
}

/**
 * Requests for every described operation, and for most of the others, nearly all of them odd in one or two ways, each with
 * the status that it is due.
 */
export const fuzzedRequest = ({ ids: present, key }: Known): Arbitrary.Arbitrary<FuzzedRequest> =>
  pick(...fuzzed).pipe(
    flatMap((operation) =>
      all({
        operation: Arbitrary.Constant(operation),
        fields:
          operation.payload === undefined
            ? Arbitrary.Constant({})
            : Arbitrary.schema(Schema.toEncoded(operation.payload)),
        usual: pick(true, true, false),
        country: pick("no", "SE"),
        damage: pick(...unharmed, ...Object.keys(damages)),
        junk: json,
        word: text,
        field: pick("task", "text", "interrupt", "action", "proxyCountryCode", "modelParams", "thinkingLevel"),
        id: pick("known", "known", "known", "known", "known", "known", "any", ...Object.keys(ids)),
        keyKind: pick("valid", "valid", "valid", "valid", "valid", "valid", "valid", ...Object.keys(keys)),
        type: pick(usualType, usualType, usualType, usualType, usualType, usualType, ...Object.keys(types)),
        extra: pick("", "", "", "", "", ...Object.keys(extras)),
        host: pick(...hosts),
        safe: pick("none", "none", "none", "none", "none", "good", ...Object.keys(safes)),
        query: pick(...queries),
        doubled: pick(false, false, false, true),
        absolute: pick(false, false, false, true),
        head: pick(false, false, true),
        chunk: pick(0, 0, 0, 1, 7, 60_000)
      })
    ),
    map((drawn): FuzzedRequest => {
      const { operation } = drawn
      const [parameter] = /\{\w+\}/u.exec(operation.path) ?? []
      const known = parameter === undefined || isHarmful(operation) ? undefined : present[parameter]
      const any = encodeURIComponent(drawn.word.toWellFormed()) || "x"
      const there = drawn.id === "known" ? known : known?.toUpperCase()
      const id = drawn.id === "any" ? any : (ids[drawn.id as keyof typeof ids] ?? there ?? ids.unknown)
      const harm = damages[drawn.damage] ?? whole
      const usual: Fields = { proxyCountryCode: drawn.country, thinkingLevel: drawn.word }
      const fields: Fields = Object.fromEntries(
        Object.entries(drawn.fields as Fields).map(([name, value]) => [
          name,
          drawn.usual ? (usual[name] ?? value) : value
        ])
      )
      const body =
        operation.payload === undefined ? new Uint8Array() : Buffer.from(harm(fields, drawn.field, drawn.junk))
      const fits = fitting(operation, body)
      const typed =
        body.length === 0 || (types[drawn.type as keyof typeof types] && extras[drawn.extra as keyof typeof extras])
      const bodiless = operation.payload === undefined
      const due = () => {
        if (!goodKeys.includes(drawn.keyKind)) return 401
        if (body.length > maxBytes) return 413
        if (Result.isFailure(fits) || (operation.payload !== undefined && !typed)) return 422
        if (Wire.isCreate(operation) && !bodiless && badSafes.includes(drawn.safe)) return 422
        if (hasUuid(operation) && !isUuid(id)) return 422
        if (parameter !== undefined && id.toLowerCase() !== known) return 404
        // the known session isn't shared
        if (operation.name === "v2.getShare") return 404
        // the known browser has no profile to save
        if (Result.isSuccess(fits) && (fits.success as Fields | undefined)?.["action"] === "save") return 422
        return Math.min(...operation.answers.keys())
      }
      const method = operation.method === "GET" && drawn.head ? "HEAD" : operation.method
      const path = pathWith(operation, id)
      const target = `${drawn.doubled ? path.replaceAll("/", "//") : path}${drawn.query}`
      // a URL with dots for a segment is another URL, which the path alone is not
      const absolute = drawn.absolute && !/^(?:\.|%2e){1,2}$/iu.test(id)
      const line = `${method} ${absolute ? `http://other.test:81${target}` : target} HTTP/1.1\r\n`
      // a thousand tiny chunks are odd enough
      const size = drawn.chunk > 0 && body.length > 1000 ? 60_000 : drawn.chunk
      const framing = bodiless
        ? ""
        : size === 0
          ? `Content-Length: ${body.length}\r\n`
          : "Transfer-Encoding: chunked\r\n"
      const safe = safes[drawn.safe]?.(hash("sha256", Buffer.concat([Buffer.from(path), body]), "hex")) ?? ""
      const head = `${line}Host: ${drawn.host}\r\n${keys[drawn.keyKind]?.(key) ?? ""}${bodiless ? "" : drawn.type}${drawn.extra}${safe}${framing}\r\n`
      const { chunk, damage, extra, host, query, safe: safely, type } = drawn
      const oddities = { id: drawn.id, key: drawn.keyKind, safely, damage, type, extra, host, query, chunk }
      return {
        label: `${operation.name} ${JSON.stringify(oddities).slice(0, 300)}`,
        operation,
        method,
        target,
        status: due(),
        bytes: Buffer.concat([
          Buffer.from(head, "latin1"),
          bodiless ? new Uint8Array() : size === 0 ? body : chunksOf(body, size)
        ]),
        json: Result.getOrUndefined(fits)
      }
    })
  )
