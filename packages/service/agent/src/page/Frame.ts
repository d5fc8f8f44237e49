import type { CdpError, CdpSession, FrameInfo } from "@webagent/cdp"
import * as Effect from "effect/Effect"
import { Refused } from "./Failures.ts"
import { source, type World } from "./world/World.ts"

/** A document's place in a tab; the document changes, and its process may. */
export interface Frame {
  readonly id: string
  readonly parent: string | undefined
  session: CdpSession
  url: string
  /** The site that its document belongs to, such as `https://example.com`. */
  origin: string
  /** The world of the agent in its document. */
  world: number | undefined
  /** Its document in the world of the page. */
  document: string | undefined
  isCrashed: boolean
  /** Is true from when its document begins to leave until that is over. */
  isLeaving: boolean
  /** Is true if its parent's world has the element that holds it. */
  isPlaced: boolean
  /** The nodes that are known to listen to clicks. */
  readonly listening: Set<number>
}

export const make = (id: string, parent: string | undefined, session: CdpSession): Frame => ({
  id,
  parent,
  session,
  url: "",
  origin: "",
  world: undefined,
  document: undefined,
  isCrashed: false,
  isLeaving: false,
  isPlaced: false,
  listening: new Set()
})

/** Forgets a document that is gone. */
export const renew = (frame: Frame, { securityOrigin, url }: Pick<FrameInfo, "securityOrigin" | "url">): void => {
  frame.url = url
  frame.isCrashed = false
  frame.isLeaving = false
  frame.origin = securityOrigin
  forget(frame)
}

const forget = (frame: Frame) => {
  frame.world = undefined
  frame.document = undefined
  frame.listening.clear()
}

/** Returns whether a command failed because its document was replaced. */
const isLost = ({ message, reason }: CdpError) =>
  reason === "refused" && /context|Cannot find|navigated|No frame|objectId|Object id/iu.test(message)

/** The number of the agent's world in a frame, which is made when there is none. */
export const enter = Effect.fnUntraced(function* (frame: Frame) {
  if (frame.world !== undefined) return frame.world
  const { executionContextId } = yield* frame.session.send("Page.createIsolatedWorld", {
    frameId: frame.id,
    worldName: "agent"
  })
  // what is sent after it finds the world
  frame.session.post("Runtime.evaluate", { expression: source, contextId: executionContextId })
  frame.world = executionContextId
  return executionContextId
})

/** Carries out what needs a frame's document, once more when that was replaced meanwhile. */
export const withDocument = <A, E>(
  frame: Frame,
  work: Effect.Effect<A, E | CdpError>
): Effect.Effect<A, E | CdpError> =>
  Effect.catchIf(
    work,
    (error): error is Extract<E | CdpError, CdpError> => hasTag(error) && error._tag === "CdpError" && isLost(error),
    () => {
      forget(frame)
      return work
    }
  )

const hasTag = (error: unknown): error is CdpError => typeof error === "object" && error !== null && "_tag" in error

const evaluate = Effect.fnUntraced(function* (frame: Frame, expression: string, returnByValue: boolean) {
  const contextId = yield* enter(frame)
  const { exceptionDetails, result } = yield* frame.session.send("Runtime.evaluate", {
    expression,
    contextId,
    returnByValue,
    awaitPromise: true
  })
  if (exceptionDetails === undefined) return result
  const description = exceptionDetails.exception?.description ?? exceptionDetails.text
  return yield* new Refused({ message: (description.split("\n")[0] ?? description).replace(/^Error: /u, "") })
})

const expressionOf = (name: keyof World, args: ReadonlyArray<unknown>) =>
  `agentWorld.${name}(${args.map((arg) => JSON.stringify(arg)).join(",")})`

/** Calls a function of the agent's world in a frame. */
export const call = <Name extends keyof World>(
  frame: Frame,
  name: Name,
  ...args: Parameters<World[Name]>
): Effect.Effect<Awaited<ReturnType<World[Name]>>, CdpError | Refused> =>
  Effect.map(
    withDocument(frame, evaluate(frame, expressionOf(name, args), true)),
    // values come back as JSON of what the function answers
    ({ value }) => value as Awaited<ReturnType<World[Name]>>
  )

/** Calls a function of the agent's world without waiting for it, if the frame still has that world. */
export const post = ({ session, world }: Frame, name: keyof World): void => {
  if (world !== undefined) session.post("Runtime.evaluate", { expression: expressionOf(name, []), contextId: world })
}

/** As `call`, for what stays in the page: the id of the object there. */
export const objectOf = <Name extends keyof World>(
  frame: Frame,
  name: Name,
  ...args: Parameters<World[Name]>
): Effect.Effect<string | undefined, CdpError | Refused> =>
  Effect.map(withDocument(frame, evaluate(frame, expressionOf(name, args), false)), ({ objectId }) => objectId)
