import { useEffect, useId, useRef } from "react"
import { shown } from "../../ui/untrustedText.ts"
import styles from "./BrowserScreen.module.css"

/** Most characters of an address, as the server takes it. */
const longest = 4000

interface AddressFieldProps {
  /** Address of the tab in front. */
  readonly address: string
  /** Reason why the last address was not opened. */
  readonly refused: string
  readonly onOpen: (address: string) => void
  readonly onRelease: () => void
}

/** The address of the tab in front, where a person with control enters another one. */
export const AddressField = ({ address, onOpen, onRelease, refused }: AddressFieldProps) => {
  const field = useRef<HTMLInputElement>(null)
  const isTyped = useRef(false)
  const note = useId()
  useEffect(() => {
    // the text that a person is typing stays
    if (field.current !== null && !isTyped.current) field.current.value = shown(address, longest).text
  }, [address])
  return (
    <form
      className={styles["open"]}
      onSubmit={(event) => {
        event.preventDefault()
        const text = field.current?.value.trim() ?? ""
        if (text === "") return
        isTyped.current = false
        onOpen(text)
      }}
    >
      <input
        ref={field}
        name="address"
        aria-label="Address"
        aria-keyshortcuts="Control+L"
        title="Ctrl L"
        aria-invalid={refused !== ""}
        aria-describedby={note}
        inputMode="url"
        autoCapitalize="off"
        autoComplete="off"
        spellCheck={false}
        maxLength={longest}
        placeholder="Enter an address (Ctrl L)"
        onInput={() => (isTyped.current = true)}
        onFocus={({ currentTarget }) => currentTarget.select()}
        onKeyDown={({ key }) => (key === "Escape" ? onRelease() : undefined)}
      />
      <p id={note} role={refused === "" ? undefined : "alert"}>
        {refused}
      </p>
    </form>
  )
}
