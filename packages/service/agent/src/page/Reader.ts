import type { CdpError } from "@webagent/cdp"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Refused } from "./Failures.ts"
import * as Frame from "./Frame.ts"
import * as Listeners from "./Listeners.ts"
import { mainFrame, type Tab, withSource } from "./Tab.ts"
import type { Read, ReadOptions } from "./world/Drafting.ts"
import { words } from "./world/Words.ts"

const { cut } = words()

const depth_most = 5
const opaque_most = 50

/** Lets the world see into closed shadow roots. */
const openRoots = Effect.fnUntraced(function* (frame: Frame.Frame) {
  const list = yield* Frame.objectOf(frame, "opaqueElements")
  if (list === undefined) return
  const { result } = yield* frame.session.send("Runtime.getProperties", { objectId: list, ownProperties: true })
  const hosts = result.flatMap(({ name, value }) =>
    /^\d+$/u.test(name) && value?.objectId !== undefined ? [value.objectId] : []
  )
  yield* Effect.forEach(hosts.slice(0, opaque_most), (host) => Effect.ignore(openRoot(frame, host)), {
    concurrency: "unbounded",
    discard: true
  })
})

const openRoot = Effect.fnUntraced(function* (frame: Frame.Frame, host: string) {
  const { node } = yield* frame.session.send("DOM.describeNode", { objectId: host, depth: 1, pierce: true })
  const root = node.shadowRoots?.find(({ shadowRootType }) => shadowRootType === "closed")
  if (root === undefined) return
  const executionContextId = yield* Frame.enter(frame)
  const { object } = yield* frame.session.send("DOM.resolveNode", {
    backendNodeId: root.backendNodeId,
    executionContextId
  })
  yield* frame.session.send("Runtime.callFunctionOn", {
    functionDeclaration: "function(root){agentWorld.open(this,root)}",
    objectId: host,
    arguments: [object]
  })
})

const childrenOf = (tab: Tab, parent: Frame.Frame) =>
  Array.from(tab.frames.values()).filter((frame) => frame.parent === parent.id)

/** Tells a frame's world which elements hold the frames inside it. */
const placeFrames = (tab: Tab, parent: Frame.Frame) =>
  Effect.forEach(
    childrenOf(tab, parent).filter(({ isPlaced }) => !isPlaced),
    (child) => Effect.ignore(placeFrame(parent, child)),
    { concurrency: "unbounded", discard: true }
  )

const placeFrame = Effect.fnUntraced(function* (parent: Frame.Frame, child: Frame.Frame) {
  const { backendNodeId } = yield* parent.session.send("DOM.getFrameOwner", { frameId: child.id })
  const executionContextId = yield* Frame.enter(parent)
  const { object } = yield* parent.session.send("DOM.resolveNode", { backendNodeId, executionContextId })
  yield* parent.session.send("Runtime.callFunctionOn", {
    functionDeclaration: "function(id){agentWorld.nameFrame(this,id)}",
    ...(object.objectId === undefined ? { executionContextId } : { objectId: object.objectId }),
    arguments: [{ value: child.id }]
  })
  child.isPlaced = true
})

/** Reads one frame, and learns what belongs to it: who listens, what is closed, which frames are inside. */
const readFrame = Effect.fnUntraced(function* (
  tab: Tab,
  frame: Frame.Frame,
  options: Omit<ReadOptions, "look" | "next">
) {
  const once = Effect.suspend(() =>
    Frame.call(frame, "read", { ...options, next: tab.counter.next, look: tab.looks })
  ).pipe(
    Effect.tap(({ next }) =>
      Effect.sync(() => {
        if (next > tab.counter.next) tab.numbers.push({ from: tab.counter.next, to: next, frame: frame.id })
        tab.counter.next = Math.max(next, tab.counter.next)
      })
    ),
    Effect.map((read) => ({ ...read, shown: read.shown.map((one) => withSource(tab, frame, one)) }))
  )
  // a new document is asked who listens first; later both at once, as there is seldom anything new
  const isNew = frame.document === undefined
  const hear = Effect.orElseSucceed(
    Frame.withDocument(
      frame,
      Effect.suspend(() => Listeners.hear(frame, childrenOf(tab, frame).length > 0))
    ),
    () => false
  )
  if (isNew) yield* hear
  const [read, hasNew] = isNew ? [yield* once, false] : yield* Effect.all([once, hear], { concurrency: 2 })
  if (read.opaque > 0) yield* Effect.ignore(openRoots(frame))
  if (read.unknownFrames > 0) yield* placeFrames(tab, frame)
  return hasNew || read.opaque > 0 || read.unknownFrames > 0 ? yield* once : read
})

/** Addresses of other kinds may hold the document itself. */
const addressOf = (url: string) => (/^https?:/u.test(url) ? cut(url, 200) : url.slice(0, url.indexOf(":") + 1))

const whyNot = ({ isCrashed, url }: Frame.Frame) => {
  if (isCrashed) return "(the document crashed)"
  return url.startsWith("chrome-error:") ? "(the document did not load)" : "(a document that this task may not read)"
}

/** Describes a document that can't or may not be read. */
const nothing = (frame: Frame.Frame): Read => ({
  text: whyNot(frame),
  frames: [],
  next: 0,
  url: frame.url,
  title: "",
  above: 0,
  below: 0,
  height: 1,
  left: 0,
  right: 0,
  elements: 0,
  shown: [],
  omitted: 0,
  opaque: 0,
  unknownFrames: 0,
  captcha: false,
  canvas: false
})

/** Reads a tab: the text of a frame, with the text of its inner frames in their places. */
export const read = (
  tab: Tab,
  options: Omit<ReadOptions, "look" | "next">,
  frame: Frame.Frame = mainFrame(tab),
  depth = 0
): Effect.Effect<Read, CdpError | Refused> =>
  Effect.gen(function* () {
    if (frame.isCrashed || !tab.mayLoad(frame.url)) return nothing(frame)
    const outer = yield* readFrame(tab, frame, options)
    let whole = outer
    for (const [at, id] of outer.frames.entries()) {
      const child = tab.frames.get(id)
      const inner =
        child === undefined || depth >= depth_most
          ? Option.none()
          : yield* Effect.option(
              read(tab, { ...options, maxChars: Math.max(0, options.maxChars - whole.text.length) }, child, depth + 1)
            )
      const text = Option.match(inner, {
        onNone: () => "(a frame that cannot be read)",
        onSome: (inside) => `(frame ${addressOf(inside.url)})\n${inside.text.replaceAll(/^/gmu, "  ")}\n(end of frame)`
      })
      whole = { ...whole, text: whole.text.replace(new RegExp(`^\u0001${at}$`, "mu"), () => text) }
      if (Option.isNone(inner)) continue
      const { canvas, captcha, elements, omitted, shown } = inner.value
      whole = {
        ...whole,
        elements: whole.elements + elements,
        shown: [...whole.shown, ...shown],
        omitted: whole.omitted + omitted,
        captcha: whole.captcha || captcha,
        canvas: whole.canvas || canvas
      }
    }
    return whole
  })
