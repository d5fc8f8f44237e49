import { assert, it } from "@effect/vitest"
import { type CdpSession, overTransport } from "@webagent/cdp"
import * as Effect from "effect/Effect"
import { chmodSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import type { Isolation } from "../../src/index.ts"
import { site } from "../egress/sockets.ts"
import { attach } from "../support/chromium.ts"
import { launch, levels } from "../support/levels.ts"

const secret = "content of a file"

/** A browser as a client of the service has it, with a file that its process can read. */
const launched = Effect.fnUntraced(function* (level: Isolation.Level, port: number) {
  const { connection, folder } = yield* launch(level, port)
  const file = join(folder, "secret.txt")
  writeFileSync(file, secret)
  // browsers of a server that is root run as another user
  chmodSync(file, 0o644)
  const client = yield* overTransport(connection)
  return { client, file, page: yield* attach(client) }
})

for (const [level, skipped] of levels) {
  it.live.skipIf(skipped !== undefined)(`opens no file with the isolation level ${level}${skipped ?? ""}`, () =>
    Effect.gen(function* () {
      let address = ""
      const { port } = yield* site(({ url }, response) => {
        if (url === "/redirect") return response.writeHead(302, { location: address }).end()
        response
          .setHeader("content-type", "text/html")
          .end(`<h1>site</h1><a href="${address}">file</a><input type=file>`)
      })
      const { client, file, page } = yield* launched(level, port)
      address = pathToFileURL(file).href
      const home = `http://127.0.0.1:${port}/`

      const refusal = (method: string, params: object, session: CdpSession = client) =>
        Effect.map(Effect.flip(session.send(method, { ...params })), ({ message }) => message)
      const evaluate = (expression: string) =>
        Effect.map(
          page.send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true }),
          ({ result }) => (result as { readonly value?: unknown }).value
        )
      const visit = Effect.fnUntraced(function* (url: string) {
        const { errorText } = yield* page.send("Page.navigate", { url })
        yield* evaluate("new Promise((ok) => document.readyState === 'complete' ? ok() : addEventListener('load', ok))")
        return errorText
      })

      for (const url of [
        address,
        address.toUpperCase(),
        ` \n${address.replace("file", "fi\tle")}`,
        "file:/etc/passwd"
      ]) {
        for (const spelled of [url, `view-source:${url}`, `View-Source: ${url}`, `view-source:view-source:${url}`]) {
          assert.include(yield* refusal("Page.navigate", { url: spelled }, page), "doesn't open 'file:' addresses", url)
          assert.include(yield* refusal("Target.createTarget", { url: spelled }), "doesn't open 'file:' addresses", url)
        }
      }
      for (const url of [`filesystem:${address}`, "chrome://gpu", "devtools://devtools/bundled/inspector.html"]) {
        assert.include(yield* refusal("Page.navigate", { url }, page), "addresses here. Use http: or https:")
      }

      // by the page's own means, which Chromium refuses
      assert.isUndefined(yield* visit(home))
      yield* evaluate(`location = ${JSON.stringify(address)}`)
      yield* evaluate("document.querySelector('a').click()")
      assert.strictEqual(yield* evaluate(`String(window.open(${JSON.stringify(address)}))`), "null")
      const loaded = `fetch(${JSON.stringify(address)}).then((it) => it.text(), () => "failed")`
      assert.strictEqual(yield* evaluate(loaded), "failed")
      const framed = `new Promise((ok) => {
        const frame = document.createElement("iframe")
        frame.src = ${JSON.stringify(address)}
        document.body.append(frame)
        fetch("/").then(() => ok(frame.contentDocument?.body?.innerText ?? "closed"))
      })`
      assert.notInclude(String(yield* evaluate(framed)), secret)
      assert.strictEqual(yield* evaluate("location.href"), home)
      assert.strictEqual(yield* visit(`${home}redirect`), "net::ERR_UNSAFE_REDIRECT")

      // by commands that put a file in place of a page, drop it or choose it
      yield* visit(home)
      const request = { requestId: "1", url: address }
      assert.include(yield* refusal("Fetch.continueRequest", request, page), "doesn't open 'file:' addresses")
      for (const data of [
        { items: [], files: [file], dragOperationsMask: 1 },
        { items: [{ mimeType: "text/uri-list", data: `# one\r\n${address}` }], files: [], dragOperationsMask: 1 }
      ]) {
        for (const type of ["dragEnter", "dragOver", "drop"]) {
          const message = yield* refusal("Input.dispatchDragEvent", { type, x: 50, y: 50, data }, page)
          assert.include(message, "doesn't open 'file:' addresses")
        }
      }
      const input = yield* page.send("Runtime.evaluate", { expression: "document.querySelector('input')" })
      const { objectId } = input.result
      assert.include(
        yield* refusal("DOM.setFileInputFiles", { files: [file], objectId }, page),
        "Only files that this browser downloaded can be chosen by path"
      )

      const { targetInfos } = yield* client.send("Target.getTargets")
      assert.deepStrictEqual(
        targetInfos.map(({ url }) => url),
        [home]
      )
    }).pipe(Effect.scoped)
  )
}
