import * as Effect from "effect/Effect"
import type * as JsonSchema from "effect/JsonSchema"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Tool from "effect/ai/Tool"
import { tidy } from "../model/AiSdkMessages.ts"
import type { AgentError, LeaseLost, Question } from "@webagent/engine"
import { type BrowserLost, Refused } from "../page/Failures.ts"
import type { ShownElement } from "../page/Look.ts"
import type { Page } from "../page/Page.ts"
import { type Note, plan_length } from "./Conversation.ts"

/** Something that the agent is about to do and cannot take back. */
export interface Action {
  readonly tool: string
  readonly params: unknown
  readonly address: string
  /** The element as the page showed it; undefined if the call names none that was shown. */
  readonly element?: Pick<ShownElement, "role" | "name" | "url"> | undefined
  /** The element that a drag ends on. */
  readonly onto?: Pick<ShownElement, "role" | "name" | "url"> | undefined
  /** The addresses of the frames that it may affect. If it's unknown which one it affects, these are all frames. */
  readonly frames?: ReadonlyArray<string>
  /** The text of the dialog that it answers. */
  readonly dialog?: string | undefined
}

/** The page, the approval and the extraction that tools use in one turn. */
export interface Scene {
  readonly page: Page
  /** Returns whether actions may need an approval. */
  readonly hasRules: () => boolean
  /** Asked before an action; a text says why it is refused. */
  readonly approve: (action: Action) => Effect.Effect<string | undefined, AgentError | BrowserLost | LeaseLost>
  /** Asks a person, and returns a description of the outcome for the model. */
  readonly ask: (asked: AskedPerson) => Effect.Effect<string, AgentError | BrowserLost | LeaseLost | Refused>
  /** Waits while a person has control of the browser; true if a person has taken it since the last look or action. */
  readonly untilFree: Effect.Effect<boolean>
  /** Returns the element that a call names, as the page showed it. */
  readonly elementOf: (params: unknown) => ShownElement | undefined
  /** Changes the model's notes, and describes the outcome. */
  readonly note: (note: Note) => string
  /** Has the model read a text for something. */
  readonly extract: (what: string, text: string) => Effect.Effect<string, BrowserLost | Refused>
  /** Goes on with a recorded step of a replay, and describes the outcome. */
  readonly resume: (step: number) => Effect.Effect<string, Refused>
}

/** A question of the model to a person. */
export interface AskedPerson {
  readonly question: string
  readonly reason?: Exclude<Question.QuestionReason, "approval">
  readonly choices?: ReadonlyArray<string>
}

/** The result of a tool, worded for the model. */
type Done = Effect.Effect<string, AgentError | BrowserLost | LeaseLost | Refused>

const describe = (name: string, description: string, parameters: JsonSchema.JsonSchema) =>
  Tool.dynamic(name, { description, parameters })

/** A tool as the model is told of it. */
export type Described = ReturnType<typeof describe>

/** A tool, and what it does. */
interface BrowserTool {
  readonly tool: Described
  /** Is true if the page may be another one after the call. */
  readonly changes: boolean
  /** Is true if it fails unless it had its effect. An action that knows better reports it with `OnVerified`. */
  readonly verifies: boolean
  readonly run: (params: unknown, scene: Scene) => Done
}

interface Kind {
  /** Is true if the page may be another one after the call. Default: yes. */
  readonly changes?: boolean
  /** Requires an approval before the call. Default: no. */
  readonly asks?: boolean
  /** Checks that the call had its effect, and fails otherwise. Default: yes. */
  readonly verifies?: boolean
}

/** Services want each tool to take an object, also the one that takes nothing. */
const schemaOf = (parameters: Schema.Top): JsonSchema.JsonSchema => {
  const schema = tidy(Tool.getJsonSchemaFromSchema(parameters)) as JsonSchema.JsonSchema
  return schema["type"] === "object" ? schema : { type: "object", properties: {}, additionalProperties: false }
}

const make = <Parameters extends Schema.Decoder<unknown>>(
  name: string,
  description: string,
  parameters: Parameters,
  act: (params: Parameters["Type"], scene: Scene) => Done,
  { asks = false, changes = true, verifies = true }: Kind = {}
): BrowserTool => {
  const decode = Schema.decodeUnknownResult(parameters)
  return {
    tool: describe(name, description, schemaOf(parameters)),
    changes,
    verifies,
    run: (params, scene) => {
      const decoded = decode(params)
      if (Result.isFailure(decoded)) {
        const why = typeof params === "string" ? "its arguments are not JSON" : decoded.failure.message
        return Effect.fail(
          new Refused({ message: `The call of ${name} is wrong: ${why.replaceAll(/\s+/gu, " ").slice(0, 500)}.` })
        )
      }
      const acted = act(decoded.success, scene)
      if (!asks || !scene.hasRules()) return acted
      return Effect.gen(function* () {
        const place = decoded.success as { readonly to?: unknown }
        const { dialog: question, url: address } = scene.page.front()
        const [element, onto] = [scene.elementOf(params), scene.elementOf({ index: place.to })]
        const { before, frames } = yield* scene.page.affected(name, place)
        const dialog = name === "dialog" ? question : undefined
        const refusal = yield* scene.approve({ tool: name, params, address, element, onto, frames, dialog })
        if (refusal !== undefined) return yield* new Refused({ message: `It was not approved: ${refusal}` })
        const was = yield* before
        if (was === undefined) return yield* acted
        return yield* new Refused({
          message: `It was approved for ${was}. The page has changed meanwhile, so nothing was done. Look at the page.`
        })
      })
    }
  }
}

