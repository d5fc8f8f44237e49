import { Turn } from "@webagent/engine"
import * as Predicate from "effect/Predicate"
import type { Json } from "effect/Schema"
import * as Prompt from "effect/ai/Prompt"
import * as Response from "effect/ai/Response"
import { cached } from "../model/Models.ts"
import { mapTexts } from "../model/Texts.ts"

/** The result of a tool call. */
export interface CallResult {
  readonly id: string
  readonly name: string
  /** A step fails by a failed call. A skipped call was never tried, so the model can still make it in the next step. */
  readonly status: "done" | "failed" | "skipped"
  /** Text for the model. The values of secrets are replaced by placeholders, so don't compare it with another text. */
  readonly result: string
}

const user = (text: string): Prompt.Message => Prompt.userMessage({ content: [Prompt.textPart({ text })] })

/** Half a surrogate pair breaks a request. */
const cut = (text: string, length: number): string => text.slice(0, length).toWellFormed()

/** A value of the model without half surrogate pairs. */
export const wellFormed = (value: unknown): unknown => mapTexts(value, (text) => text.toWellFormed())

/** Limits each text of the model that is sent back to it, in characters. */
const longestText = 4000

/** Limits the end mark of a page's text and the line after it, in characters. */
const longestMark = 200

/** Cuts a text, and says how much is missing. A page's text keeps its end mark. */
export const shortened = (text: string, most: number = longestText): string => {
  if (text.length <= most) return text.toWellFormed()
  const close = text.lastIndexOf("\n</page-")
  const mark = close === -1 || text.length - close > longestMark ? "" : text.slice(close)
  const length = Math.max(0, most - mark.length)
  return `${cut(text, length)}… (${text.length - mark.length - length} more characters)${mark.toWellFormed()}`
}

/** Limits the arguments of a call that are sent back, in characters of JSON. */
const longestParams = 16_000

const shortenedParams = (params: unknown): unknown => {
  const short = mapTexts(params, (text) => shortened(text))
  const json = JSON.stringify(short) ?? ""
  return json.length <= longestParams ? short : { cut: shortened(json) }
}

/** A part as it is sent back. A signed thought has to stay as it is. */
const sentBack = (part: Response.AnyPart): Response.AnyPart => {
  if (part.type === "text") return Response.makePart("text", { ...part, text: shortened(part.text) })
  if (part.type === "reasoning" && Object.keys(part.metadata).length === 0) {
    return Response.makePart("reasoning", { ...part, text: shortened(part.text) })
  }
  return part.type === "tool-call"
    ? Response.makePart("tool-call", { ...part, params: shortenedParams(part.params) })
    : part
}

/** Messages as text, for a model that sums them up or judges them. */
export const plain = (messages: ReadonlyArray<Prompt.Message>): string =>
  messages
    .flatMap((message) =>
      message.role === "system" ? [] : message.content.map((part) => plainPart(message.role, part))
    )
    .filter((text) => text !== "")
    .join("\n")

/** The characters that a provider adds to each part of a message, such as its role. */
const partChars = 30

const lengthOf = (part: Exclude<Prompt.Message["content"], string>[number]): number => {
  switch (part.type) {
    case "text":
    case "reasoning":
      return part.text.length
    case "tool-call":
      return part.name.length + (JSON.stringify(part.params) ?? "").length
    case "tool-result":
      return String(part.result).length
    default:
      // a picture takes tokens of its own, whatever its bytes
      return 0
  }
}

/** Returns the size of the text of messages, in characters. */
export const sizeOf = (messages: ReadonlyArray<Prompt.Message>): number =>
  messages
    .flatMap(({ content }) => (typeof content === "string" ? content.length : content.map(lengthOf)))
    .reduce((sum, length) => sum + length + partChars, 0)

const plainPart = (role: string, part: Exclude<Prompt.Message["content"], string>[number]): string => {
  switch (part.type) {
    case "text":
      return `${role}: ${part.text}`
    case "tool-call":
      return `called ${part.name} ${cut(JSON.stringify(part.params) ?? "", 300)}`
    case "tool-result":
      return `result: ${cut(String(part.result), 1000)}`
    default:
      return ""
  }
}

