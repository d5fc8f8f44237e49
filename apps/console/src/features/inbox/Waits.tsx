import type { RunDetails, WaitingFor } from "@webagent/admin"
import * as AsyncResult from "effect/reactivity/AsyncResult"
import { useRef, useState } from "react"
import { reason, serverInfo } from "../../state/client.ts"
import { putRuns } from "../../state/live.ts"
import { say } from "../../state/notices.ts"
import { useAtomValue, useChange } from "../../state/react.ts"
import { valueOf } from "../../state/runs.ts"
import { Button, buttonClass } from "../../ui/Button.tsx"
import { TextField } from "../../ui/Field.tsx"
import { count, moment } from "../../ui/format.ts"
import { Link } from "../../ui/Link.tsx"
import { Section } from "../../ui/Page.tsx"
import { Untrusted } from "../../ui/Untrusted.tsx"
import styles from "./Inbox.module.css"
import { answerRun, effectOf, headingOf, lackOf } from "./inbox.state.ts"

interface AnswerProps {
  readonly runId: string
  readonly question: WaitingFor
}

interface CostFormProps {
  readonly isWaiting: boolean
  readonly answer: (text: string) => void
}

/** A field for a higher cost limit, and a button that ends the run. */
const CostForm = ({ answer, isWaiting }: CostFormProps) => {
  const [text, setText] = useState("")
  const [isTried, setTried] = useState(false)
  const isAmount = /^\d{1,9}(?:\.\d{1,12})?$/u.test(text.trim())
  return (
    <form
      className={styles["form"]}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        setTried(true)
        if (isAmount) answer(text.trim())
      }}
    >
      <TextField
        label="New limit (USD)"
        inputMode="decimal"
        autoComplete="off"
        placeholder="1.50"
        value={text}
        error={isTried && !isAmount ? "Enter an amount in USD, such as 1.50." : undefined}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
      />
      <Button kind="primary" type="submit" disabled={isWaiting}>
        Raise the limit
      </Button>
      <Button disabled={isWaiting} onClick={() => answer("end")}>
        End the run
      </Button>
    </form>
  )
}

/** A button for each choice, or a field for a text. */
const AnswerForm = ({ question: { choices, id, reason: reasonOfWait }, runId }: AnswerProps) => {
  const field = useRef<HTMLInputElement>(null)
  const [send, isWaiting] = useChange(answerRun, (result) =>
    AsyncResult.isFailure(result) ? say(reason(result)) : putRuns([result.value])
  )
  const answer = (text: string) => send({ params: { run_id: runId }, payload: { questionId: id, answer: text } })
  if (reasonOfWait === "max_cost") return <CostForm isWaiting={isWaiting} answer={answer} />
  if (choices !== null) {
    return (
      <div className={styles["choices"]} role="group" aria-label="Choices">
        {choices.map((choice) => (
          <Button key={choice} disabled={isWaiting} onClick={() => answer(choice)}>
            <Untrusted max={200}>{choice}</Untrusted>
          </Button>
        ))}
      </div>
    )
  }
  return (
    <form
      className={styles["form"]}
      onSubmit={(event) => {
        event.preventDefault()
        const text = field.current?.value.trim() ?? ""
        if (text === "") field.current?.focus()
        else answer(text)
      }}
    >
      <TextField ref={field} label="Answer" autoComplete="off" maxLength={10_000} />
      <Button kind="primary" type="submit" disabled={isWaiting}>
        Send the answer
      </Button>
    </form>
  )
}

interface QuestionProps extends AnswerProps {
  readonly browserId: string | null
}

const Question = ({ browserId, question, runId }: QuestionProps) => {
  const mayAnswer = valueOf(useAtomValue(serverInfo))?.key.operations.includes("runs.answer") ?? false
  return (
    <section className={styles["question"]} aria-label="Question for a person">
      <h2>{headingOf(question)}</h2>
      <p>
        <Untrusted max={2000}>{question.question}</Untrusted>
      </p>
      {mayAnswer ? <AnswerForm key={question.id} runId={runId} question={question} /> : null}
      {browserId === null ? null : (
        <p>
          <Link to={`/browsers/${browserId}`} className={buttonClass()}>
            Use its browser
          </Link>
        </p>
      )}
      <small>
        Without an answer by <time dateTime={question.deadline}>{moment(question.deadline)}</time>, {effectOf(question)}
        .
      </small>
    </section>
  )
}

const outcomes: Readonly<Record<string, string>> = {
  handed_back: "A person used the browser",
  expired: "No one answered"
}

/** The wait of a run for a free browser or for a person, who answers here, and the run's earlier questions. */
export const Waits = ({ run }: { readonly run: RunDetails }) => {
  const { browserId, browserQueue = null, id, questions = [], waitingFor = null } = run
  const earlier = questions.filter(({ outcome }) => outcome !== null)
  return (
    <>
      {browserQueue === null ? null : (
        <p className={styles["queue"]} role="status">
          Number {count(browserQueue.position)} in the queue for a browser: {lackOf(browserQueue)}.
          {browserQueue.until === null ? "" : ` Without one by ${moment(browserQueue.until)}, the run fails.`}
        </p>
      )}
      {waitingFor === null ? null : <Question runId={id} browserId={browserId} question={waitingFor} />}
      {earlier.length === 0 ? null : (
        <Section title="Questions for people">
          <ul className={styles["asked"]}>
            {earlier.map(({ id: number, outcome, question }) => (
              <li key={number}>
                <Untrusted max={500}>{question}</Untrusted>
                <strong>
                  <Untrusted max={500}>{outcome?.answer ?? outcomes[outcome?.kind ?? ""] ?? "Answered"}</Untrusted>
                </strong>
                {outcome === null || outcome.by === null ? null : <small>by {outcome.by}</small>}
              </li>
            ))}
          </ul>
        </Section>
      )}
    </>
  )
}
