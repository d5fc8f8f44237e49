import type { Session } from "@webagent/engine"
import { type Links, recordingPath } from "./Links.ts"

/** Address of a stopped session's recording: that of its browser, if it had one that could be recorded. */
export const recordingOf = ({ browserId, id, recording, status }: Session.Session, links: Links) => {
  if (!recording || status !== "stopped") return null
  return (browserId === null ? null : links.recording(browserId)) ?? links.to(recordingPath(id))
}
