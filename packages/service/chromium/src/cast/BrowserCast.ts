import type { CdpClient, CdpError, CdpSession, TargetInfo } from "@webagent/cdp"
import { type LiveInput, type LiveTab, type LiveView, type View, WebAddress } from "@webagent/engine"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as FiberHandle from "effect/FiberHandle"
import * as Latch from "effect/Latch"
import * as PubSub from "effect/PubSub"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import * as Cast from "./Cast.ts"
import type { Signal } from "./Pacing.ts"

const quality = 60

/** The largest picture; a window that is larger is scaled down. */
const largest = { maxWidth: 1920, maxHeight: 1200 }

/** The most inputs that a page hasn't handled yet. Further ones wait for it. */
const mostUnhandled = 64

/** The tab that is currently shown. */
interface Front {
  readonly session: CdpSession
  readonly signals: Queue.Queue<Signal>
  /** A permit for each further input. */
  readonly inputs: Semaphore.Semaphore
  /** The size of the window in CSS pixels, which the places of a person's input are parts of. */
  size: { readonly width: number; readonly height: number } | null
}

const enter = { key: "Enter", text: "\r" }

/** The text that a key makes; none with Ctrl, Alt or Meta, which make a command of it. */
const textOf = (key: string, modifiers: number): string | undefined => {
  if ((modifiers & 7) !== 0) return undefined
  if (key === enter.key) return enter.text
  return [...key].length === 1 ? key : undefined
}

const mouseTypes = { pressed: "mousePressed", released: "mouseReleased", moved: "mouseMoved" } as const

/** Sends a person's input to the tab. */
const sendInput = (
  { send }: CdpSession,
  input: Exclude<LiveInput, { readonly _tag: "Address" }>,
  { height, width }: { readonly width: number; readonly height: number }
): Effect.Effect<unknown, CdpError> => {
  switch (input._tag) {
    case "Mouse": {
      const { action, button, buttons, clicks, modifiers, x, y } = input
      const at = { x: x * width, y: y * height }
      const type = mouseTypes[action]
      return send("Input.dispatchMouseEvent", { type, ...at, button, buttons, clickCount: clicks, modifiers })
    }
    case "Wheel": {
      const { deltaX, deltaY, modifiers, x, y } = input
      const at = { x: x * width, y: y * height }
      return send("Input.dispatchMouseEvent", { type: "mouseWheel", ...at, deltaX, deltaY, modifiers })
    }
    case "Key": {
      const { action, code, key, keyCode, modifiers } = input
      const stroke = { code, key, windowsVirtualKeyCode: keyCode, modifiers }
      if (action === "released") return send("Input.dispatchKeyEvent", { type: "keyUp", ...stroke })
      const text = textOf(key, modifiers)
      // Chromium has the shortcuts of a system's own menu only on systems that have one
      const commands = key.toLowerCase() === "a" && (modifiers & 6) !== 0 ? { commands: ["selectAll"] } : {}
      return send(
        "Input.dispatchKeyEvent",
        text === undefined
          ? { type: "rawKeyDown", ...stroke, ...commands }
          : { type: "keyDown", ...stroke, text, unmodifiedText: text }
      )
    }
    case "Text":
      return send("Input.insertText", { text: input.text })
  }
}

