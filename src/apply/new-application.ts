import { safeFileName } from '../core/file-name.ts'
import { sha256OfNothing } from '../core/hashing.ts'
import { Problem } from '../core/problems.ts'
import type { ApplicationDraft } from '../model/application.ts'
import { type RenderedScreen, renderScreen } from '../model/v1/screen-rendering.ts'
import { checkDraft, type DraftLimits } from './draft-check.ts'

/** An application as it is stored. */
export interface NewApplication extends Omit<ApplicationDraft, 'screen'> {
  screen?: RenderedScreen & { successful: boolean }
}

/** Checks an application and makes it ready to store. Form, intake and import all go through here. */
export function prepareApplication(draft: ApplicationDraft, limits: DraftLimits): NewApplication {
  const errors = checkDraft(draft, limits)
  if (errors.length > 0) {
    throw new Problem('invalid-fields', 'Some fields are invalid.', { errors })
  }
  const { screen, ...rest } = draft
  const files = draft.files.map(file => ({
    ...file,
    fileName: safeFileName(file.fileName),
    // The content of an infected file is discarded, so its size and hash are those of an empty file.
    ...(file.scan === 'infected' ? { blob: null, sha256: sha256OfNothing, size: 0 } : {}),
  }))
  if (screen === undefined) return { ...rest, files }
  return { ...rest, files, screen: { ...renderScreen(screen), successful: screen.successful } }
}
