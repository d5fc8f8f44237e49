import * as AsyncResult from "effect/reactivity/AsyncResult"
import { MonitorPlay, Square } from "lucide-react"
import { lazy, memo, Suspense, useEffect, useRef, useState } from "react"
import { isSimulated, reason, serverInfo } from "../../state/client.ts"
import { browserRow } from "../../state/live.ts"
import { say } from "../../state/notices.ts"
import { drawPictures } from "../../state/pictures.ts"
import { go, place } from "../../state/place.ts"
import { registry, useAtom, useAtomValue, useChange } from "../../state/react.ts"
import { valueOf } from "../../state/runs.ts"
import { Answer } from "../../ui/Answer.tsx"
import { Button, buttonClass } from "../../ui/Button.tsx"
import { counted } from "../../ui/format.ts"
import { Link } from "../../ui/Link.tsx"
import { Message } from "../../ui/Message.tsx"
import { Page } from "../../ui/Page.tsx"
import { rowKeys } from "../../ui/rowKeys.ts"
import { Short } from "../../ui/Short.tsx"
import { Time } from "../../ui/Time.tsx"
import { Untrusted } from "../../ui/Untrusted.tsx"
import {
  activeBrowsers,
  type Group,
  grouped,
  type Grouping,
  groupings,
  selected,
  stopBrowsers,
  toggle
} from "./wall.state.ts"
import styles from "./WallScreen.module.css"

const Confirm = lazy(() => import("../../ui/Confirm.tsx"))

/** Distance from the edge of the screen at which pictures are asked for. */
const margin = "120px"

/** The picture of a browser while it's in view. */
const Picture = ({ id }: { readonly id: string }) => {
  const canvas = useRef<HTMLCanvasElement>(null)
  const [hasPicture, setHasPicture] = useState(false)
  useEffect(() => {
    const element = canvas.current
    if (element === null) return undefined
    const context = element.getContext("bitmaprenderer")
    let stop: (() => void) | undefined
    const draw = (picture: ImageBitmap) => {
      element.width = picture.width
      element.height = picture.height
      context?.transferFromImageBitmap(picture)
      setHasPicture(true)
    }
    const width = () => element.clientWidth * devicePixelRatio
    const observer = new IntersectionObserver(
      (entries) => {
        const isInView = entries.at(-1)?.isIntersecting ?? false
        if (isInView) stop ??= drawPictures(id, { draw, width })
        else {
          stop?.()
          stop = undefined
        }
      },
      { rootMargin: margin }
    )
    observer.observe(element)
    return () => {
      observer.disconnect()
      stop?.()
    }
  }, [id])
  return (
    <div className={styles["picture"]} data-picture={hasPicture}>
      <canvas ref={canvas} width={1280} height={800} aria-hidden />
      {hasPicture ? null : <span>No picture yet</span>}
    </div>
  )
}

const Tile = memo(({ id }: { readonly id: string }) => {
  const browser = useAtomValue(browserRow(id))
  const isSelected = useAtomValue(selected).has(id)
  if (browser === undefined) return null
  const title =
    browser.task ??
    (browser.agentSessionId === null
      ? "Browser driven by code"
      : browser.runId === null
        ? "Session browser"
        : "Run browser")
  const page = [browser.title, browser.address].filter((text) => text !== null && text !== "").join(" · ")
  return (
    <li className={styles["tile"]} data-selected={isSelected}>
      <Link to={`/browsers/${id}`} className={styles["open"]} data-row aria-label={`Open browser ${id}`}>
        <Picture id={id} />
      </Link>
      <div className={styles["text"]}>
        <input type="checkbox" aria-label={`Select browser ${id}`} checked={isSelected} onChange={() => toggle(id)} />
        <div>
          <b>
            <Untrusted max={200}>{title}</Untrusted>
          </b>
          <small>
            <Untrusted max={200}>{page || id}</Untrusted>
          </small>
          <small>
            {[browser.owner, browser.node].map((name, index) =>
              name === null ? null : (
                <span key={index}>
                  <Short of={name} />
                </span>
              )
            )}
            <Time at={browser.startedAt} />
          </small>
        </div>
      </div>
    </li>
  )
})

const groupTexts: Readonly<Record<Grouping, string>> = {
  none: "All",
  run: "By run",
  key: "By key",
  node: "By node"
}

