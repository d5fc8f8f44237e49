/**
 * Uses a profile: sign in once, then start browsers that are already signed in.
 *
 * Run: WEBAGENT_BASE_URL=... WEBAGENT_API_KEY=... npm run example -- 35_profile
 */
import { Browsers, V4 } from "@webagent/v4"
import { Profiles } from "@webagent/v4/account"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** Your CDP library goes here, such as Playwright's chromium.connectOverCDP(cdpUrl) and its first context. */
const signIn = (cdpUrl: string) => Effect.log(`Sign in at ${new URL(cdpUrl).pathname}`)
const buy = (cdpUrl: string) => Effect.log(`Buy at ${new URL(cdpUrl).pathname}`)

export const program = Effect.gen(function* () {
  const profiles = yield* Profiles
  const browsers = yield* Browsers
  const { id: profileId } = yield* profiles.create({ name: "Ada" })
  const input = { profileId }
  // when this browser stops, its cookies and storage are saved
  yield* browsers.use(input, ({ cdpUrl }) => signIn(cdpUrl))
  yield* browsers.use(input, ({ cdpUrl }) => buy(cdpUrl))
  const { lastUsedAt, name } = yield* profiles.get(profileId)
  return { name, isUsed: lastUsedAt !== null }
})

export const layer = Layer.provideMerge(Profiles.layer, V4.layer())
