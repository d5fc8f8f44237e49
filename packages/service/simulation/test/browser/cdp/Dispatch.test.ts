import { assert, describe, it } from "@effect/vitest"
import * as Dispatch from "../../../src/browser/cdp/Dispatch.ts"
import * as Pages from "../../../src/browser/cdp/Pages.ts"
import * as Sessions from "../../../src/browser/cdp/Sessions.ts"

interface Message {
  readonly id?: number
  readonly method?: string
  readonly sessionId?: string
  readonly params: Readonly<Record<string, unknown>>
  readonly result: Readonly<Record<string, unknown>>
  readonly error?: { readonly code: number; readonly message: string }
}

/** A browser with `count` connections, and what is said in it. */
const browser = (count = 1) => {
  const state = Pages.start("b")
  for (let id = 1; id <= count; id++) Sessions.connect(state, id)
  let last = 0
  const say = (from: number, method: string, params: object = {}, sessionId?: string) => {
    const id = ++last
    const text = JSON.stringify({ id, method, params, ...(sessionId === undefined ? {} : { sessionId }) })
    const said = Dispatch.receive(state, from, text, 12.5).map(({ text: written, to }) => ({
      to,
      message: JSON.parse(written ?? "{}") as Message
    }))
    const answer = said.find(({ message, to }) => to === from && message.id === id)?.message
    assert.isDefined(answer, `${method} has an answer`)
    const events = said.flatMap(({ message, to }) =>
      message.method === undefined ? [] : [[to, message.method] as const]
    )
    return { said, events, error: answer?.error, result: answer?.result ?? {} }
  }
  const attach = (from: number, targetId: unknown) =>
    String(say(from, "Target.attachToTarget", { targetId, flatten: true }).result["sessionId"])
  const firstPage = () => {
    const infos = say(1, "Target.getTargets").result["targetInfos"] as ReadonlyArray<{ readonly targetId: string }>
    return infos[0]?.targetId
  }
  return { state, say, attach, firstPage }
}

const tabsOnly = [{ type: "page", exclude: true }, {}]

