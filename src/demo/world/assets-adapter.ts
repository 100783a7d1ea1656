import { createReadStream } from 'node:fs'

/** A file of src/demo/world/files. */
export function openAsset(name: string): AsyncIterable<Uint8Array> {
  return createReadStream(new URL(`files/${name}`, import.meta.url))
}
