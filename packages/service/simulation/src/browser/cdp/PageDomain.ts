import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Document from "./Document.ts"
import * as Method from "./Method.ts"
import { contextOf, frameOf, type Page, world } from "./Page.ts"
import * as Protocol from "./Protocol.ts"
import * as Pages from "./Pages.ts"
import * as Targets from "./Targets.ts"
import * as State from "./State.ts"

const emitTo = (
  state: State.State,
  page: Page,
  domain: "page" | "runtime" | "lifecycle",
  method: string,
  params: Protocol.Result
) => {
  for (const session of Targets.sessionsWith(state, page)) {
    if (session.enabled.has(domain)) State.emit(state, session, method, params)
  }
}

const lifecycle = (state: State.State, page: Page, name: string) => ({
  frameId: page.id,
  loaderId: page.loaderId,
  name,
  timestamp: state.now_s
})

const milestones = ["init", "commit", "DOMContentLoaded", "load", "networkAlmostIdle", "networkIdle"]

/** The world of this name in the document that is open, announced when it is new; nothing when there are too many. */
const makeWorld = (state: State.State, page: Page, name: string): number | undefined => {
  const created = world(page, name, () => State.nextNumber(state))
  if (created?.made === true) {
    emitTo(state, page, "runtime", "Runtime.executionContextCreated", { context: contextOf(page, created.world) })
  }
  return created?.world.id
}

/** Puts another document in place of the one that is open, and says all that a browser says while it loads. */
const load = (state: State.State, page: Page, loaderId: string, document: Document.Document) => {
  const frameId = page.id
  const sayLifecycle = (name: string) =>
    emitTo(state, page, "lifecycle", "Page.lifecycleEvent", lifecycle(state, page, name))
  emitTo(state, page, "page", "Page.frameStartedLoading", { frameId })
  page.document = document
  page.loaderId = loaderId
  page.objects.clear()
  page.worlds = []
  sayLifecycle("init")
  emitTo(state, page, "runtime", "Runtime.executionContextsCleared", {})
  emitTo(state, page, "page", "Page.frameNavigated", { frame: frameOf(page), type: "Navigation" })
  makeWorld(state, page, "")
  const names = Targets.sessionsWith(state, page).flatMap(({ worldScripts }) => [...worldScripts.values()])
  for (const name of names) makeWorld(state, page, name)
  sayLifecycle("commit")
  sayLifecycle("DOMContentLoaded")
  emitTo(state, page, "page", "Page.domContentEventFired", { timestamp: state.now_s })
  sayLifecycle("load")
  emitTo(state, page, "page", "Page.loadEventFired", { timestamp: state.now_s })
  emitTo(state, page, "page", "Page.frameStoppedLoading", { frameId })
  sayLifecycle("networkAlmostIdle")
  sayLifecycle("networkIdle")
  Targets.announce(state, { type: "page", page }, "Target.targetInfoChanged", (target) => ({
    targetInfo: Targets.infoOf(state, target)
  }))
}

const navigate = Method.ofPage(Schema.Struct({ url: Schema.String }), ({ afterwards, state }, page, { url }) => {
  const loaderId = State.nextId(state)
  const document = Option.getOrUndefined(Document.open(url))
  if (document === undefined) return Result.succeed({ frameId: page.id, loaderId, errorText: Document.cannotOpen })
  afterwards(() => load(state, page, loaderId, document))
  return Result.succeed({ frameId: page.id, loaderId })
})

const reload = Method.ofPage(Method.anything, ({ afterwards, state }, page) => {
  afterwards(() => load(state, page, State.nextId(state), page.document))
  return Method.done
})

const setLifecycleEventsEnabled = Method.ofPage(
  Schema.Struct({ enabled: Schema.Boolean }),
  ({ session, state }, page, { enabled }) => {
    if (!enabled) session.enabled.delete("lifecycle")
    else {
      session.enabled.add("lifecycle")
      for (const name of milestones) State.emit(state, session, "Page.lifecycleEvent", lifecycle(state, page, name))
    }
    return Method.done
  }
)

const mostScripts = 32

const addScript = Method.make(
  Schema.Struct({ worldName: Schema.optionalKey(Schema.String) }),
  ({ session, state }, { worldName }) => {
    const identifier = String(State.nextNumber(state))
    if (worldName === undefined || worldName === "") return Result.succeed({ identifier })
    if (session.worldScripts.size >= mostScripts) {
      return Result.fail(Protocol.impossible("This browser is simulated: the session has too many scripts"))
    }
    session.worldScripts.set(identifier, worldName)
    return Result.succeed({ identifier })
  }
)

const createIsolatedWorld = Method.ofPage(
  Schema.Struct({ frameId: Schema.String, worldName: Schema.optionalKey(Schema.String) }),
  ({ state }, page, { frameId, worldName = "" }) => {
    if (frameId !== page.id) return Result.fail(Protocol.impossible("No frame for given id found"))
    const executionContextId = makeWorld(state, page, worldName === "" ? "isolated" : worldName)
    return executionContextId === undefined
      ? Result.fail(Protocol.impossible("This browser is simulated: the page has too many worlds"))
      : Result.succeed({ executionContextId })
  }
)

/** One frame that loads at once. What a page shows, and its scripts, are not simulated. */
export const methods: Method.Methods = new Map<string, Method.Method>([
  ["Page.enable", Method.listening("page", true)],
  ["Page.disable", Method.listening("page", false)],
  [
    "Page.getFrameTree",
    Method.ofPage(Method.anything, (_, page) =>
      Result.succeed({ frameTree: { frame: frameOf(page), childFrames: [] } })
    )
  ],
  ["Page.setLifecycleEventsEnabled", setLifecycleEventsEnabled],
  ["Page.addScriptToEvaluateOnNewDocument", addScript],
  [
    "Page.removeScriptToEvaluateOnNewDocument",
    Method.make(Schema.Struct({ identifier: Schema.String }), ({ session }, { identifier }) => {
      session.worldScripts.delete(identifier)
      return Method.done
    })
  ],
  ["Page.createIsolatedWorld", createIsolatedWorld],
  ["Page.navigate", navigate],
  ["Page.reload", reload],
  [
    "Page.getNavigationHistory",
    Method.ofPage(Method.anything, (_, { document }) => {
      const { title, url } = document
      return Result.succeed({
        currentIndex: 0,
        entries: [{ id: 1, url, userTypedURL: url, title, transitionType: "typed" }]
      })
    })
  ],
  [
    "Page.close",
    Method.ofPage(Method.anything, ({ afterwards, state }, page) => {
      afterwards(() => Pages.removePage(state, page))
      return Method.done
    })
  ]
])
