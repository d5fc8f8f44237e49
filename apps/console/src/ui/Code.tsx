import { CopyButton } from "./CopyButton.tsx"
import styles from "./Code.module.css"

interface CodeProps {
  readonly label: string
  readonly text: string
  /** True if long lines are broken, and not scrolled. */
  readonly wraps?: boolean
}

/** A block of code with a button that copies it. It's reachable by keyboard because it may scroll. */
export const Code = ({ label, text, wraps = false }: CodeProps) => (
  <div className={styles["code"]} data-wraps={wraps}>
    <pre tabIndex={0} role="region" aria-label={label}>
      <code>{text}</code>
    </pre>
    <div className={styles["copy"]}>
      <CopyButton text={text} label="Copy" />
    </div>
  </div>
)
