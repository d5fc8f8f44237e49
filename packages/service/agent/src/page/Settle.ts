import * as Effect from "effect/Effect"
import type { Downloads } from "./Downloads.ts"
import { call } from "./Frame.ts"
import type { CdpClient } from "@webagent/cdp"
import { mainFrame, type Tab } from "./Tab.ts"
import type { Tabs } from "./Tabs.ts"

const navigation_ms = 10_000
/** Requests that begin so soon after an action are taken for its own. */
const request_begins_ms = 300
const request_ms = 2500
/** For a page that asks all the time. */
const polling_ms = 300
const window_ms = 2000
const frames_ms = 1500
const quiet_ms = 25
const change_ms = 400
/** For a page that never came to rest. */
const restless_ms = 100
const turns_most = 4

/** Carries out an effect until the page asks something or crashes: then it answers nothing else. */
export const unlessStopped = <A, E, R>(client: CdpClient, tab: Tab, effect: Effect.Effect<A, E, R>) =>
  Effect.raceFirst(
    Effect.asSome(effect),
    Effect.as(
      client.until(() => tab.dialog !== undefined || tab.isCrashed),
      undefined
    )
  )

/** Waits until a tab that is closed is no longer one of the tabs. */
export const gone = (client: CdpClient, tabs: Tabs, tab: Tab) =>
  Effect.timeoutOption(
    client.until(() => !tabs.all().includes(tab)),
    window_ms
  )

interface SettleOptions {
  readonly client: CdpClient
  readonly downloads: Downloads
  readonly now: () => number
  readonly tabs: Tabs
}

/**
 * Waits for what an action set off that began at a time: a new document or tab, requests, changes of the page. It never
 * waits for long, and not for what the page does all the time.
 */
export const settle = Effect.fnUntraced(function* ({ client, downloads, now, tabs }: SettleOptions, since: number) {
  const acted = now()
  const isAsking = (tab: Tab, isPolling: boolean) =>
    now() - acted < (isPolling ? polling_ms : request_ms) &&
    Array.from(tab.requests.values()).some((began) => began >= since && began < acted + request_begins_ms)
  const isDownloading = () => now() - acted < request_ms && downloads.isRunning(since)
  const isOpening = ({ opening }: Tab) => opening.length > 0 && now() - acted < window_ms
  const hasFrames = ({ loading }: Tab) =>
    now() - acted < frames_ms && Array.from(loading.values()).some((began) => began >= since)
  const within = (ms: number, holds: () => boolean) => Effect.timeoutOption(client.until(holds), ms)

  const turn = Effect.fnUntraced(function* (tab: Tab) {
    if (tab.isNavigating) yield* within(navigation_ms, () => !tab.isNavigating)
    tab.isNavigating = false
    const isPolling = Array.from(tab.requests.values()).filter((began) => began < since).length >= 3
    const isStill = yield* Effect.orElseSucceed(
      call(mainFrame(tab), "settle", quiet_ms, tab.isRestless ? restless_ms : change_ms),
      () => true
    )
    tab.isRestless = !isStill
    const isBusy = () =>
      !tab.isNavigating && (isAsking(tab, isPolling) || isOpening(tab) || hasFrames(tab) || isDownloading())
    const waits = isBusy()
    if (waits) yield* within(isPolling ? polling_ms : request_ms, () => !isBusy())
    tab.opening = []
    return waits || tab.isNavigating || tab !== tabs.front()
  })

  for (let count = 0; count < turns_most; count++) {
    if (tabs.all().length === 0) yield* within(window_ms, () => tabs.all().length > 0)
    const tab = tabs.front()
    if (tab.dialog !== undefined || tab.isCrashed) return
    const again = yield* unlessStopped(client, tab, turn(tab))
    if (again?._tag !== "Some" || !again.value) return
  }
})
