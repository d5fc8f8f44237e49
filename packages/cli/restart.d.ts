/** Starts this process again with V8 options. Returns if this Node can't. */
export declare const restartWith: (options: ReadonlyArray<string>) => Promise<void>
