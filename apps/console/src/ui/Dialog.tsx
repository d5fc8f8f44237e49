import { Dialog as Base } from "@base-ui/react/dialog"
import { X } from "lucide-react"
import type { ReactNode } from "react"
import { buttonClass } from "./Button.tsx"
import styles from "./Dialog.module.css"

interface DialogProps {
  readonly title: string
  readonly children: ReactNode
  readonly onClose: () => void
  /** True if a click outside the dialog must not close it, for example because it shows a secret. */
  readonly isKept?: boolean
  /** True if Esc must not close it either. */
  readonly ignoresEscape?: boolean
  /** True for long lines, such as code. */
  readonly isWide?: boolean
}

/** A dialog over the screen. Esc closes it, and the focus returns to where it was. */
const Dialog = ({ children, ignoresEscape = false, isKept = false, isWide = false, onClose, title }: DialogProps) => (
  <Base.Root
    open
    disablePointerDismissal={isKept}
    onOpenChange={(isOpen, { reason }) => {
      if (!isOpen && !(ignoresEscape && reason === "escape-key")) onClose()
    }}
  >
    <Base.Portal>
      <Base.Backdrop className={styles["backdrop"]} />
      <Base.Popup className={styles["popup"]} data-wide={isWide || undefined}>
        <Base.Title className={styles["title"]}>{title}</Base.Title>
        <Base.Close className={`${buttonClass("ghost")} ${styles["close"]}`} aria-label="Close">
          <X aria-hidden />
        </Base.Close>
        {children}
      </Base.Popup>
    </Base.Portal>
  </Base.Root>
)

export default Dialog
