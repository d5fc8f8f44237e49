/** Runs that ask a person: two people answer at two nodes, and one of them counts. */
import { setTimeout as sleep } from "node:timers/promises"
import type { Kit } from "./Kit.ts"
import { textOf } from "./Requests.ts"

const choices = ["Red", "Blue"]

/** The effects of a question without an answer. */
const policies = ["fail", "skip", "continue"] as const

const isOver = (status: string) => ["completed", "failed", "cancelled"].includes(status)

/** The id of the question that a run waits for; undefined once the run is over. */
const questionOf = async ({ draw, requests }: Kit, id: string): Promise<string | undefined> => {
  for (;;) {
    const { body } = await requests.insist({ method: "GET", path: `/runs/${id}` })
    const question = body["waitingFor"] as { readonly id: string } | undefined | null
    if (question !== undefined && question !== null) return question.id
    if (isOver(textOf(body, "status"))) return undefined
    await sleep(50 + draw() * 200)
  }
}

/** Has a running run ask through the API, until it does or is over. */
const askByApi = async ({ draw, requests }: Kit, id: string) => {
  const body = { question: "Which color?", choices, timeout: 600, whenUnanswered: "continue" }
  for (;;) {
    const { status } = await requests.insist({ method: "POST", path: `/runs/${id}/ask`, body })
    if (status === 200) return
    const run = await requests.insist({ method: "GET", path: `/runs/${id}` })
    // an ask whose response was lost was carried out all the same
    if (isOver(textOf(run.body, "status")) || "waitingFor" in run.body) return
    await sleep(50 + draw() * 100)
  }
}

/** Answers as two people at once, each until there is a response; returns the answer that counts. */
const answerTwice = async ({ requests, wrong }: Kit, id: string, questionId: string) => {
  const responses = await Promise.all(
    choices.map(async (answer) => {
      const body = { questionId, answer }
      const { status } = await requests.insist({ method: "POST", path: `/runs/${id}/answer`, body })
      if (status !== 200 && status !== 409) wrong.push(`an answer to run ${id} is a ${status}`)
      return { answer, status }
    })
  )
  const accepted = responses.filter(({ status }) => status === 200)
  if (accepted.length > 1) wrong.push(`run ${id} took two answers to question ${questionId}`)
  return accepted[0]?.answer
}

/** Answers until the run is over: a node that wakes from a freeze asks again for a client that has asked at another node. */
const answerLate = async (kit: Kit, id: string): Promise<void> => {
  for (;;) {
    const question = await questionOf(kit, id)
    if (question === undefined) return
    await answerTwice(kit, id, question)
  }
}

/** One run that asks its person, or is told to, and is answered after a while or never. */
export const handOff = async (kit: Kit): Promise<void> => {
  const { create, draw, ended, mayFail, requests, wrong } = kit
  const isAnswered = draw() < 0.75
  const isByApi = isAnswered && draw() < 0.3
  const whenUnanswered = policies[Math.floor(draw() * policies.length)] ?? "fail"
  const ask = isByApi ? "" : ` ask="Which color?" choices=${JSON.stringify(choices)}`
  const duration_ms = Math.floor(300 + draw() * 1200)
  const made = await create("run", "/runs", {
    task: `Buy a mug [simulate steps=1 duration=${duration_ms}ms${ask}]`,
    handOff: { timeout: isAnswered ? 600 : 1, whenUnanswered }
  })
  const id = textOf(made, "id")
  if (!isAnswered && whenUnanswered === "fail") mayFail.set(id, "unanswered")
  if (isByApi) await askByApi(kit, id)
  const question = await questionOf(kit, id)
  if (question === undefined || !isAnswered) return ended(id)
  await sleep(draw() * 2000)
  const counted = await answerTwice(kit, id, question)
  if (isByApi) await answerLate(kit, id)
  await ended(id)
  const { body } = await requests.insist({ method: "GET", path: `/runs/${id}` })
  const answer = /Answer: (?<answer>\w+)$/u.exec(textOf(body, "result"))?.groups?.["answer"]
  if (textOf(body, "status") !== "completed" || isByApi) return
  if (answer === undefined || (counted !== undefined && answer !== counted)) {
    wrong.push(`run ${id} continued with ${answer}, and ${counted} was accepted`)
  }
}
