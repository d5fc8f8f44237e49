import type { ReactNode } from "react"
import { shown } from "./untrustedText.ts"

/** Most characters of a tooltip that has the whole of a shortened text. */
const longestTooltip = 2000

interface UntrustedProps {
  readonly children: string | null | undefined
  /** Maximum number of characters. */
  readonly max?: number
}

/** Text of strangers, such as page titles, tasks and results. It's always text, and can't change the text around it. */
export const Untrusted = ({ children, max = 300 }: UntrustedProps) => {
  const { isCut, text } = shown(children ?? "", max)
  return <bdi title={isCut ? shown(children ?? "", longestTooltip).text : undefined}>{text}</bdi>
}

interface OutsideLinkProps {
  readonly address: string | null | undefined
  readonly className?: string | undefined
}

/** The parsed address if it's http or https. */
const webAddress = (address: string): URL | undefined => {
  const url = URL.parse(address)
  return url !== null && /^https?:$/u.test(url.protocol) ? url : undefined
}

/** A link to an address of strangers. Its text is the address itself; anything but http and https is only text. */
export const OutsideLink = ({ address, className }: OutsideLinkProps): ReactNode => {
  if (address === null || address === undefined || address === "") return null
  const url = webAddress(address)
  if (url === undefined) {
    return (
      <span className={className}>
        <Untrusted>{address}</Untrusted>
      </span>
    )
  }
  return (
    <a className={className} href={url.href} target="_blank" rel="noopener noreferrer" title={`Opens ${url.host}`}>
      <Untrusted>{url.href}</Untrusted>
    </a>
  )
}
