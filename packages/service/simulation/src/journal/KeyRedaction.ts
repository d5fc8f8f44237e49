import { apiKeyHeader } from "@webagent/contract/Wire"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import { hash } from "node:crypto"
import * as BoundedMap from "./BoundedMap.ts"

const header = apiKeyHeader.toLowerCase()

/** A query parameter that carries a key by its name, and whatever looks like a key of ours. */
const named = /([?&](?:x[-_]service[-_])?(?:api)?[-_]?key=)[^&#]+/giu
const ours = /wak_[\w-]+/gu

const maxRemembered = 1000

/** Removes API keys from the journal: it identifies callers without their key, and addresses without keys in them. */
export interface KeyRedaction {
  /** The first 8 hexadecimal digits of the SHA-256 of a request's key; null without one. */
  readonly digestOf: (request: HttpServerRequest.HttpServerRequest) => string | null
  /** The address of a request, with `[key]` in place of a key. */
  readonly redact: (url: string) => string
}

/** Makes the redaction for a server with these keys. */
export const make = (apiKeys: ReadonlyArray<string>): KeyRedaction => {
  const digests = BoundedMap.make<string>(maxRemembered)
  const secrets = [...new Set(apiKeys.flatMap((key) => [key, encodeURIComponent(key)]))].filter((key) => key !== "")
  return {
    digestOf: (request) => {
      const key = request.headers[header]
      if (key === undefined) return null
      const remembered = digests.get(key)
      if (remembered !== undefined) return remembered
      const digest = hash("sha256", key, "hex").slice(0, 8)
      digests.set(key, digest)
      return digest
    },
    redact: (url) => {
      let redacted = url
      for (const secret of secrets) if (redacted.includes(secret)) redacted = redacted.replaceAll(secret, "[key]")
      if (redacted.includes("wak_")) redacted = redacted.replaceAll(ours, "[key]")
      return redacted.includes("=") ? redacted.replaceAll(named, "$1[key]") : redacted
    }
  }
}
