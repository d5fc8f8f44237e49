import type { RunDetails } from "@webagent/admin"
import { useEffect, useRef, useState } from "react"
import { browserRow } from "../../state/live.ts"
import { registry, useAtomValue } from "../../state/react.ts"
import { msOf } from "../../ui/format.ts"
import { Link } from "../../ui/Link.tsx"
import { Section } from "../../ui/Page.tsx"
import { type RecordingFile, runPage } from "./run.state.ts"
import { recordingStart } from "./timeline.ts"
import styles from "./RunScreen.module.css"

interface RecordingProps {
  readonly of: RecordingFile
  /** Start of the step to show, each time that a person chooses one. */
  readonly wanted: { readonly startedAt: string } | undefined
  /** Called with the time of the picture that is shown. */
  readonly onTime?: (at_ms: number, isPlaying: boolean) => void
}

const speeds = [0.5, 1, 2, 4, 8]

/** The recording of the run's browser. A chosen step moves it, and it marks the step that it shows. */
export const Recording = ({ of: { address, browser, isVideo }, onTime, wanted }: RecordingProps) => {
  const video = useRef<HTMLVideoElement>(null)
  const [isBroken, setBroken] = useState(false)
  const [isReady, setReady] = useState(false)
  const [speed, setSpeed] = useState(1)
  useEffect(() => {
    if (video.current !== null) video.current.playbackRate = speed
  }, [isReady, speed])
  useEffect(() => {
    const player = video.current
    if (player === null || wanted === undefined || !isReady) return
    const at_s = (msOf(wanted.startedAt) - recordingStart(browser, player.duration * 1000)) / 1000
    player.currentTime = Math.max(0, Number.isFinite(player.duration) ? Math.min(at_s, player.duration) : at_s)
  }, [browser, isReady, wanted])
  const tell = () => {
    const player = video.current
    if (player !== null)
      onTime?.(recordingStart(browser, player.duration * 1000) + player.currentTime * 1000, !player.paused)
  }
  const link = (
    <a className={styles["watch"]} href={address} target="_blank" rel="noopener noreferrer">
      Open the recording
    </a>
  )
  if (!isVideo || isBroken) {
    return (
      <p>
        {link}
        {isBroken ? " (this browser can't play it here)" : null}
      </p>
    )
  }
  return (
    <Section
      title="Recording"
      actions={
        <div className={styles["playback"]}>
          <select
            aria-label="Playback speed"
            value={speed}
            onChange={({ currentTarget }) => setSpeed(Number(currentTarget.value))}
          >
            {speeds.map((one) => (
              <option key={one} value={one}>
                {one}×
              </option>
            ))}
          </select>
          {link}
        </div>
      }
    >
      {/* it has no sound */}
      {/* oxlint-disable-next-line jsx-a11y/media-has-caption */}
      <video
        ref={video}
        className={styles["video"]}
        src={address}
        controls
        muted
        playsInline
        preload="metadata"
        aria-label="Browser recording"
        onLoadedMetadata={() => setReady(true)}
        onTimeUpdate={tell}
        onSeeked={tell}
        onError={() => setBroken(true)}
      />
    </Section>
  )
}

/** Says where the recording of a run will be, or is, if its browser is recorded and the run has no recording yet. */
export const RecordingNote = ({ run: { browserId, id } }: { readonly run: Pick<RunDetails, "browserId" | "id"> }) => {
  const { recording = false, status } = useAtomValue(browserRow(browserId ?? "")) ?? {}
  const wasActive = useRef(false)
  useEffect(() => {
    if (recording && status === "stopped" && wasActive.current) registry.refresh(runPage(id))
    wasActive.current = status === "active"
  }, [id, recording, status])
  if (!recording || browserId === null) return null
  const browser = (
    <Link to={`/browsers/${browserId}`} className={styles["watch"]}>
      its browser
    </Link>
  )
  return status === "stopped" ? (
    <p>The recording is on the page of {browser}.</p>
  ) : (
    <p>The recording appears here once {browser} stops.</p>
  )
}
