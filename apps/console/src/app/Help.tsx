import { letterKeys } from "../state/preferences.ts"
import { useAtom } from "../state/react.ts"
import Dialog from "../ui/Dialog.tsx"
import { CheckField } from "../ui/Field.tsx"
import { menu } from "./routes.ts"
import styles from "./Help.module.css"

const keys: ReadonlyArray<readonly [string, string]> = [
  ["Ctrl K", "Search for a screen or an action"],
  ["?", "Show these keys"],
  ["/", "Search the list"],
  ["j, k", "Next and previous row or step"],
  ["Enter", "Open the row"],
  ["x", "Select the row"],
  ["Esc", "Close the dialog, or release the browser"]
]

/** The keyboard shortcuts. */
const Help = ({ onClose }: { readonly onClose: () => void }) => {
  const [isOn, setOn] = useAtom(letterKeys)
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <dl className={styles["keys"]}>
        {[...keys, ...menu.map(({ key, text }) => [`g ${key}`, `Go to ${text}`] as const)].map(([key, text]) => (
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
