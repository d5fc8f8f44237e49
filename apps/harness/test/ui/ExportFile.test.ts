import { assert, describe, it } from "@effect/vitest"
import { exportElement } from "@webagent/harness-api"
import type { EmbeddedData } from "@webagent/harness-api/Embedded"
import { createHash } from "node:crypto"
import * as ExportFile from "../../src/page/ExportFile.ts"

const hostile = `</script><script>alert(1)</script><!-- \u2028\u2029 </ScRiPt> ]]> "'\``

const data = { format: 1, project: { folder: hostile } } as unknown as EmbeddedData

const page = ExportFile.render(data, {
  script: `document.title = "${"</script>"}" + ${"`<!--`"}`,
  style: "body { color: red }"
})

const element = (id: RegExp) => id.exec(page)?.groups?.["text"] ?? ""

describe("ExportFile", () => {
  it("contains data that can't break out of an element or script", () => {
    const text = element(
      new RegExp(`<script type="application/json" id="${exportElement}">(?<text>[^<]*)</script>`, "u")
    )
    const { further, ...first } = JSON.parse(text)
    assert.deepEqual(first, data)
    assert.isString(further)
    assert.notMatch(text, /[\u2028\u2029]/u)
  })

  it("has one classic script, as its policy names it", () => {
    assert.lengthOf(page.match(/<\/script/giu) ?? [], 2)
    const script = element(/<script>(?<text>[\s\S]*?)<\/script>/u)
    assert.strictEqual(script, String.raw`document.title = "\x3c/script>" + ${"`\\x3c!--`"}`)
    const hash = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`
    assert.include(page, `script-src ${hash(script)}`)
    assert.include(page, `style-src ${hash("body { color: red }")}`)
    assert.include(page, "default-src 'none'")
    assert.notMatch(page, /type="module"|https?:/u)
  })
})
