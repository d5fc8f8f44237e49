import { LinkTokens } from "@webagent/server"
import type * as Layer from "effect/Layer"
import { hash } from "node:crypto"
import type { Seed } from "./Seed.ts"

/** The same tokens for the same seed. Anyone who knows the seed knows them, so use them on this machine only. */
export const layer = (seed: Seed): Layer.Layer<LinkTokens> =>
  LinkTokens.layerFrom(hash("sha256", JSON.stringify([seed, "link"]), "buffer"))
