import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import type { Hands } from "./Hands.ts"
import * as Reader from "./Reader.ts"
import { gone, unlessStopped } from "./Settle.ts"
import type { Tab } from "./Tab.ts"
import type { Tabs } from "./Tabs.ts"
import type { Read, ShownElement } from "./world/Drafting.ts"
import { words } from "./world/Words.ts"

export type { ShownElement } from "./world/Drafting.ts"

/** The page in front, as the model sees it. */
export interface Look {
  /** The page's text for the model, between boundaries that no page can guess. */
  readonly text: string
  readonly url: string
  readonly title: string
  /** The number of numbered elements. */
  readonly elements: number
  /** The numbered elements, from the page itself: its text can't claim others. */
  readonly shown: ReadonlyArray<ShownElement>
  /** Equal for pages that look alike. */
  readonly likeness: string
  /** Is true if the page shows a dialog, which blocks everything else until it gets a response. */
  readonly hasDialog: boolean
  /** Is true if a captcha is visible. */
  readonly hasCaptcha: boolean
  /** Is true if something is visible that only a picture shows. */
  readonly hasCanvas: boolean
}

/** Limits the part of the page that a look shows. */
export interface LookOptions {
  /** The number of screens above and below the visible part. */
  readonly margin?: number
  readonly maxChars?: number
}

const captcha =
  "Note: The page asks whether you are a person. You cannot answer that: look for another way, or give up and say so."

/** Cuts a text, and marks the place, because the beginning of a secret is only recognized before such a mark. */
export const { cut } = words()

/** Puts text that others wrote between marks of a random name. */
export const bounded = (text: string): Effect.Effect<string> =>
  Effect.map(Random.nextIntBetween(0x1000_0000, 0xffff_ffff), (number) => {
    const name = `page-${number.toString(16)}`
    return `<${name}>\n${text}\n</${name}>`
  })

const tabList = (tabs: Tabs, front: Tab, redact: (text: string) => string) =>
  tabs.all().length < 2
    ? []
    : [
        `Tabs: ${tabs
          .all()
          .map((tab, at) => `${tab === front ? "*" : ""}${at + 1}: ${redact(tab.url).slice(0, 100)}`)
          .join("  ")}`
      ]

const scrolled = ({ above, below, height, left, right }: Read) => {
  const screens = (pixels: number) => (pixels / Math.max(1, height)).toFixed(1)
  const sideways = left + right > 8 ? `, ${left} px left, ${right} px right` : ""
  return above + below > 8 || sideways !== ""
    ? [`Scrolled: ${screens(above)} screens above, ${screens(below)} below${sideways}`]
    : []
}

/** Limits how long reading a page may take. */
const patience = "20 seconds"

/** Describes why a page can't be read. */
const stopped = ({ dialog, isCrashed }: Tab) =>
  dialog === undefined
    ? `The page ${isCrashed ? "crashed: navigate to an address, or close its tab" : "has not responded for 20 seconds: wait and look again, or close its tab"}.`
    : `The page asks (${dialog.type}): ${JSON.stringify(dialog.message)}. Nothing else works until it is answered with \`dialog\`.`

const once = Effect.fnUntraced(function* (
  { secrets: { redact }, client, tabs }: Pick<Hands, "secrets" | "client" | "tabs">,
  notes: ReadonlyArray<string>,
  { margin = 0.5, maxChars = 40_000 }: LookOptions
) {
  // a page may have closed its own tab, the last one
  yield* Effect.timeoutOption(
    client.until(() => tabs.all().length > 0),
    patience
  )
  const tab = tabs.front()
  tab.looks += 1
  const reading = unlessStopped(client, tab, Reader.read(tab, { margin, maxChars }))
  const timely = Option.flatMap(yield* Effect.timeoutOption(reading, patience), (read) => read ?? Option.none())
  const read = timely._tag === "Some" && tab.dialog === undefined && !tab.isCrashed ? timely.value : undefined
  const url = redact(tab.url)
  const loading =
    tab.pending === undefined ? [] : [`${redact(tab.pending).slice(0, 200)} is still loading: wait for it.`]
  const head = [
    `URL: ${url.slice(0, 1000)}`,
    ...tabList(tabs, tab, redact),
    ...[...notes, ...loading].map((note) => `Note: ${note}`)
  ]
  const lines =
    read === undefined
      ? [...head, stopped(tab)]
      : [
          ...head,
          `Title: ${redact(read.title).slice(0, 300)}`,
          ...scrolled(read),
          ...(read.captcha ? [captcha] : []),
          ...(read.omitted > 0 ? ["(some of the page is out of sight: scroll, find or read)"] : []),
          "",
          read.text
        ]
  const text = redact(lines.join("\n")).toWellFormed()
  const shown = read === undefined ? text : redact(read.text)
  const result: Look = {
    text: yield* bounded(text),
    url,
    title: redact(read?.title ?? ""),
    elements: read?.elements ?? 0,
    shown: read?.shown ?? [],
    likeness: `${url}\n${shown.replaceAll(/\*?\[\d+ /gu, "[")}`,
    hasDialog: tab.dialog !== undefined,
    hasCaptcha: read?.captcha ?? false,
    hasCanvas: read?.canvas ?? false
  }
  return result
})

/** Looks at the tab in front. The notes are what happened since the last look. */
export const look = (...how: Parameters<typeof once>): ReturnType<typeof once> => {
  const [{ client, tabs }] = how
  const tab = tabs.front()
  return Effect.catchIf(
    once(...how),
    (error) => error._tag === "CdpError" && error.reason === "detached",
    // it closed itself meanwhile: another one is in front
    () => Effect.andThen(gone(client, tabs, tab), once(...how))
  )
}
