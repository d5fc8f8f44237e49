import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { deflateSync } from "node:zlib"
import * as PdfText from "../../src/page/PdfText.ts"

/** A document with one word, whose font is a stream of zeros: pdf.js inflates it to read the text. */
const withFont = (font_MB: number): Uint8Array => {
  const font = deflateSync(Buffer.alloc(font_MB * 1024 ** 2, "0"), { level: 9 })
  const text = "BT /F1 24 Tf 50 700 Td (Hi) Tj ET"
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Count 1 /Kids [4 0 R] >>",
    "<< /Type /Font /Subtype /TrueType /BaseFont /ABC /FirstChar 0 /LastChar 1 /Widths [1 1] /FontDescriptor 6 0 R >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 5 0 R /Resources << /Font << /F1 3 0 R >> >> >>",
    `<< /Length ${text.length} >>\nstream\n${text}\nendstream`,
    "<< /Type /FontDescriptor /FontName /ABC /Flags 4 /FontFile2 7 0 R >>",
    `<< /Length ${font.length} /Filter /FlateDecode >>\nstream\n${font.toString("latin1")}\nendstream`
  ]
  let file = "%PDF-1.4\n"
  const rows = objects.map((object, at) => {
    const row = `${String(file.length).padStart(10, "0")} 00000 n \n`
    file += `${at + 1} 0 obj\n${object}\nendobj\n`
    return row
  })
  const count = objects.length + 1
  const table = `xref\n0 ${count}\n0000000000 65535 f \n${rows.join("")}`
  return Buffer.from(
    `${file}${table}trailer\n<< /Size ${count} /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF`,
    "latin1"
  )
}

it.live("a small PDF document that inflates to 700 MB is refused without using the server's memory", () =>
  Effect.gen(function* () {
    const bytes = withFont(700)
    assert.isBelow(bytes.length, 1024 ** 2)
    const before = process.memoryUsage.rss()
    let most = before
    const watch = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 10)
    const result = yield* Effect.ensuring(
      PdfText.of(bytes),
      Effect.sync(() => clearInterval(watch))
    )
    assert.include(result, "The file is a PDF document that the agent can't read")
    assert.isBelow((most - before) / 1024 ** 2, 100)
  })
)

it.live("a PDF document with a font of 20 MB is read", () =>
  Effect.map(PdfText.of(withFont(20)), (result) => assert.deepStrictEqual(result, { text: "(page 1 of 1)\nHi" }))
)
