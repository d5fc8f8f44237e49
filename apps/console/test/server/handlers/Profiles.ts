import { ConsoleApi } from "@webagent/admin"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { hostile } from "../World.ts"

/** Browser profiles. */
export const profiles = HttpApiBuilder.group(ConsoleApi, "profiles", (handlers) =>
  handlers.handleAll({
    list: () =>
      Effect.succeed({
        rows: [hostile[1], "Shop, signed in", null].map((name, n) => ({
          id: `00000000-0000-7000-8000-00000098000${n}`,
          name,
          userId: null,
          lastUsedAt: n === 1 ? "2026-11-28T08:00:00.000Z" : null,
          createdAt: "2026-11-27T08:00:00.000Z"
        })),
        total: 3
      })
  })
)
