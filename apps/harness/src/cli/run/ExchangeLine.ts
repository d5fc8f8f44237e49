import { type Style } from "@webagent/cli/Style"
import { counted, cut, duration } from "@webagent/cli/Text"
import type { Seen } from "../../observe/Seen.ts"

const longest = 160

const decoder = new TextDecoder()

const oneLine = (text: string) => cut(text.replaceAll(/\s+/gu, " ").trim(), longest)

const pathOf = (url: string): string => {
  const parsed = URL.parse(url)
  return parsed === null ? url : parsed.pathname + parsed.search
}

const isAgain =
  ({ request: { headers, method, url } }: Seen) =>
  (other: Seen) =>
    headers["x-request-id"] !== undefined &&
    other.request.headers["x-request-id"] === headers["x-request-id"] &&
    other.request.method === method &&
    other.request.url === url

const outcomeOf = ({ failure, status }: Seen) => failure ?? String(status ?? "no answer")

/**
 * One attempt of a request in a line: what was sent, what came and how long it took, and, when it was tried again, how
 * often and after what. `exchanges` are those of its trial; bodies are cut, and `redact` takes the key out of all of it.
 */
export const exchangeLine = (
  seen: Seen,
  exchanges: ReadonlyArray<Seen>,
  { redact, style }: { readonly redact: (text: string) => string; readonly style: Style }
): string => {
  const { body: sent, method, url } = seen.request
  const earlier = exchanges.filter(isAgain(seen)).filter((other) => other !== seen && other.at_ms <= seen.at_ms)
  const before = earlier.at(-1)
  const again = before === undefined ? [] : [`attempt ${earlier.length + 1} after ${outcomeOf(before)}`]
  const isGood = seen.failure === undefined && seen.status !== undefined && seen.status < 400
  const took = duration((seen.endedAt_ms ?? seen.headersAt_ms ?? seen.at_ms) - seen.at_ms)
  // the key goes before anything is cut: a half of it would not be found
  const textOf = (start: Uint8Array, bytes: number) => {
    const text = oneLine(redact(decoder.decode(start)))
    return text === "" || !text.endsWith("…") ? text : `${text} (${counted(bytes, "byte")})`
  }
  const request = sent._tag === "Uint8Array" ? textOf(sent.body, sent.body.byteLength) : ""
  const answer = seen.body === undefined ? "" : textOf(seen.body.start, seen.body.bytes)
  return [
    `  ${method.padEnd(5)} ${redact(pathOf(url))}  ${(isGood ? style.good : style.bad)(outcomeOf(seen))}  ${took}`,
    ...again.map((text) => style.strong(text)),
    ...(request === "" ? [] : [style.faint(`sent ${request}`)]),
    ...(answer === "" ? [] : [style.faint(`got ${answer}`)])
  ].join("  ")
}
