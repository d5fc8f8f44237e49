import { type CdpError, overTransport } from "@webagent/cdp"
import type { CdpTransport } from "@webagent/engine"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Affecting from "./Affecting.ts"
import { type DomainPattern, mayLoad } from "./AllowedDomains.ts"
import * as Choosing from "./Choosing.ts"
import * as Dragging from "./Dragging.ts"
import * as Downloads from "./Downloads.ts"
import * as Entering from "./Entering.ts"
import { browserGone, type BrowserLost, BrowserUnusable, type Refused } from "./Failures.ts"
import * as FileText from "./FileText.ts"
import * as Finding from "./Finding.ts"
import { call } from "./Frame.ts"
import * as Going from "./Going.ts"
import { type Hands, told } from "./Hands.ts"
import * as Look from "./Look.ts"
import * as Marks from "./Marks.ts"
import * as Picture from "./Picture.ts"
import * as Pointing from "./Pointing.ts"
import * as Recalling from "./Recalling.ts"
import * as Secrets from "./Secrets.ts"
import { mainFrame } from "./Tab.ts"
import * as Tabs from "./Tabs.ts"

export type { DomainPattern } from "./AllowedDomains.ts"
export type { TaskFile } from "./Downloads.ts"
export type { TypeOptions } from "./Entering.ts"
export type { TabChange } from "./Going.ts"
export type { Action } from "./Hands.ts"
export type { Look, LookOptions } from "./Look.ts"
export type { Direction } from "./Pointing.ts"
export type { Secret } from "./Secrets.ts"

/** Limits and settings of a task in its browser. */
export interface PageOptions {
  /** The only hosts whose documents may load; null, the default, for each of the web. */
  readonly domains?: ReadonlyArray<DomainPattern> | null
  readonly secrets?: ReadonlyArray<Secrets.Secret>
  /** Files that may be uploaded, in addition to downloads. */
  readonly files?: ReadonlyArray<Downloads.TaskFile>
  /** The folder for downloads; without it they are refused. */
  readonly downloads?: string | null
  /** Done before a secret is typed. */
  readonly conceal?: Effect.Effect<void>
}

/** The state of the tab in front. */
export interface Front {
  readonly url: string
  /** The number of tabs. */
  readonly tabs: number
  /** The text of the dialog that the page shows. */
  readonly dialog: string | undefined
}

/** The view of a browser and the actions in it, until the scope closes. The browser keeps running. */
export interface Page
  extends
    ReturnType<typeof Pointing.make>,
    ReturnType<typeof Entering.make>,
    ReturnType<typeof Choosing.make>,
    ReturnType<typeof Dragging.make>,
    ReturnType<typeof Going.make>,
    ReturnType<typeof Finding.make>,
    ReturnType<typeof Recalling.make>,
    ReturnType<typeof Affecting.make> {
  readonly look: (options?: Look.LookOptions) => Effect.Effect<Look.Look, Refused | BrowserLost>
  /** A JPEG of what is in sight. */
  readonly picture: Effect.Effect<Uint8Array, Refused | BrowserLost>
  /** Returns a picture of the visible page with the numbers of elements on it. */
  readonly marked: (jpeg: Uint8Array, numbers: ReadonlyArray<number>) => Effect.Effect<Uint8Array>
  /** Changes what the next task in this browser may do; its downloads stay. */
  readonly allow: (options: Omit<PageOptions, "conceal" | "downloads">) => Effect.Effect<void>
  /** Keeps the browser during a wait that doesn't use it, and fails as soon as it is gone. */
  readonly lost: Effect.Effect<never, BrowserLost>
  /** Returns the state of the tab in front without looking at the page. */
  readonly front: () => Front
  /** The time zone of the browser, such as `Europe/Berlin`. */
  readonly timeZone: string
  /** Returns downloaded files and the files of the task. */
  readonly files: () => ReadonlyArray<Downloads.TaskFile>
  /** The addresses that were refused since this was asked last. */
  readonly refusals: () => ReadonlyArray<string>
  /** Replaces the values of secrets in a text by their placeholders. */
  readonly redact: (text: string) => string
}

/** Notes that no look has shown yet. */
const notes_most = 20

/** Interval of messages to a browser that waits, because a pool stops one that gets none for a while. */
const keepEvery = "1 minute"

