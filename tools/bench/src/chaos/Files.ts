/** Workspaces whose files are uploaded, read, attached to runs and deleted, each time at another node. */
import { setTimeout as sleep } from "node:timers/promises"
import type { Kit } from "./Kit.ts"
import { type Body, textOf } from "./Requests.ts"

/** A workspace, and the files that it has to have. */
interface Workspace {
  readonly id: string
  /** The content of each stored file, by its path. */
  readonly stored: Map<string, string>
  /** Files whose upload or delete had no response: they may be there. */
  readonly unsure: Map<string, string>
}

interface Listed {
  readonly path: string
  readonly size: number
  readonly url: string
}

/** Number of workspaces of a client, and of times that it sends a file again. */
const most = { workspaces: 3, uploads: 20 }

/** The workspaces of one client. */
export interface Files {
  /** Uploads a file, and reads, attaches or deletes one. */
  readonly use: () => Promise<void>
  /** Reads every file once more. */
  readonly verify: () => Promise<void>
  /** The ids of the workspaces. */
  readonly ids: () => ReadonlyArray<string>
}

export const makeFiles = (kit: Kit, name: string): Files => {
  const { create, draw, ended, requests, wrong } = kit
  const workspaces: Array<Workspace> = []
  let count = 0

  const createWorkspace = async (): Promise<Workspace | undefined> => {
    const request = { method: "POST", path: "/workspaces", body: { name }, key: `workspace-${name}-${++count}` }
    const [first, second] = [await requests.insist(request), await requests.insist(request)]
    const id = textOf(first.body, "id")
    if (first.status !== 201 || textOf(second.body, "id") !== id) {
      wrong.push(`a create of a workspace made ${id} and ${textOf(second.body, "id")}, ${first.status}`)
      return undefined
    }
    const workspace: Workspace = { id, stored: new Map(), unsure: new Map() }
    workspaces.push(workspace)
    return workspace
  }

  const list = async ({ id }: Workspace): Promise<ReadonlyArray<Listed>> => {
    const files: Array<Listed> = []
    for (let cursor = ""; ;) {
      const { body, status } = await requests.insist({
        method: "GET",
        path: `/workspaces/${id}/files?includeUrls=true&limit=20${cursor}`
      })
      if (status !== 200) wrong.push(`files of workspace ${id}: ${status}`)
      files.push(...((body["files"] ?? []) as ReadonlyArray<Listed>))
      if (body["hasMore"] !== true) return files
      cursor = `&cursor=${encodeURIComponent(textOf(body, "nextCursor"))}`
    }
  }

  /** The text of a file, through its link at any node. */
  const textAt = async (url: string) => {
    for (;;) {
      const response = await requests.link(url, "GET")
      if (response !== undefined) return response
      await sleep(50 + draw() * 200)
    }
  }

  /** Uploads a file until it's stored; returns its id unless the response that had it was lost. */
  const upload = async (workspace: Workspace): Promise<string | undefined> => {
    const path = `${name}-${++count}.txt`
    const content = `${path} ${"x".repeat(Math.floor(draw() * 3000))}`
    for (let attempts = 0; attempts < most.uploads; attempts++) {
      const announced = await requests.insist({
        method: "POST",
        path: `/workspaces/${workspace.id}/files/upload`,
        body: { files: [{ name: path, contentType: "text/plain", size: content.length }] }
      })
      const [target] = (announced.body["files"] ?? []) as ReadonlyArray<Body>
      if (announced.status !== 201 || target === undefined) {
        wrong.push(`POST upload to workspace ${workspace.id}: ${announced.status} ${JSON.stringify(announced.body)}`)
        return undefined
      }
      const response = await requests.link(textOf(target, "uploadUrl"), "PUT", content)
      if (response?.status === 200) {
        workspace.stored.set(path, content)
        return textOf(target, "id")
      }
      if (response !== undefined)
        wrong.push(`PUT of ${path} in workspace ${workspace.id}: ${response.status} ${response.text}`)
      if ((await list(workspace)).some((file) => file.path === path)) {
        workspace.stored.set(path, content)
        return undefined
      }
      workspace.unsure.set(path, content)
    }
    wrong.push(`${path} can't be uploaded to workspace ${workspace.id}`)
    return undefined
  }

  /** Compares the files of a workspace with those that it has to have. */
  const compare = async (workspace: Workspace) => {
    const { id, stored, unsure } = workspace
    const files = await list(workspace)
    for (const { path, size, url } of files) {
      const expected = stored.get(path) ?? unsure.get(path)
      if (expected === undefined) {
        wrong.push(`workspace ${id} has ${path}, which was deleted or never uploaded`)
        continue
      }
      const { status, text } = await textAt(url)
      if (status !== 200 || text !== expected || size !== expected.length) {
        wrong.push(`${path} of workspace ${id} has ${text.length} of ${expected.length} bytes, ${status}`)
      }
    }
    for (const path of stored.keys()) {
      if (!files.some((file) => file.path === path)) wrong.push(`${path} of workspace ${id} is gone`)
    }
  }

  /** A run at another node has the file. */
  const attach = async (fileId: string) => {
    const made = await create("run", "/runs", { task: "Send it [simulate duration=200ms]", attachedFileIds: [fileId] })
    const attached = made["attachedFileIds"] as ReadonlyArray<string> | undefined
    if (attached?.join() !== fileId) wrong.push(`run ${textOf(made, "id")} has no file ${fileId}`)
    await ended(textOf(made, "id"))
  }

  const remove = async ({ id, stored, unsure }: Workspace) => {
    const [path, content] = [...stored][Math.floor(draw() * stored.size)] ?? []
    if (path === undefined || content === undefined) return
    const request = { method: "DELETE", path: `/workspaces/${id}/files?path=${path}` }
    const { status } = await requests.insist(request)
    // 404 after a delete whose response was lost
    if (status !== 204 && status !== 404) wrong.push(`DELETE of ${path} in workspace ${id}: ${status}`)
    stored.delete(path)
    if (unsure.has(path)) return
    const again = await requests.insist(request)
    if (again.status !== 404) wrong.push(`${path} of workspace ${id} is there after its delete: ${again.status}`)
  }

  return {
    ids: () => workspaces.map(({ id }) => id),
    use: async () => {
      const isNew = workspaces.length === 0 || (workspaces.length < most.workspaces && draw() < 0.2)
      const workspace = isNew ? await createWorkspace() : workspaces[Math.floor(draw() * workspaces.length)]
      if (workspace === undefined) return
      const id = await upload(workspace)
      const chosen = draw()
      if (chosen < 0.3) await compare(workspace)
      else if (chosen < 0.5) await remove(workspace)
      else if (id !== undefined) await attach(id)
    },
    verify: async () => {
      for (const workspace of workspaces) {
        await compare(workspace)
        const used = await requests.insist({ method: "GET", path: `/workspaces/${workspace.id}/size` })
        const sum = [...workspace.stored.values()].reduce((bytes, { length }) => bytes + length, 0)
        if (workspace.unsure.size === 0 && used.body["usedBytes"] !== sum) {
          wrong.push(`workspace ${workspace.id} counts ${String(used.body["usedBytes"])} bytes, and has ${sum}`)
        }
      }
    }
  }
}
