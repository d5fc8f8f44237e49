import { presetNames, presets, type Profile, Profile as ProfileSchema, SettingsFile } from "@webagent/control"
import * as AsyncResult from "effect/reactivity/AsyncResult"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type FormEvent, useState } from "react"
import { reason } from "../../state/client.ts"
import { say } from "../../state/notices.ts"
import { useChange } from "../../state/react.ts"
import { Button } from "../../ui/Button.tsx"
import { TextArea } from "../../ui/Field.tsx"
import { Section } from "../../ui/Page.tsx"
import { Clock } from "./Clock.tsx"
import { type Facts, readAgain, setProfile } from "./simulation.state.ts"
import styles from "./Simulation.module.css"

const encode = Schema.encodeSync(ProfileSchema)

const jsonOf = (profile: Profile): string => JSON.stringify(encode(profile), null, 2)

/** The profile as JSON, to edit. The text of a preset with one difference is `{ "extends": "flaky", ... }`. */
const Editor = ({ profile }: { readonly profile: Profile }) => {
  const [error, setError] = useState<string | undefined>(undefined)
  const [send, isWaiting] = useChange(setProfile, (result) => {
    if (AsyncResult.isFailure(result)) return setError(reason(result))
    say("The profile is active")
    return readAgain()
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const checked = SettingsFile.profileFromJson(String(new FormData(event.currentTarget).get("profile")))
    if (Result.isFailure(checked)) return setError(checked.failure.message)
    setError(undefined)
    return send({ payload: { profile: checked.success } })
  }
  return (
    <details className={styles["more"]}>
      <summary>Edit the profile as JSON</summary>
      <form className={styles["form"]} onSubmit={submit}>
        <TextArea
          key={jsonOf(profile)}
          label="Profile"
          name="profile"
          rows={16}
          spellCheck={false}
          defaultValue={jsonOf(profile)}
          error={error}
          hint='Write times as text, such as "1.5 seconds". With "extends": "flaky", you need only the fields that differ.'
        />
        <div>
          <Button type="submit" kind="primary" disabled={isWaiting}>
            Use this profile
          </Button>
        </div>
      </form>
    </details>
  )
}

/** The profile in force and the clock. */
export const Behavior = ({ facts: { profile, time } }: { readonly facts: Facts }) => {
  const [send, isWaiting] = useChange(setProfile, (result) => {
    say(AsyncResult.isFailure(result) ? reason(result) : `The ${result.value.name ?? "custom"} profile is active`)
    readAgain()
  })
  return (
    <>
      <Section title="Profile">
        <ul className={styles["presets"]}>
          {presetNames.map((name) => (
            <li key={name} data-current={profile.name === name}>
              <h3>{name}</h3>
              <p>{presets[name].description}</p>
              <Button
                disabled={isWaiting}
                aria-pressed={profile.name === name}
                aria-label={profile.name === name ? `Active: ${name}` : `Use ${name}`}
                onClick={() => send({ payload: { preset: name } })}
              >
                {profile.name === name ? "Active" : "Use"}
              </Button>
            </li>
          ))}
        </ul>
        <Editor profile={profile} />
      </Section>
      <Clock time={time} />
    </>
  )
}
