import { LinkTokens } from "@webagent/server"
import type * as Layer from "effect/Layer"
import { hash } from "node:crypto"
import type { Seed } from "./Seed.ts"

/** The same tokens for the same seed: whoever knows the seed knows them, so only for this machine. */
export const layer = (seed: Seed): Layer.Layer<LinkTokens> =>
  LinkTokens.layerFrom(hash("sha256", JSON.stringify([seed, "link"]), "buffer"))
