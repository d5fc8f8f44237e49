import * as Effect from "effect/Effect"
import type * as AsyncResult from "effect/reactivity/AsyncResult"
import * as Schema from "effect/Schema"
import { issuesOf, isUnanswered, reason } from "../../state/errors.ts"
import { keptList } from "../../state/preferences.ts"
import type { RunBody } from "./code.ts"

// a template of an older version doesn't have all fields
const text = Schema.String.pipe(Schema.withDecodingDefaultKey(Effect.succeed("")))
const flag = Schema.Boolean.pipe(Schema.withDecodingDefaultKey(Effect.succeed(false)))

/** The fields of the form of a new run, as text. */
export const FormTexts = Schema.Struct({
  task: text,
  model: text,
  schema: text,
  maxCostUsd: text,
  profileId: text,
  isRecorded: flag,
  isPaused: flag,
  isJudged: flag,
  judgeContext: text,
  tags: text,
  metadata: text,
  size: text,
  country: text,
  languages: text,
  timeZone: text,
  userAgent: text
})

/** The fields of the form of a new run, as text. */
export type FormTexts = typeof FormTexts.Type

/** An empty form. */
export const emptyForm: FormTexts = Schema.decodeUnknownSync(FormTexts)({})

/** Returns whether a form has more than a task. */
export const hasOptions = ({ task: _task, ...options }: FormTexts): boolean =>
  Object.values(options).some((value) => value !== "" && value !== false)

/** The field of a form that is wrong, with a sentence. */
export interface FormError {
  readonly field: keyof FormTexts
  readonly reason: string
}

/** The fields of the form that have another name in the body of a create. */
const fieldOf: Readonly<Record<string, keyof FormTexts>> = {
  outputSchema: "schema",
  onMaxCost: "maxCostUsd",
  judge: "judgeContext",
  screenWidth: "size",
  screenHeight: "size",
  proxyCountryCode: "country"
}

/** The server's reason for refusing a run, and the field of the form that it's about if there is one. */
export interface Refusal {
  readonly field: keyof FormTexts | undefined
  readonly reason: string
}

/** Reads the error of a create. */
export const refusalOf = (result: AsyncResult.AsyncResult<unknown, unknown>): Refusal => {
  for (const { msg, path } of issuesOf(result)) {
    const name = path.find((part) => Object.hasOwn(fieldOf, part) || Object.hasOwn(emptyForm, part))
    if (name !== undefined)
      return { field: fieldOf[name] ?? (name as keyof FormTexts), reason: /[.!?]$/u.test(msg) ? msg : `${msg}.` }
  }
  return {
    field: undefined,
    reason: isUnanswered(result)
      ? "The server isn't responding. It may have started the run before the connection was lost: check the list of runs before you try again. Your task stays here."
      : reason(result)
  }
}

const schemaOf = (text: string): Record<string, unknown> | string => {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
    return 'A JSON Schema is an object such as { "type": "object", "properties": { … } }.'
  } catch (error) {
    return `This isn't JSON: ${error instanceof Error ? error.message : "check the brackets and quotes"}.`
  }
}

const partsOf = (text: string): ReadonlyArray<string> => text.split(",").flatMap((part) => part.trim() || [])

/** Pairs such as `order=17, team=shop`; undefined if a part is no pair. */
const pairsOf = (text: string): Readonly<Record<string, string>> | undefined => {
  const pairs = partsOf(text).map((part) => /^([^=]+)=(.*)$/u.exec(part))
  return pairs.includes(null)
    ? undefined
    : Object.fromEntries(pairs.map((pair) => [pair?.[1]?.trim() ?? "", pair?.[2]?.trim() ?? ""]))
}

/** The settings of the browser, or the field that is wrong. */
const browserOf = (form: FormTexts): { readonly settings: Readonly<Record<string, unknown>> } | FormError => {
  const size = /^\s*(\d{1,5})\s*[x×]\s*(\d{1,5})\s*$/u.exec(form.size)
  if (form.size.trim() !== "" && size === null)
    return { field: "size", reason: "Enter a width and height in pixels, such as 1280x720." }
  if (!/^(?:[A-Za-z]{2})?$/u.test(form.country.trim()))
    return { field: "country", reason: "Enter two letters, such as de." }
  const texts = { proxyCountryCode: form.country, timeZone: form.timeZone, userAgent: form.userAgent }
  const languages = partsOf(form.languages)
  return {
    settings: {
      ...(form.profileId.trim() === "" ? {} : { profileId: form.profileId.trim() }),
      ...(form.isRecorded ? { record: true } : {}),
      ...(size === null ? {} : { screenWidth: Number(size[1]), screenHeight: Number(size[2]) }),
      ...(languages.length === 0 ? {} : { languages }),
      ...Object.fromEntries(
        Object.entries(texts).flatMap(([name, text]) => (text.trim() === "" ? [] : [[name, text.trim()]]))
      )
    }
  }
}

