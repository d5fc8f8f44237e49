import * as AsyncResult from "effect/reactivity/AsyncResult"
import { reason } from "../../state/client.ts"
import { useAtomValue } from "../../state/react.ts"
import { valueOf } from "../../state/runs.ts"
import { SelectField } from "../../ui/Field.tsx"
import { count } from "../../ui/format.ts"
import { shown } from "../../ui/untrustedText.ts"
import { profileList } from "./start.state.ts"

interface ProfileFieldProps {
  readonly value: string
  readonly error: string | undefined
  readonly onChange: (id: string) => void
}

/** A choice of the browser profile that the run's browser starts with. */
export const ProfileField = ({ error, onChange, value }: ProfileFieldProps) => {
  const result = useAtomValue(profileList)
  const { rows = [], total = 0 } = valueOf(result) ?? {}
  const isListed = value === "" || rows.some(({ id }) => id === value)
  const hint = AsyncResult.isFailure(result)
    ? reason(result)
    : total > rows.length
      ? `The newest ${count(rows.length)} of ${count(total)} browser profiles.`
      : AsyncResult.isSuccess(result) && total === 0
        ? "You have no browser profiles. Create one with POST /api/v4/profiles."
        : "The browser starts with the cookies and storage of the profile, and stays signed in for the next run."
  return (
    <SelectField
      label="Browser profile"
      value={value}
      hint={hint}
      error={error}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    >
      <option value="">No profile</option>
      {isListed ? null : <option value={value}>{value}</option>}
      {rows.map(({ id, name, userId }) => (
        <option key={id} value={id}>
          {shown([name, userId].filter(Boolean).join(" · ") || id, 80).text}
        </option>
      ))}
    </SelectField>
  )
}
