import { CopyButton } from "./CopyButton.tsx"
import styles from "./Code.module.css"

/** A block of code with a button that copies it. It's reachable by keyboard because it may scroll. */
export const Code = ({ label, text }: { readonly label: string; readonly text: string }) => (
  <div className={styles["code"]}>
    <pre tabIndex={0} role="region" aria-label={label}>
      <code>{text}</code>
    </pre>
    <div className={styles["copy"]}>
      <CopyButton text={text} label="Copy" />
    </div>
  </div>
)
