import { letterKeys } from "../state/preferences.ts"
import { useAtom } from "../state/react.ts"
import Dialog from "../ui/Dialog.tsx"
import { CheckField } from "../ui/Field.tsx"
import type { HelpProps, ScreenKey } from "./Frame.tsx"
import styles from "./Help.module.css"

const everywhere: ReadonlyArray<ScreenKey> = [
  ["Ctrl K", "Search for a screen or an action"],
  ["?", "Show keyboard shortcuts"],
  ["Esc", "Close the dialog"]
]

const Keys = ({ of, title }: { readonly of: ReadonlyArray<ScreenKey>; readonly title: string }) => (
  <section>
    <h3>{title}</h3>
    <dl className={styles["keys"]}>
      {of.map(([key, text]) => (
        <div key={key}>
          <dt>
            <kbd>{key}</kbd>
          </dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  </section>
)

/** The keyboard shortcuts: those of the screen in view, and those of all screens. */
const Help = ({ entries, onClose, shown }: HelpProps) => {
  const [isOn, setOn] = useAtom(letterKeys)
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <div className={styles["groups"]}>
        {shown?.keys === undefined ? null : <Keys title={shown.title} of={shown.keys} />}
        <Keys title="Everywhere" of={everywhere} />
        <Keys title="Screens" of={entries.map(({ key, text }) => [`g ${key}`, text])} />
      </div>
      <CheckField
        label="Use single-letter shortcuts"
        checked={isOn}
        onChange={({ currentTarget }) => setOn(currentTarget.checked)}
      />
    </Dialog>
  )
}

export default Help
