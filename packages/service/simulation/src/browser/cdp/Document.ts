import * as Option from "effect/Option"

/** All that a simulated page holds. */
export interface Document {
  readonly url: string
  readonly title: string
  readonly text: string
  readonly mimeType: string
}

export const blank: Document = { url: "about:blank", title: "", text: "", mimeType: "text/html" }

/** Chromium's error for an address that can't be opened, with the reason. */
export const cannotOpen = "net::ERR_ACCESS_DENIED (this browser is simulated: it opens about:blank and data: URLs only)"

/** The longest address that is opened; a page keeps it, and its text, for as long as it is open. */
const longestUrl = 256 * 1024

const entities: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " ", amp: "&" }

const unescape = (html: string): string =>
  html.replaceAll(/&(lt|gt|quot|apos|nbsp|amp);/gu, (_, name: string) => entities[name] ?? "")

/** Drops each element of this name with all that is in it, in one pass: such an element does not nest. */
const without = (html: string, name: string): string => {
  const kept: Array<string> = []
  const lower = html.toLowerCase()
  let from = 0
  for (;;) {
    const start = lower.indexOf(`<${name}`, from)
    if (start < 0) break
    kept.push(html.slice(from, start))
    const end = lower.indexOf(`</${name}`, start)
    if (end < 0) return kept.join("")
    from = end
  }
  kept.push(html.slice(from))
  return kept.join("")
}

const tidy = (text: string): string => unescape(text).replaceAll(/\s+/gu, " ").trim()

/** Text between tags. A tag that does not end takes the rest with it, as in a browser. */
const textOf = (html: string): string => tidy(html.replaceAll(/<[^<>]*(?:>|$)/gu, " "))

const titleOf = (html: string): string => {
  const start = /<title[^<>]*>/iu.exec(html)
  if (start === null) return ""
  const [title = ""] = html.slice(start.index + start[0].length).split(/<\/title/iu, 1)
  return tidy(title)
}

/** Decodes the content of a `data:` URL. Percent signs encode bytes; a character may have several. */
const decoded = (body: string, base64: boolean): string => {
  const bytes = Buffer.from(body, "utf8")
  let length = 0
  for (let at = 0; at < bytes.length; at++) {
    const hex = bytes[at] === 0x25 ? bytes.toString("latin1", at + 1, at + 3) : ""
    const escaped = /^[0-9a-f]{2}$/iu.test(hex)
    bytes[length++] = escaped ? Number.parseInt(hex, 16) : (bytes[at] ?? 0)
    if (escaped) at += 2
  }
  const text = bytes.toString("utf8", 0, length)
  return base64 ? Buffer.from(text, "base64").toString("utf8") : text
}

/** Opens an address: `about:blank` or a `data:` URL; anything else is nothing that a simulated browser can open. */
export const open = (url: string): Option.Option<Document> => {
  if (url === "" || url === blank.url) return Option.some(blank)
  if (url.length > longestUrl) return Option.none()
  const match = /^data:([^,;]*)((?:;[^,;]*)*),/iu.exec(url)
  if (match === null) return Option.none()
  const [head, type = "", parameters = ""] = match
  const mimeType = type === "" ? "text/plain" : type.toLowerCase()
  const [body = ""] = url.slice(head.length).split("#", 1)
  const source = decoded(body, /;\s*base64\s*$/iu.test(parameters))
  if (mimeType !== "text/html") return Option.some({ url, mimeType, title: "", text: source })
  const visible = ["script", "style", "title"].reduce(without, source)
  return Option.some({ url, mimeType, title: titleOf(source), text: textOf(visible) })
}
