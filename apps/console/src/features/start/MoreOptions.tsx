import { CheckField, TextField } from "../../ui/Field.tsx"
import type { FormTexts } from "./form.ts"

interface MoreOptionsProps {
  readonly form: FormTexts
  readonly errorOf: (field: keyof FormTexts) => string | undefined
  readonly set: (change: Partial<FormTexts>) => void
}

type TextName = Exclude<keyof FormTexts, "isRecorded" | "isPaused" | "isJudged">

/** The settings of a run's browser, and the labels of the run. */
export const MoreOptions = ({ errorOf, form, set }: MoreOptionsProps) => {
  const text = (name: TextName, label: string, placeholder: string) => (
    <TextField
      label={label}
      value={form[name]}
      placeholder={placeholder}
      error={errorOf(name)}
      onChange={({ currentTarget }) => set({ [name]: currentTarget.value })}
    />
  )
  return (
    <>
      {text("tags", "Tags", "nightly, shop")}
      {text("metadata", "Metadata", "order=17, team=shop")}
      {text("size", "Window size", "1280x720")}
      {text("timeZone", "Time zone", "Europe/Berlin")}
      {text("languages", "Languages", "de-DE, de")}
      {text("country", "Proxy country", "de")}
      {text("userAgent", "User agent", "Browser default")}
      <CheckField
        label="Wait for a person at the cost limit"
        checked={form.isPaused}
        onChange={({ currentTarget }) => set({ isPaused: currentTarget.checked })}
      />
      <CheckField
        label="Judge the result"
        checked={form.isJudged}
        onChange={({ currentTarget }) => set({ isJudged: currentTarget.checked })}
      />
      {form.isJudged ? text("judgeContext", "Context for the judge", "A correct price is below 100 EUR") : null}
    </>
  )
}
