import { safeFileName } from '../core/file-name.ts'
import { sha256OfNothing } from '../core/hashing.ts'
import { Problem } from '../core/problems.ts'
import type { ApplicationDraft } from '../model/application.ts'
import { type RenderedScreen, renderScreen } from '../model/v1/screen-rendering.ts'
import { checkDraft, type DraftLimits } from './draft-check.ts'

/** As it is stored. */
export interface NewApplication extends Omit<ApplicationDraft, 'screen'> {
  screen?: RenderedScreen & { successful: boolean }
}

/** Whatever the door it came in by, an application is checked here, once, before it is stored. */
export function prepareApplication(draft: ApplicationDraft, limits: DraftLimits): NewApplication {
  const errors = checkDraft(draft, limits)
  if (errors.length > 0) {
    throw new Problem('invalid-fields', 'The application cannot be taken as it is.', { errors })
  }
  const { screen, ...rest } = draft
  const files = draft.files.map(file => ({
    ...file,
    fileName: safeFileName(file.fileName),
    // The content of an infected file is discarded: what is left of it is nothing, and its fingerprint says so.
    ...(file.scan === 'infected' ? { blob: null, sha256: sha256OfNothing, size: 0 } : {}),
  }))
  if (screen === undefined) return { ...rest, files }
  return { ...rest, files, screen: { ...renderScreen(screen), successful: screen.successful } }
}
