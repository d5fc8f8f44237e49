import { mostFilesOfRun } from "@webagent/admin"
import { X } from "lucide-react"
import { TextField } from "../../ui/Field.tsx"
import { byteSize } from "../../ui/format.ts"
import { Untrusted } from "../../ui/Untrusted.tsx"
import type { UploadedFile } from "./start.state.ts"
import styles from "./StartScreen.module.css"

interface FilesFieldProps {
  readonly files: ReadonlyArray<UploadedFile>
  readonly isUploading: boolean
  /** True while the server doesn't respond, or while files are sent. */
  readonly isDisabled: boolean
  /** Error of the last upload. */
  readonly error: string | undefined
  readonly onAdd: (files: ReadonlyArray<File>) => void
  readonly onRemove: (id: string) => void
}

/** The files that the agent may upload to websites. They are sent to the server when they are chosen. */
export const FilesField = ({ error, files, isDisabled, isUploading, onAdd, onRemove }: FilesFieldProps) => (
  <div className={styles["wide"]}>
    <TextField
      label="Files for the agent"
      type="file"
      multiple
      disabled={isDisabled}
      error={error}
      hint={
        isUploading
          ? "Uploading…"
          : `The agent can upload these files to websites. A run takes at most ${mostFilesOfRun} files.`
      }
      onChange={({ currentTarget }) => {
        const chosen = [...(currentTarget.files ?? [])]
        // the same file can be chosen again after it was removed
        currentTarget.value = ""
        if (chosen.length > 0) onAdd(chosen)
      }}
    />
    {files.length === 0 ? null : (
      <ul className={styles["files"]} aria-label="Attached files">
        {files.map(({ id, name, size }) => (
          <li key={id}>
            <Untrusted>{name}</Untrusted> {byteSize(size)}
            <button type="button" aria-label={`Remove ${name}`} onClick={() => onRemove(id)}>
              <X aria-hidden size={14} />
            </button>
          </li>
        ))}
      </ul>
    )}
  </div>
)
