import { WebAddress } from "@webagent/engine"
import * as Effect from "effect/Effect"
import { mayLoad } from "./AllowedDomains.ts"
import { call, type Frame } from "./Frame.ts"
import { type Action, go, type Hands, refuse, sentence, settled } from "./Hands.ts"

const wait_seconds = 10
const text_seconds = 60
const poll_ms = 250

/** The longest that a download may take to begin after its response. */
const download_ms = 2000

/** The longest that a page may take to begin, in milliseconds. It keeps loading after that. */
const loads_ms = 20_000

/** Makes the actions that navigate the browser, and the waits. */
export const make = (hands: Hands) => {
  const { client, domains, downloads, tabs } = hands

  const allowed = (address: string) => {
    const url = WebAddress.complete(address)
    return mayLoad(url, domains()) ? Effect.succeed(url) : refuse(`This task may not open ${hands.refused(url)}.`)
  }

  const navigate = (address: string): Action =>
    go(
      hands,
      function* (tab) {
        const url = yield* allowed(address)
        tab.isNavigating = true
        const count = downloads.count()
        const begun = yield* Effect.timeoutOption(tab.session.send("Page.navigate", { url }), loads_ms)
        if (begun._tag === "None") {
          tab.isNavigating = false
          return yield* refuse(
            "The server of this address has not responded for 20 seconds. The page still loads: wait for it, or open another address."
          )
        }
        const { errorText, isDownload } = begun.value
        if (errorText === undefined) return "Opened."
        tab.isNavigating = false
        if (isDownload !== true) {
          return yield* refuse(tab.notLoaded ?? `The page did not load: ${errorText}. Check the address.`)
        }
        yield* Effect.timeoutOption(
          client.until(() => downloads.count() > count),
          download_ms
        )
        return "It is a download."
      },
      false
    )

  const back: Action = go(
    hands,
    function* (tab) {
      const { currentIndex, entries } = yield* tab.session.send("Page.getNavigationHistory", {})
      const entry = entries[currentIndex - 1]
      if (entry === undefined) return yield* refuse("There is no page before this one.")
      tab.isNavigating = true
      yield* tab.session.send("Page.navigateToHistoryEntry", { entryId: entry.id })
      return `Back at ${hands.secrets.redact(entry.url).slice(0, 200)}.`
    },
    false
  )

  const wait = (seconds: number): Action => {
    const within = Math.min(wait_seconds, Math.max(0, seconds))
    return Effect.as(Effect.sleep(within * 1000), `Waited ${within} s.`)
  }

  /** Returns whether a document of the tab in front shows a text. */
  const isShown = (text: string) =>
    Effect.suspend(() => {
      const tab = tabs.front()
      if (tab.dialog !== undefined) return Effect.succeed(true)
      const readable = Array.from(tab.frames.values()).filter((frame) => tab.mayLoad(frame.url) && !frame.isCrashed)
      const inFrame = (frame: Frame) => Effect.orElseSucceed(call(frame, "hasText", text), () => false)
      return Effect.map(Effect.forEach(readable, inFrame, { concurrency: "unbounded" }), (all) => all.includes(true))
    })

  /** Waits until the page shows a text. */
  const waitFor = (text: string, seconds: number): Action =>
    Effect.gen(function* () {
      const within = Math.min(text_seconds, Math.max(0, seconds))
      const seen = isShown(text).pipe(
        Effect.tap((isThere) => (isThere ? Effect.void : Effect.sleep(poll_ms))),
        Effect.repeat({ until: (isThere) => isThere }),
        Effect.timeoutOption(within * 1000)
      )
      const isSeen = (yield* seen)._tag === "Some"
      if (tabs.front().dialog !== undefined) return "The page asks something."
      return isSeen ? "The text is there." : yield* refuse(`The text did not appear within ${within} s.`)
    })

  const tab = (change: "open" | "front" | "close", { number, url = "about:blank" }: TabChange = {}): Action =>
    sentence(
      hands,
      settled(
        hands,
        Effect.gen(function* () {
          const one = tabs.all()[(number ?? 0) - 1]
          if (change === "open") yield* tabs.open(url === "about:blank" ? url : yield* allowed(url))
          else if (one === undefined) return yield* refuse(`There is no tab ${number}. There are ${tabs.all().length}.`)
          else if (change === "front") yield* tabs.bring(one)
          else yield* tabs.close(one)
          return { open: "Opened a tab.", front: "Brought it to front.", close: "Closed it." }[change]
        })
      )
    )

  const dialog = (accepts: boolean, text?: string): Action =>
    sentence(
      hands,
      settled(
        hands,
        Effect.gen(function* () {
          const front = tabs.front()
          if (front.dialog === undefined) return yield* refuse("The page asks nothing.")
          front.dialog = undefined
          yield* front.session.send("Page.handleJavaScriptDialog", {
            accept: accepts,
            ...(text === undefined ? {} : { promptText: text })
          })
          return accepts ? "Accepted." : "Dismissed."
        })
      )
    )

  return { navigate, back, wait, waitFor, tab, dialog }
}

/** Which tab, or the address of a new one. */
export interface TabChange {
  readonly number?: number
  readonly url?: string
}
