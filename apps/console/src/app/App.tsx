import { CSPProvider } from "@base-ui/react/csp-provider"
import * as AsyncResult from "effect/reactivity/AsyncResult"
import * as Option from "effect/Option"
import { PlugZap } from "lucide-react"
import { lazy, Suspense } from "react"
import { SignInScreen } from "../features/sign-in/SignInScreen.tsx"
import { isPlainHttp } from "../features/sign-in/transport.ts"
import { reason, signInState } from "../state/client.ts"
import { path } from "../state/place.ts"
import { theme } from "../state/preferences.ts"
import { registry, useAtomMount, useAtomValue } from "../state/react.ts"
import { Failed } from "../ui/Message.tsx"
import { Notice } from "../ui/Notice.tsx"
import { Boundary } from "./Boundary.tsx"
import { idOf } from "./routes.ts"
import { Shell } from "./Shell.tsx"
import styles from "./Shell.module.css"

const SharedRunScreen = lazy(() => import("../features/shared-run/SharedRunScreen.tsx"))

/** The page of a link, which people open without a key. */
const sharedPath = /^\/share\/([^/]+)$/u

/** The sign-in screen until there is a session, then the console. */
const SignedIn = () => {
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

/** The page of a link, or the console. */
export const App = () => {
  useAtomMount(theme)
  const shared = sharedPath.exec(useAtomValue(path))?.[1]
  if (shared === undefined) return <SignedIn />
  return (
    <Boundary of={shared}>
      <div className={styles["shared"]}>
        <Suspense>
          <SharedRunScreen id={idOf(shared)} />
        </Suspense>
        <Notice />
      </div>
    </Boundary>
  )
}
