import type { CdpError } from "@webagent/cdp"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Tab from "./Tab.ts"

/** The tabs of a browser, one of them in front. */
export interface Tabs {
  readonly all: () => ReadonlyArray<Tab.Tab>
  readonly front: () => Tab.Tab
  readonly bring: (tab: Tab.Tab) => Effect.Effect<void, CdpError>
  readonly open: (url: string) => Effect.Effect<void, CdpError>
  readonly close: (tab: Tab.Tab) => Effect.Effect<void, CdpError>
}

/** Limits how long an existing tab may take to respond. */
const answers_ms = 5000

/** Watches the tabs that are there, and those that come: each waits until it is watched. */
export const make = Effect.fnUntraced(function* (
  options: Tab.TabOptions
): Effect.fn.Return<Tabs, CdpError, Scope.Scope> {
  const { client, note } = options
  const tabs: Array<Tab.Tab> = []
  /** The tabs that others were opened from. */
  const openers = new WeakMap<Tab.Tab, Tab.Tab>()
  const attached = yield* Deferred.make<Tab.Tab>()
  let front: Tab.Tab | undefined

  const tabOf = (target: string | undefined) => tabs.find((tab) => tab.target === target)

  const wait = (target: string) =>
    Effect.andThen(
      client.until(() => tabOf(target) !== undefined),
      Effect.sync(() => tabOf(target))
    )

  const bring = (tab: Tab.Tab) => {
    front = tab
    return tab.session.send("Page.bringToFront", {})
  }

  const create = Effect.fnUntraced(function* (url: string) {
    const { targetId } = yield* client.send("Target.createTarget", { url })
    const tab = yield* wait(targetId)
    if (tab !== undefined) front = tab
  })

  client.on("Target.attachedToTarget", ({ sessionId, targetInfo }) => {
    const session = client.session(sessionId)
    if (targetInfo.type !== "page") return session.post("Runtime.runIfWaitingForDebugger", {})
    const tab = Tab.watch(targetInfo.targetId, targetInfo.url, session, options)
    tabs.push(tab)
    Deferred.doneUnsafe(attached, Effect.succeed(tab))
    const opener = tabOf(targetInfo.openerId)
    // after the last one was closed
    if (tabs.length === 1) front = tab
    if (opener === undefined) return
    openers.set(tab, opener)
    const opened = opener.opening.shift() ?? targetInfo.url
    if (opener !== front) return
    front = tab
    tab.isNavigating = opened !== "about:blank" && opened !== ""
    note(`A new tab was opened and is in front: tab ${tabs.length}.`)
  })
  client.on("Target.detachedFromTarget", ({ sessionId }) => {
    const at = tabs.findIndex(({ session }) => session.id === sessionId)
    if (at < 0) return
    const [gone] = tabs.splice(at, 1)
    if (gone === undefined || front !== gone) return
    const opener = openers.get(gone)
    front = opener !== undefined && tabs.includes(opener) ? opener : tabs.at(-1)
    note("The tab in front was closed.")
    if (tabs.length === 0) client.post("Target.createTarget", { url: "about:blank" })
  })

  client.on("Browser.downloadWillBegin", ({ frameId }) => {
    const tab = tabOf(frameId)
    if (tab?.url !== "about:blank" || !openers.has(tab)) return
    // it was opened for the download alone, unless it shows something that its opener has written into it
    const expression =
      "((range) => (range.selectNodeContents(document.body), range.getBoundingClientRect().height || close()))(new Range())"
    tab.session.post("Runtime.evaluate", { expression })
  })

  yield* client.send("Target.setAutoAttach", {
    autoAttach: true,
    waitForDebuggerOnStart: true,
    flatten: true,
    filter: [{ type: "page" }]
  })
  const { targetInfos } = yield* client.send("Target.getTargets", {})
  if (!targetInfos.some(({ type }) => type === "page")) yield* create("about:blank")
  front ??= yield* Deferred.await(attached)
  const answering = yield* Effect.filter(
    [...tabs],
    (tab) =>
      tab.session.send("Page.getFrameTree", {}).pipe(
        Effect.timeoutOption(answers_ms),
        // a page that is closed meanwhile answers as little
        Effect.orElseSucceed(Option.none),
        Effect.map((answer) => {
          if (Option.isSome(answer)) Tab.takeFrames(tab, answer.value.frameTree)
          return Option.isSome(answer)
        })
      ),
    { concurrency: "unbounded" }
  )
  if (!answering.includes(front)) {
    note("The page of the last task does not respond: close its tab. This is a new one.")
    yield* create("about:blank")
  }

  /** Each look and action is in a tab: when the last is closed, an empty one is opened. */
  const first = front

  return {
    all: () => tabs,
    front: () => front ?? first,
    bring,
    open: create,
    close: (tab) =>
      Effect.gen(function* () {
        if (tabs.length === 1) yield* create("about:blank")
        yield* client.send("Target.closeTarget", { targetId: tab.target })
        yield* client.until(() => !tabs.includes(tab))
      })
  }
})