/** Reads a form and the ids of uploaded files as the body of a create, or says which field is wrong. */
export const bodyOf = (
  form: FormTexts,
  attachedFileIds: ReadonlyArray<string> = []
): { readonly body: RunBody } | FormError => {
  const task = form.task.trim()
  if (task === "") return { field: "task", reason: "Describe the task." }
  const schema = form.schema.trim() === "" ? undefined : schemaOf(form.schema)
  if (typeof schema === "string") return { field: "schema", reason: schema }
  const maxCostUsd = form.maxCostUsd.trim() === "" ? undefined : Number(form.maxCostUsd)
  if (maxCostUsd !== undefined && !(maxCostUsd > 0)) {
    return { field: "maxCostUsd", reason: "Enter an amount in USD above 0, such as 0.50." }
  }
  if (form.isPaused && maxCostUsd === undefined) {
    return { field: "maxCostUsd", reason: "Enter the limit at which the run waits." }
  }
  const metadata = pairsOf(form.metadata)
  if (metadata === undefined) return { field: "metadata", reason: "Enter pairs such as order=17, team=shop." }
  const browser = browserOf(form)
  if ("field" in browser) return browser
  const { settings: browserSettings } = browser
  const context = form.judgeContext.trim()
  const tags = partsOf(form.tags)
  return {
    body: {
      task,
      ...(form.model.trim() === "" ? {} : { model: form.model.trim() }),
      ...(schema === undefined ? {} : { outputSchema: schema }),
      ...(maxCostUsd === undefined ? {} : { maxCostUsd }),
      ...(form.isPaused ? { onMaxCost: "pause" } : {}),
      ...(form.isJudged ? { judge: context === "" ? true : { context } } : {}),
      ...(tags.length === 0 ? {} : { tags }),
      ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
      ...(attachedFileIds.length === 0 ? {} : { attachedFileIds }),
      ...(Object.keys(browserSettings).length === 0 ? {} : { browserSettings })
    }
  }
}

/** A task to begin with. */
export interface Template extends Partial<FormTexts> {
  readonly name: string
  readonly task: string
}

/** Longest name of a template. */
export const longestName = 40

/** A form that was saved as a template. */
export const SavedTemplate = Schema.Struct({
  name: Schema.NonEmptyString.check(Schema.isMaxLength(longestName)),
  ...FormTexts.fields
})

/** A form that was saved as a template. */
export type SavedTemplate = typeof SavedTemplate.Type

/** The templates that were saved in this browser. */
export const savedTemplates = keptList("templates", SavedTemplate)

/** Adds a template in front; one with the same name is replaced. */
export const withTemplate = (
  all: ReadonlyArray<SavedTemplate>,
  name: string,
  form: FormTexts
): ReadonlyArray<SavedTemplate> => [
  { ...form, name: name.trim().slice(0, longestName) },
  ...all.filter((template) => template.name !== name.trim())
]

const pretty = (schema: object): string => JSON.stringify(schema, null, 2)

/** A task with a script that ends in this result. */
const success = (task: string, duration: string, result: string): string =>
  `${task} [simulate outcome=completed success=true judge=true duration=${duration} output=${JSON.stringify(result)}]`

/** Tasks to begin with. Those with brackets are scripts that a simulated service follows. */
export const templates = (isSimulated: boolean): ReadonlyArray<Template> =>
  isSimulated
    ? [
        {
          name: "A task that succeeds",
          task: success(
            "Find the cheapest direct flight from Oslo to Rome in May",
            "5s",
            "The cheapest direct flight costs 89 EUR and leaves on May 12 at 06:40."
          )
        },
        {
          name: "A task that takes 20 seconds",
          task: success(
            "Compare the prices of five hotels in Rome",
            "20s",
            "The five hotels cost 74, 81, 96, 120 and 145 EUR per night."
          )
        },
        {
          name: "A task that fails",
          task: 'Buy a train ticket to Bergen [simulate outcome=failed duration=5s error="The page asks for a sign-in."]'
        },
        {
          name: "A result with a schema",
          task: 'Find the cheapest flight from Oslo to Rome [simulate outcome=completed success=true judge=true duration=5s output={"airline":"Norwegian","price":89}]',
          schema: pretty({
            type: "object",
            properties: { airline: { type: "string" }, price: { type: "number" } },
            required: ["airline", "price"]
          })
        }
      ]
    : [
        { name: "Read a page", task: "Open https://example.com and tell me the heading of the page" },
        {
          name: "Read a list",
          task: "Open https://news.ycombinator.com and list the titles and points of the first five stories",
          schema: pretty({
            type: "object",
            properties: {
              stories: {
                type: "array",
                items: { type: "object", properties: { title: { type: "string" }, points: { type: "number" } } }
              }
            },
            required: ["stories"]
          })
        }
      ]
