import type { CdpClient, CdpError, CdpEvent, LiveInput, LiveView, View } from "@webagent/engine"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as FiberHandle from "effect/FiberHandle"
import * as PubSub from "effect/PubSub"
import * as Queue from "effect/Queue"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Cast from "./Cast.ts"
import type { Signal } from "./Pacing.ts"

const TargetInfo = Schema.Struct({
  targetId: Schema.String,
  type: Schema.String,
  title: Schema.String,
  url: Schema.String,
  /** Such as `prerender`: not a tab that a person sees. */
  subtype: Schema.optionalKey(Schema.String)
})
const Listed = Schema.Struct({ targetInfo: TargetInfo })
const Destroyed = Schema.Struct({ targetId: Schema.String })
const Frame = Schema.Struct({
  data: Schema.String,
  sessionId: Schema.Int,
  metadata: Schema.Struct({ deviceWidth: Schema.Finite, deviceHeight: Schema.Finite })
})
const Attached = Schema.Struct({ sessionId: Schema.String })
const Captured = Schema.Struct({ data: Schema.String })

const isFrame = Schema.is(Frame)
const isListed = Schema.is(Listed)
const isDestroyed = Schema.is(Destroyed)

const quality = 60

/** The largest picture; a window that is larger is scaled down. */
const largest = { maxWidth: 1920, maxHeight: 1200 }

/** The tab that is currently shown. */
interface Front {
  readonly targetId: string
  readonly sessionId: string
  readonly signals: Queue.Queue<Signal>
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

/** Converts a person's input to a CDP command. */
const commandOf = (
  input: LiveInput,
  { height, width }: { readonly width: number; readonly height: number }
): readonly [method: string, params: Readonly<Record<string, unknown>>] => {
  switch (input._tag) {
    case "Mouse": {
      const { action, button, buttons, clicks, modifiers, x, y } = input
      const at = { x: x * width, y: y * height }
      const type = mouseTypes[action]
      return ["Input.dispatchMouseEvent", { type, ...at, button, buttons, clickCount: clicks, modifiers }]
    }
    case "Wheel": {
      const { deltaX, deltaY, modifiers, x, y } = input
      const at = { x: x * width, y: y * height }
      return ["Input.dispatchMouseEvent", { type: "mouseWheel", ...at, deltaX, deltaY, modifiers }]
    }
    case "Key": {
      const { action, code, key, keyCode, modifiers } = input
      const what = { code, key, windowsVirtualKeyCode: keyCode, modifiers }
      if (action === "released") return ["Input.dispatchKeyEvent", { type: "keyUp", ...what }]
      const text = textOf(key, modifiers)
      // Chromium knows the shortcuts of a system's own menu only when it has one
      const commands = key.toLowerCase() === "a" && (modifiers & 6) !== 0 ? { commands: ["selectAll"] } : {}
      return [
        "Input.dispatchKeyEvent",
        text === undefined
          ? { type: "rawKeyDown", ...what, ...commands }
          : { type: "keyDown", ...what, text, unmodifiedText: text }
      ]
    }
    case "Text":
      return ["Input.insertText", { text: input.text }]
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
  const tabs = new Map<string, typeof TargetInfo.Type>()
  let view: View = { picture: null, tab: null }
  let front: Front | undefined
  let wanted: string | undefined

  const publish = (change: Partial<View>) => {
    view = { ...view, ...change }
    // not `publishUnsafe`, which does not slide
    fork(PubSub.publish(views, view))
  }

  /** Chromium does not tell every change of a title. One that changes nothing else is shown with the next picture. */
  const retitle = (targetId: string) =>
    Effect.map(client.send("Target.getTargetInfo", { targetId }), (result) => {
      if (!isListed(result) || !tabs.has(targetId)) return
      tabs.set(targetId, result.targetInfo)
      followLast()
    })

  const look = Effect.fnUntraced(function* (targetId: string) {
    const { sessionId } = yield* Effect.flatMap(
      // a browser that hangs responds to neither, and must not hold up the end of its cast
      Effect.acquireRelease(
        client.send("Target.attachToTarget", { targetId, flatten: true }),
        ({ sessionId }) => Effect.sync(() => client.post("Target.detachFromTarget", { sessionId })),
        { interruptible: true }
      ),
      Schema.decodeUnknownEffect(Attached)
    )
    const signals = yield* Queue.unbounded<Signal>()
    const clock = yield* Clock.Clock
    let titled_ms = -Infinity
    const own: Front = { targetId, sessionId, signals, size: null }
    // without `Page.enable`, which a screencast does not need: a page's dialogs would wait for an answer of ours
    front = own
    yield* Effect.addFinalizer(() => Effect.sync(() => front === own && (front = undefined)))
    yield* Cast.run(
      {
        startScreencast: Effect.asVoid(
          client.send("Page.startScreencast", { format: "jpeg", quality, ...largest }, sessionId)
        ),
        stopScreencast: Effect.asVoid(client.send("Page.stopScreencast", {}, sessionId)),
        capture: client
          .send("Page.captureScreenshot", { format: "jpeg", quality, optimizeForSpeed: true }, sessionId)
          .pipe(
            Effect.flatMap(Schema.decodeUnknownEffect(Captured)),
            Effect.map(({ data }) => data)
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
    const tab = [...tabs.values()].at(-1)
    const shown = tab === undefined ? null : { title: tab.title, address: tab.url }
    if (shown?.title !== view.tab?.title || shown?.address !== view.tab?.address) publish({ tab: shown })
    if (tab?.targetId === wanted) return
    wanted = tab?.targetId
    fork(wanted === undefined ? FiberHandle.clear(following) : FiberHandle.run(following, Effect.ignore(look(wanted))))
  }

  const listen = ({ method, params, sessionId }: CdpEvent) => {
    if (method === "Page.screencastFrame" && isFrame(params)) {
      // at once, and whatever becomes of the frame: see `Pacing`
      fork(Effect.ignore(client.send("Page.screencastFrameAck", { sessionId: params.sessionId }, sessionId)))
      if (front === undefined || front.sessionId !== sessionId) return
      front.size = { width: params.metadata.deviceWidth, height: params.metadata.deviceHeight }
      Queue.offerUnsafe(front.signals, { _tag: "Changed", picture: params.data })
    } else if ((method === "Target.targetCreated" || method === "Target.targetInfoChanged") && isListed(params)) {
      const { targetInfo } = params
      if (targetInfo.type !== "page" || targetInfo.subtype !== undefined) return
      tabs.set(targetInfo.targetId, targetInfo)
      followLast()
    } else if (method === "Target.targetDestroyed" && isDestroyed(params)) {
      tabs.delete(params.targetId)
      followLast()
    }
  }

  yield* client.listen(listen)
  yield* client.send("Target.setDiscoverTargets", { discover: true })
  return {
    views: Stream.interruptWhen(Stream.fromPubSub(views), client.ended),
    input: (input) =>
      Effect.suspend(() => {
        if (front === undefined || front.size === null) return Effect.void
        const [method, params] = commandOf(input, front.size)
        return Effect.ignore(client.send(method, params, front.sessionId))
      })
  }
})