/** Casts a browser over one connection until the scope closes: the tab that was opened last, else the one before. */
export const make = Effect.fnUntraced(function* (
  client: CdpClient
): Effect.fn.Return<Omit<LiveView, "isConcealed">, CdpError, Scope.Scope> {
  const fork = Effect.runForkWith(yield* Effect.context())
  // a reader that is slow gets the newest view, and one that comes later the last
  const views = yield* PubSub.sliding<View>({ capacity: 1, replay: 1 })
  const following = yield* FiberHandle.make()
  const tabs = new Map<string, TargetInfo>()
  let view: View = { picture: null, tab: null, tabs: [] }
  let front: Front | undefined
  /** Open while there is a front. */
  const shown = Latch.makeUnsafe(false)
  let wanted: string | undefined

  /** Opens an address without waiting for its server, so that later input isn't late. Chromium shows why a page can't load. */
  const open = Effect.fnUntraced(function* (url: string) {
    // a tab is listed before it's attached; without one, later input must not wait for long
    yield* Effect.timeoutOption(shown.await, "5 seconds")
    if (WebAddress.mayLoad(url)) front?.session.post("Page.navigate", { url })
  })

  const publish = (change: Partial<View>) => {
    view = { ...view, ...change }
    // not `publishUnsafe`, which does not slide
    fork(PubSub.publish(views, view))
  }

  /** Chromium does not tell every change of a title. One that changes nothing else is shown with the next picture. */
  const retitle = (targetId: string) =>
    Effect.map(client.send("Target.getTargetInfo", { targetId }), ({ targetInfo }) => {
      if (!tabs.has(targetId)) return
      tabs.set(targetId, targetInfo)
      followLast()
    })

  const look = Effect.fnUntraced(function* (targetId: string) {
    // a browser that hangs responds to neither, and must not hold up the end of its cast
    const { sessionId } = yield* Effect.acquireRelease(
      client.send("Target.attachToTarget", { targetId, flatten: true }),
      ({ sessionId }) => Effect.sync(() => client.post("Target.detachFromTarget", { sessionId })),
      { interruptible: true }
    )
    const session = client.session(sessionId)
    const signals = yield* Queue.unbounded<Signal>()
    const clock = yield* Clock.Clock
    let titled_ms = -Infinity
    const own: Front = { session, signals, inputs: Semaphore.makeUnsafe(mostUnhandled), size: null }
    session.on("Page.screencastFrame", ({ data, metadata: { deviceHeight, deviceWidth }, sessionId }) => {
      // immediately, even if the frame isn't shown: see `Pacing`
      session.post("Page.screencastFrameAck", { sessionId })
      own.size = { width: deviceWidth, height: deviceHeight }
      Queue.offerUnsafe(signals, { _tag: "Changed", picture: data })
    })
    // without `Page.enable`, which a screencast does not need: a page's dialogs would wait for an answer of ours
    front = own
    shown.openUnsafe()
    yield* Effect.addFinalizer(() => Effect.sync(() => front === own && ((front = undefined), shown.closeUnsafe())))
    yield* Cast.run(
      {
        startScreencast: Effect.asVoid(session.send("Page.startScreencast", { format: "jpeg", quality, ...largest })),
        stopScreencast: Effect.asVoid(session.send("Page.stopScreencast")),
        capture: Effect.map(
          session.send("Page.captureScreenshot", { format: "jpeg", quality, optimizeForSpeed: true }),
          ({ data }) => data
        )
      },
      signals,
      (picture) => {
        const at_ms = clock.currentTimeMillisUnsafe()
        publish({ picture: { jpeg: Buffer.from(picture, "base64"), at_ms } })
        if (at_ms - titled_ms < 1000) return
        titled_ms = at_ms
        fork(Effect.ignore(retitle(targetId)))
      }
    )
  }, Effect.scoped)

  const followLast = (): void => {
    const all = [...tabs.values()].map(({ title, url: address }): LiveTab => ({ title, address }))
    const isSame = ({ address, title }: LiveTab, index: number) =>
      view.tabs?.[index]?.title === title && view.tabs[index]?.address === address
    if (all.length !== view.tabs?.length || !all.every(isSame)) publish({ tab: all.at(-1) ?? null, tabs: all })
    const last = [...tabs.keys()].at(-1)
    if (last === wanted) return
    wanted = last
    fork(wanted === undefined ? FiberHandle.clear(following) : FiberHandle.run(following, Effect.ignore(look(wanted))))
  }

  const onTarget = ({ targetInfo }: { readonly targetInfo: TargetInfo }) => {
    if (targetInfo.type !== "page" || targetInfo.subtype !== undefined) return
    tabs.set(targetInfo.targetId, targetInfo)
    followLast()
  }
  client.on("Target.targetCreated", onTarget)
  client.on("Target.targetInfoChanged", onTarget)
  client.on("Target.targetDestroyed", ({ targetId }) => {
    tabs.delete(targetId)
    followLast()
  })
  yield* client.send("Target.setDiscoverTargets", { discover: true })
  return {
    views: Stream.interruptWhen(Stream.fromPubSub(views), client.closed),
    input: (input) =>
      Effect.suspend(() => {
        if (input._tag === "Address") return open(input.address)
        if (front === undefined || front.size === null) return Effect.void
        const { inputs, session, size } = front
        // Chromium handles inputs in order, and responds once the page has, so waiting for it would delay the next one
        const handled = Effect.ensuring(Effect.ignore(sendInput(session, input, size)), inputs.release(1))
        const send = Effect.sync(() => void fork(handled))
        return Effect.uninterruptibleMask((restore) => Effect.andThen(restore(inputs.take(1)), send))
      })
  }
})