/** The longest that a browser may take until it can be used. */
const patience = "30 seconds"

const unusable = ({ message }: Pick<CdpError | Refused, "message">) =>
  new BrowserUnusable({ message: `The browser cannot be used: ${message}` })

/** Watches a browser over a connection of the pool. */
export const make = Effect.fnUntraced(function* (
  connection: CdpTransport,
  options: PageOptions = {}
): Effect.fn.Return<Page, BrowserUnusable, Scope.Scope> {
  const clock = yield* Clock.Clock
  const client = yield* overTransport(connection)
  const notes: Array<string> = []
  const note = (text: string) => {
    notes.push(text)
    if (notes.length > notes_most) notes.shift()
  }
  let allowed = { domains: options.domains ?? null, files: options.files ?? [] }
  let secrets = Secrets.make(options.secrets ?? [])
  const quote = (text: string, most: number) => secrets.redact(text).slice(0, most).toWellFormed()
  const refusals: Array<string> = []
  const refused = (url: string) => {
    const shown = quote(url, 200)
    // of other addresses no host can be allowed
    if (/^https?:/u.test(url)) refusals.push(shown)
    if (refusals.length > notes_most) refusals.shift()
    return shown
  }
  const now = () => Number(clock.monotonicTimeNanosUnsafe()) / 1_000_000

  const start = Effect.gen(function* () {
    const downloads = yield* Downloads.make(client, options.downloads ?? null, note, now)
    const tabs = yield* Tabs.make({
      client,
      now,
      note,
      quote,
      refused,
      counter: { next: 1 },
      mayLoad: (url) => mayLoad(url, allowed.domains)
    })
    const hasFonts = yield* call(mainFrame(tabs.front()), "hasFonts")
    const timeZone = yield* call(mainFrame(tabs.front()), "timeZone")
    return { downloads, hasFonts, tabs, timeZone }
  })
  const { downloads, hasFonts, tabs, timeZone } = yield* start.pipe(
    Effect.mapError(unusable),
    Effect.timeoutOrElse({
      duration: patience,
      orElse: () => Effect.fail(unusable({ message: "It did not respond within 30 seconds." }))
    })
  )
  if (!hasFonts) {
    return yield* new BrowserUnusable({
      message:
        "This Chromium has no fonts, so pages look blank. Install one, such as the package fonts-dejavu-core, or set FONTCONFIG_PATH."
    })
  }

  const hands: Hands = {
    tabs,
    client,
    now,
    downloads,
    refused,
    conceal: options.conceal ?? Effect.void,
    get secrets() {
      return secrets
    },
    domains: () => allowed.domains,
    files: () => [...allowed.files, ...downloads.complete()],
    content: Effect.fnUntraced(function* ({ path }) {
      const file = yield* connection.files?.read(path) ?? Effect.succeed(null)
      if (file === null || file.size > FileText.bytes_most) return null
      const chunks = yield* Effect.orElseSucceed(Stream.runCollect(file.bytes), () => null)
      return chunks === null ? null : Buffer.concat(Array.from(chunks))
    })
  }

  return {
    ...Pointing.make(hands),
    ...Dragging.make(hands),
    ...Entering.make(hands),
    ...Choosing.make(hands),
    ...Going.make(hands),
    ...Finding.make(hands),
    ...Recalling.make(hands),
    ...Affecting.make(hands),
    look: (lookOptions = {}) =>
      told(
        hands,
        Effect.suspend(() => Look.look(hands, notes.splice(0), lookOptions))
      ),
    picture: Picture.make(hands),
    marked: Marks.make(hands),
    allow: ({ domains = null, files = [], secrets: known = [] }) =>
      Effect.sync(() => {
        allowed = { domains, files }
        secrets = Secrets.make(known)
      }),
    lost: Effect.raceFirst(
      Effect.andThen(client.closed, Effect.failSync(browserGone)),
      Effect.forever(
        Effect.andThen(
          Effect.sleep(keepEvery),
          Effect.sync(() => client.post("Browser.getVersion", {}))
        )
      )
    ),
    front: () => {
      const { dialog, url } = tabs.front()
      return { url: secrets.redact(url), tabs: tabs.all().length, dialog: dialog?.message }
    },
    timeZone,
    files: hands.files,
    refusals: () => refusals.splice(0),
    redact: (text) => secrets.redact(text)
  }
})
