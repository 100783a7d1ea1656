import type { FolderBlobs } from './folder.ts'
import type { BlobStore } from './ports.ts'

/** The path of the folder in nginx, for our redirects only: the `internal` location in docs/operating/scaling.md. */
const location = '/dossier-blobs/'

/** The folder store behind an nginx that reads the same folder and sends the files itself. */
export function delegateToNginx(folder: FolderBlobs): BlobStore {
  return {
    ...folder,
    async delegateDownload(file, { isNginxInFront }) {
      // A caller that bypasses nginx would receive no content.
      if (!isNginxInFront) return undefined
      // We report a missing or short file ourselves: nginx would answer 404, or send the short one.
      await folder.assertWhole(file)
      return { internalPath: `${location}${file.blob}` }
    },
  }
}
