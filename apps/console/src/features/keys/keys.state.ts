import { Console } from "../../state/client.ts"

/** The keys of the server, with their usage. */
export const keys = Console.query("keys", "list", { reactivityKeys: ["keys"] })

/** Creates a key. */
export const createKey = Console.mutation("keys", "create")

/** Revokes a key and creates one with the same name, scopes and limits. */
export const rotateKey = Console.mutation("keys", "rotate")

/** Revokes a key. */
export const revokeKey = Console.mutation("keys", "revoke")

/** Sets the limits of a key. */
export const setLimits = Console.mutation("keys", "setLimits")

/** Read again after a change. */
export const keysChanged = ["keys"]