/**
 * Limits the tasks of a session that are repeated to the model (the newest ones), and the length of their text in
 * characters.
 */
const recalled_most = 8
const recalled_length = 16_000

/** Limits the text of a task that is kept for later ones, in characters. */
const kept_length = 8000

/** The end of a text that is too long. */
export const end = (text: string, length: number): string =>
  text.length <= length ? text : `…${text.slice(text.length - length + 1)}`.toWellFormed()

/** The parts of a conversation that are stored, for later tasks and after a restart. */
export type Kept = { readonly notes: string; readonly plan: string; readonly said: string }

const textIn = (value: object, name: string): string => {
  const text: unknown = Reflect.get(value, name)
  return typeof text === "string" ? text : ""
}

/** Reads the stored parts of a conversation. Earlier versions stored all of it as one text. */
export const keptIn = (checkpoint: Json): Kept | undefined => {
  if (typeof checkpoint === "string") return { notes: "", plan: "", said: checkpoint }
  if (!Predicate.isObject(checkpoint)) return undefined
  return { notes: textIn(checkpoint, "notes"), plan: textIn(checkpoint, "plan"), said: textIn(checkpoint, "said") }
}

/** Returns the earlier tasks of a session that this agent doesn't remember, for example after a restart. */
export const recalled = (turns: ReadonlyArray<Turn.Turn>, redact: (text: string) => string): ReadonlyArray<string> => {
  let room = recalled_length
  return turns
    .filter(({ status }) => Turn.isTerminal(status))
    .slice(-recalled_most)
    .toReversed()
    .map(({ checkpoint, output, status, task }) => {
      const head = `Earlier task: ${redact(task).slice(0, 2000)}\nIt ${status}. Output: ${redact(JSON.stringify(output)).slice(0, 2000)}`
      const summary = room > 0 ? end(redact(keptIn(checkpoint)?.said ?? ""), room) : ""
      room -= summary.length
      return summary === "" ? head : `${head}\nWhat was said and done:\n${summary}`
    })
    .toReversed()
}

/** The model's response as it came, and the results of its calls. */
export const answerOf = (
  content: ReadonlyArray<Response.AnyPart>,
  calls: ReadonlyArray<CallResult>
): ReadonlyArray<Prompt.Message> => {
  const answer = Prompt.fromResponseParts(content.filter(({ type }) => type !== "finish").map(sentBack)).content
  const results = calls.map(({ id, name, result, status }) =>
    Prompt.toolResultPart({
      id,
      name,
      isFailure: status !== "done",
      result: result.toWellFormed(),
      providerExecuted: false
    })
  )
  return [...answer, ...(results.length === 0 ? [] : [Prompt.toolMessage({ content: results })])]
}

/** A change of the model's notes. */
export interface Note {
  /** Added to the notes. */
  readonly text?: string
  /** Replaces the plan. */
  readonly plan?: string
  /** Drops the earlier notes. */
  readonly replace?: boolean
}

/** Limits the notes of a session and the plan of a task, in characters. */
const notes_length = 4000
export const plan_length = 1000

/**
 * Makes the model's input: instructions, a past that only grows so that providers can cache it, and the current page,
 * which is sent once and not kept.
 */
