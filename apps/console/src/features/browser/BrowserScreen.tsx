import type { Browser, BrowserLinks } from "@webagent/admin"
import * as AsyncResult from "effect/reactivity/AsyncResult"
import { Camera, Hand, MonitorOff, MonitorPlay, Square, Undo2 } from "lucide-react"
import { lazy, type RefObject, Suspense, useEffect, useRef, useState } from "react"
import { reason } from "../../state/client.ts"
import { browserRow } from "../../state/live.ts"
import { say } from "../../state/notices.ts"
import { cameFrom, goBack } from "../../state/place.ts"
import { registry, useAtomSet, useAtomValue, useChange } from "../../state/react.ts"
import { valueOf } from "../../state/runs.ts"
import { RecordAnswer } from "../../ui/Answer.tsx"
import { Button } from "../../ui/Button.tsx"
import { download } from "../../ui/download.ts"
import { counted, span } from "../../ui/format.ts"
import { Link } from "../../ui/Link.tsx"
import { Message } from "../../ui/Message.tsx"
import { RecordHead } from "../../ui/Record.tsx"
import { Short } from "../../ui/Short.tsx"
import { Time } from "../../ui/Time.tsx"
import { OutsideLink, Untrusted } from "../../ui/Untrusted.tsx"
import { Recording } from "../run/Recording.tsx"
import type { RecordingFile } from "../run/run.state.ts"
import { AddressField } from "./AddressField.tsx"
import { browserPage, driverOf, holding, releaseControl, runIn, stopBrowsers, takeControl } from "./browser.state.ts"
import styles from "./BrowserScreen.module.css"
import { type Cast, type CastTab, connect, noCast } from "./cast.ts"
import { forwardInput } from "./input.ts"

const Confirm = lazy(() => import("../../ui/Confirm.tsx"))

interface ScreenProps {
  /** The live page, or the control page while this tab has control. */
  readonly link: string
  readonly hasControl: boolean
  readonly cast: Cast
  readonly onCast: (change: (cast: Cast) => Cast) => void
  readonly onRelease: () => void
  /** Moves the focus to the address field, because Tab is a key of the browser. */
  readonly onAddress: () => void
  readonly remote: RefObject<Remote | undefined>
}

/** Actions of a person on the browser that aren't input on its picture. */
interface Remote {
  /** Ends the input of this page, and releases the browser after what was typed. */
  readonly finish: () => Promise<boolean>
  /** Opens an address in the tab in front. */
  readonly open: (address: string) => void
}

const Screen = ({ cast, hasControl, link, onAddress, onCast, onRelease, remote }: ScreenProps) => {
  const canvas = useRef<HTMLCanvasElement>(null)
  const keys = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    if (canvas.current === null || keys.current === null) return undefined
    const { close, release, send } = connect(link, canvas.current, onCast)
    const stop = hasControl ? forwardInput(canvas.current, keys.current, send) : undefined
    remote.current = {
      finish: () => {
        stop?.()
        return release()
      },
      open: (address) => {
        onCast((before) => ({ ...before, refused: "" }))
        send({ _tag: "Address", address })
      }
    }
    if (hasControl) keys.current.focus({ preventScroll: true })
    return () => {
      stop?.()
      remote.current = undefined
      close()
    }
  }, [hasControl, link, onCast, remote])
  return (
    <div className={styles["screen"]} data-control={hasControl}>
      <canvas
        ref={canvas}
        width={1280}
        height={800}
        role="img"
        aria-label="Live view of the browser"
        hidden={cast.isConcealed}
        data-picture={cast.hasPicture}
      />
      <textarea
        ref={keys}
        className={styles["keys"]}
        aria-label="Keyboard input for the browser; Ctrl L goes to the address field, and Esc releases the browser"
        data-keys
        tabIndex={hasControl ? 0 : -1}
        autoCapitalize="off"
        autoComplete="off"
        spellCheck={false}
        onKeyDown={(event) => {
          if (event.key === "Escape") return onRelease()
          if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "l") return undefined
          event.preventDefault()
          return onAddress()
        }}
      />
      {cast.isConcealed ? (
        <p>The agent typed a secret here, so only a person with control can see this browser.</p>
      ) : null}
      {cast.state === "over" ? <p>{cast.reason}</p> : null}
      {cast.state === "lost" ? <p>Connection lost. Reconnecting…</p> : null}
      {cast.state === "live" && !cast.hasPicture && !cast.isConcealed ? <p>Waiting for the first picture…</p> : null}
    </div>
  )
}

