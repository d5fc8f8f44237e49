import type { Browser, BrowserLinks } from "@webagent/admin"
import * as AsyncResult from "effect/reactivity/AsyncResult"
import { Camera, Hand, MonitorOff, MonitorPlay, Square, Undo2 } from "lucide-react"
import { lazy, Suspense, useEffect, useRef, useState } from "react"
import { reason } from "../../state/client.ts"
import { browserRow } from "../../state/live.ts"
import { say } from "../../state/notices.ts"
import { registry, useAtomSet, useAtomValue, useChange } from "../../state/react.ts"
import { Answer } from "../../ui/Answer.tsx"
import { Button } from "../../ui/Button.tsx"
import { download } from "../../ui/download.ts"
import { counted, span } from "../../ui/format.ts"
import { Link } from "../../ui/Link.tsx"
import { Message } from "../../ui/Message.tsx"
import { RecordHead } from "../../ui/Record.tsx"
import { Short } from "../../ui/Short.tsx"
import { Time } from "../../ui/Time.tsx"
import { OutsideLink, Untrusted } from "../../ui/Untrusted.tsx"
import { browserPage, holding, releaseControl, stopBrowsers, takeControl } from "./browser.state.ts"
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
}

const Screen = ({ cast, hasControl, link, onCast, onRelease }: ScreenProps) => {
  const canvas = useRef<HTMLCanvasElement>(null)
  const keys = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    if (canvas.current === null || keys.current === null) return undefined
    const { close, send } = connect(link, canvas.current, onCast)
    const stop = hasControl ? forwardInput(canvas.current, keys.current, send) : undefined
    if (hasControl) keys.current.focus({ preventScroll: true })
    return () => {
      stop?.()
      close()
    }
  }, [hasControl, link, onCast])
  return (
    <div className={styles["screen"]} data-control={hasControl}>
      <canvas
        ref={canvas}
        width={1280}
        height={800}
        role="img"
        aria-label="The browser now"
        hidden={cast.isConcealed}
        data-picture={cast.hasPicture}
      />
      <textarea
        ref={keys}
        className={styles["keys"]}
        aria-label="Keyboard input for the browser; Esc releases it"
        data-keys
        tabIndex={hasControl ? 0 : -1}
        autoCapitalize="off"
        autoComplete="off"
        spellCheck={false}
        onKeyDown={({ key }) => (key === "Escape" ? onRelease() : undefined)}
      />
      {cast.isConcealed ? <p>The agent typed a secret here, so only people with control see this browser.</p> : null}
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
}

const Content = ({ browser: read, links }: ContentProps) => {
  const browser = useAtomValue(browserRow(read.id)) ?? read
  const [cast, setCast] = useState<Cast>(noCast)
  const [isAsked, ask] = useState(false)
  const [stop, isStopping] = useChange(stopBrowsers, (stopped) => {
    if (AsyncResult.isFailure(stopped)) say(reason(stopped))
  })
  const { begin, end, isWaiting, url } = useControl(read.id)
  const isHeld = url !== null
  const page = useRef<HTMLDivElement>(null)
  const isOver = browser.status === "stopped"
  const link = url ?? links.liveUrl
  return (
    <div className={styles["page"]} ref={page}>
      <RecordHead
        back={[browser.runId === null ? "/" : `/runs/${browser.runId}`, "Back"]}
        status={browser.status}
        id={browser.id}
        actions={
          <>
            {isOver || links.controlUrl === null ? null : isHeld ? (
              <Button kind="primary" onClick={end}>
                <Undo2 aria-hidden />
                Release (Esc)
              </Button>
            ) : (
              <Button disabled={isWaiting} onClick={begin}>
                <Hand aria-hidden />
                Take control
              </Button>
            )}
            {cast.hasPicture ? (
              <Button onClick={() => save(page.current?.querySelector("canvas") ?? null, browser.id)}>
                <Camera aria-hidden />
                Save a picture
              </Button>
            ) : null}
            {isOver ? null : (
              <Button kind="danger" disabled={isStopping} onClick={() => ask(true)}>
                <Square aria-hidden />
                Stop
              </Button>
            )}
          </>
        }
        title={<Untrusted max={120}>{cast.title || browser.title || "Browser"}</Untrusted>}
        facts={[
          ["Started", <Time key="started" at={browser.startedAt} />],
          [
            "Driven by",
            isOver
              ? null
              : isHeld
                ? "you; the agent waits"
                : (browser.driver ?? (browser.agentSessionId === null ? "code over CDP" : "the agent"))
          ],
          ["Watched by", isOver ? null : watchedBy(cast.viewers)],
          ["Key", browser.owner],
          ["Node", browser.node === null ? null : <Short key="node" of={browser.node} />],
          ["Stopped because", browser.stopReason]
        ]}
      >
        <p className={styles["address"]}>
          <OutsideLink address={cast.address || browser.address} />
        </p>
        {isOver ? null : <TabList of={cast.tabs} />}
      </RecordHead>
      {isOver ? (
        <Message icon={MonitorOff} title="This browser is stopped">
          <p>Its recording, if it has one, is on the page of its run.</p>
          {browser.runId === null ? null : <Link to={`/runs/${browser.runId}`}>Open the run</Link>}
        </Message>
      ) : link === null ? (
        <Message icon={MonitorPlay} title="Simulated browsers have no picture">
          <p>Start the server with --browsers chromium to watch browsers and to take control of them.</p>
        </Message>
      ) : (
        <div className={styles["content"]}>
          <Screen key={link} link={link} hasControl={isHeld} cast={cast} onCast={setCast} onRelease={end} />
          <AgentSteps cast={cast} />
        </div>
      )}
      {isAsked ? (
        <Suspense>
          <Confirm
            title="Stop this browser?"
            action="Stop the browser"
            onClose={() => ask(false)}
            onConfirm={() => stop({ payload: { ids: [browser.id] } })}
          >
            A run that uses it fails.
          </Confirm>
        </Suspense>
      ) : null}
    </div>
  )
}

/** One browser, live: watch it, take control of it, stop it. */
const BrowserScreen = ({ id }: { readonly id: string }) => {
  const page = browserPage(id)
  const result = useAtomValue(page)
  const missing = (
    <>
      <p>It was deleted, or your key can't see it.</p>
      <Link to="/">Overview</Link>
    </>
  )
  return (
    <Answer of={result} what="browser" missing={missing} onRetry={() => registry.refresh(page)}>
      {(value) => <Content key={id} {...value} />}
    </Answer>
  )
}

export default BrowserScreen