export const make = (instructions: string) => {
  const system = Prompt.systemMessage({ content: instructions })
  let past: ReadonlyArray<Prompt.Message> = []
  /** The index in the past at which the current task begins. */
  let begun = 0
  const seenSecrets = new Set<string>()
  let notes = ""
  let plan = ""

  /** The plan and the notes, which no summary loses. Of notes that exceed a length, the end is left. */
  const memory = (most = notes_length + plan_length) => {
    const shortPlan = cut(plan, Math.floor(most / 2))
    const shortNotes = end(notes, most - shortPlan.length)
    return [
      ...(plan === "" ? [] : [`Your plan: ${shortPlan}`]),
      ...(notes === "" ? [] : [`Your notes:\n${shortNotes}`])
    ].join("\n")
  }

  return {
    forget: () => {
      past = []
      notes = ""
      plan = ""
      seenSecrets.clear()
    },
    memory,
    /** Has the notes and the plan of an earlier conversation. */
    restore: (earlier: Pick<Kept, "notes" | "plan">) => {
      notes = end(earlier.notes, notes_length)
      plan = cut(earlier.plan, plan_length)
    },
    /** Changes the model's notes and its plan, and describes the outcome for it. */
    note: ({ plan: next = plan, replace = false, text = "" }: Note): string => {
      const earlier = replace ? "" : notes
      const all = [earlier, ...(text === "" ? [] : [`- ${text}`])].filter((each) => each !== "").join("\n")
      notes = end(all, notes_length)
      plan = cut(next, plan_length)
      return notes === all
        ? "Noted."
        : `Noted. The beginning of your notes was dropped, because they hold ${notes_length} characters: rewrite them with replace.`
    },
    /** Returns whether the conversation has these turns. Another node may have carried one out. */
    knows: (turns: ReadonlyArray<Turn.Turn>) => turns.every(({ id, steps }) => steps === 0 || seenSecrets.has(id)),
    /** Has a turn from now on, as it is carried out here or recalled. */
    learn: ({ id }: Pick<Turn.Turn, "id">) => {
      plan = ""
      seenSecrets.add(id)
      begun = past.length
    },
    /**
     * Returns the notes and the text of the task so far, for later tasks; `more` is what isn't part of it yet. A long
     * text is cut to its end.
     */
    kept: (redact: (text: string) => string, more: ReadonlyArray<Prompt.Message> = []): Kept => ({
      notes: redact(notes),
      plan: redact(plan),
      said: end(redact(plain([...past.slice(begun), ...more])), kept_length)
    }),
    say: (text: string) => {
      past = [...past, user(text.toWellFormed())]
    },
    /** Adds the model's response as it came, and the results of its calls. A call is never without its result. */
    answered: (content: ReadonlyArray<Response.AnyPart>, calls: ReadonlyArray<CallResult>) => {
      past = [...past, ...answerOf(content, calls)]
    },
    /** All of it, and the page as it is now. */
    prompt: (now: string, picture?: Uint8Array): Prompt.Prompt =>
      Prompt.fromMessages([
        system,
        ...past.map((message, index) => (index === past.length - 1 ? cached(message) : message)),
        Prompt.userMessage({
          content: [
            Prompt.textPart({ text: now.toWellFormed() }),
            ...(picture === undefined ? [] : [Prompt.filePart({ mediaType: "image/jpeg", data: picture })])
          ]
        })
      ]),
    /** Returns the size of the past, in characters. */
    size: () => sizeOf(past),
    all: () => past,
    /** All but the newest messages; a call stays with its result. */
    old: (keep: number): ReadonlyArray<Prompt.Message> => {
      let end = Math.max(0, past.length - keep)
      while (end > 0 && past[end]?.role === "tool") end--
      return past.slice(0, end)
    },
    /** Cuts the results of calls to a length. */
    shortenResults: (most: number) => {
      past = past.map((message) =>
        message.role !== "tool"
          ? message
          : Prompt.toolMessage({
              ...message,
              content: message.content.map((part) =>
                part.type === "tool-result" && typeof part.result === "string"
                  ? Prompt.toolResultPart({ ...part, result: shortened(part.result, most) })
                  : part
              )
            })
      )
    },
    /** Has a summary in place of the first messages. */
    sumUp: (count: number, summary: string) => {
      past = [user(summary.toWellFormed()), ...past.slice(count)]
      // the summary has the beginning of the task, too, once that is part of it
      begun = begun < count ? 0 : begun - count + 1
    }
  }
}

/** The model's input, which grows with each step. */
export type Conversation = ReturnType<typeof make>
