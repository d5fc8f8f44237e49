import { assert, describe, it } from "@effect/vitest"
import * as Policy from "../../src/cdp/Policy.ts"

const decide = (message: string) => Policy.decide(Buffer.from(message), "/own/downloads")

const refusal = (message: string): unknown => {
  const decision = decide(message)
  assert.strictEqual(decision._tag, "Answer", message)
  return decision._tag === "Answer" ? JSON.parse(decision.text) : undefined
}

describe("Policy", () => {
  it("passes the bytes of a message as they are", () => {
    const message = Buffer.from('{"id":1,"method":"Page.navigate","params":{"url":"https://example.org"}}')
    const decision = Policy.decide(message, "/own")
    assert.isTrue(decision._tag === "Pass" && decision.message === message)
  })

  it("answers Browser.close itself, also in escapes and in a session, and lets the client go", () => {
    for (const method of ["Browser.close", String.raw`\u0042rowser.close`, String.raw`Browser\u002eclose`]) {
      const decision = decide(`{"id":7,"sessionId":"s","method":"${method}"}`)
      assert.deepStrictEqual(decision, { _tag: "Answer", text: '{"id":7,"result":{},"sessionId":"s"}', isLast: true })
    }
  })

  it("refuses what ends the browser, tells of the machine or goes around it", () => {
    for (const method of [
      "Browser.crash",
      "Browser.crashGpuProcess",
      "Browser.getBrowserCommandLine",
      "SystemInfo.getInfo",
      "Tethering.bind",
      "Target.exposeDevToolsProtocol"
    ]) {
      assert.nestedPropertyVal(
        refusal(`{"id":1,"method":"${method}"}`),
        "error.message",
        `'${method}' is not allowed here`
      )
    }
    assert.strictEqual(decide('{"id":1,"method":"Browser.getVersion"}')._tag, "Pass")
  })

  it("refuses a message inside of a message, and what is no object", () => {
    const inner = JSON.stringify({ id: 2, method: "Browser.close" })
    const outer = { id: 1, method: "Target.sendMessageToTarget", params: { message: inner } }
    assert.nestedProperty(refusal(JSON.stringify(outer)), "error.message")
    const harmless = { ...outer, params: { message: '{"id":2,"method":"Browser.getVersion"}' } }
    assert.strictEqual(decide(JSON.stringify(harmless))._tag, "Pass")
    for (const message of ["\u00d8Z", "[]", "", '{"method":"Browser.close" /* */}']) refusal(message)
  })

  it("changes a message inside of a message as it would change it outside", () => {
    const inner = JSON.stringify({ id: 2, method: "Page.setDownloadBehavior", params: { downloadPath: "/etc" } })
    const outer = { id: 1, method: "Target.sendMessageToTarget", params: { sessionId: "s", message: inner } }
    const decision = decide(JSON.stringify(outer))
    assert.strictEqual(decision._tag, "Pass")
    const passed = decision._tag === "Pass" ? String(decision.message) : ""
    assert.notInclude(passed, "/etc")
    assert.include(passed, "/own/downloads")
  })

  it("repeats a short name of the command only, and takes parameters that are an object", () => {
    const long = "x".repeat(1000)
    const answered = refusal(JSON.stringify({ id: long, sessionId: long, method: "SystemInfo.getInfo" }))
    assert.notInclude(JSON.stringify(answered), long)
    for (const params of [null, 1, "text"]) {
      assert.nestedPropertyVal(
        refusal(JSON.stringify({ id: 1, method: "Browser.getVersion", params })),
        "error.code",
        -32_602
      )
    }
  })

  it("takes a proxy of the client's away, and downloads into the browser's own folder", () => {
    const context = decide('{"id":1,"method":"Target.createBrowserContext","params":{"proxyServer":"direct://","a":1}}')
    assert.deepStrictEqual(context, {
      _tag: "Pass",
      message: '{"id":1,"method":"Target.createBrowserContext","params":{"a":1}}'
    })
    const download = decide('{"id":1,"method":"Browser.setDownloadBehavior","params":{"downloadPath":"/etc"}}')
    assert.deepStrictEqual(download, {
      _tag: "Pass",
      message: '{"id":1,"method":"Browser.setDownloadBehavior","params":{"downloadPath":"/own/downloads"}}'
    })
  })

  it("passes on what it read where a name comes twice", () => {
    const twice = decide('{"id":1,"method":"Browser.close","method":"Browser.getVersion"}')
    assert.deepStrictEqual(twice, { _tag: "Pass", message: '{"id":1,"method":"Browser.getVersion"}' })
  })
})
