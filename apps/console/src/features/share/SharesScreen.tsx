import * as AsyncResult from "effect/reactivity/AsyncResult"
import { Link2 } from "lucide-react"
import { reason } from "../../state/client.ts"
import { say } from "../../state/notices.ts"
import { isWhole, rowsOf } from "../../state/pages.ts"
import { registry, useAtom, useChange } from "../../state/react.ts"
import { Answer } from "../../ui/Answer.tsx"
import { Button } from "../../ui/Button.tsx"
import { CopyButton } from "../../ui/CopyButton.tsx"
import { Link } from "../../ui/Link.tsx"
import { Message } from "../../ui/Message.tsx"
import { More } from "../../ui/More.tsx"
import { Page } from "../../ui/Page.tsx"
import { Table } from "../../ui/Table.tsx"
import { Time } from "../../ui/Time.tsx"
import { Untrusted } from "../../ui/Untrusted.tsx"
import styles from "./ShareDialog.module.css"
import { addressOf, revokeShare, shareKeys, shares } from "./share.state.ts"

/** The runs that links show to people without a key. */
const SharesScreen = () => {
  const [result, more] = useAtom(shares)
  const [revoke, isRevoking] = useChange(revokeShare, (changed) => {
    say(AsyncResult.isFailure(changed) ? reason(changed) : "Link revoked")
  })
  return (
    <Page title="Shared runs" lead="Anyone with one of these links can see its run, without a key.">
      <Answer of={result} what="links" onRetry={() => registry.refresh(shares)}>
        {({ items }) => {
          const rows = rowsOf(items)
          return rows.length === 0 && isWhole(items) ? (
            <Message icon={Link2} title="No shared runs">
              <p>To share a run, open it and select Share.</p>
              <Link to="/runs">All runs</Link>
            </Message>
          ) : (
            <>
              <Table
                label="Shared runs"
                rows={rows}
                keyOf={({ runId }) => runId}
                columns={[
                  {
                    name: "Run",
                    cell: ({ runId, task, title }) => (
                      <Link to={`/runs/${runId}`} className={styles["run"]}>
                        <Untrusted max={80}>{title ?? task}</Untrusted>
                      </Link>
                    )
                  },
                  { name: "Key", cell: ({ owner }) => <Untrusted>{owner ?? "–"}</Untrusted> },
                  { name: "Created", cell: ({ createdAt }) => <Time at={createdAt} /> },
                  { name: "Expires", cell: ({ expiresAt }) => <Time at={expiresAt} /> },
                  {
                    name: "Actions",
                    isUnseen: true,
                    cell: (share) => (
                      <div className={styles["changes"]}>
                        <CopyButton
                          text={addressOf(share)}
                          label={`Copy the link to run ${share.runId}`}
                          isLabeled={false}
                        />
                        <Button
                          kind="danger"
                          disabled={isRevoking}
                          aria-label={`Revoke the link to run ${share.runId}`}
                          onClick={() => revoke({ params: { run_id: share.runId }, reactivityKeys: shareKeys })}
                        >
                          Revoke
                        </Button>
                      </div>
                    )
                  }
                ]}
              />
              <More isDone={isWhole(items)} isWaiting={result.waiting} onMore={more} />
            </>
          )
        }}
      </Answer>
    </Page>
  )
}

export default SharesScreen
