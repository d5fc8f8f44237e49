import type { CreatedKey, Key, ServerInfo } from "@webagent/admin"
import * as AsyncResult from "effect/reactivity/AsyncResult"
import { CloudOff, KeyRound, Plus } from "lucide-react"
import { lazy, Suspense, useState } from "react"
import { errorTag, programOf, reason, serverInfo } from "../../state/client.ts"
import { say } from "../../state/notices.ts"
import { registry, useAtomValue, useChange } from "../../state/react.ts"
import { valueOf } from "../../state/runs.ts"
import { Button } from "../../ui/Button.tsx"
import { count, usd } from "../../ui/format.ts"
import { Link } from "../../ui/Link.tsx"
import { Failed, Loading, Message } from "../../ui/Message.tsx"
import { Page } from "../../ui/Page.tsx"
import { Facts } from "../../ui/Record.tsx"
import { Status } from "../../ui/Status.tsx"
import { Table } from "../../ui/Table.tsx"
import { Time } from "../../ui/Time.tsx"
import { Untrusted } from "../../ui/Untrusted.tsx"
import { Create, Limits, Secret } from "./KeyForms.tsx"
import { keys, keysChanged, ownUse, revokeKey, rotateKey } from "./keys.state.ts"
import { isSpent } from "./limits.ts"
import styles from "./KeysScreen.module.css"

const Confirm = lazy(() => import("../../ui/Confirm.tsx"))

/** The dialog that is open. */
type Opened =
  | { readonly what: "create" }
  | { readonly what: "secret"; readonly created: CreatedKey }
  | { readonly what: "limits" | "revoke" | "rotate"; readonly key: Key }

/** Opens a dialog; undefined for a key that may not change keys. */
type Open = ((opened: Opened) => void) | undefined

const used = (now: string, limit: string | number | null): string => (limit === null ? now : `${now} of ${limit}`)

const Name = ({ of: key }: { readonly of: Key }) => (
  <>
    <Link to={`/runs?key=${encodeURIComponent(key.name)}`} className={styles["name"]} title="Show its runs">
      <Untrusted>{key.name}</Untrusted>
    </Link>
    <br />
    <code className={styles["prefix"]}>
      <Untrusted>{key.prefix}</Untrusted>…
    </code>
  </>
)

const Changes = ({ of: key, open }: { readonly of: Key; readonly open: Open }) => {
  if (key.revokedAt !== null) return <Status of="revoked" />
  if (open === undefined) return null
  return (
    <div className={styles["buttons"]}>
      <Button onClick={() => open({ what: "limits", key })} aria-label={`Set limits for ${key.name}`}>
        Set limits
      </Button>
      <Button onClick={() => open({ what: "rotate", key })} aria-label={`Rotate ${key.name}`}>
        Rotate
      </Button>
      <Button kind="danger" onClick={() => open({ what: "revoke", key })} aria-label={`Revoke ${key.name}`}>
        Revoke
      </Button>
    </div>
  )
}

const List = ({ open, rows }: { readonly rows: ReadonlyArray<Key>; readonly open: Open }) => (
  <Table
    label="Keys"
    rows={rows}
    keyOf={(key) => `${key.name} ${key.createdAt}`}
    columns={[
      { name: "Key", cell: (key) => <Name of={key} /> },
      { name: "Scopes", cell: ({ scopes }) => scopes.join(", ") },
      { name: "Open runs", isNumber: true, cell: ({ limits, usage }) => used(count(usage.runs), limits.runs) },
      {
        name: "Open browsers",
        isNumber: true,
        cell: ({ limits, usage }) => used(count(usage.browsers), limits.browsers)
      },
      {
        name: "Cost today",
        isNumber: true,
        cell: ({ limits: { usdPerDay }, usage }) => (
          <>
            {used(usd(usage.usdToday), usdPerDay === null ? null : usd(usdPerDay))}{" "}
            {isSpent(usage.usdToday, usdPerDay) ? <Status of="limit reached" /> : null}
          </>
        )
      },
      {
        name: "Requests per minute",
        isNumber: true,
        cell: ({ limits: { requestsPerMinute } }) => (requestsPerMinute === null ? "–" : count(requestsPerMinute))
      },
      { name: "Created", cell: ({ createdAt }) => <Time at={createdAt} /> },
      { name: "Last used", cell: ({ lastUsedAt }) => (lastUsedAt === null ? "never" : <Time at={lastUsedAt} />) },
      { name: "Actions", isUnseen: true, cell: (key) => <Changes of={key} open={open} /> }
    ]}
  />
)

/** Active keys first, then revoked ones; the newest first among each. */
const sorted = (rows: ReadonlyArray<Key>): ReadonlyArray<Key> =>
  rows.toSorted(
    (a, b) =>
      Number(a.revokedAt !== null) - Number(b.revokedAt !== null) || Date.parse(b.createdAt) - Date.parse(a.createdAt)
  )

