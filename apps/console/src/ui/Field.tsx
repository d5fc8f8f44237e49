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

/** Joins a control with its label, hint and error. */
const useField = (props: FieldProps) => {
  const id = useId()
  return {
    around: { id, ...props },
    control: {
      id,
      className: styles["input"],
      "aria-invalid": props.error !== undefined,
      "aria-describedby": describe(id, props)
    }
  }
}

type FieldOf<Name extends "input" | "textarea" | "select"> = FieldProps & Omit<ComponentProps<Name>, "className">

/** A text field with its label. */
export const TextField = ({ error, hint, label, ...input }: FieldOf<"input">) => {
  const { around, control } = useField({ label, hint, error })
  return (
    <Around {...around}>
      <input {...input} {...control} />
    </Around>
  )
}

/** A text field of several lines with its label. */
export const TextArea = ({ error, hint, label, ...input }: FieldOf<"textarea">) => {
  const { around, control } = useField({ label, hint, error })
  return (
    <Around {...around}>
      <textarea {...input} {...control} />
    </Around>
  )
}

/** A choice of one of several values with its label. */
export const SelectField = ({ children, error, hint, label, ...input }: FieldOf<"select">) => {
  const { around, control } = useField({ label, hint, error })
  return (
    <Around {...around}>
      <select {...input} {...control}>
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
