import * as AsyncResult from "effect/reactivity/AsyncResult"
import { Link2, Link2Off } from "lucide-react"
import { errorTag, reason } from "../../state/client.ts"
import { say } from "../../state/notices.ts"
import { registry, useAtomValue, useChange } from "../../state/react.ts"
import { Answer } from "../../ui/Answer.tsx"
import { Button } from "../../ui/Button.tsx"
import { Code } from "../../ui/Code.tsx"
import Dialog from "../../ui/Dialog.tsx"
import { Link } from "../../ui/Link.tsx"
import { Time } from "../../ui/Time.tsx"
import { addressOf, createShare, revokeShare, shareKeys, shareOf } from "./share.state.ts"
import styles from "./ShareDialog.module.css"

interface ShareDialogProps {
  readonly id: string
  /** Called after the link was created or revoked. */
  readonly onChange: () => void
  readonly onClose: () => void
}

/** Creates, shows and revokes the link that shows one run to people without a key. */
const ShareDialog = ({ id, onChange, onClose }: ShareDialogProps) => {
  const result = useAtomValue(shareOf(id))
  const done = (sentence: string) => (changed: AsyncResult.AsyncResult<unknown, unknown>) => {
    if (AsyncResult.isFailure(changed)) return say(reason(changed))
    say(sentence)
    return onChange()
  }
  const [create, isCreating] = useChange(createShare, done("Link created"))
  const [revoke, isRevoking] = useChange(revokeShare, done("Link revoked"))
  const request = { params: { run_id: id }, reactivityKeys: shareKeys }
  const isWaiting = isCreating || isRevoking
  return (
    <Dialog title="Share this run" onClose={onClose}>
      <p>
        A link shows this run with its steps, pictures, recording and result to anyone who has it, without a key. It
        doesn't show your other runs, the session, or the run's key and node.
      </p>
      {errorTag(result) === "NotFoundError" ? (
        <div className={styles["buttons"]}>
          <Button kind="primary" disabled={isWaiting} onClick={() => create({ ...request, query: {} })}>
            <Link2 aria-hidden />
            Create a link
          </Button>
        </div>
      ) : (
        <Answer of={result} what="link" onRetry={() => registry.refresh(shareOf(id))}>
          {(share) => (
            <>
              <Code label="Link" text={addressOf(share)} wraps />
              <p>
                Created <Time at={share.createdAt} />, expires <Time at={share.expiresAt} />.
              </p>
              <div className={styles["buttons"]}>
                <Button disabled={isWaiting} onClick={() => create({ ...request, query: {} })}>
                  <Link2 aria-hidden />
                  Replace the link
                </Button>
                <Button kind="danger" disabled={isWaiting} onClick={() => revoke(request)}>
                  <Link2Off aria-hidden />
                  Revoke the link
                </Button>
              </div>
            </>
          )}
        </Answer>
      )}
      <p>
        <Link to="/shares" className={styles["link"]}>
          All shared runs
        </Link>
      </p>
    </Dialog>
  )
}

export default ShareDialog
