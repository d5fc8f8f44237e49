import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"

const hidden = "/<hidden>"

/** True if this is a webhook's address as reports store it: its server, without a path to send to. */
export const isHidden = (address: string): boolean => address.endsWith(hidden)

/** Returns an argument of `run` without the path of a webhook's address, because the path may be its secret. */
export const withoutAddress = (argument: string): string => {
  const [, before = "", address = ""] = /^((?:--notify=)?webhook=)(.+)$/su.exec(argument) ?? []
  const url = URL.parse(address)
  return url !== null && /^https?:$/u.test(url.protocol) ? `${before}${url.origin}${hidden}` : argument
}

/** An argument of `run` as a report shows it; earlier versions stored the addresses of webhooks, too. */
export const StoredArgument = Schema.String.pipe(
  Schema.decode({
    decode: SchemaGetter.transform(withoutAddress),
    encode: SchemaGetter.transform(withoutAddress)
  })
)
