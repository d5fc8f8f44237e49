import type { Asked, Attempt, HandedOver } from "@webagent/engine"
import * as Effect from "effect/Effect"
import { Refused } from "../page/Failures.ts"
import type { Page } from "../page/Page.ts"
import type * as Conversation from "./Conversation.ts"
import * as HandOver from "./HandOver.ts"
import type { Action, AskedPerson } from "./Tools.ts"

interface PeopleOptions {
  readonly attempt: Pick<Attempt, "ask" | "handedOver">
  readonly page: Page
  readonly conversation: Conversation.Conversation
  readonly approve: (action: Action) => Effect.Effect<HandOver.Approval>
  /** True if the run's caller allows questions of the agent. */
  readonly mayAsk: boolean
  /** Returns the notes with which the task continues if its server is lost while it waits. */
  readonly notes: () => Conversation.Kept | undefined
  /** Receives the outcomes of questions about the cost limit that the run asked at another node. */
  readonly onCost: (over: HandedOver) => void
}

/** Makes what an agent asks people in a task. */
export const make = ({ approve, attempt, conversation, mayAsk, notes, onCost, page }: PeopleOptions) => {
  // without its browser, the task can't continue, whatever the person answers
  const waiting = <A, E>(wait: Effect.Effect<A, E>) => Effect.raceFirst(wait, page.lost)
  const askPerson = (question: Asked) =>
    waiting(Effect.suspend(() => attempt.ask({ ...question, question: page.redact(question.question) }, notes())))
  return {
    askPerson,
    /** Applies the rule about an action, which may have a person decide; a text says why it is refused. */
    approve: (action: Action) =>
      Effect.flatMap(approve(action), (verdict) =>
        typeof verdict === "object"
          ? Effect.map(
              askPerson({ reason: "approval", question: verdict.ask, choices: HandOver.approvals, askedBy: "rule" }),
              HandOver.refusalOf
            )
          : Effect.succeed(verdict)
      ),
    /** Asks a question of the model. */
    ask: Effect.fnUntraced(function* ({ choices, question, reason = "question" }: AskedPerson) {
      if (!mayAsk) return yield* new Refused({ message: "No person can be asked in this task." })
      const before = page.front()
      const over = yield* askPerson({ reason, question, choices: choices ?? null, askedBy: "agent" })
      if (over === null) return yield* new Refused({ message: "You have asked people as often as you may." })
      return HandOver.sentenceOf(over, before, page)
    }),
    /** Adds the answered questions of requests to the model's conversation. */
    tellHandedOver: Effect.gen(function* () {
      const before = page.front()
      for (const over of yield* waiting(attempt.handedOver(notes()))) {
        if (over.question.reason === "max_cost") {
          onCost(over)
          continue
        }
        conversation.say(`A person was asked: ${over.question.question}\n${HandOver.sentenceOf(over, before, page)}`)
      }
    })
  }
}
