import * as AsyncResult from "effect/reactivity/AsyncResult"
import type * as Atom from "effect/reactivity/Atom"
import { CloudOff, FileQuestion, LockKeyhole } from "lucide-react"
import type { ReactNode } from "react"
import { errorTag, reason } from "../state/errors.ts"
import { registry, useAtomValue } from "../state/react.ts"
import { Link } from "./Link.tsx"
import { Failed, Loading, Message } from "./Message.tsx"

interface AnswerProps<A> {
  readonly of: AsyncResult.AsyncResult<A, unknown>
  /** Noun for the records that are read, such as `nodes`, or `run` for a screen about one. */
  readonly what: string
  /** Ways out of a screen about one record that doesn't exist. With it, a message is the whole screen. */
  readonly missing?: ReactNode
  readonly onRetry: () => void
  readonly children: (value: A) => ReactNode
}

/** Shows the result of a request, a placeholder while it runs, or its error with a retry button. */
export const Answer = <A,>({ children, missing, of: result, onRetry, what }: AnswerProps<A>) => {
  const whole = missing !== undefined
  if (AsyncResult.isSuccess(result)) return children(result.value)
  if (!AsyncResult.isFailure(result) || result.waiting) return <Loading what={what} lines={whole ? 8 : 4} />
  if (whole && ["NotFoundError", "MissingError"].includes(errorTag(result) ?? "")) {
    return (
      <Message icon={FileQuestion} title={`There is no such ${what}`} alert whole>
        {missing}
      </Message>
    )
  }
  if (!isFile && errorTag(result) === "ForbiddenError") {
    return (
      <Message icon={LockKeyhole} title={`Your key can't see the ${what}`} whole={whole}>
        <p>Sign in with a key that has the admin scope.</p>
      </Message>
    )
  }
  return (
    <Failed
      icon={CloudOff}
      title={`Couldn't load the ${what}`}
      reason={reason(result)}
      onRetry={onRetry}
      whole={whole}
    />
  )
}

interface RecordAnswerProps<A> {
  readonly page: Atom.Atom<AsyncResult.AsyncResult<A, unknown>>
  /** Noun for the record. */
  readonly what: string
  /** Reason why the record may be missing, if it's another one than usual. */
  readonly missing?: string | undefined
  /** The screen to which a missing record leads, and its name. */
  readonly home: readonly [to: string, text: string]
  readonly children: (value: A) => ReactNode
}

/** The screen about one record: its content, or a message about a missing one. */
export const RecordAnswer = <A,>({ children, home: [to, text], missing, page, what }: RecordAnswerProps<A>) => (
  <Answer
    of={useAtomValue(page)}
    what={what}
    missing={
      <>
        <p>{missing ?? "It was deleted, or your key can't see it."}</p>
        <Link to={to}>{text}</Link>
      </>
    }
    onRetry={() => registry.refresh(page)}
  >
    {children}
  </Answer>
)
