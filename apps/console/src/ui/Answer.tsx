import * as AsyncResult from "effect/reactivity/AsyncResult"
import { CloudOff, LockKeyhole } from "lucide-react"
import type { ReactNode } from "react"
import { errorTag, reason } from "../state/client.ts"
import { Failed, Loading, Message } from "./Message.tsx"

interface AnswerProps<A> {
  readonly of: AsyncResult.AsyncResult<A, unknown>
  /** Plural noun for the records that are read, such as `nodes`. */
  readonly what: string
  readonly onRetry: () => void
  readonly children: (value: A) => ReactNode
}

/** Shows the result of a request, a placeholder while it runs, or its error with a retry button. */
export const Answer = <A,>({ children, of: result, onRetry, what }: AnswerProps<A>) => {
  if (AsyncResult.isSuccess(result)) return children(result.value)
  if (!AsyncResult.isFailure(result) || result.waiting) return <Loading what={what} lines={4} />
  if (errorTag(result) === "ForbiddenError") {
    return (
      <Message icon={LockKeyhole} title={`Your key may not see ${what}`}>
        <p>Sign in with a key that has the scope admin.</p>
      </Message>
    )
  }
  return <Failed icon={CloudOff} title={`The ${what} could not be read`} reason={reason(result)} onRetry={onRetry} />
}