/** The open tabs of a browser with more than one. */
const TabList = ({ of }: { readonly of: ReadonlyArray<CastTab> }) =>
  of.length < 2 ? null : (
    <ol className={styles["tabs"]} aria-label="Open tabs" tabIndex={0}>
      {of.map(({ address, title }, index) => (
        <li key={index} aria-current={index === of.length - 1}>
          <Untrusted max={40}>{title || address || "Untitled tab"}</Untrusted>
          {index === of.length - 1 ? <span className="unseen"> (shown)</span> : null}
        </li>
      ))}
    </ol>
  )

const watchedBy = (viewers: number): string | null => {
  if (viewers === 0) return null
  return viewers === 1 ? "you" : `you and ${counted(viewers - 1, "other")}`
}

const save = (canvas: HTMLCanvasElement | null, id: string) =>
  canvas?.toBlob((blob) => {
    if (blob !== null) download(`browser-${id}.png`, "image/png", blob)
  })

/** Takes control, keeps it while the page is open, and releases it at the end. */
const useControl = (id: string) => {
  const [url, setUrl] = useState<string | null>(null)
  const isHeld = url !== null
  const [take, isWaiting] = useChange(takeControl, (taken) => {
    setUrl(AsyncResult.isSuccess(taken) ? (taken.value.url ?? null) : null)
    if (AsyncResult.isFailure(taken)) say(reason(taken))
  })
  const release = useAtomSet(releaseControl)
  const params = { browser_id: id }
  const begin = () => take({ params, payload: { seconds: holding.seconds } })
  const end = () => {
    setUrl(null)
    release({ params })
  }
  useEffect(() => {
    if (!isHeld) return undefined
    const timer = window.setInterval(begin, holding.extend_ms)
    return () => {
      window.clearInterval(timer)
    }
  }, [isHeld])
  const atEnd = useRef(end)
  const heldNow = useRef(isHeld)
  useEffect(() => {
    atEnd.current = end
    heldNow.current = isHeld
  })
  // another screen must not leave the agent waiting
  useEffect(() => () => (heldNow.current ? atEnd.current() : undefined), [])
  return { url, isWaiting, begin, end }
}

/** Reasons for which a browser was stopped, by their name in the API. */
const stopTexts: Readonly<Record<string, string>> = {
  asked: "a client or a person stopped it",
  session_stopped: "its session was stopped",
  ended: "it closed by itself",
  launch_failed: "it couldn't be started",
  node_lost: "its server stopped responding",
  node_closed: "its server was stopped"
}

const AgentSteps = ({ cast }: { readonly cast: Cast }) => (
  <div className={styles["steps"]} role="region" aria-label="The agent's steps" tabIndex={0}>
    <h2>The agent's steps</h2>
    {cast.steps.length === 0 ? <p>No steps yet.</p> : null}
    <ol>
      {cast.steps.map((step, index) => (
        <li key={index} data-failed={typeof step.failure === "string"}>
          <b>{step.number}</b>
          <span>
            <Untrusted>{step.summary}</Untrusted>
            <small>
              {typeof step.failure === "string" ? (
                <>
                  Failed: <Untrusted>{step.failure}</Untrusted>
                </>
              ) : step.duration_ms === undefined ? (
                "now"
              ) : (
                span(step.duration_ms)
              )}
            </small>
          </span>
        </li>
      ))}
    </ol>
  </div>
)

interface ContentProps {
  readonly browser: Browser
  readonly links: BrowserLinks
  readonly recording: RecordingFile | null
}

/** A browser that is stopped: its recording, or the reason why there is none, and the way to its runs. */
const Stopped = ({ browser, recording }: Omit<ContentProps, "links">) => (
  <div className={styles["stopped"]}>
    <Message icon={MonitorOff} title="This browser has stopped">
      {recording !== null ? null : (
        <p>
          {browser.recording
            ? "Its recording isn't available: it was deleted to free up space, or the browser showed nothing."
            : "It has no recording. To get one, select “Record the browser” when you start a run."}
        </p>
      )}
      {browser.agentSessionId === null ? null : (
        <Link to={`/runs?session=${encodeURIComponent(browser.agentSessionId)}`}>Runs that used it</Link>
      )}
    </Message>
    {recording === null ? null : <Recording of={recording} wanted={undefined} />}
  </div>
)

interface ActionsProps {
  readonly id: string
  readonly control: ReturnType<typeof useControl>
  readonly mayControl: boolean
  readonly hasPicture: boolean
  readonly isReleasing: boolean
  readonly onRelease: () => void
  readonly onSave: () => void
}

