import * as Result from "effect/Result"
import * as BrowserDomain from "./BrowserDomain.ts"
import type { Method, Methods } from "./Method.ts"
import * as PageDomain from "./PageDomain.ts"
import * as Protocol from "./Protocol.ts"
import * as RuntimeDomain from "./RuntimeDomain.ts"
import * as Settings from "./Settings.ts"
import * as Pages from "./Pages.ts"
import * as State from "./State.ts"
import * as TargetDomain from "./TargetDomain.ts"

const around: Methods = new Map([...BrowserDomain.methods, ...TargetDomain.methods])
const inside: Methods = new Map([...around, ...PageDomain.methods, ...RuntimeDomain.methods])

const ofPagesOnly = /^(?:Page|Runtime|Emulation|Network|Log|Inspector|Performance|Audits)\./u

/** Returns a method of a session. Sessions with a page have all methods, others only those about the browser. */
const methodOf = (session: State.Session, name: string): Method | undefined => {
  if (session.target.type === "page") return inside.get(name) ?? Settings.methods.get(name)
  if (name === "Runtime.runIfWaitingForDebugger" || !ofPagesOnly.test(name)) {
    return around.get(name) ?? Settings.methods.get(name)
  }
  return undefined
}

const answer = (state: State.State, connection: State.Connection, message: string): void => {
  const command = Protocol.command(message)
  const refuse = (refusal: Protocol.Refusal) => State.reply(state, connection, Protocol.refusal(command, refusal))
  if (command === undefined) return refuse(Protocol.notACommand)
  const session = command.sessionId === undefined ? connection.root : connection.sessions.get(command.sessionId)
  if (session === undefined) return refuse(Protocol.unknownSession)
  const method = methodOf(session, command.method)
  if (method === undefined) return refuse(Protocol.unknownMethod(command.method))
  const later: Array<() => void> = []
  const afterwards = (effect: () => void) => void later.push(effect)
  Result.match(method({ state, session, afterwards }, command.params ?? {}), {
    onFailure: refuse,
    onSuccess: (result) => State.reply(state, connection, Protocol.answer(command, result))
  })
  for (const effect of later) effect()
}

/**
 * A message goes in, and what the browser says to it comes out: to who sent it, and to the others whom it concerns.
 * Each command has exactly one answer. `now_s` is the time in seconds.
 */
export const receive = (
  state: State.State,
  connectionId: number,
  message: string,
  now_s: number
): ReadonlyArray<State.Delivery> => {
  const connection = state.connections.get(connectionId)
  if (connection === undefined) return []
  state.now_s = now_s
  answer(state, connection, message)
  return taken(state)
}

/** Ends a connection; what is said is for the others. */
export const disconnect = (state: State.State, connectionId: number): ReadonlyArray<State.Delivery> => {
  Pages.disconnect(state, connectionId)
  return taken(state)
}

const taken = (state: State.State): ReadonlyArray<State.Delivery> => {
  const { deliveries } = state
  state.deliveries = []
  return deliveries
}
