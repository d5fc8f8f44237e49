import * as Struct from "effect/Struct"
import { useEffect, useRef } from "react"
import styles from "./EventsScreen.module.css"

interface TextFilterProps {
  readonly label: string
  readonly value: string
  readonly onSet: (value: string) => void
}

const TextFilter = ({ label, onSet, value }: TextFilterProps) => {
  const input = useRef<HTMLInputElement>(null)
  // Back and Forward change the address without the field
  useEffect(() => {
    if (input.current !== null && input.current.value.trim() !== value) input.current.value = value
  }, [value])
  return (
    <input
      ref={input}
      type="search"
      className={styles["field"]}
      aria-label={label}
      placeholder={label}
      defaultValue={value}
      maxLength={200}
      onKeyDown={({ currentTarget, key }) => (key === "Enter" ? onSet(currentTarget.value.trim()) : undefined)}
      onBlur={({ currentTarget }) => {
        const text = currentTarget.value.trim()
        if (text !== value) onSet(text)
      }}
    />
  )
}

interface TextFiltersProps<Name extends string> {
  /** The label of each filter, in their order. */
  readonly labels: Readonly<Record<Name, string>>
  readonly values: Readonly<Record<Name, string>>
  readonly onSet: (name: Name, value: string) => void
}

/** Filters that are texts. A text is in force after Enter, or when the field loses the focus. */
export const TextFilters = <Name extends string>({ labels, onSet, values }: TextFiltersProps<Name>) =>
  Struct.keys(labels).map((name) => (
    <TextFilter key={name} label={labels[name]} value={values[name]} onSet={(value) => onSet(name, value)} />
  ))
