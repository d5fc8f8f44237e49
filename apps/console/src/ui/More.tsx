import { offline } from "../state/connection.ts"
import { useAtomValue } from "../state/react.ts"
import { Button } from "./Button.tsx"

interface MoreProps {
  readonly isDone: boolean
  readonly isWaiting: boolean
  readonly onMore: () => void
}

/** The end of a list of pages: a button that reads the next one. */
export const More = ({ isDone, isWaiting, onMore }: MoreProps) => {
  const isGone = useAtomValue(offline) !== undefined
  return isDone ? null : (
    <div>
      <Button disabled={isWaiting || isGone} onClick={onMore}>
        Show more
      </Button>
    </div>
  )
}
