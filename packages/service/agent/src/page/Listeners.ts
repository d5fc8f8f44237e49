import type { CdpError } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Frame from "./Frame.ts"

const clicks = new Set(["click", "mousedown", "mouseup", "pointerdown", "pointerup", "touchstart", "dblclick"])

/** What nobody needs any more is released by this name. */
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
  const fresh = new Set<number>()
  for (const { backendNodeId, type } of listeners) {
    if (backendNodeId !== undefined && clicks.has(type) && !frame.listening.has(backendNodeId)) fresh.add(backendNodeId)
  }
  if (fresh.size === 0) return false
  const ids = Array.from(fresh).slice(0, resolved_most)
  for (const id of ids) frame.listening.add(id)
  const resolved = yield* Effect.forEach(
    ids,
    (backendNodeId) =>
      Effect.option(
        frame.session.send("DOM.resolveNode", { backendNodeId, executionContextId: contextId, objectGroup })
      ),
    { concurrency: "unbounded" }
  )
  const elements = resolved.flatMap((one) =>
    Option.isSome(one) && one.value.object.objectId !== undefined ? [{ objectId: one.value.object.objectId }] : []
  )
  if (elements.length === 0) return false
  yield* frame.session.send("Runtime.callFunctionOn", {
    functionDeclaration: "function(...nodes){agentWorld.hear(...nodes.filter((node)=>node instanceof Element))}",
    executionContextId: contextId,
    arguments: elements
  })
  frame.session.post("Runtime.releaseObjectGroup", { objectGroup })
  return true
})