const { Array, Boolean, Finite, Int, Literals, String: Text, Struct, optionalKey: optional } = Schema
const index = Int.annotate({ description: "number of the element" })
const harmless: Kind = { changes: false }
const asks: Kind = { asks: true }
const unverified: Kind = { verifies: false }

/** The arguments that stand for elements. */
export const elementNames = ["index", "from", "to"] as const

/** The name of the tool that presses keys, and of the recorded element that received them. */
export const pressName = "press"
export const focusName = "focus"

/** The name of the tool that asks a person. It's offered in tasks whose caller allows it. */
export const askName = "askPerson"

/** The name of the tool that continues a replay. It's offered where a recorded step can't be repeated. */
export const resumeName = "resume"

/** All tools of the agent except the one that ends the task. */
export const tools: ReadonlyArray<BrowserTool> = [
  make("navigate", "Open an address in this tab", Struct({ url: Text }), ({ url }, { page }) => page.navigate(url)),
  make("back", "Go back one page", Struct({}), (_, { page }) => page.back),
  make(
    "click",
    "Click an element",
    Struct({
      index,
      count: optional(Int),
      button: optional(Literals(["left", "right"])),
      modifiers: optional(Array(Literals(["Control", "Shift", "Alt", "Meta"]))),
      hold: optional(Finite.annotate({ description: "seconds before the release" }))
    }),
    ({ index, ...how }, { page }) => page.click(index, how),
    asks
  ),
  make(
    "type",
    "Replace the text of a field. Write a secret as <secret:name>",
    Struct({
      index,
      text: Text,
      append: optional(Boolean),
      submit: optional(Boolean.annotate({ description: "press Enter afterwards" }))
    }),
    ({ index, text, ...how }, { page }) => page.type(index, text, how),
    { ...asks, ...unverified }
  ),
  make(
    "select",
    "Choose options of a select by their text",
    Struct({ index, values: Array(Text) }),
    ({ index, values }, { page }) => page.select(index, values),
    { ...asks, ...unverified }
  ),
  make(
    "check",
    "Set a checkbox, radio button or switch",
    Struct({ index, checked: Boolean }),
    ({ checked, index }, { page }) => page.check(index, checked),
    asks
  ),
  make(
    pressName,
    "Press keys such as Enter, Escape, F2, ArrowDown or Control+a; several with spaces between",
    Struct({ keys: Text }),
    ({ keys }, { page }) => page.press(keys),
    { ...asks, ...unverified }
  ),
  make(
    "scroll",
    "Scroll the page, or the area that an element is in",
    Struct({
      direction: Literals(["up", "down", "top", "bottom", "left", "right"]),
      pages: optional(Finite),
      index: optional(index),
      wheel: optional(Boolean.annotate({ description: "turn the mouse wheel over the element, as for maps" }))
    }),
    ({ direction, ...how }, { page }) => page.scroll(direction, how)
  ),
  make(
    "hover",
    "Move the mouse over an element, or that many pixels from its middle, or over a text without a number",
    Struct({ index: optional(index), text: optional(Text), dx: optional(Finite), dy: optional(Finite) }),
    ({ index, text, ...by }, { page }) =>
      index !== undefined
        ? page.hover(index, by)
        : text !== undefined
          ? page.hoverText(text)
          : Effect.fail(new Refused({ message: "Name an element or a text." }))
  ),
  make(
    "highlight",
    "Select a text of the page, or of an editor, as with the mouse",
    Struct({ text: Text, index: optional(index) }),
    ({ index, text }, { page }) => page.highlight(text, index)
  ),
  make(
    "drag",
    "Drag an element onto another one, or that many pixels beside its middle",
    Struct({
      from: index,
      to: index,
      dx: optional(Finite),
      dy: optional(Finite),
      fromDx: optional(Finite.annotate({ description: "begin so far from the middle" })),
      fromDy: optional(Finite)
    }),
    ({ from, to, ...by }, { page }) => page.drag(from, to, by),
    asks
  ),
  make(
    "clickAt",
    "Click a point of the screen, in pixels, for canvases and maps",
    Struct({ x: Finite, y: Finite }),
    ({ x, y }, { page }) => page.clickAt(x, y),
    { ...asks, ...unverified }
  ),
  make(
    "wait",
    "Wait some seconds, at most 10, or until a text is on the page, at most 60",
    Struct({ seconds: Finite, text: optional(Text) }),
    ({ seconds, text }, { page }) => (text === undefined ? page.wait(seconds) : page.waitFor(text, seconds))
  ),
  make(
    "tab",
    "Open a tab, or bring one to the front or close it by its number",
    Struct({ do: Literals(["open", "front", "close"]), number: optional(Int), url: optional(Text) }),
    ({ do: what, ...which }, { page }) => page.tab(what, which)
  ),
  make(
    "find",
    "Find a text on the whole page and scroll to it",
    Struct({ text: Text }),
    ({ text }, { page }) => page.find(text),
    harmless
  ),
  make(
    "read",
    "Read the whole page, all of an element's text, value or options, or a text file of this task, from an offset",
    Struct({ offset: optional(Int), index: optional(index), file: optional(Text) }),
    (which, { page }) => page.read(which),
    harmless
  ),
  make(
    "extract",
    "Have the whole page read for something, such as all products with their prices",
    Struct({ what: Text }),
    ({ what }, { extract, page }) => Effect.flatMap(page.extract, (text) => extract(what, text)),
    harmless
  ),
  make(
    "upload",
    "Choose files of this task, by name, for a file field",
    Struct({ index, names: Array(Text) }),
    ({ index, names }, { page }) => page.upload(index, names),
    asks
  ),
  make(
    "dialog",
    "Answer the question that the page asks",
    Struct({ accept: Boolean, text: optional(Text) }),
    ({ accept, text }, { page }) => page.dialog(accept, text),
    asks
  ),
  make(
    "note",
    "Keep something for later pages: a text is added to your notes, and a plan replaces your plan. Each request has both",
    Struct({
      text: optional(Text),
      plan: optional(Text.annotate({ description: "what is done and what comes next" })),
      replace: optional(Boolean.annotate({ description: "drop the earlier notes" }))
    }),
    (note, scene) => {
      const { plan = "", text = "" } = note
      if (note.text === undefined && note.plan === undefined) {
        return Effect.fail(new Refused({ message: "note needs a text or a plan." }))
      }
      if (plan.length <= plan_length) return Effect.sync(() => scene.note(note))
      const rest = text === "" ? "Write a shorter plan" : "Write a shorter plan, and the text again"
      return Effect.fail(
        new Refused({
          message: `Not noted: a plan has at most ${plan_length} characters, and this one has ${plan.length}. ${rest}.`
        })
      )
    },
    harmless
  ),
  make(
    askName,
    "Ask a person, who may answer or use the browser, and wait. Only if you can't go on without: a decision, a sign-in, a code, a captcha or a payment",
    Struct({
      question: Text.check(Schema.isMinLength(1), Schema.isMaxLength(2000)),
      reason: optional(Literals(["question", "sign_in", "captcha", "payment"])),
      choices: optional(
        Array(Text.check(Schema.isMinLength(1), Schema.isMaxLength(200))).check(
          Schema.isMinLength(2),
          Schema.isMaxLength(20)
        )
      )
    }),
    (question, { ask }) => ask(question),
    unverified
  ),
  make(
    resumeName,
    "Go on with the recorded steps, from the one with this number on",
    Struct({ step: Int }),
    ({ step }, { resume }) => resume(step),
    { ...harmless, ...unverified }
  )
]

/** Returns the tools that a task's model can call: `mayAsk` adds the one for questions to people. */
export const offered = (mayAsk: boolean, isReplay = false): ReadonlyArray<Described> =>
  tools.map(({ tool }) => tool).filter(({ name }) => (mayAsk || name !== askName) && (isReplay || name !== resumeName))

/** The name of the tool that ends the task. */
export const doneName = "done"

/** The tool that ends the task, with the form that its output has to have. */
export const done = (outputSchema: Schema.JsonObject | null): Described => {
  const { $defs, definitions, ...output } = outputSchema ?? { type: "string" }
  return describe(doneName, "End the task and hand over its output", {
    type: "object",
    properties: { success: { type: "boolean" }, output },
    required: ["success", "output"],
    additionalProperties: false,
    // references are read from the root
    ...($defs === undefined ? {} : { $defs }),
    ...(definitions === undefined ? {} : { definitions })
  })
}

/** Returns the size of tools in a request, in characters. A vendor writes a little more around each. */
export const sizeOf = (described: ReadonlyArray<Described>): number =>
  described
    .map((tool) => JSON.stringify([tool.name, Tool.getDescription(tool), Tool.getJsonSchema(tool)]).length + 70)
    .reduce((sum, length) => sum + length, 0)
