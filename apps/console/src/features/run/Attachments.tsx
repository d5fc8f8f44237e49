import { type Attachment, consoleApiPath } from "@webagent/admin"
import { byteSize } from "../../ui/format.ts"
import { Section } from "../../ui/Page.tsx"
import { Untrusted } from "../../ui/Untrusted.tsx"
import styles from "./RunScreen.module.css"

interface AttachmentsProps {
  readonly runId: string
  readonly files: ReadonlyArray<Attachment>
}

/** The files that a run downloaded. They come from websites, so the browser saves them and never opens them. */
export const Attachments = ({ files, runId }: AttachmentsProps) =>
  files.length === 0 ? null : (
    <Section title="Downloaded files">
      <ul className={styles["files"]}>
        {files.map(({ id, name, sizeBytes }) => (
          <li key={id}>
            <a
              className={styles["watch"]}
              href={`${consoleApiPath}/runs/${encodeURIComponent(runId)}/attachments/${encodeURIComponent(id)}`}
              download
            >
              <Untrusted>{name}</Untrusted>
            </a>{" "}
            {byteSize(sizeBytes)}
          </li>
        ))}
      </ul>
    </Section>
  )
