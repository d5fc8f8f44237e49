import { type ComponentProps, type ReactNode, useId } from "react"
import styles from "./Field.module.css"

interface FieldProps {
  readonly label: string
  /** A sentence below the control. */
  readonly hint?: ReactNode
  /** Error of the value. */
  readonly error?: string | undefined
}

const describe = (id: string, { error, hint }: FieldProps): string | undefined =>
  error !== undefined ? `${id}-error` : hint !== undefined ? `${id}-hint` : undefined

const Around = ({
  children,
  error,
  hint,
  id,
  label
}: FieldProps & { readonly id: string; readonly children: ReactNode }) => (
  <div className={styles["field"]}>
    <label htmlFor={id}>{label}</label>
    {children}
    {error !== undefined ? (
      <p id={`${id}-error`} role="alert" className={styles["error"]}>
        {error}
      </p>
    ) : hint === undefined ? null : (
      <p id={`${id}-hint`} className={styles["hint"]}>
        {hint}
      </p>
    )}
  </div>
)

/** A text field with its label. */
export const TextField = ({
  error,
  hint,
  label,
  ...input
}: FieldProps & Omit<ComponentProps<"input">, "className">) => {
  const id = useId()
  const props = { label, hint, error }
  return (
    <Around id={id} {...props}>
      <input
        {...input}
        id={id}
        className={styles["input"]}
        aria-invalid={error !== undefined}
        aria-describedby={describe(id, props)}
      />
    </Around>
  )
}

/** A text field of several lines with its label. */
export const TextArea = ({
  error,
  hint,
  label,
  ...input
}: FieldProps & Omit<ComponentProps<"textarea">, "className">) => {
  const id = useId()
  const props = { label, hint, error }
  return (
    <Around id={id} {...props}>
      <textarea
        {...input}
        id={id}
        className={styles["input"]}
        aria-invalid={error !== undefined}
        aria-describedby={describe(id, props)}
      />
    </Around>
  )
}

/** A choice of one of several values with its label. */
export const SelectField = ({
  children,
  error,
  hint,
  label,
  ...input
}: FieldProps & Omit<ComponentProps<"select">, "className">) => {
  const id = useId()
  const props = { label, hint, error }
  return (
    <Around id={id} {...props}>
      <select {...input} id={id} className={styles["input"]} aria-describedby={describe(id, props)}>
        {children}
      </select>
    </Around>
  )
}

/** A check box with its label. */
export const CheckField = ({
  label,
  ...input
}: { readonly label: ReactNode } & Omit<ComponentProps<"input">, "className" | "type">) => (
  <label className={styles["check"]}>
    <input {...input} type="checkbox" />
    <span>{label}</span>
  </label>
)
