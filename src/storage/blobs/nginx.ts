import type { BlobStore } from '../../files/ports.ts'
import type { FolderBlobs } from './folder.ts'

/** Where nginx has the folder, for redirects from us alone: a location with `internal` in docs/operating/scaling.md. */
const location = '/dossier-blobs/'

/** The folder store behind an nginx that can read the same folder and sends the files by itself. */
export function handOverToNginx(folder: FolderBlobs): BlobStore {
  return {
    ...folder,
    async handOver(file, { isNginxInFront }) {
      // Whoever comes past nginx would get nothing.
      if (!isNginxInFront) return undefined
      // A file that is missing or short is told by us, as always: nginx would say 404, or send the short one.
      await folder.assertWhole(file)
      return { internalPath: `${location}${file.blob}` }
    },
  }
}
