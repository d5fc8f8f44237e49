import { Copy } from "lucide-react"
import { say } from "../state/notices.ts"
import { Button } from "./Button.tsx"

interface CopyButtonProps {
  readonly text: string
  /** Such as `Copy the key`. */
  readonly label: string
  /** True if the label is shown, and not only read out. */
  readonly isLabeled?: boolean
}

/** Copies a text, and says whether it worked. */
const copy = async (text: string) => {
  // pages without TLS have no clipboard, except on this machine
  if (navigator.clipboard === undefined)
    return say("Browsers copy only over TLS. Select the text and copy it yourself.")
  try {
    await navigator.clipboard.writeText(text)
    say("Copied")
  } catch {
    say("The browser refused to copy. Select the text and copy it yourself.")
  }
}

/** Copies a text to the clipboard, which browsers allow on this machine and over TLS. */
export const CopyButton = ({ isLabeled = true, label, text }: CopyButtonProps) => (
  <Button
    kind={isLabeled ? "plain" : "ghost"}
    aria-label={isLabeled ? undefined : label}
    onClick={() => void copy(text)}
  >
    <Copy aria-hidden />
    {isLabeled ? label : null}
  </Button>
)
