import * as Option from "effect/Option"

/** An amount in USD as flags take it, `5`, `5.00` or `0.50 USD`, as the exact decimal that it is; nothing for any other text. */
export const parseAmount = (text: string): Option.Option<string> =>
  Option.fromNullishOr(/^(\d+(?:\.\d+)?)(?: ?USD)?$/u.exec(text.trim())?.[1])
