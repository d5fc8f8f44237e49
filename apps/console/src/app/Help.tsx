import { letterKeys } from "../state/preferences.ts"
import { useAtom } from "../state/react.ts"
import Dialog from "../ui/Dialog.tsx"
import { CheckField } from "../ui/Field.tsx"
import type { Entry } from "./Frame.tsx"
import styles from "./Help.module.css"

const keys: ReadonlyArray<readonly [string, string]> = [
  ["Ctrl K", "Search for a screen or an action"],
  ["?", "Show these keys"],
  ["/", "Search the list"],
  ["j, k", "Next and previous row or step"],
  ["Enter", "Open the row"],
  ["J, K", "Next and previous run of the list"],
  ["x", "Select the row"],
  ["Esc", "Close the dialog, or release the browser"]
]

interface HelpProps {
  readonly entries: ReadonlyArray<Entry>
  readonly onClose: () => void
}

/** The keyboard shortcuts. */
const Help = ({ entries, onClose }: HelpProps) => {
  const [isOn, setOn] = useAtom(letterKeys)
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <dl className={styles["keys"]}>
        {[...keys, ...entries.map(({ key, text }) => [`g ${key}`, `Go to ${text}`] as const)].map(([key, text]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <CheckField
        label="Use single letters as shortcuts"
        checked={isOn}
        onChange={({ currentTarget }) => setOn(currentTarget.checked)}
      />
    </Dialog>
  )
}

export default Help
