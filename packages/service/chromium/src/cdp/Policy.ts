import type { CdpMessage } from "@webagent/engine"
import { resolve, sep } from "node:path"

/**
 * Decision on a client's message: it passes, or the client receives a response from this server, after which its
 * connection may be closed.
 */
export type Decision =
  | { readonly _tag: "Pass"; readonly message: CdpMessage }
  | { readonly _tag: "Answer"; readonly text: string; readonly isLast: boolean }

/** Methods that tell of the machine, end what is not the client's, or reach around this policy. */
const refused =
  /^(?:Browser\.(?:crash|crashGpuProcess|getBrowserCommandLine)|SystemInfo\..*|Tethering\..*|Target\.exposeDevToolsProtocol)$/u

/** Content that makes a message subject to inspection; any other passes unchanged. An escape may encode any of them. */
const suspicious = [
  '"Browser.',
  '"SystemInfo.',
  '"Tethering.',
  "exposeDevToolsProtocol",
  "proxyServer",
  "proxyBypassList",
  "downloadPath",
  '"url',
  '"files',
  "dispatchDragEvent",
  String.raw`\u`
]

/** A short message is searched once, as text; a long one costs less as bytes, once for each. */
const short_bytes = 4096
const suspiciousText = new RegExp(suspicious.map((part) => part.replaceAll(/[.\\]/gu, String.raw`\$&`)).join("|"), "u")

const isSuspicious = (bytes: Buffer) =>
  bytes.length <= short_bytes
    ? suspiciousText.test(bytes.toString("latin1"))
    : suspicious.some((part) => bytes.includes(part))

/** The schemes of addresses that a client may open, load or drop. All others, such as `file:`, are the machine's. */
const schemes = new Set(["http", "https", "ws", "wss", "about", "data", "blob", "javascript"])

/** Returns the scheme of an address as Chromium reads it: without leading blanks, tabs and line breaks, and of what `view-source:` shows. */
const schemeOf = (address: string): string | undefined => {
  // oxlint-disable-next-line no-control-regex
  const text = address.replace(/^[\0-\x20]+|[\t\n\r]+/gu, "")
  const [, scheme = "", rest = ""] = /^([^:]*):(.*)$/su.exec(text) ?? []
  return scheme.toLowerCase() === "view-source" ? schemeOf(rest) : scheme.toLowerCase()
}

/** True if a parameter contains an address that the policy refuses. Chromium itself refuses text without a scheme. */
const isLocal = (address: unknown): address is string => {
  if (typeof address !== "string") return false
  const scheme = schemeOf(address)
  return scheme !== "" && !schemes.has(scheme ?? "")
}

/** Methods whose `url` names something to open or load; in other domains, it names what is already loaded. */
const loads = /^(?:Fetch|Network|Page|Target)\./u

interface Dragged {
  readonly files?: unknown
  readonly items?: unknown
}

/** The first address of a machine's file among dragged items: Chromium opens what is dropped in a new tab. */
const draggedAddress = (data: unknown): string | undefined => {
  const { files, items }: Dragged = typeof data === "object" && data !== null ? data : {}
  if (Array.isArray(files) && files.length > 0) return "file:"
  return (Array.isArray(items) ? items : [])
    .map((item: { readonly data?: unknown } | null) => item?.data)
    .filter((text) => typeof text === "string")
    .flatMap((text) => text.split(/[\r\n]+/u))
    .find((line) => /^(?:file|filesystem|chrome)$/u.test(schemeOf(line) ?? ""))
}

/** The reason why a command would access files of the machine; undefined if it doesn't. */
const reachesFiles = (method: string, params: Readonly<Record<string, unknown>>, downloads: string) => {
  const { data, files, url } = params
  const address = loads.test(method) && isLocal(url) ? url : undefined
  const local = address ?? (method === "Input.dispatchDragEvent" ? draggedAddress(data) : undefined)
  if (local !== undefined) {
    return `A browser doesn't open '${schemeOf(local)}:' addresses here. Use http: or https:`
  }
  const isForeign = (file: unknown) => !resolve(String(file)).startsWith(`${downloads}${sep}`)
  return method === "DOM.setFileInputFiles" && Array.isArray(files) && files.some(isForeign)
    ? "Only files that this browser downloaded can be chosen by path. Send the content of others with the page's own script"
    : undefined
}

interface Command {
  readonly id?: unknown
  readonly method?: unknown
  readonly sessionId?: unknown
  readonly params?: unknown
}

const objectIn = (text: string): Command | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

/** Repeats what names the command, and nothing that would make the answer as long as its client likes. */
const answer = ({ id, sessionId }: Command, outcome: object, isLast = false): Decision => ({
  _tag: "Answer",
  text: JSON.stringify({
    ...(Number.isSafeInteger(id) ? { id } : {}),
    ...outcome,
    ...(typeof sessionId === "string" && sessionId.length <= 128 ? { sessionId } : {})
  }),
  isLast
})

const refuse = (command: Command, message: string) => answer(command, { error: { code: -32_000, message } })

const paramsOf = ({ params = {} }: Command): Readonly<Record<string, unknown>> | undefined =>
  typeof params === "object" && params !== null ? { ...params } : undefined

const brace = "{".charCodeAt(0)

/** Chromium takes what begins otherwise for another encoding, which nothing here reads. */
const isObject = (bytes: Uint8Array) => {
  const first = bytes.findIndex((byte) => byte > 0x20)
  return bytes[first] === brace
}

/** True if a message passes unchanged. */
export const passes = (message: Uint8Array): boolean => isObject(message) && !isSuspicious(asBuffer(message))

/**
 * Decides which commands a client with a browser's address may send. This keeps order and is no security boundary: the
 * sandbox is.
 */
export const decide = (message: CdpMessage, downloads: string): Decision => {
  const bytes = typeof message === "string" ? Buffer.from(message) : asBuffer(message)
  if (!isObject(bytes)) return answer({}, { error: { code: -32_700, message: "Message must be a JSON object" } })
  if (!isSuspicious(bytes)) return { _tag: "Pass", message }
  const command = objectIn(bytes.toString("utf8"))
  if (command === undefined) return answer({}, { error: { code: -32_700, message: "Message must be a JSON object" } })
  const { method } = command
  const params = paramsOf(command)
  if (params === undefined) return answer(command, { error: { code: -32_602, message: "'params' must be an object" } })
  if (method === "Browser.close") return answer(command, { result: {} }, true)
  if (typeof method === "string" && refused.test(method)) return refuse(command, `'${method}' is not allowed here`)
  const unreachable = typeof method === "string" ? reachesFiles(method, params, downloads) : undefined
  if (unreachable !== undefined) return refuse(command, unreachable)
  // what is inside is a message of its own
  if (method === "Target.sendMessageToTarget") {
    const inner = decide(String(params["message"]), downloads)
    if (inner._tag === "Answer") return refuse(command, "The message inside is not allowed here")
    return { _tag: "Pass", message: JSON.stringify({ ...command, params: { ...params, message: inner.message } }) }
  }
  const { proxyBypassList: _list, proxyServer: _server, ...others } = params
  const allowed = method === "Target.createBrowserContext" ? others : params
  const into = "downloadPath" in allowed ? { ...allowed, downloadPath: downloads } : allowed
  // as it was understood here: a name that comes twice means the same for Chromium
  return {
    _tag: "Pass",
    message: JSON.stringify({ ...command, ...(command.params === undefined ? {} : { params: into }) })
  }
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
