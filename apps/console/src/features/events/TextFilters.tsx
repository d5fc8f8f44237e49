import * as Struct from "effect/Struct"
import styles from "./EventsScreen.module.css"

interface TextFiltersProps<Name extends string> {
  /** The label of each filter, in their order. */
  readonly labels: Readonly<Record<Name, string>>
  readonly values: Readonly<Record<Name, string>>
  readonly onSet: (name: Name, value: string) => void
}

/** Filters that are texts. A text is in force after Enter, or when the field loses the focus. */
export const TextFilters = <Name extends string>({ labels, onSet, values }: TextFiltersProps<Name>) =>
  Struct.keys(labels).map((name) => (
    <input
      key={`${name} ${values[name]}`}
      type="search"
      className={styles["field"]}
      aria-label={labels[name]}
      placeholder={labels[name]}
      defaultValue={values[name]}
      maxLength={200}
      onKeyDown={({ currentTarget, key }) => (key === "Enter" ? onSet(name, currentTarget.value.trim()) : undefined)}
      onBlur={({ currentTarget: { value } }) => (value.trim() === values[name] ? undefined : onSet(name, value.trim()))}
    />
  ))
