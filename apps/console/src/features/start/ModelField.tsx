import type { ServerInfo } from "@webagent/admin"
import { useId } from "react"
import { TextField } from "../../ui/Field.tsx"

interface ModelFieldProps {
  readonly value: string
  readonly info: ServerInfo | undefined
  readonly error: string | undefined
  readonly onChange: (model: string) => void
}

/** The model of a run, with those of the server to choose from. */
export const ModelField = ({ error, info, onChange, value }: ModelFieldProps) => {
  const list = useId()
  return (
    <div>
      <TextField
        label="Model"
        value={value}
        placeholder={info?.model ?? "Server default"}
        hint="If you leave it empty, the server's default model is used."
        list={list}
        error={error}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      />
      <datalist id={list}>
        {(info?.models ?? []).map((model) => (
          <option key={model} value={model} />
        ))}
      </datalist>
    </div>
  )
}
