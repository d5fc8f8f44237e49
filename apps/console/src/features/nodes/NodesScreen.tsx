import type { Node } from "@webagent/admin"
import * as Effect from "effect/Effect"
import * as AsyncResult from "effect/reactivity/AsyncResult"
import { lazy, Suspense, useState } from "react"
import { Console, reason, serverInfo } from "../../state/client.ts"
import { epoch } from "../../state/live.ts"
import { say } from "../../state/notices.ts"
import { registry, useAtomValue, useChange } from "../../state/react.ts"
import { settled, valueOf } from "../../state/runs.ts"
import { Answer } from "../../ui/Answer.tsx"
import { Button } from "../../ui/Button.tsx"
import { count, now } from "../../ui/format.ts"
import { Link } from "../../ui/Link.tsx"
import { Page } from "../../ui/Page.tsx"
import { Short } from "../../ui/Short.tsx"
import { Status } from "../../ui/Status.tsx"
import { Table } from "../../ui/Table.tsx"
import { Time } from "../../ui/Time.tsx"
import { Untrusted } from "../../ui/Untrusted.tsx"
import { Health } from "../health/Health.tsx"

const Confirm = lazy(() => import("../../ui/Confirm.tsx"))

const nodes = Console.runtime.atom((get) => {
  get(epoch)
  get(settled("runs"))
  get(settled("browsers"))
  // a node that is lost or drained elsewhere sends no events
  get(now)
  return Effect.flatMap(Console, (client) => client.nodes.list())
})
const drainNode = Console.mutation("nodes", "drain")
const undrainNode = Console.mutation("nodes", "undrain")

/** The servers that share a store: what each does, which accept new work, and the health of the store. */
const NodesScreen = () => {
  const result = useAtomValue(nodes)
  // a simulated service is alone, so no other node could take over
  const isAlone = valueOf(useAtomValue(serverInfo))?.has.includes("simulation") ?? false
  const changed = (change: AsyncResult.AsyncResult<unknown, unknown>) => {
    if (AsyncResult.isFailure(change)) say(reason(change))
    registry.refresh(nodes)
  }
  const [drain] = useChange(drainNode, changed)
  const [undrain, isDisabled] = useChange(undrainNode, changed)
  const [asked, ask] = useState<Node | undefined>(undefined)
  return (
    <Page
      title="Nodes"
      lead="The servers that share a database. A draining node finishes its running work and accepts no new work."
    >
      <Answer of={result} what="nodes" onRetry={() => registry.refresh(nodes)}>
        {(rows) => (
          <Table
            label="Nodes"
            rows={rows}
            keyOf={({ id }) => id}
            columns={[
              {
                name: "Node",
                cell: ({ name }) => (
                  <Link to={`/runs?node=${encodeURIComponent(name)}`} title="Show its runs">
                    <Short of={name} />
                  </Link>
                )
              },
              { name: "State", cell: ({ draining }) => <Status of={draining ? "draining" : "ok"} /> },
              { name: "Address", cell: ({ address }) => <Short of={address} max={40} /> },
              { name: "Sessions", isNumber: true, cell: ({ sessions }) => count(sessions) },
              { name: "Browsers", isNumber: true, cell: ({ browsers }) => count(browsers) },
              { name: "Free browsers", isNumber: true, cell: ({ room }) => (room > 10_000 ? "no limit" : count(room)) },
              { name: "Version", cell: ({ version }) => <Untrusted max={20}>{version ?? "–"}</Untrusted> },
              { name: "Started", cell: ({ startedAt }) => <Time at={startedAt} /> },
              {
                name: "Actions",
                isUnseen: true,
                cell: (node) =>
                  node.draining ? (
                    <Button
                      disabled={isDisabled}
                      aria-label={`Accept work again on ${node.name}`}
                      onClick={() => undrain({ params: { node_id: node.id } })}
                    >
                      Accept work again
                    </Button>
                  ) : isAlone ? null : (
                    <Button aria-label={`Drain ${node.name}`} onClick={() => ask(node)}>
                      Drain
                    </Button>
                  )
              }
            ]}
          />
        )}
      </Answer>
      <Health />
      {asked === undefined ? null : (
        <Suspense>
          <Confirm
            title={`Drain ${asked.name}?`}
            action={`Drain ${asked.name}`}
            onClose={() => ask(undefined)}
            onConfirm={() => drain({ params: { node_id: asked.id } })}
          >
            It finishes its running work and accepts no new work until you undo this. Other nodes take over queued runs.
          </Confirm>
        </Suspense>
      )}
    </Page>
  )
}

export default NodesScreen
