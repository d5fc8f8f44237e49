import * as Effect from "effect/Effect"
import type { SecretToBind } from "./domain/BoundSecret.ts"
import type { AgentIdentity } from "./ports/Agent.ts"
import type { BrowserPool } from "./ports/BrowserPool.ts"
import { type SecretBoxService, SecretsUnusable } from "./ports/SecretBox.ts"

interface RunChecksOptions {
  readonly agent: AgentIdentity
  readonly box: SecretBoxService
  readonly pool: BrowserPool["Service"]
}

/** Makes the checks of options that a request wants for a run. */
export const make = ({ agent, box, pool }: RunChecksOptions) => {
  const issueOf = ({ source }: SecretToBind): string | null => {
    if (source.type === "inline") return box.unusable
    return agent.hasSecret?.(source.name) === true
      ? null
      : `This server has no secret with the name ${JSON.stringify(source.name)}`
  }
  return {
    acceptsSecrets: (secrets: ReadonlyArray<SecretToBind>): Effect.Effect<void, SecretsUnusable> =>
      Effect.suspend(() => {
        const message =
          agent.hasSecret === undefined
            ? "This server's agent can't type secrets"
            : (secrets.map(issueOf).find((issue) => issue !== null) ?? null)
        return message === null ? Effect.void : Effect.fail(new SecretsUnusable({ message }))
      }),
    acceptsCountry: (country: string) => Effect.sync(() => pool.countries?.includes(country.toUpperCase()) !== false),
    models: Effect.succeed(agent.models ?? [agent.model]),
    acceptsModel: (model: string) => Effect.sync(() => agent.accepts?.(model) ?? model === agent.model)
  }
}
