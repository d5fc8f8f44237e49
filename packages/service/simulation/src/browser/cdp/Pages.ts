import { hash } from "node:crypto"
import * as Document from "./Document.ts"
import type { Page } from "./Page.ts"
import * as Protocol from "./Protocol.ts"
import { attachNew, detach } from "./Sessions.ts"
import { hangUp, nextId, nextNumber, type State } from "./State.ts"
import { allSessions, announce, infoOf, targetId, targetsOf } from "./Targets.ts"

const mostPages = 64
const mostContexts = 64

/** A new page, or why there is none. */
export const addPage = (state: State, contextId: string, document: Document.Document): Page | Protocol.Refusal => {
  if (contextId !== state.defaultContextId && !state.contexts.has(contextId)) {
    return Protocol.impossible("Failed to find browser context with id")
  }
  if (state.pages.size >= mostPages) {
    return Protocol.impossible(`This browser is simulated: it has at most ${mostPages} pages. Close one first.`)
  }
  const page: Page = {
    id: nextId(state),
    tabId: nextId(state),
    contextId,
    document,
    loaderId: nextId(state),
    worlds: [{ id: nextNumber(state), name: "" }],
    objects: new Map()
  }
  state.pages.set(page.id, page)
  for (const target of targetsOf(page)) {
    announce(state, target, "Target.targetCreated", () => ({ targetInfo: infoOf(state, target) }))
  }
  for (const session of allSessions(state)) attachNew(state, session, true)
  return page
}

export const removePage = (state: State, page: Page): void => {
  for (const session of allSessions(state)) {
    if (session.target.type === "browser" || session.target.page !== page) continue
    if (session.id === undefined) hangUp(state, session.connection)
    else detach(state, session)
  }
  state.pages.delete(page.id)
  for (const target of targetsOf(page)) {
    announce(state, target, "Target.targetDestroyed", () => ({ targetId: targetId(state, target) }))
  }
}

/** A new context, or nothing when there are too many. */
export const addContext = (state: State, goesWith: number | undefined): string | undefined => {
  if (state.contexts.size >= mostContexts) return undefined
  const id = nextId(state)
  state.contexts.set(id, { goesWith })
  return id
}

export const removeContext = (state: State, id: string): boolean => {
  for (const page of state.pages.values()) if (page.contextId === id) removePage(state, page)
  return state.contexts.delete(id)
}

/** Forgets a connection, its sessions, and the contexts that were to go with it. */
export const disconnect = (state: State, id: number): void => {
  state.connections.delete(id)
  for (const [contextId, { goesWith }] of state.contexts) if (goesWith === id) removeContext(state, contextId)
}

/** A browser that has just started: one blank page, and no connection. */
export const start = (id: string): State => {
  const state: State = {
    id,
    defaultContextId: hash("sha256", `${id} context`, "hex").slice(0, 32).toUpperCase(),
    contexts: new Map(),
    pages: new Map(),
    connections: new Map(),
    counter: 0,
    now_s: 0,
    deliveries: []
  }
  addPage(state, state.defaultContextId, Document.blank)
  return state
}
