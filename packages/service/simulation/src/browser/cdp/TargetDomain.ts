import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Document from "./Document.ts"
import * as Method from "./Method.ts"
import * as Protocol from "./Protocol.ts"
import * as Pages from "./Pages.ts"
import * as Sessions from "./Sessions.ts"
import * as Targets from "./Targets.ts"
import * as State from "./State.ts"

const Filter = Schema.optionalKey(
  Schema.Array(Schema.Struct({ type: Schema.optionalKey(Schema.String), exclude: Schema.optionalKey(Schema.Boolean) }))
)
const targetId = Schema.String

const noTarget = Result.fail(Protocol.impossible("No target with given id found"))
const notFlat = Result.fail(Protocol.impossible("Only flatten protocol is supported: pass flatten: true"))
const tooManySessions = Result.fail(
  Protocol.impossible("This browser is simulated: the connection has too many sessions")
)

const attached = (session: State.Session | undefined): Method.Outcome =>
  session === undefined ? tooManySessions : Result.succeed({ sessionId: session.id })

const setAutoAttach = Method.make(
  Schema.Struct({
    autoAttach: Schema.Boolean,
    waitForDebuggerOnStart: Schema.Boolean,
    flatten: Schema.optionalKey(Schema.Boolean),
    filter: Filter
  }),
  ({ session, state }, { autoAttach, filter, flatten, waitForDebuggerOnStart }) => {
    if (autoAttach && flatten !== true) return notFlat
    if (autoAttach) {
      session.autoAttach = { filter: filter ?? Targets.defaultFilter, waits: waitForDebuggerOnStart }
      Sessions.attachNew(state, session, false)
    } else {
      session.autoAttach = undefined
      for (const child of session.connection.sessions.values()) {
        if (child.automatic && child.parent === session) Sessions.detach(state, child)
      }
    }
    return Method.done
  }
)

const setDiscoverTargets = Method.make(
  Schema.Struct({ discover: Schema.Boolean, filter: Filter }),
  ({ session, state }, { discover, filter = Targets.defaultFilter }) => {
    session.connection.discovers = discover ? filter : undefined
    if (discover) {
      for (const target of Targets.targets(state, filter)) {
        State.emit(state, session.connection.root, "Target.targetCreated", {
          targetInfo: Targets.infoOf(state, target)
        })
      }
    }
    return Method.done
  }
)

const createTarget = Method.make(
  Schema.Struct({ url: Schema.String, browserContextId: Schema.optionalKey(Schema.String) }),
  ({ state }, { browserContextId = state.defaultContextId, url }) => {
    const document = Option.getOrUndefined(Document.open(url))
    if (document === undefined) return Result.fail(Protocol.impossible(Document.cannotOpen))
    const page = Pages.addPage(state, browserContextId, document)
    return "code" in page ? Result.fail(page) : Result.succeed({ targetId: page.id })
  }
)

const closeTarget = Method.make(Schema.Struct({ targetId }), ({ state }, params) => {
  const target = Targets.findTarget(state, params.targetId)
  if (target === undefined || target.type === "browser") return noTarget
  Pages.removePage(state, target.page)
  return Result.succeed({ success: true })
})

const createBrowserContext = Method.make(
  Schema.Struct({ disposeOnDetach: Schema.optionalKey(Schema.Boolean) }),
  ({ session, state }, { disposeOnDetach }) => {
    const browserContextId = Pages.addContext(state, disposeOnDetach === true ? session.connection.id : undefined)
    return browserContextId === undefined
      ? Result.fail(Protocol.impossible("This browser is simulated: it has too many contexts. Dispose of one first."))
      : Result.succeed({ browserContextId })
  }
)

/** Tabs, pages and the contexts that hold them. */
export const methods: Method.Methods = new Map<string, Method.Method>([
  ["Target.setAutoAttach", setAutoAttach],
  ["Target.setDiscoverTargets", setDiscoverTargets],
  ["Target.createTarget", createTarget],
  ["Target.closeTarget", closeTarget],
  ["Target.createBrowserContext", createBrowserContext],
  [
    "Target.disposeBrowserContext",
    Method.make(Schema.Struct({ browserContextId: Schema.String }), ({ state }, { browserContextId }) =>
      Pages.removeContext(state, browserContextId)
        ? Method.done
        : Result.fail(Protocol.impossible("Failed to find context with id"))
    )
  ],
  [
    "Target.getBrowserContexts",
    ({ state }) =>
      Result.succeed({ browserContextIds: [...state.contexts.keys()], defaultBrowserContextId: state.defaultContextId })
  ],
  [
    "Target.getTargets",
    Method.make(Schema.Struct({ filter: Filter }), ({ state }, { filter = Targets.defaultFilter }) =>
      Result.succeed({ targetInfos: Targets.targets(state, filter).map((target) => Targets.infoOf(state, target)) })
    )
  ],
  [
    "Target.getTargetInfo",
    Method.make(Schema.Struct({ targetId: Schema.optionalKey(targetId) }), ({ session, state }, params) => {
      const target = params.targetId === undefined ? session.target : Targets.findTarget(state, params.targetId)
      return target === undefined ? noTarget : Result.succeed({ targetInfo: Targets.infoOf(state, target) })
    })
  ],
  [
    "Target.attachToTarget",
    Method.make(
      Schema.Struct({ targetId, flatten: Schema.optionalKey(Schema.Boolean) }),
      ({ session, state }, params) => {
        const target = Targets.findTarget(state, params.targetId)
        if (target === undefined) return noTarget
        if (params.flatten !== true) return notFlat
        return attached(Sessions.attach(state, session, target, { automatic: false, waits: false }))
      }
    )
  ],
  [
    "Target.attachToBrowserTarget",
    ({ session, state }) =>
      attached(Sessions.attach(state, session, { type: "browser" }, { automatic: false, waits: false }))
  ],
  [
    "Target.detachFromTarget",
    Method.make(
      Schema.Struct({ sessionId: Schema.optionalKey(Schema.String) }),
      ({ session, state }, { sessionId }) => {
        const detached = session.connection.sessions.get(sessionId ?? session.id ?? "")
        if (detached === undefined) return Result.fail(Protocol.impossible("No session with given id"))
        Sessions.detach(state, detached)
        return Method.done
      }
    )
  ],
  ["Target.activateTarget", Method.always({})]
])
