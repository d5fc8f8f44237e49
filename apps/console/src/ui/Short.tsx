import styles from "./Table.module.css"
import { shown } from "./untrustedText.ts"

interface ShortProps {
  /** Null is shown as a dash. */
  readonly of: string | null
  /** Maximum number of characters. */
  readonly max?: number
}

/** A name or an id without its middle, because ids of one moment begin alike. The tooltip has the whole. */
export const Short = ({ max = 24, of }: ShortProps) => {
  if (of === null) return "–"
  const { text } = shown(of, 500)
  const characters = Array.from(text)
  const side = Math.floor((max - 1) / 2)
  return (
    <bdi className={max > 24 ? undefined : styles["short"]} title={characters.length > max ? text : undefined}>
      {characters.length > max ? `${characters.slice(0, side).join("")}…${characters.slice(-side).join("")}` : text}
    </bdi>
  )
}