describe("Dispatch", () => {
  it("starts a browser with one blank page, with the same ids each time", () => {
    const infos = browser().say(1, "Target.getTargets").result["targetInfos"]
    assert.deepStrictEqual(infos, browser().say(1, "Target.getTargets").result["targetInfos"])
    assert.deepNestedPropertyVal(infos, "[0].url", "about:blank")
    assert.deepNestedPropertyVal(infos, "[0].type", "page")
    assert.lengthOf(infos as ReadonlyArray<unknown>, 1)
  })

  it("refuses methods, parameters, sessions and targets with Chromium's messages", () => {
    const { attach, firstPage, say } = browser()
    assert.deepStrictEqual(say(1, "Nothing.atAll").error?.code, -32_601)
    assert.deepStrictEqual(say(1, "constructor").error?.code, -32_601)
    assert.deepStrictEqual(say(1, "Page.enable").error?.code, -32_601)
    assert.deepStrictEqual(say(1, "Target.createTarget", { url: 1 }).error?.code, -32_602)
    assert.deepStrictEqual(say(1, "Page.enable", {}, "unknown").error?.code, -32_001)
    assert.deepStrictEqual(say(1, "Target.attachToTarget", { targetId: "x", flatten: true }).error, {
      code: -32_000,
      message: "No target with given id found"
    })
    assert.deepStrictEqual(say(1, "Target.attachToTarget", { targetId: firstPage() }).error?.code, -32_000)
    const session = attach(1, firstPage())
    assert.deepStrictEqual(say(1, "Page.captureScreenshot", {}, session).error?.code, -32_601)
  })

  it("attaches to pages automatically, to new ones before the response to their create, and only once", () => {
    const { say } = browser()
    const autoAttach = { autoAttach: true, waitForDebuggerOnStart: true, flatten: true }
    assert.deepStrictEqual(say(1, "Target.setAutoAttach", autoAttach).events, [[1, "Target.attachedToTarget"]])
    assert.deepStrictEqual(say(1, "Target.setAutoAttach", autoAttach).events, [])
    const { said } = say(1, "Target.createTarget", { url: "about:blank" })
    assert.deepStrictEqual(
      said.map(({ message }) => message.method ?? "answer"),
      ["Target.attachedToTarget", "answer"]
    )
    assert.nestedPropertyVal(said[0]?.message, "params.waitingForDebugger", true)
    const off = say(1, "Target.setAutoAttach", { ...autoAttach, autoAttach: false })
    assert.deepStrictEqual(
      off.events.map(([, method]) => method),
      ["Target.detachedFromTarget", "Target.detachedFromTarget"]
    )
  })

  it("attaches to a page through its tab on request", () => {
    const { say } = browser()
    const autoAttach = { autoAttach: true, waitForDebuggerOnStart: true, flatten: true }
    const tab = say(1, "Target.setAutoAttach", { ...autoAttach, filter: tabsOnly }).said[0]?.message
    assert.nestedPropertyVal(tab, "params.targetInfo.type", "tab")
    const inner = say(1, "Target.setAutoAttach", autoAttach, String(tab?.params["sessionId"])).said[0]?.message
    assert.nestedPropertyVal(inner, "params.targetInfo.type", "page")
    assert.strictEqual(inner?.sessionId, tab?.params["sessionId"])
    const closed = say(1, "Target.closeTarget", { targetId: browser().firstPage() })
    assert.deepStrictEqual(
      closed.events.map(([, method]) => method),
      ["Target.detachedFromTarget", "Target.detachedFromTarget"]
    )
  })

  it("sends all events of a navigation, after its response, to all listeners", () => {
    const { attach, firstPage, say } = browser(2)
    const [one, other] = [attach(1, firstPage()), attach(2, firstPage())]
    say(1, "Page.enable", {}, one)
    say(1, "Runtime.enable", {}, one)
    say(1, "Page.setLifecycleEventsEnabled", { enabled: true }, one)
    say(1, "Page.addScriptToEvaluateOnNewDocument", { source: "", worldName: "mine" }, one)
    say(2, "Page.enable", {}, other)
    const { said } = say(1, "Page.navigate", { url: "data:text/html,<title>T</title>" }, one)
    assert.deepStrictEqual(
      said
        .filter(({ to }) => to === 1)
        .map(({ message }) => String(message.params?.["name"] ?? message.method ?? "answer")),
      [
        "answer",
        "Page.frameStartedLoading",
        "init",
        "Runtime.executionContextsCleared",
        "Page.frameNavigated",
        "Runtime.executionContextCreated",
        "Runtime.executionContextCreated",
        "commit",
        "DOMContentLoaded",
        "Page.domContentEventFired",
        "load",
        "Page.loadEventFired",
        "Page.frameStoppedLoading",
        "networkAlmostIdle",
        "networkIdle"
      ]
    )
    assert.lengthOf(
      said.filter(({ to }) => to === 2),
      5
    )
    const refused = say(1, "Page.navigate", { url: "https://example.com/" }, one)
    assert.include(String(refused.result["errorText"]), "net::ERR_ACCESS_DENIED")
    assert.deepStrictEqual(refused.events, [])
  })

  it("destroys a world and its objects with its document", () => {
    const { attach, firstPage, say } = browser()
    const session = attach(1, firstPage())
    const contextId = say(1, "Page.createIsolatedWorld", { frameId: firstPage(), worldName: "w" }, session).result[
      "executionContextId"
    ]
    const again = say(1, "Page.createIsolatedWorld", { frameId: firstPage(), worldName: "w" }, session)
    assert.strictEqual(again.result["executionContextId"], contextId)
    const held = say(1, "Runtime.evaluate", { expression: "[1]", contextId }, session).result["result"] as {
      readonly objectId: string
    }
    const read = {
      functionDeclaration: "(a) => a",
      returnByValue: true,
      executionContextId: contextId,
      arguments: [{ objectId: held.objectId }]
    }
    assert.deepNestedInclude(say(1, "Runtime.callFunctionOn", read, session).result, { "result.value": [1] })
    say(1, "Page.reload", {}, session)
    assert.strictEqual(
      say(1, "Runtime.callFunctionOn", read, session).error?.message,
      "Cannot find context with specified id"
    )
    assert.strictEqual(
      say(1, "Runtime.callFunctionOn", { functionDeclaration: "() => 1", objectId: held.objectId }, session).error
        ?.code,
      -32_000
    )
  })

  it("returns exceptions, and numbers that JSON doesn't have", () => {
    const { attach, firstPage, say } = browser()
    const session = attach(1, firstPage())
    const evaluate = (expression: string) =>
      say(1, "Runtime.evaluate", { expression, returnByValue: true }, session).result
    assert.include(
      JSON.stringify(evaluate("alert(1)")["exceptionDetails"]),
      "this browser is simulated: it evaluates literals, document.title and the page's text only"
    )
    assert.deepNestedInclude(evaluate("-0"), { "result.unserializableValue": "-0" })
    assert.deepNestedInclude(evaluate("-Infinity"), { "result.unserializableValue": "-Infinity" })
    assert.deepStrictEqual(evaluate("undefined"), { result: { type: "undefined" } })
  })

  it("reads no value that is nested too deeply to be written", () => {
    const { attach, firstPage, state } = browser()
    const sessionId = attach(1, firstPage())
    const value = `${"[".repeat(100_000)}${"]".repeat(100_000)}`
    const declarations = ["(a) => 1", "(utilityScript, ...args) => utilityScript.evaluate(...args)"]
    for (const [id, functionDeclaration] of declarations.entries()) {
      const params = `{"functionDeclaration":"${functionDeclaration}","executionContextId":4,"arguments":[{"value":${value}}]}`
      const command = `{"id":${id},"method":"Runtime.callFunctionOn","sessionId":"${sessionId}","params":${params}}`
      assert.match(Dispatch.receive(state, 1, command, 0)[0]?.text ?? "", /-32602|evaluates literals/u)
    }
  })

  it("enforces its limits of pages, contexts, worlds and sessions", () => {
    const { attach, firstPage, say } = browser()
    const until = (method: string, params: (n: number) => object, session?: string) => {
      let count = 0
      while (say(1, method, params(count), session).error === undefined) assert.isBelow(++count, 1000, method)
      return count
    }
    const session = attach(1, firstPage())
    const frameId = firstPage()
    assert.strictEqual(
      until("Target.createTarget", () => ({ url: "about:blank" })),
      63
    )
    assert.strictEqual(
      until("Target.createBrowserContext", () => ({})),
      64
    )
    assert.strictEqual(
      until("Page.createIsolatedWorld", (n) => ({ frameId, worldName: `w${n}` }), session),
      31
    )
    assert.strictEqual(
      until("Page.addScriptToEvaluateOnNewDocument", (n) => ({ source: "", worldName: `w${n}` }), session),
      32
    )
    assert.strictEqual(
      until("Target.attachToBrowserTarget", () => ({})),
      511
    )
  })

  it("closes the pages of a context that is disposed with its connection, and notifies other connections", () => {
    const { say, state } = browser(2)
    say(2, "Target.setDiscoverTargets", { discover: true })
    const { browserContextId } = say(1, "Target.createBrowserContext", { disposeOnDetach: true }).result
    assert.deepStrictEqual(say(1, "Target.createTarget", { url: "about:blank", browserContextId }).events, [
      [2, "Target.targetCreated"]
    ])
    assert.deepStrictEqual(
      Dispatch.disconnect(state, 1).map(({ text, to }) => [to, JSON.parse(text ?? "{}").method]),
      [[2, "Target.targetDestroyed"]]
    )
    assert.lengthOf(say(2, "Target.getTargets").result["targetInfos"] as ReadonlyArray<unknown>, 1)
  })

  it("responds to Browser.close, and closes only that connection", () => {
    const { state } = browser(2)
    assert.deepStrictEqual(Dispatch.receive(state, 1, '{"id":1,"method":"Browser.close"}', 0), [
      { to: 1, text: '{"id":1,"result":{}}' },
      { to: 1, text: undefined }
    ])
  })
})
