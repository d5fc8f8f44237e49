import type { ComponentProps } from "react"
import styles from "./Button.module.css"

type Kind = "plain" | "primary" | "danger" | "ghost"

interface ButtonProps extends Omit<ComponentProps<"button">, "className"> {
  readonly kind?: Kind
}

/** A button. Its text, or its `aria-label`, says what it does. */
export const Button = ({ kind = "plain", ...rest }: ButtonProps) => (
  <button type="button" {...rest} className={`${styles["button"]} ${kind === "plain" ? "" : styles[kind]}`} />
)

/** The classes of a button, for a link that looks like one. */
export const buttonClass = (kind: Kind = "plain"): string =>
  `${styles["button"]} ${kind === "plain" ? "" : styles[kind]}`
