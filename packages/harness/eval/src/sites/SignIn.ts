import * as Draw from "./Draw.ts"
import { markup, page } from "./Html.ts"
import type { Episode, Site } from "./Site.ts"

const users = ["ada", "ben", "carla"]
const words = ["maple", "copper", "river", "window"]

const signInPage = (error?: string) =>
  page(
    "Sign in",
    markup`${error === undefined ? undefined : markup`<p class="error">${error}</p>`}<form method="post" action="sign-in">
      <label>User name <input name="user" autocomplete="username"></label>
      <label>Password <input name="password" type="password" autocomplete="current-password"></label>
      <button>Sign in</button></form>`
  )

const change = (random: () => number): Episode => {
  const user = Draw.one(random, users)
  const password = `${Draw.one(random, words)}-${Draw.whole(random, 100, 999)}`
  const wanted = `555-0${Draw.whole(random, 100, 199)}`
  const account = { phone: "555-0000", newsletter: true }
  const sessions = new Set<string>()
  return {
    instruction: (address) =>
      `Open ${address}, sign in as "${user}" with the password "${password}", and change the phone number of the account to ${wanted}. Leave the newsletter as it is.`,
    expected: { account: { phone: wanted, newsletter: true } },
    actual: () => ({ account }),
    respond: ({ cookies, form, method, path }) => {
      const isSignedIn = sessions.has(cookies.get("session") ?? "")
      switch (`${method} ${path}`) {
        case "GET /":
          return isSignedIn ? { redirect: "account" } : signInPage()
        case "POST /sign-in": {
          if (form.get("user") !== user || form.get("password") !== password) {
            return signInPage("The user name or the password is wrong.")
          }
          const session = String(sessions.size + 1)
          sessions.add(session)
          return { redirect: "account", cookie: `session=${session}` }
        }
        case "GET /account":
          if (!isSignedIn) return signInPage("Sign in first.")
          return page(
            "Account",
            markup`<p>Signed in as ${user}</p><p>Phone: ${account.phone}</p><nav><a href="settings">Settings</a></nav>`
          )
        case "GET /settings":
          if (!isSignedIn) return signInPage("Sign in first.")
          return page(
            "Settings",
            markup`<form method="post" action="settings"><label>Phone <input name="phone" value="${account.phone}"></label>
              <label><input type="checkbox" name="newsletter" value="yes" checked> Newsletter</label><button>Save</button></form>`
          )
        case "POST /settings":
          if (!isSignedIn) return signInPage("Sign in first.")
          Object.assign(account, {
            phone: (form.get("phone") ?? "").trim(),
            newsletter: form.get("newsletter") === "yes"
          })
          return { redirect: "account" }
        default:
          return undefined
      }
    }
  }
}

/** A site behind a sign-in. */
export const signIn: Site = {
  name: "sign-in",
  summary: "sign in and change a setting",
  tasks: [{ name: "sign in and change the phone number", begin: change }]
}
