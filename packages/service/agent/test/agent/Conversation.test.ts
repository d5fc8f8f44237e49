import { assert, describe, it } from "@effect/vitest"
import { Turn } from "@webagent/engine"
import * as Response from "effect/ai/Response"
import * as Conversation from "../../src/agent/Conversation.ts"

const call = (id: string) =>
  Response.makePart("tool-call", { id, name: "click", params: { index: 1 }, providerExecuted: false })

const result = (id: string, text = "Clicked."): Conversation.CallResult => ({
  id,
  name: "click",
  result: text,
  status: "done"
})

const roles = (messages: ReadonlyArray<{ readonly role: string }>) => messages.map(({ role }) => role).join(" ")

/** A conversation of a task and this many steps of one call. */
const after = (steps: number) => {
  const conversation = Conversation.make("instructions")
  conversation.say("Task: buy a mug")
  for (let step = 0; step < steps; step++) conversation.answered([call(`c${step}`)], [result(`c${step}`)])
  return conversation
}

describe("Conversation", () => {
  it("lets a provider cache all of it except the current page", () => {
    const cachedAt = (steps: number) =>
      after(steps)
        .prompt("the page")
        .content.flatMap(({ options }, index) => (JSON.stringify(options).includes("ephemeral") ? [index] : []))
    // after the system message: the task; each step is a call and its result
    assert.deepStrictEqual(cachedAt(0), [1])
    assert.deepStrictEqual(cachedAt(2), [5])
  })

  it("ends with the current page, which is not kept", () => {
    const conversation = after(1)
    const { content } = conversation.prompt("page 1")
    assert.strictEqual(roles(content), "system user assistant tool user")
    assert.include(JSON.stringify(content.at(-1)), "page 1")
    assert.notInclude(JSON.stringify(conversation.prompt("page 2").content), "page 1")
  })

  it("keeps earlier messages unchanged, so that providers can cache them", () => {
    const conversation = after(2)
    // where the cache ends moves with the conversation
    const told = () => conversation.prompt("page").content.map(({ content, role }) => ({ content, role }))
    const before = JSON.stringify(told().slice(0, -1)).slice(0, -1)
    conversation.answered([call("more")], [result("more")])
    assert.isTrue(JSON.stringify(told()).startsWith(before))
  })

  it("never separates a call from its result when the beginning is summarized", () => {
    for (let keep = 1; keep < 8; keep++) {
      const conversation = after(5)
      const old = conversation.old(keep)
      conversation.sumUp(old.length, "So far: nothing")
      const left = conversation.all()
      assert.strictEqual(left[0]?.role, "user")
      assert.notStrictEqual(left[1]?.role, "tool", `keeping ${keep}`)
      assert.notInclude(JSON.stringify(left), "buy a mug")
    }
  })

  it("recalls only the newest tasks, without secrets, however many there were", () => {
    const turns = Array.from({ length: 1000 }, (_, seq) =>
      Turn.make({
        id: `t${seq}`,
        sessionId: "s",
        seq,
        model: "m",
        agentVersion: "v",
        task: `Task ${seq}: ${"x".repeat(1992 - String(seq).length)}hunter2 ${"y".repeat(5000)}`,
        modelParams: null,
        createdAt_ms: 0
      })
    ).map((turn): Turn.Turn => ({ ...turn, status: "completed", output: "z".repeat(5000) }))
    const told = Conversation.recalled(turns, (text) => text.replaceAll("hunter2", "<secret:password>"))
    assert.isBelow(told.join("").length, 40_000)
    assert.include(told.at(-1), "Task 999")
    assert.notInclude(told.join(""), "hunt")
  })

  it("keeps the messages and actions of its task, or their end if it is long, without secrets", () => {
    const redact = (text: string) => text.replaceAll("hunter2", "<secret:password>")
    const conversation = after(2)
    conversation.learn({ id: "second" })
    conversation.answered([call("d")], [result("d", "The code is hunter2.")])
    assert.strictEqual(
      conversation.kept(redact).said,
      'called click {"index":1}\nresult: The code is <secret:password>.'
    )
    for (let step = 0; step < 20; step++)
      conversation.answered([call(`e${step}`)], [result(`e${step}`, "x".repeat(990))])
    assert.strictEqual(conversation.kept(redact).said.length, 8000)
    assert.match(conversation.kept(redact).said, /^…x.*xx$/su)
    // the summary has all but the last step
    conversation.sumUp(conversation.all().length - 2, "So far: much")
    assert.match(conversation.kept(redact).said, /^user: So far: much\ncalled click .*\nresult: x+$/u)
  })

  it("recalls the newest turns as far as they fit", () => {
    const turns = ["a", "b", "c"].map((id, index): Turn.Turn => {
      const made = Turn.make({
        id,
        sessionId: "s",
        seq: index + 1,
        model: "m",
        agentVersion: "v",
        task: id,
        modelParams: null,
        createdAt_ms: 0
      })
      return { ...made, status: "completed", steps: 1, checkpoint: `${id} hunter2 ${id.repeat(7980)}` }
    })
    const told = Conversation.recalled(turns, (text) => text.replaceAll("hunter2", "<secret:password>"))
    assert.deepStrictEqual(
      told.map((text) => text.split("\n")[2] ?? ""),
      ["", "What was said and done:", "What was said and done:"]
    )
    assert.include(told[2], "c <secret:password> ccc")
    assert.isBelow(told.join("").length, 17_000)
    const conversation = after(1)
    assert.isFalse(conversation.knows(turns))
    turns.forEach(conversation.learn)
    assert.isTrue(conversation.knows(turns))
    conversation.forget()
    assert.isFalse(conversation.knows(turns))
  })

  it("never contains half of a surrogate pair", () => {
    const conversation = after(0)
    const half = "mug \u{1f375}".slice(0, 5)
    conversation.say(half)
    const said = Response.makePart("text", { text: half })
    const called = Response.makePart("tool-call", {
      id: "c",
      name: "type",
      params: { text: [half], [half]: 1 },
      providerExecuted: false
    })
    conversation.answered([said, called], [result("c", half)])
    const { content } = conversation.prompt(half)
    const texts = JSON.stringify(content)
    assert.isFalse(/\\ud[89ab]/iu.test(texts), texts)
    assert.isTrue(Conversation.plain(conversation.all()).isWellFormed())
  })

  it("is printed as text without the instructions", () => {
    assert.strictEqual(
      Conversation.plain(after(1).all()),
      'user: Task: buy a mug\ncalled click {"index":1}\nresult: Clicked.'
    )
  })
})
