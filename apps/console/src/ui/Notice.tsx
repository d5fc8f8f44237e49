import { clearing, notice } from "../state/notices.ts"
import { useAtomMount, useAtomValue } from "../state/react.ts"
import styles from "./Notice.module.css"

/** The last thing that happened, for 6 seconds. */
export const Notice = () => {
  useAtomMount(clearing)
  return (
    <div className={styles["notice"]} role="status">
      {useAtomValue(notice)}
    </div>
  )
}
