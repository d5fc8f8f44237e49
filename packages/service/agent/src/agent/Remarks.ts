import type { Look } from "../page/Look.ts"
import type { Page } from "../page/Page.ts"
import type * as Calls from "./Calls.ts"
import type * as Conversation from "./Conversation.ts"
import * as Limits from "./Limits.ts"
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

  /** After its calls: the limit of repeated steps that the task has reached, if any. */
  const after = (look: Look, calls: ReadonlyArray<Calls.Call>): Limits.Reached | undefined => {
    suggestDomains()
    // a model that calls nothing has its own failure
    if (calls.length === 0) {
      conversation.say("Call a tool. Call done when the task is carried out.")
      return undefined
    }
    const repeated = loops.acted(look.likeness, JSON.stringify(calls.map(({ name, params }) => [name, params])))
    const { alike, same } = repeated
    const isSame = same >= Loops.warned.same
    if (isSame || alike >= Loops.warned.alike) {
      suggestions.add("loop", `The agent did the same ${isSame ? same : alike} times on ${look.url.slice(0, 200)}.`)
      conversation.say(
        isSame
          ? `You did exactly this ${same} times on the same page, and it does not help. If the page shows the result of the task, call done with it. If not, try another way.`
          : `You did exactly this ${alike} times, and only numbers on the page changed. Check that they change because of you, and that you still want more of it.`
      )
    }
    return Limits.circled(limits, repeated)
  }

  return { before, after }
}
