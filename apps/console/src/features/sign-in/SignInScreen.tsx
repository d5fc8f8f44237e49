import * as AsyncResult from "effect/reactivity/AsyncResult"
import * as Redacted from "effect/Redacted"
import type { FormEvent } from "react"
import icon from "../../ui/icon.svg"
import { reason, signIn, signInKeys } from "../../state/client.ts"
import { useAtom } from "../../state/react.ts"
import { Button } from "../../ui/Button.tsx"
import { TextField } from "../../ui/Field.tsx"
import styles from "./SignInScreen.module.css"

const SignInForm = () => {
  const [result, send] = useAtom(signIn)
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const key = new FormData(event.currentTarget).get("key")
    if (typeof key !== "string" || key.trim() === "") return
    send({ payload: { key: Redacted.make(key.trim()) }, reactivityKeys: signInKeys })
  }
  return (
    <form className={styles["card"]} onSubmit={submit}>
      <img src={icon} alt="" />
      <h1>Sign in</h1>
      <p>
        Enter an API key for this server. A key with the <code>admin</code> scope sees every key's runs; any other key
        sees only its own. The key isn't stored in this browser.
      </p>
      <TextField
        label="API key"
        name="key"
        type="password"
        autoComplete="off"
        autoFocus
        required
        spellCheck={false}
        error={AsyncResult.isFailure(result) && !result.waiting ? reason(result) : undefined}
      />
      <Button kind="primary" type="submit" disabled={result.waiting}>
        Sign in
      </Button>
    </form>
  )
}

/** Asks for an API key, once. The server responds with a cookie that no script can read. */
export const SignInScreen = ({ isInsecure }: { readonly isInsecure: boolean }) => (
  <main className={styles["page"]}>
    {isInsecure ? (
      <div className={styles["card"]}>
        <img src={icon} alt="" />
        <h1>This page isn't encrypted</h1>
        <p>
          An API key that you enter here could be read on the network, so you can't sign in. Open the console on the
          server's own machine, or put a TLS proxy in front of the server and start it with{" "}
          <code>--public-url https://…</code>
        </p>
      </div>
    ) : (
      <SignInForm />
    )}
  </main>
)
