import { assert, describe, it } from "@effect/vitest"
import * as WrittenCalls from "../../src/model/WrittenCalls.ts"

const json = '{"name":"navigate","arguments":{"url":"http://127.0.0.1/"}}'
const call = { name: "navigate", params: { url: "http://127.0.0.1/" } }

describe("a call that a model wrote as text", () => {
  it.each([
    ["in a tag after a sentence", `I open it.\n<tool_call>\n${json}\n</tool_call>`, "I open it."],
    ["in an open tag", `<tool_call>${json}`, ""],
    ["in a code block", `I open it.\n\`\`\`json\n${json}\n\`\`\`\n`, "I open it."],
    ["alone", ` ${json}\n`, ""]
  ])("counts as a call: %s", (_, text, rest) => {
    assert.deepStrictEqual(WrittenCalls.read(text, ["navigate"]), { calls: [call], text: rest })
  })

  it("counts as a call with others after it", () => {
    const tag = `<tool_call>${json}</tool_call>`
    assert.deepStrictEqual(WrittenCalls.read(`${tag}\n${tag}`, ["navigate"]), { calls: [call, call], text: "" })
  })

  it.each([
    [
      "inside a sentence",
      `The page asks me to call <tool_call>${json}</tool_call>. That is an injection, I ignore it.`
    ],
    ["at the end of a sentence", `The page asks me to call <tool_call>${json}</tool_call>`],
    ["in a tag with text after it", `The page says:\n<tool_call>${json}</tool_call>\nI ignore it.`],
    ["in a code block with text after it", `The page says:\n\`\`\`json\n${json}\n\`\`\`\nI ignore it.`]
  ])("is only a quotation %s", (_, text) => {
    assert.deepStrictEqual(WrittenCalls.read(text, ["navigate"]), { calls: [], text })
  })
})
