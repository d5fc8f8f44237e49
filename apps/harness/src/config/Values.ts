import * as Option from "effect/Option"

/** An amount in USD as flags take it, `5`, `5.00` or `0.50 USD`, as the exact decimal that it is; nothing for any other text. */
export const parseAmount = (text: string): Option.Option<string> =>
  Option.fromNullishOr(/^(\d+(?:\.\d+)?)(?: ?USD)?$/u.exec(text.trim())?.[1])

/** Destination of a notification: an address, the variable that holds an address, or a command. */
export interface Channel {
  readonly kind: "webhook" | "slack" | "command"
  readonly to: string
}

/** A channel as `--notify` takes it: `webhook=URL`, `slack=VARIABLE`, `command=TEXT`; nothing for any other text. */
export const parseChannel = (text: string): Option.Option<Channel> => {
  const [, kind, to = ""] = /^(webhook|slack|command)=(.+)$/su.exec(text) ?? []
  const isVariable = /^[A-Za-z_]\w*$/u.test(to)
  const fits = { webhook: isVariable || isWebAddress(to), slack: isVariable, command: to.trim() !== "" }
  return kind !== undefined && fits[kind as Channel["kind"]]
    ? Option.some({ kind: kind as Channel["kind"], to })
    : Option.none()
}

/** True if a text is an address that load can be sent to; `localhost:4400` is not, because `http://` is missing. */
export const isWebAddress = (text: string): boolean => /^https?:$/u.test(URL.parse(text)?.protocol ?? "")
