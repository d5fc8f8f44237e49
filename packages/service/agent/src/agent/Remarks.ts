import type { Look } from "../page/Look.ts"
import type { Page } from "../page/Page.ts"
import type * as Calls from "./Calls.ts"
import type * as Conversation from "./Conversation.ts"
import type * as Limits from "./Limits.ts"
import * as Loops from "./Loops.ts"
import type * as Suggestions from "./Suggestions.ts"

/** The parts of a task that remarks depend on. */
interface RemarksOptions {
  readonly page: Page
  readonly limits: Limits.Limits
  readonly suggestions: ReturnType<typeof Suggestions.make>
  readonly conversation: Conversation.Conversation
}

/** Makes the remarks about a task's progress, for the model and the caller. */
export const make = ({ conversation, limits, page, suggestions }: RemarksOptions) => {
  const loops = Loops.make()

  const suggestDomains = () => {
    for (const address of page.refusals()) {
      suggestions.add("domain", `The agent wanted to open ${address}. Allow its host if it should.`)
    }
  }

  /** Before the model is asked: what it is told before the page. */
  const before = (step: number, look: Look, isLast: boolean): ReadonlyArray<string> => {
    const address = look.url.slice(0, 200)
    const unchanged = loops.seen(look.likeness)
    const remarks: Array<string> = []
    suggestDomains()
    if (look.hasCaptcha) {
      suggestions.add(
        "captcha",
        `${address} asks whether a person is there, and the agent solves no captchas. Use another site, or take over the browser by its controlUrl.`
      )
    }
    if (unchanged >= Loops.stagnation) {
      suggestions.add("stuck", `The page ${address} did not change for ${unchanged} steps.`)
      remarks.push(`The page has not changed for ${unchanged} steps: try something else.`)
    }
    if (isLast) remarks.push("This is the last step: end the task now with what you have.")
    else if (step >= limits.steps * 0.75) remarks.push(`This is step ${step} of ${limits.steps}.`)
    return remarks
  }

  /** After its calls: how often it made just these on a page that looked like this. */
  const after = (look: Look, calls: ReadonlyArray<Calls.Call>): number => {
    suggestDomains()
    // a model that calls nothing has its own failure
    if (calls.length === 0) {
      conversation.say("Call a tool. Call done when the task is carried out.")
      return 0
    }
    const repeated = loops.acted(look.likeness, JSON.stringify(calls.map(({ name, params }) => [name, params])))
    if (repeated >= Loops.repeats.told) {
      suggestions.add("loop", `The agent did the same ${repeated} times on ${look.url.slice(0, 200)}.`)
      conversation.say(
        `You did exactly this ${repeated} times on the same page. It does not help: do something else, or end the task with success false.`
      )
    }
    return repeated
  }

  return { before, after }
}
