import * as AsyncResult from "effect/reactivity/AsyncResult"
import { CircleX, Link2, Loader, LogOut, ScrollText } from "lucide-react"
import { useMemo } from "react"
import { serverInfo, signInKeys, signOut } from "../state/client.ts"
import { live } from "../state/live.ts"
import { go, path } from "../state/place.ts"
import { useAtomMount, useAtomSet, useAtomValue } from "../state/react.ts"
import { Button } from "../ui/Button.tsx"
import { dialogs } from "./dialogs.ts"
import { ConnectionState, Frame } from "./Frame.tsx"
import type { Action } from "./Palette.tsx"
import { menu, routeOf } from "./routes.ts"

/**
 * Returns whether the server has the part that a screen needs, and the key may use its operation; `unread` until the
 * response is there.
 */
const useHas = () => {
  const info = useAtomValue(serverInfo)
  const server = AsyncResult.isSuccess(info) ? info.value : undefined
  return useMemo(
    () =>
      ({ needs, uses }: { readonly needs?: string; readonly uses?: string }, unread = true) =>
        server === undefined
          ? unread || needs === undefined
          : (needs === undefined || server.has.some((one) => one === needs)) &&
            (uses === undefined || server.key.operations.includes(uses)),
    [server]
  )
}

const actions: ReadonlyArray<Action> = [
  { label: "Show running runs", icon: Loader, keys: "", run: () => go("/runs?status=running") },
  { label: "Show failed runs", icon: CircleX, keys: "", run: () => go("/runs?status=failed") },
  { label: "Show the audit log", icon: ScrollText, keys: "", run: () => go("/events/audit") },
  { label: "Show shared runs", icon: Link2, keys: "", run: () => go("/shares") }
]

interface ShellProps {
  /** Name of the key that signed in; null where there is no sign-in. */
  readonly user: string | null
}

/** The frame around the console's screens. */
export const Shell = ({ user }: ShellProps) => {
  useAtomMount(live)
  const at = useAtomValue(path)
  const info = useAtomValue(serverInfo)
  const has = useHas()
  const leave = useAtomSet(signOut)
  const version = AsyncResult.isSuccess(info) ? info.value.version : ""
  const match = routeOf(at, has)
  return (
    <Frame
      shown={match && { ...match.route, id: match.id }}
      missing="The address may be misspelled, the server may not have this feature, or your key can't see it."
      home={["/", "Overview"]}
      // most servers are real: an entry must not appear and go away again
      entries={menu.filter((entry) => has(entry, entry.needs !== "simulation"))}
      actions={actions}
      dialogs={dialogs}
      state={<ConnectionState />}
      foot={
        <>
          <span>{user === null ? `No sign-in · ${version}` : `${user} · ${version}`}</span>
          {user === null ? null : (
            <Button
              kind="ghost"
              aria-label="Sign out"
              title="Sign out"
              onClick={() => leave({ reactivityKeys: signInKeys })}
            >
              <LogOut aria-hidden />
            </Button>
          )}
        </>
      }
    />
  )
}
