import { adminPath, type ModelCall, type RunDetails, type RunStep } from "@webagent/admin"
import { Braces, FileArchive, FileText } from "lucide-react"
import { useState } from "react"
import { say } from "../../state/notices.ts"
import { Button } from "../../ui/Button.tsx"
import { Code } from "../../ui/Code.tsx"
import Dialog from "../../ui/Dialog.tsx"
import { download } from "../../ui/download.ts"
import { Section } from "../../ui/Page.tsx"
import { shown } from "../../ui/untrustedText.ts"
import { markdownOf } from "./exported.ts"
import type { RecordingFile } from "./run.state.ts"
import type { PictureOf } from "./StepPictures.tsx"
import styles from "./ExportDialog.module.css"

interface ExportDialogProps {
  readonly run: RunDetails
  readonly steps: ReadonlyArray<RunStep>
  readonly calls: ReadonlyArray<ModelCall>
  readonly recording: RecordingFile | null
  readonly pictureOf: PictureOf
  readonly onClose: () => void
}

/** Most characters of the response on the page; the JSON file has all of it. */
const mostShown = 100_000

/** A run as files, and as the API returns it. */
const ExportDialog = ({ calls, onClose, pictureOf, recording, run, steps }: ExportDialogProps) => {
  const [isWorking, setWorking] = useState(false)
  const zip = async () => {
    setWorking(true)
    try {
      const { readArchive } = await import("./archive.ts")
      const { bytes, missing } = await readArchive(
        { run, markdown: markdownOf(run, steps), steps, calls },
        { pictureOf, recording }
      )
      download(`run-${run.id}.zip`, "application/zip", bytes)
      say(missing.length === 0 ? "ZIP file saved" : `ZIP file saved without ${missing.slice(0, 3).join(", ")}`)
    } catch {
      say("Couldn't create the ZIP file. Reload the page and try again.")
    } finally {
      setWorking(false)
    }
  }
  return (
    <Dialog title="Export" onClose={onClose}>
      <div className={styles["files"]}>
        <Button onClick={() => download(`run-${run.id}.md`, "text/markdown", markdownOf(run, steps))}>
          <FileText aria-hidden />
          Markdown
        </Button>
        <Button
          onClick={() =>
            download(`run-${run.id}.json`, "application/json", JSON.stringify({ run, steps, calls }, null, 2))
          }
        >
          <Braces aria-hidden />
          JSON
        </Button>
        <Button disabled={isWorking} onClick={() => void zip()}>
          <FileArchive aria-hidden />
          {isWorking ? "Preparing…" : "ZIP"}
        </Button>
        <p>The ZIP file has the result, steps, model calls, pictures and recording.</p>
      </div>
      <Section title="API response">
        <p>
          <code>
            GET {adminPath}/runs/{run.id}
          </code>
        </p>
        <Code label="API response" text={shown(JSON.stringify(run, null, 2), mostShown).text} />
      </Section>
    </Dialog>
  )
}

export default ExportDialog
