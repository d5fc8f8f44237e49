import { Autocomplete } from "@base-ui/react/autocomplete"
import { Dialog } from "@base-ui/react/dialog"
import type { LucideIcon } from "lucide-react"
import dialog from "../ui/Dialog.module.css"
import styles from "./Palette.module.css"

/** Something that the palette finds. */
export interface Action {
  readonly label: string
  readonly icon: LucideIcon
  /** Its keyboard shortcut, or an empty string. */
  readonly keys: string
  readonly run: () => void
}

interface PaletteProps {
  readonly actions: ReadonlyArray<Action>
  readonly onClose: () => void
}

/** Every screen and action, found by typing. */
const Palette = ({ actions, onClose }: PaletteProps) => (
  <Dialog.Root open onOpenChange={(isOpen) => (isOpen ? undefined : onClose())}>
    <Dialog.Portal>
      <Dialog.Backdrop className={dialog["backdrop"]} />
      <Dialog.Popup className={styles["popup"]} aria-label="Search for a screen or an action">
        <Autocomplete.Root
          open
          inline
          items={actions}
          autoHighlight="always"
          keepHighlight
          itemToStringValue={({ label }: Action) => label}
        >
          <Autocomplete.Input
            className={styles["input"]}
            placeholder="Search screens and actions"
            aria-label="Search for a screen or an action"
          />
          <Autocomplete.Empty className={styles["empty"]}>No screen or action matches.</Autocomplete.Empty>
          <Autocomplete.List className={styles["list"]}>
            {(action: Action) => (
              <Autocomplete.Item
                key={action.label}
                value={action}
                className={styles["item"]}
                onClick={() => {
                  onClose()
                  action.run()
                }}
              >
                <action.icon aria-hidden />
                {action.label}
                {action.keys === "" ? null : <kbd>{action.keys}</kbd>}
              </Autocomplete.Item>
            )}
          </Autocomplete.List>
        </Autocomplete.Root>
      </Dialog.Popup>
    </Dialog.Portal>
  </Dialog.Root>
)

export default Palette