/** The rights of a key, each with an operation that shows it. */
const rights = [
  ["runs.list", "read runs, browsers and results"],
  ["runs.create", "start, follow up and cancel runs"],
  ["browsers.stop", "stop browsers and take control of them"]
] as const

/** The rights of a key without the scope admin, its open runs, and the way to more rights. */
const OwnKey = ({ of: { name, operations } }: { readonly of: ServerInfo["key"] }) => {
  const { browsers, runs } = valueOf(useAtomValue(ownUse)) ?? {}
  const program = programOf(valueOf(useAtomValue(serverInfo)))
  return (
    <section className={styles["own"]} aria-label="Your key">
      <Facts
        of={[
          ["Key", name],
          [
            "Permissions",
            <span key="rights">
              {rights.flatMap(([operation, text]) => (operations.includes(operation) ? [text] : [])).join("; ")}
            </span>
          ],
          ["Open runs", runs],
          ["Open browsers", browsers]
        ]}
      />
      <p>
        Only a key with the admin scope can create and change keys. Ask the person who runs this server for one, or
        create it on the server's machine, with the same <code>--data</code> as the server if it has one:{" "}
        <code>{program} keys create --name me --scope admin</code>
      </p>
    </section>
  )
}

const allKeys = (
  <>
    Give each app its own key, with the limits that it needs. The list doesn&apos;t include keys that the server was
    started with (<code className={styles["flag"]}>--api-key</code>).
  </>
)

/** API keys: what each may do and uses, and every change of them. */
const KeysScreen = () => {
  const result = useAtomValue(keys)
  const server = valueOf(useAtomValue(serverInfo))
  const { admin: mayChange, name: own } = server?.key ?? { admin: false, name: null }
  const [opened, open] = useState<Opened | undefined>(undefined)
  const [rotate] = useChange(rotateKey, (changed) =>
    AsyncResult.isFailure(changed) ? say(reason(changed)) : open({ what: "secret", created: changed.value })
  )
  const [revoke] = useChange(revokeKey, (changed) =>
    say(AsyncResult.isFailure(changed) ? reason(changed) : `Key ${changed.value.name} revoked`)
  )
  const close = () => open(undefined)
  const change = (name: string) => ({ params: { name }, reactivityKeys: keysChanged })
  return (
    <Page
      title="Keys"
      lead={mayChange ? allKeys : "Your key's permissions and current usage."}
      actions={
        mayChange ? (
          <Button kind="primary" onClick={() => open({ what: "create" })}>
            <Plus aria-hidden />
            Create a key
          </Button>
        ) : null
      }
    >
      {server === undefined || mayChange ? null : <OwnKey of={server.key} />}
      {AsyncResult.isSuccess(result) ? (
        result.value.length === 0 && !mayChange ? null : result.value.length === 0 ? (
          <Message icon={KeyRound} title="No keys yet">
            <p>An app needs a key to start runs. You can revoke a key at any time.</p>
          </Message>
        ) : (
          <List rows={sorted(result.value)} open={mayChange ? open : undefined} />
        )
      ) : AsyncResult.isFailure(result) && !result.waiting ? (
        errorTag(result) === "ForbiddenError" ? (
          <Message icon={KeyRound} title="Your key can't see keys">
            <p>Sign in with a key that has the admin scope.</p>
          </Message>
        ) : (
          <Failed
            icon={CloudOff}
            title="Couldn't load the keys"
            reason={reason(result)}
            onRetry={() => registry.refresh(keys)}
          />
        )
      ) : (
        <Loading what="keys" lines={4} />
      )}
      {opened?.what === "create" ? (
        <Create onClose={close} onCreated={(created) => open({ what: "secret", created })} />
      ) : null}
      {opened?.what === "secret" ? <Secret created={opened.created} onClose={close} /> : null}
      {opened?.what === "limits" ? <Limits of={opened.key} onClose={close} /> : null}
      <Suspense>
        {opened?.what === "revoke" ? (
          <Confirm
            title={`Revoke the key ${opened.key.name}?`}
            action={`Revoke ${opened.key.name}`}
            onClose={close}
            onConfirm={() => revoke(change(opened.key.name))}
          >
            Requests with this key fail from now on, and everyone who signed in to the console with it is signed out.
            Its runs are kept.
            {opened.key.name === own ? " You're signed in with this key, so you'll be signed out." : ""}
          </Confirm>
        ) : null}
        {opened?.what === "rotate" ? (
          <Confirm
            title={`Rotate the key ${opened.key.name}?`}
            action={`Rotate ${opened.key.name}`}
            onClose={close}
            onConfirm={() => rotate(change(opened.key.name))}
          >
            The current secret stops working immediately. You get a new one with the same name, scopes and limits.
          </Confirm>
        ) : null}
      </Suspense>
    </Page>
  )
}

export default KeysScreen
