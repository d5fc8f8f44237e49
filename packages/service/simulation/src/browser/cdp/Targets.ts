import type { Page } from "./Page.ts"
import type * as Protocol from "./Protocol.ts"
import { emit, type Filter, type Session, type State, type Target } from "./State.ts"

/** Chromium's own when a client names none: pages, and nothing around them. */
export const defaultFilter: Filter = [{ type: "browser", exclude: true }, { type: "tab", exclude: true }, {}]

const admits = (filter: Filter, type: string): boolean => {
  const entry = filter.find((candidate) => candidate.type === undefined || candidate.type === type)
  return entry !== undefined && entry.exclude !== true
}

/** A target's id; the browser's is that of the browser. */
export const targetId = (state: State, target: Target): string =>
  target.type === "browser" ? state.id : target.type === "tab" ? target.page.tabId : target.page.id

/** The two targets that a page is. */
export const targetsOf = (page: Page): ReadonlyArray<Target> => [
  { type: "tab", page },
  { type: "page", page }
]

/** Every target there is. */
export const targets = (state: State, filter: Filter): ReadonlyArray<Target> =>
  [{ type: "browser" } as const, ...[...state.pages.values()].flatMap(targetsOf)].filter(({ type }) =>
    admits(filter, type)
  )

export const findTarget = (state: State, id: string): Target | undefined =>
  targets(state, [{}]).find((target) => targetId(state, target) === id)

/** All sessions there are: of every connection its own, and those in it. */
export const allSessions = (state: State): ReadonlyArray<Session> =>
  [...state.connections.values()].flatMap(({ root, sessions }) => [root, ...sessions.values()])

/** The sessions with a page itself. */
export const sessionsWith = (state: State, page: Page): ReadonlyArray<Session> =>
  allSessions(state).filter(({ target }) => target.type === "page" && target.page === page)

/** CDP's description of a target. */
export const infoOf = (state: State, target: Target): Protocol.Result => {
  const id = targetId(state, target)
  const document = target.type === "browser" ? undefined : target.page.document
  return {
    targetId: id,
    type: target.type,
    title: document?.title ?? "",
    url: document?.url ?? "",
    attached: target.type === "browser" || allSessions(state).some((session) => targetId(state, session.target) === id),
    canAccessOpener: false,
    ...(target.type === "browser" ? {} : { browserContextId: target.page.contextId })
  }
}

/** Says an event about a target to everybody who wants to hear of its kind. */
export const announce = (
  state: State,
  target: Target,
  method: string,
  params: (target: Target) => Protocol.Result
): void => {
  for (const { discovers, root } of state.connections.values()) {
    if (discovers !== undefined && admits(discovers, target.type)) emit(state, root, method, params(target))
  }
}
