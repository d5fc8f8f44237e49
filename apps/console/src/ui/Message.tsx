import type { LucideIcon } from "lucide-react"
import { type ReactNode, useEffect, useEffectEvent, useRef } from "react"
import { connection } from "../state/connection.ts"
import { useAtomValue } from "../state/react.ts"
import { Button } from "./Button.tsx"
import styles from "./Message.module.css"

interface MessageProps {
  readonly icon: LucideIcon
  readonly title: string
  readonly children?: ReactNode
  /** True if screen readers should announce it. */
  readonly alert?: boolean
  /** True if the message is the whole screen, so that its title is the page's heading. */
  readonly whole?: boolean
}

/** A message in place of content: an empty list or an error. */
export const Message = ({ alert = false, children, icon: Icon, title, whole = false }: MessageProps) => (
  <div className={styles["message"]} role={alert ? "alert" : undefined}>
    <Icon aria-hidden />
    {whole ? <h1>{title}</h1> : <h2>{title}</h2>}
    {children}
  </div>
)

interface FailedProps {
  readonly icon: LucideIcon
  readonly title: string
  readonly reason: string
  readonly onRetry: () => void
  readonly whole?: boolean
}

/** An error with its reason and a retry, which happens by itself when the connection to the server is back. */
export const Failed = ({ icon, onRetry, reason, title, whole = false }: FailedProps) => {
  const state = useAtomValue(connection)
  const before = useRef(state)
  const retry = useEffectEvent(onRetry)
  useEffect(() => {
    if (before.current === "lost" && state === "live") retry()
    before.current = state
  }, [state])
  return (
    <Message icon={icon} title={title} alert whole={whole}>
      <p>{reason}</p>
      <Button onClick={onRetry}>Try again</Button>
    </Message>
  )
}

/** Placeholder lines of a list that is being read. */
export const Loading = ({ lines = 8, what }: { readonly lines?: number; readonly what: string }) => (
  <div className={styles["lines"]} role="status" aria-label={`Loading ${what}`}>
    {Array.from({ length: lines }, (_, index) => (
      <div key={index} className={styles["line"]} />
    ))}
  </div>
)
