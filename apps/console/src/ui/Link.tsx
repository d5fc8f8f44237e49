import type { ComponentProps, MouseEvent } from "react"
import { go, hrefOf } from "../state/place.ts"

interface LinkProps extends Omit<ComponentProps<"a">, "href" | "onClick"> {
  /** An address of the console, such as `/runs`. */
  readonly to: string
  /** Opens the address in place of following the link. */
  readonly onOpen?: (to: string) => void
}

const opensElsewhere = (event: MouseEvent) =>
  event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || event.button !== 0

/** A link to another screen. It's a real address, so it can be opened in a new tab or copied. */
export const Link = ({ onOpen = go, to, ...rest }: LinkProps) => (
  <a
    {...rest}
    href={hrefOf(to)}
    onClick={(event) => {
      if (opensElsewhere(event)) return
      event.preventDefault()
      onOpen(to)
    }}
  />
)
