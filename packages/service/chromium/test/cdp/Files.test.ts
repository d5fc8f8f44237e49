import { assert, it } from "@effect/vitest"
import { overTransport } from "@webagent/cdp"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { symlinkSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { site } from "../egress/sockets.ts"
import { attach } from "../support/chromium.ts"
import { launch, levels } from "../support/levels.ts"

/** A page that chooses files and offers a download. */
const page = `<input type=file><a href="/report.csv" download>Report</a>`

for (const [level, skipped] of levels) {
  it.live.skipIf(skipped !== undefined)(
    `a browser finds an uploaded file, and its download can be read, with the isolation level ${level}${skipped ?? ""}`,
    () =>
      Effect.gen(function* () {
        const { port } = yield* site(({ url }, response) =>
          url === "/report.csv"
            ? response.setHeader("content-disposition", "attachment").end("1,2")
            : response.setHeader("content-type", "text/html").end(page)
        )
        const { connection, folder } = yield* launch(level, port)
        const files = connection.files ?? assert.fail("no files")
        const client = yield* overTransport(connection)
        const session = yield* attach(client)
        const evaluate = (expression: string) =>
          session.send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true })
        yield* session.send("Page.navigate", { url: `http://127.0.0.1:${port}/` })
        yield* Effect.repeat(evaluate("document.querySelector('a') !== null"), {
          until: ({ result }) => result.value === true
        })

        const put = yield* files.put("mugs.txt", Stream.make(Buffer.from("red, "), Buffer.from("blue")))
        const input = yield* session.send("Runtime.evaluate", { expression: "document.querySelector('input')" })
        yield* session.send("DOM.setFileInputFiles", { files: [put], objectId: input.result.objectId ?? "" })
        const chosen = yield* evaluate(
          "(async ([file]) => file.name + ': ' + (await file.text()))(document.querySelector('input').files)"
        )
        assert.strictEqual(chosen.result.value, "mugs.txt: red, blue")

        const downloaded: Array<string> = []
        client.on("Browser.downloadProgress", ({ filePath, state }) => {
          if (state === "completed" && filePath !== undefined) downloaded.push(filePath)
        })
        yield* client.send("Browser.setDownloadBehavior", {
          behavior: "allow",
          downloadPath: "/anywhere",
          eventsEnabled: true
        })
        yield* evaluate("document.querySelector('a').click()")
        yield* Effect.repeat(Effect.sleep("10 millis"), { while: () => downloaded.length === 0 })
        const [path = ""] = downloaded
        assert.deepStrictEqual([basename(path), dirname(path)], ["report.csv", join(folder, "downloads")])
        const { bytes, size } = (yield* files.read(path)) ?? assert.fail("the download isn't there")
        assert.deepStrictEqual([size, yield* Stream.mkString(Stream.decodeText(bytes))], [3, "1,2"])

        // a browser that was taken over may put links there
        const link = join(folder, "downloads", "link.csv")
        symlinkSync("/etc/passwd", link)
        for (const other of [link, put, "/etc/passwd", join(folder, "downloads", "missing.csv")]) {
          assert.isNull(yield* files.read(other), other)
        }
      }).pipe(Effect.scoped)
  )
}
