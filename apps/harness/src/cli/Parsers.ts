import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import type { Shard } from "../run/shards/Shards.ts"

/** An amount in USD as flags take it, `5`, `5.00` or `0.50 USD`, as the exact decimal that it is; nothing for any other text. */
export const parseAmount = (text: string): Option.Option<string> =>
  Option.fromNullishOr(/^(\d+(?:\.\d+)?)(?: ?USD)?$/u.exec(text.trim())?.[1])

const units = { ms: "millis", s: "seconds", m: "minutes", h: "hours" } as const

/** A time as flags take it, such as `500ms`, `30s` or `5m`; nothing for any other text, or no time at all. */
export const parseDuration = (text: string): Option.Option<Duration.Duration> => {
  const [, amount, unit] = /^(\d+(?:\.\d+)?) ?(ms|s|m|h)$/u.exec(text.trim()) ?? []
  return Number(amount) > 0
    ? Duration.fromInput(`${Number(amount)} ${units[unit as keyof typeof units]}`)
    : Option.none()
}

/** A shard as `--shard` takes it, such as `1/4`; nothing for any other text, or a part that there is not. */
export const parseShard = (text: string): Option.Option<Shard> => {
  const [, index, of] = /^(\d+)\/(\d+)$/u.exec(text.trim()) ?? []
  const shard = { index: Number(index), of: Number(of) }
  return shard.index >= 1 && shard.index <= shard.of ? Option.some(shard) : Option.none()
}

/** Whether a text is an address that load can go to; `localhost:4400` is none, it lacks its `http://`. */
export const isWebAddress = (text: string): boolean => /^https?:$/u.test(URL.parse(text)?.protocol ?? "")
