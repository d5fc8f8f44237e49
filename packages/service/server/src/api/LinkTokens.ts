import * as Context from "effect/Context"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { createHmac, hash, timingSafeEqual } from "node:crypto"

/** Tokens of the links that need no key: ids can be guessed, these tokens cannot without the server's secret. */
export class LinkTokens extends Context.Service<
  LinkTokens,
  {
    /** The token of the link with this path, 43 characters that need no escaping. */
    readonly of: (path: string) => string
    /**
     * True if `token` is the one of this path. The check takes constant time, so it doesn't reveal how much of a token
     * is correct.
     */
    readonly opens: (path: string, token: unknown) => boolean
  }
>()("@webagent/server/LinkTokens") {
  /** Tokens of a secret of random bytes that is gone with the layer. */
  static readonly layerRandom: Layer.Layer<LinkTokens> = Layer.effect(
    LinkTokens,
    SecureRandom.SecureRandom.use((random) => Effect.map(random.randomBytes(32), make))
  ).pipe(Layer.provide(SecureRandom.layerWebCrypto))

  /** The same tokens for the same secret. */
  static readonly layerFrom = (secret: Uint8Array): Layer.Layer<LinkTokens> =>
    Layer.sync(LinkTokens, () => make(secret))
}

function make(secret: Uint8Array): LinkTokens["Service"] {
  const of = (path: string) => createHmac("sha256", secret).update(path).digest("base64url")
  const digest = (token: string) => hash("sha256", token, "buffer")
  return {
    of,
    opens: (path, token) => typeof token === "string" && timingSafeEqual(digest(token), digest(of(path)))
  }
}
