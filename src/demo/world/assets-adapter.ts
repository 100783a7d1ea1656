import { createReadStream } from 'node:fs'

/** Opens a file in src/demo/world/files. */
export function openAsset(name: string): AsyncIterable<Uint8Array> {
  return createReadStream(new URL(`files/${name}`, import.meta.url))
}
