import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { version } from "./BrowserDomain.ts"
import { evaluate as evaluateSource, literalsOnly, type Source, type Value } from "./Literal.ts"
import * as Method from "./Method.ts"
import { contextOf, hold, type Page } from "./Page.ts"
import * as PlaywrightScript from "./PlaywrightScript.ts"
import * as Protocol from "./Protocol.ts"
import { byReference, byValue, thrown } from "./RemoteObject.ts"
import * as State from "./State.ts"

const noContext = Protocol.impossible("Cannot find context with specified id")
const noObject = Protocol.impossible("Could not find object with given id")

/** The name under which a world's copy of Playwright's script goes; nothing of it is kept. */
const scriptName = "playwright"
const scriptClass = "UtilityScript"

const worldOf = (page: Page, contextId: number | undefined, uniqueId: string | undefined) =>
  page.worlds.find((world) =>
    contextId !== undefined
      ? world.id === contextId
      : uniqueId === undefined
        ? world.name === ""
        : contextOf(page, world).uniqueId === uniqueId
  )

/** The world that an object's id begins with. */
const worldOfObject = (page: Page, objectId: string) => worldOf(page, Number(objectId.split(".", 1)[0]), undefined)

interface Said {
  readonly worldId: number
  readonly returnByValue: boolean
}

/** Says a value by value, or keeps it in the page and says its name. */
const say = (state: State.State, page: Page, value: Value, { returnByValue, worldId }: Said): Protocol.Result => {
  if (returnByValue || typeof value !== "object" || value === null) return { result: byValue(value) }
  const objectId = `${worldId}.${State.nextNumber(state)}`
  hold(page, objectId, value)
  return { result: byReference(value, objectId) }
}

const throws = (state: State.State, message: string): Method.Outcome =>
  Result.succeed(thrown(message, State.nextNumber(state)))

const valueOf = (page: Page, source: Source) => evaluateSource(source, page.document, version.userAgent)

const evaluateIn = (state: State.State, page: Page, source: Source, how: Said): Method.Outcome =>
  Result.match(valueOf(page, source), {
    onFailure: (message) => throws(state, message),
    onSuccess: (value) => Result.succeed(say(state, page, value, how))
  })

const Evaluate = Schema.Struct({
  expression: Schema.String,
  contextId: Schema.optionalKey(Schema.Int),
  uniqueContextId: Schema.optionalKey(Schema.String),
  returnByValue: Schema.optionalKey(Schema.Boolean)
})

const evaluate = Method.ofPage(Evaluate, ({ state }, page, params) => {
  const world = worldOf(page, params.contextId, params.uniqueContextId)
  if (world === undefined) return Result.fail(noContext)
  if (PlaywrightScript.isInstallation(params.expression)) {
    const objectId = `${world.id}.${scriptName}`
    return Result.succeed({ result: { type: "object", className: scriptClass, description: scriptClass, objectId } })
  }
  const how = { worldId: world.id, returnByValue: params.returnByValue === true }
  return evaluateIn(state, page, { text: params.expression, called: false }, how)
})

const CallArgument = Schema.Struct({
  value: Schema.optionalKey(Schema.Unknown),
  unserializableValue: Schema.optionalKey(Schema.String),
  objectId: Schema.optionalKey(Schema.String)
})
type CallArgument = typeof CallArgument.Type

const Call = Schema.Struct({
  functionDeclaration: Schema.String,
  objectId: Schema.optionalKey(Schema.String),
  executionContextId: Schema.optionalKey(Schema.Int),
  uniqueContextId: Schema.optionalKey(Schema.String),
  arguments: Schema.optionalKey(Schema.Array(CallArgument)),
  returnByValue: Schema.optionalKey(Schema.Boolean)
})

const isHeld = (page: Page, { objectId }: CallArgument) => objectId === undefined || page.objects.has(objectId)

/** A call of Playwright's script: its first argument is the script itself, and handles come last. */
const callScript = (
  state: State.State,
  page: Page,
  called: "evaluate" | "jsonValue",
  args: ReadonlyArray<CallArgument>,
  how: Said
): Method.Outcome => {
  const [, ...rest] = args
  if (!rest.every((one) => isHeld(page, one))) return Result.fail(noObject)
  const handles = rest.flatMap(({ objectId }) => (objectId === undefined ? [] : [page.objects.get(objectId)]))
  if (called === "jsonValue") return Result.succeed({ result: byValueEncoded(handles[0]) })
  const values = rest.filter(({ objectId }) => objectId === undefined).map(({ value }) => value)
  const source = Option.getOrUndefined(PlaywrightScript.source(values, handles[0]))
  if (source === undefined) return throws(state, literalsOnly)
  return Result.match(valueOf(page, source), {
    onFailure: (message) => throws(state, message),
    onSuccess: (value) =>
      Result.succeed(how.returnByValue ? { result: byValueEncoded(value) } : say(state, page, value, how))
  })
}

const byValueEncoded = (value: Value): Protocol.Result => {
  const encoded = PlaywrightScript.encode(value)
  return { type: typeof encoded, value: encoded }
}

const callFunctionOn = Method.ofPage(Call, ({ state }, page, params) => {
  const world =
    params.objectId === undefined
      ? worldOf(page, params.executionContextId, params.uniqueContextId)
      : worldOfObject(page, params.objectId)
  if (world === undefined) return Result.fail(noContext)
  const args = params.arguments ?? []
  const how = { worldId: world.id, returnByValue: params.returnByValue === true }
  const script = PlaywrightScript.called(params.functionDeclaration)
  if (script !== undefined) return callScript(state, page, script, args, how)
  if (!args.every((one) => isHeld(page, one))) return Result.fail(noObject)
  const [first] = args
  const held = first?.objectId === undefined ? undefined : page.objects.get(first.objectId)
  return evaluateIn(state, page, { text: params.functionDeclaration, called: true, held }, how)
})

/** Worlds, and expressions in them. */
export const methods: Method.Methods = new Map<string, Method.Method>([
  [
    "Runtime.enable",
    Method.ofPage(Method.anything, ({ session, state }, page) => {
      if (!session.enabled.has("runtime")) {
        session.enabled.add("runtime")
        for (const world of page.worlds) {
          State.emit(state, session, "Runtime.executionContextCreated", { context: contextOf(page, world) })
        }
      }
      return Method.done
    })
  ],
  ["Runtime.disable", Method.listening("runtime", false)],
  ["Runtime.evaluate", evaluate],
  ["Runtime.callFunctionOn", callFunctionOn],
  [
    "Runtime.releaseObject",
    Method.ofPage(Schema.Struct({ objectId: Schema.String }), (_, page, { objectId }) => {
      page.objects.delete(objectId)
      return Method.done
    })
  ]
])
