import { assert, describe, it } from "@effect/vitest"
import * as Policy from "../../src/cdp/Policy.ts"

const decide = (message: string) => Policy.decide(Buffer.from(message), "/own/downloads")

const refusal = (message: string): unknown => {
  const decision = decide(message)
  assert.strictEqual(decision._tag, "Answer", message)
  return decision._tag === "Answer" ? JSON.parse(decision.text) : undefined
}

describe("Policy", () => {
  it("passes a message's bytes unchanged", () => {
    const message = Buffer.from('{"id":1,"method":"Runtime.evaluate","params":{"expression":"location.href"}}')
    const decision = Policy.decide(message, "/own")
    assert.isTrue(decision._tag === "Pass" && decision.message === message)
  })

  it("responds to Browser.close itself, even with escapes or in a session, and disconnects the client", () => {
    for (const method of ["Browser.close", String.raw`\u0042rowser.close`, String.raw`Browser\u002eclose`]) {
      const decision = decide(`{"id":7,"sessionId":"s","method":"${method}"}`)
      assert.deepStrictEqual(decision, { _tag: "Answer", text: '{"id":7,"result":{},"sessionId":"s"}', isLast: true })
    }
  })

  it("refuses commands that stop the browser, reveal the machine or bypass the policy", () => {
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

  it("refuses a nested message inside a nested message, and anything but an object", () => {
    const inner = JSON.stringify({ id: 2, method: "Browser.close" })
    const outer = { id: 1, method: "Target.sendMessageToTarget", params: { message: inner } }
    assert.nestedProperty(refusal(JSON.stringify(outer)), "error.message")
    const harmless = { ...outer, params: { message: '{"id":2,"method":"Browser.getVersion"}' } }
    assert.strictEqual(decide(JSON.stringify(harmless))._tag, "Pass")
    for (const message of ["\u00d8Z", "[]", "", '{"method":"Browser.close" /* */}']) refusal(message)
  })

  it("rewrites a nested message like any other", () => {
    const inner = JSON.stringify({ id: 2, method: "Page.setDownloadBehavior", params: { downloadPath: "/etc" } })
    const outer = { id: 1, method: "Target.sendMessageToTarget", params: { sessionId: "s", message: inner } }
    const decision = decide(JSON.stringify(outer))
    assert.strictEqual(decision._tag, "Pass")
    const passed = decision._tag === "Pass" ? String(decision.message) : ""
    assert.notInclude(passed, "/etc")
    assert.include(passed, "/own/downloads")
  })

  it("repeats only the short name of a command, and requires its parameters to be an object", () => {
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

  it("removes the client's proxy, and downloads into the browser's own folder", () => {
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

  it("passes web addresses and those that a page made itself", () => {
    for (const url of [
      "https://example.org",
      "http://a/?next=file:///b",
      "about:blank",
      "data:,a",
      "blob:null/1",
      ""
    ]) {
      for (const address of [url, `view-source:${url}`]) {
        const message = JSON.stringify({ id: 1, method: "Page.navigate", params: { url: address } })
        assert.deepStrictEqual(decide(message), { _tag: "Pass", message })
      }
    }
    // names a loaded script, and opens nothing
    const breakpoint = { id: 1, method: "Debugger.setBreakpointByUrl", params: { url: "file:///a.js", lineNumber: 1 } }
    assert.strictEqual(decide(JSON.stringify(breakpoint))._tag, "Pass")
  })

  it("refuses local addresses, even with escapes, duplicated or nested", () => {
    const navigate = (url: string) => JSON.stringify({ id: 1, method: "Page.navigate", params: { url } })
    const params = { message: navigate("file:///etc/passwd") }
    for (const message of [
      navigate("file:///etc/passwd"),
      navigate("View-Source:\tFILE:///etc/passwd"),
      navigate("filesystem:http://a/b"),
      navigate("chrome-untrusted://a"),
      navigate("\u00a0http://a"),
      String.raw`{"id":1,"method":"Page.navigate","params":{"\u0075rl":"\u0066ile:///etc/passwd"}}`,
      '{"id":1,"method":"Page.navigate","params":{"url":"http://a","url":"file:///etc/passwd"}}',
      JSON.stringify({ id: 1, method: "Target.sendMessageToTarget", params }),
      JSON.stringify({ id: 1, method: "Network.loadNetworkResource", params: { url: "file:///etc/passwd" } })
    ]) {
      assert.nestedProperty(refusal(message), "error.message")
    }
  })

  it("refuses to drop or choose the machine's files", () => {
    const drop = (data: object) => JSON.stringify({ id: 1, method: "Input.dispatchDragEvent", params: { data } })
    const choose = (...files: ReadonlyArray<unknown>) =>
      JSON.stringify({ id: 1, method: "DOM.setFileInputFiles", params: { files } })
    for (const message of [
      drop({ items: [], files: ["/own/downloads/a"] }),
      drop({ items: [{ mimeType: "text/uri-list", data: "http://a\nfile:///etc/passwd" }] }),
      choose("/own/downloads/a", "/etc/passwd"),
      choose("/own/downloads/../secret"),
      choose("/own/downloadsecret"),
      choose("etc/passwd"),
      choose(null)
    ]) {
      assert.nestedProperty(refusal(message), "error.message")
    }
    const harmless = [{ mimeType: "text/uri-list", data: "http://a" }]
    for (const message of [drop({ items: harmless, files: [] }), choose("/own/downloads/a"), choose()]) {
      assert.strictEqual(decide(message)._tag, "Pass")
    }
  })

  it("passes on the value that it checked if a name is duplicated", () => {
    const twice = decide('{"id":1,"method":"Browser.close","method":"Browser.getVersion"}')
    assert.deepStrictEqual(twice, { _tag: "Pass", message: '{"id":1,"method":"Browser.getVersion"}' })
  })
})
