import * as Option from "effect/Option"
import type { Shard } from "../shards/Shards.ts"

/** A shard as `--shard` takes it, such as `1/4`; nothing for any other text, or a part that there is not. */
export const parseShard = (text: string): Option.Option<Shard> => {
  const [, index, of] = /^(\d+)\/(\d+)$/u.exec(text.trim()) ?? []
  const shard = { index: Number(index), of: Number(of) }
  return shard.index >= 1 && shard.index <= shard.of ? Option.some(shard) : Option.none()
}
