import * as Effect from "effect/Effect"
import { connect } from "node:net"

/** One final answer as it came over the wire. */
export interface RawAnswer {
  readonly status: number
  /** By lower-case names; repeated ones are joined with a comma. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/** What came back on one connection. */
export interface Outcome {
  readonly answers: ReadonlyArray<RawAnswer>
  /** The statuses of the 1xx answers, in order. */
  readonly interim: ReadonlyArray<number>
  /** What was left when it ended and is no whole answer. */
  readonly rest: string
  /** `answered`: all that was waited for came; the server has `closed` or `reset` it; or it `hung`. */
  readonly end: "answered" | "closed" | "reset" | "hung"
}

/** What to do on the connection, in order. Bytes are written as they are, text as Latin-1. */
export type Step =
  | string
  | Uint8Array
  /** Waits for a 100, or for a final answer in its place. */
  | { readonly await: "continue" }
  | { readonly pause_ms: number }
  /** Half-closes, so that the server sees the end and may still answer. */
  | { readonly end: true }
  /** Cuts the connection. */
  | { readonly cut: true }

/** What is waited for. */
interface Expectations {
  /** The method of each request, as its answer cannot be read without it. */
  readonly methods: ReadonlyArray<string>
  /** Wait until the server closes, even when everything was answered. */
  readonly untilClosed?: boolean
  /** How long the whole may take; 45,000 unless given: what hangs is to be told from a machine with much to do. */
  readonly budget_ms?: number
}

interface Head {
  readonly status: number
  readonly headers: Record<string, string>
  readonly end: number
}

const headOf = (bytes: Buffer): Head | undefined => {
  const end = bytes.indexOf("\r\n\r\n")
  if (end === -1) return undefined
  const [first = "", ...lines] = bytes.toString("latin1", 0, end).split("\r\n")
  const headers: Record<string, string> = {}
  for (const line of lines) {
    const colon = line.indexOf(":")
    const name = line.slice(0, colon).toLowerCase()
    const value = line.slice(colon + 1).trim()
    headers[name] = name in headers ? `${headers[name]}, ${value}` : value
  }
  return { status: Number(/^HTTP\/1\.1 (\d{3}) /u.exec(first)?.[1] ?? Number.NaN), headers, end: end + 4 }
}

const chunked = (bytes: Buffer): { readonly body: Buffer; readonly length: number } | undefined => {
  const parts: Array<Buffer> = []
  for (let at = 0; ;) {
    const line = bytes.indexOf("\r\n", at)
    if (line === -1) return undefined
    const size = Number.parseInt(bytes.toString("latin1", at, line), 16)
    const next = line + 2 + size + 2
    if (bytes.length < next) return undefined
    if (size === 0) return { body: Buffer.concat(parts), length: next }
    parts.push(bytes.subarray(line + 2, line + 2 + size))
    at = next
  }
}

/** The first answer in `bytes` and how long it is, once it is whole. */
const answerOf = (bytes: Buffer, method: string, closed: boolean) => {
  const head = headOf(bytes)
  if (head === undefined) return undefined
  const { end, headers, status } = head
  const rest = bytes.subarray(end)
  const whole = (body: Buffer, length: number) => ({ answer: { status, headers, body }, length: end + length })
  if (method === "HEAD" || status < 200 || status === 204 || status === 304) return whole(Buffer.alloc(0), 0)
  if (headers["transfer-encoding"] === "chunked") {
    const body = chunked(rest)
    return body === undefined ? undefined : whole(body.body, body.length)
  }
  const length =
    headers["content-length"] === undefined ? (closed ? rest.length : Infinity) : Number(headers["content-length"])
  return rest.length < length ? undefined : whole(rest.subarray(0, length), length)
}

/** Opens a connection, takes the steps, and reads what comes until everything is answered or it ends. */
export const talk = (
  address: string,
  steps: ReadonlyArray<Step>,
  { budget_ms = 45_000, methods, untilClosed = false }: Expectations
): Effect.Effect<Outcome> =>
  Effect.callback((resume) => {
    const { hostname, port } = new URL(address)
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
    const answers: Array<RawAnswer> = []
    const interim: Array<number> = []
    let bytes: Buffer = Buffer.alloc(0)
    let continued = () => {}

    const finish = (end: Outcome["end"]) => {
      clearTimeout(budget)
      socket.destroy()
      resume(Effect.succeed({ answers, interim, rest: bytes.toString("latin1"), end }))
    }
    const budget = setTimeout(() => finish("hung"), budget_ms)

    const read = (closed: boolean) => {
      for (;;) {
        const next = answerOf(bytes, methods[answers.length] ?? "GET", closed)
        if (next === undefined || bytes.length === 0) return
        bytes = bytes.subarray(next.length)
        if (next.answer.status < 200 && next.answer.status !== 101) interim.push(next.answer.status)
        else answers.push(next.answer)
        continued()
        if (!untilClosed && answers.length === methods.length) return finish("answered")
      }
    }

    const take = async () => {
      for (const step of steps) {
        if (socket.destroyed) return
        if (typeof step === "string") socket.write(step, "latin1")
        else if (step instanceof Uint8Array) socket.write(step)
        else if ("end" in step) socket.end()
        else if ("cut" in step) return finish("closed")
        else if ("pause_ms" in step) await new Promise((resolve) => setTimeout(resolve, step.pause_ms))
        else if (answers.length + interim.length === 0) await new Promise<void>((resolve) => (continued = resolve))
      }
    }

    socket.once("connect", () => void take())
    socket.on("data", (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk])
      read(false)
    })
    socket.once("end", () => {
      read(true)
      finish("closed")
    })
    socket.once("error", () => finish("reset"))
    return Effect.sync(() => {
      clearTimeout(budget)
      socket.destroy()
    })
  })

/** A request as bytes: a line, headers, and a body with its length. */
export const request = (
  method: string,
  target: string,
  headers: Readonly<Record<string, string>> = {},
  body?: Uint8Array | string
): ReadonlyArray<Uint8Array> => {
  const content = typeof body === "string" ? Buffer.from(body) : body
  const lines = Object.entries({
    Host: "127.0.0.1",
    ...(content === undefined ? {} : { "Content-Length": String(content.length) }),
    ...headers
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  const head = Buffer.from(`${method} ${target} HTTP/1.1\r\n${lines.join("")}\r\n`, "latin1")
  return content === undefined ? [head] : [head, content]
}
