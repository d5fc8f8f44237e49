import type { CdpError } from "@webagent/cdp"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Frame from "./Frame.ts"

const clicks = new Set(["click", "mousedown", "mouseup", "pointerdown", "pointerup", "touchstart", "dblclick"])

/**
 * Events under the mouse. An element that listens to them only counts if it has no parts, because whole menus and pages
 * listen as well.
 */
const hovers = new Set(["mouseover", "mouseenter", "pointerover", "pointerenter"])

/** The name by which objects in the page are released when they aren't needed any more. */
const objectGroup = "agent"

const resolved_most = 500

/**
 * The frame's document in the world of the page. With that of the agent's world, Chromium 153 hands out two objects
 * for one node from then on.
 */
const documentOf = Effect.fnUntraced(function* (frame: Frame.Frame) {
  if (frame.document !== undefined) return frame.document
  const contextId = yield* Frame.enter(frame)
  const { result } = yield* frame.session.send("Runtime.evaluate", { expression: "document", contextId })
  const { node } = yield* frame.session.send("DOM.describeNode", { objectId: result.objectId ?? "" })
  const { object } = yield* frame.session.send("DOM.resolveNode", { backendNodeId: node.backendNodeId })
  frame.document = object.objectId
  return frame.document ?? ""
})

/** Tells a frame's world which elements listen to clicks; whether there were new ones. */
export const hear = Effect.fnUntraced(function* (
  frame: Frame.Frame,
  hasFrames: boolean
): Effect.fn.Return<boolean, CdpError> {
  const contextId = yield* Frame.enter(frame)
  const { listeners } = yield* frame.session.send("DOMDebugger.getEventListeners", {
    objectId: yield* documentOf(frame),
    depth: -1,
    // into shadow roots, but not into frames: each is asked by itself
    pierce: !hasFrames
  })
  const freshOf = (types: ReadonlySet<string>) =>
    listeners.flatMap(({ backendNodeId, type }) =>
      backendNodeId !== undefined && types.has(type) && !frame.listening.has(backendNodeId) ? [backendNodeId] : []
    )
  const clicked = new Set(freshOf(clicks))
  const ids = Array.from(new Set([...clicked, ...freshOf(hovers)])).slice(0, resolved_most)
  if (ids.length === 0) return false
  for (const id of ids) frame.listening.add(id)
  const resolved = yield* Effect.forEach(
    ids,
    (backendNodeId) =>
      Effect.option(
        frame.session.send("DOM.resolveNode", { backendNodeId, executionContextId: contextId, objectGroup })
      ),
    { concurrency: "unbounded" }
  )
  const elements = resolved.flatMap((one, at) => {
    const objectId = Option.isSome(one) ? one.value.object.objectId : undefined
    return objectId === undefined ? [] : [{ objectId, isClicked: clicked.has(ids[at] ?? 0) }]
  })
  if (elements.length === 0) return false
  yield* frame.session.send("Runtime.callFunctionOn", {
    functionDeclaration: `function(count,...nodes){agentWorld.hear(...nodes.filter((node,at)=>node instanceof Element&&(at<count||node.childElementCount===0)))}`,
    executionContextId: contextId,
    arguments: [
      { value: elements.filter(({ isClicked }) => isClicked).length },
      // those that listen to clicks are the first
      ...elements.map(({ objectId }) => ({ objectId }))
    ]
  })
  frame.session.post("Runtime.releaseObjectGroup", { objectGroup })
  return true
})
