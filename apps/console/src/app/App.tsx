import { CSPProvider } from "@base-ui/react/csp-provider"
import * as AsyncResult from "effect/reactivity/AsyncResult"
import * as Option from "effect/Option"
import { PlugZap } from "lucide-react"
import { SignInScreen } from "../features/sign-in/SignInScreen.tsx"
import { isPlainHttp } from "../features/sign-in/transport.ts"
import { reason, signInState } from "../state/client.ts"
import { theme } from "../state/preferences.ts"
import { registry, useAtomMount, useAtomValue } from "../state/react.ts"
import { Failed } from "../ui/Message.tsx"
import { Shell } from "./Shell.tsx"

/** The sign-in screen until there is a session, then the console. */
export const App = () => {
  useAtomMount(theme)
  const result = useAtomValue(signInState)
  // the state that was read before stays while the server is away
  const known = AsyncResult.value(result)
  if (Option.isSome(known)) {
    const { key, state } = known.value
    if (state === "signedOut" || state === "insecure") {
      return <SignInScreen isInsecure={state === "insecure" || isPlainHttp(location)} />
    }
    return (
      <CSPProvider disableStyleElements>
        <Shell user={state === "open" ? null : key} />
      </CSPProvider>
    )
  }
  if (!AsyncResult.isFailure(result)) return null
  return (
    <main>
      <Failed
        icon={PlugZap}
        title="The console can't reach its server"
        reason={reason(result)}
        onRetry={() => registry.refresh(signInState)}
        whole
      />
    </main>
  )
}
