import { AlertDialog } from "@base-ui/react/alert-dialog"
import type { ReactNode } from "react"
import { offline } from "../state/connection.ts"
import { useAtomValue } from "../state/react.ts"
import { Button, buttonClass } from "./Button.tsx"
import styles from "./Dialog.module.css"

interface ConfirmProps {
  readonly title: string
  readonly children: ReactNode
  /** Text of the button that goes ahead, such as `Cancel 3 runs`. */
  readonly action: string
  readonly onConfirm: () => void
  readonly onClose: () => void
}

/** Asks before a change that can't be undone. */
const Confirm = ({ action, children, onClose, onConfirm, title }: ConfirmProps) => {
  const isGone = useAtomValue(offline) !== undefined
  return (
    <AlertDialog.Root open onOpenChange={(isOpen) => (isOpen ? undefined : onClose())}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className={styles["backdrop"]} />
        <AlertDialog.Popup className={styles["popup"]}>
          <AlertDialog.Title className={styles["title"]}>{title}</AlertDialog.Title>
          <AlertDialog.Description render={<div />} className={styles["text"]}>
            {children}
          </AlertDialog.Description>
          <div className={styles["actions"]}>
            <AlertDialog.Close className={buttonClass()}>Back</AlertDialog.Close>
            <Button
              kind="danger"
              disabled={isGone}
              onClick={() => {
                onClose()
                onConfirm()
              }}
            >
              {action}
            </Button>
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  )
}

export default Confirm