/** Buttons of a running browser. */
const Actions = ({ control, hasPicture, id, isReleasing, mayControl, onRelease, onSave }: ActionsProps) => {
  const [isAsked, ask] = useState(false)
  const [stop, isStopping] = useChange(stopBrowsers, (stopped) => {
    if (AsyncResult.isFailure(stopped)) say(reason(stopped))
  })
  return (
    <>
      {!mayControl ? null : control.url !== null ? (
        <Button kind="primary" onClick={onRelease}>
          <Undo2 aria-hidden />
          {isReleasing ? "Releasing…" : "Release (Esc)"}
        </Button>
      ) : (
        <Button disabled={control.isWaiting} onClick={control.begin}>
          <Hand aria-hidden />
          Take control
        </Button>
      )}
      {hasPicture ? (
        <Button onClick={onSave}>
          <Camera aria-hidden />
          Save a picture
        </Button>
      ) : null}
      <Button kind="danger" disabled={isStopping} onClick={() => ask(true)}>
        <Square aria-hidden />
        Stop
      </Button>
      {isAsked ? (
        <Suspense>
          <Confirm
            title="Stop this browser?"
            action="Stop the browser"
            onClose={() => ask(false)}
            onConfirm={() => stop({ payload: { ids: [id] } })}
          >
            If a run is using this browser, the run will fail.
          </Confirm>
        </Suspense>
      ) : null}
    </>
  )
}

const Content = ({ browser: read, links, recording }: ContentProps) => {
  const browser = useAtomValue(browserRow(read.id)) ?? read
  const run = valueOf(useAtomValue(runIn(read.id)))
  const [cast, setCast] = useState<Cast>(noCast)
  const control = useControl(read.id)
  const isHeld = control.url !== null
  const remote = useRef<Remote | undefined>(undefined)
  const [isReleasing, setReleasing] = useState(false)
  const release = async () => {
    if (isReleasing) return
    setReleasing(true)
    const isComplete = (await remote.current?.finish()) ?? true
    if (!isComplete) say("Some of your input may not have reached the browser before it was released")
    control.end()
    setReleasing(false)
  }
  const page = useRef<HTMLDivElement>(null)
  const isOver = browser.status === "stopped"
  // its recording is there once it's stopped
  const isNews = isOver && read.status !== "stopped"
  useEffect(() => {
    if (isNews) registry.refresh(browserPage(read.id))
  }, [isNews, read.id])
  const link = control.url ?? links.liveUrl
  const address = cast.address || browser.address
  return (
    <div className={styles["page"]} ref={page}>
      <RecordHead
        back={[cameFrom() ?? (browser.runId === null ? "/wall" : `/runs/${browser.runId}`), "Back"]}
        onBack={goBack}
        status={browser.status}
        id={browser.id}
        actions={
          isOver ? undefined : (
            <Actions
              id={browser.id}
              control={control}
              mayControl={links.controlUrl !== null}
              hasPicture={cast.hasPicture}
              isReleasing={isReleasing}
              onRelease={release}
              onSave={() => save(page.current?.querySelector("canvas") ?? null, browser.id)}
            />
          )
        }
        title={cast.title || browser.title || "Browser"}
        facts={[
          ["Started", <Time key="started" at={browser.startedAt} />],
          ["Driven by", isOver || run === undefined ? null : driverOf(browser, isHeld ? "you" : browser.driver, run)],
          ["Watched by", isOver ? null : watchedBy(cast.viewers)],
          ["Key", browser.owner],
          ["Node", browser.node === null ? null : <Short key="node" of={browser.node} />],
          ["Stop reason", browser.stopReason === null ? null : (stopTexts[browser.stopReason] ?? browser.stopReason)]
        ]}
      >
        {isHeld && !isOver ? (
          <AddressField
            address={address ?? ""}
            refused={cast.refused}
            onOpen={(text) => remote.current?.open(text)}
            onRelease={release}
          />
        ) : (
          <p className={styles["address"]}>
            <OutsideLink address={address} />
          </p>
        )}
        {isOver ? null : <TabList of={cast.tabs} />}
      </RecordHead>
      {isOver ? (
        <Stopped browser={browser} recording={recording} />
      ) : link === null ? (
        <Message icon={MonitorPlay} title="Simulated browsers have no picture">
          <p>Start the server with --browsers chromium to watch browsers and to take control of them.</p>
        </Message>
      ) : (
        <div className={styles["content"]}>
          <Screen
            key={link}
            link={link}
            hasControl={isHeld}
            cast={cast}
            onCast={setCast}
            remote={remote}
            onAddress={() => page.current?.querySelector<HTMLInputElement>("input[name=address]")?.focus()}
            onRelease={release}
          />
          {browser.agentSessionId === null ? null : <AgentSteps cast={cast} />}
        </div>
      )}
    </div>
  )
}

/** One browser, live: watch it, take control of it, stop it. */
const BrowserScreen = ({ id }: { readonly id: string }) => (
  <RecordAnswer page={browserPage(id)} what="browser" home={["/wall", "Live wall"]}>
    {(value) => <Content key={id} {...value} />}
  </RecordAnswer>
)

export default BrowserScreen