const restTexts: Readonly<Record<Grouping, string>> = {
  none: "All browsers",
  run: "Without a run",
  key: "Without a key",
  node: "Without a node"
}

const GroupHead = ({ by, group: { ids, name } }: { readonly by: Grouping; readonly group: Group }) =>
  by === "none" ? (
    <h2 className="unseen">{restTexts.none}</h2>
  ) : (
    <h2 className={styles["group"]}>
      {name === null ? (
        restTexts[by]
      ) : by === "run" ? (
        <Link to={`/runs/${name}`}>
          Run <Untrusted max={60}>{name}</Untrusted>
        </Link>
      ) : (
        <Short of={name} max={60} />
      )}
      <span>{counted(ids.length, "browser")}</span>
    </h2>
  )

/** Stops the selected browsers. */
const Selection = ({ active }: { readonly active: ReadonlyArray<string> }) => {
  const [ids, select] = useAtom(selected)
  const [isAsked, ask] = useState(false)
  const [stop, isStopping] = useChange(stopBrowsers, (result) => {
    if (AsyncResult.isFailure(result)) return say(reason(result))
    say(`${counted(result.value.stopped.length, "browser")} stopped`)
    select(new Set())
    return registry.refresh(activeBrowsers)
  })
  const open = active.filter((id) => ids.has(id))
  const browsers = counted(open.length, "browser")
  return (
    <>
      {open.length === active.length ? null : <Button onClick={() => select(new Set(active))}>Select all</Button>}
      {open.length === 0 ? null : (
        <>
          <Button kind="ghost" onClick={() => select(new Set())}>
            Clear the selection
          </Button>
          <Button kind="danger" disabled={isStopping} onClick={() => ask(true)}>
            <Square aria-hidden />
            Stop {browsers}
          </Button>
        </>
      )}
      {isAsked ? (
        <Suspense>
          <Confirm
            title={`Stop ${browsers}?`}
            action={`Stop ${browsers}`}
            onClose={() => ask(false)}
            onConfirm={() => stop({ payload: { ids: open } })}
          >
            Runs that use them will fail.
          </Confirm>
        </Suspense>
      ) : null}
    </>
  )
}

/** All active browsers as pictures. Only those in view are sent. */
const WallScreen = () => {
  const result = useAtomValue(activeBrowsers)
  const { search } = useAtomValue(place)
  const wanted = new URLSearchParams(search).get("by")
  const by = groupings.find((one) => one === wanted) ?? "none"
  const info = valueOf(useAtomValue(serverInfo))
  const hasPictures = info === undefined || info.has.includes("live")
  useEffect(rowKeys, [])
  const browsers = AsyncResult.isSuccess(result) ? result.value : []
  return (
    <Page
      title="Live wall"
      lead={
        hasPictures
          ? "All running browsers. Pictures are updated up to twice per second."
          : "All running browsers. Simulated browsers have no picture: start the server with --browsers chromium to see real ones."
      }
      actions={browsers.length === 0 ? null : <Selection active={browsers.map(({ id }) => id)} />}
    >
      <div className={styles["choice"]} role="group" aria-label="Group browsers">
        {groupings.map((one) => (
          <Button key={one} aria-pressed={one === by} onClick={() => go(one === "none" ? "/wall" : `/wall?by=${one}`)}>
            {groupTexts[one]}
          </Button>
        ))}
      </div>
      <Answer of={result} what="browsers" onRetry={() => registry.refresh(activeBrowsers)}>
        {(rows) =>
          rows.length === 0 ? (
            <Message icon={MonitorPlay} title="No browser is running">
              {isSimulated(info) ? (
                <p>
                  Simulated runs open no browser, so they never appear here. A browser that your app creates appears
                  while it runs, without a picture.
                </p>
              ) : (
                <>
                  <p>A run opens a browser, and an app can open one over CDP. Each appears here while it runs.</p>
                  <Link to="/start" className={buttonClass()}>
                    Start a run
                  </Link>
                </>
              )}
            </Message>
          ) : (
            grouped(rows, by).map((group) => (
              <section key={group.name ?? ""}>
                <GroupHead by={by} group={group} />
                <ul className={styles["wall"]}>
                  {group.ids.map((id) => (
                    <Tile key={id} id={id} />
                  ))}
                </ul>
              </section>
            ))
          )
        }
      </Answer>
    </Page>
  )
}

export default WallScreen
