import type { AdSnapshot } from '../model/ad-version.ts'
import { type ApplicationDraft, answerFileType, type ResultQuestion } from '../model/application.ts'
import { type RenderedScreen, renderScreen } from '../model/v1/screen-rendering.ts'
import { safeFileName } from '../platform/core/file-name.ts'
import { sha256OfNothing } from '../platform/core/hashing.ts'
import { Problem } from '../platform/core/problems.ts'
import { checkDraft } from './draft-check.ts'

/** An application as it is stored. */
export interface NewApplication extends Omit<ApplicationDraft, 'screen'> {
  /** Version of the company's privacy notice shown above the form. */
  privacyVersion?: number | undefined
  /** The job ad that the candidate saw. */
  shownAd?: AdSnapshot | undefined
  screen?: RenderedScreen & { successful: boolean }
}

/** Checks an application and makes it ready to store. Form, intake and import all go through here. */
export function prepareApplication(draft: ApplicationDraft): NewApplication {
  const errors = checkDraft(draft)
  if (errors.length > 0) {
    throw new Problem('invalid-fields', 'Some fields are invalid.', { errors })
  }
  const { screen, ...rest } = draft
  const files = draft.files.map(file => ({
    ...file,
    fileName: safeFileName(file.fileName),
    // The content of an infected file is discarded, so its size and hash are an empty file's.
    ...(file.scan === 'infected' ? { blob: null, sha256: sha256OfNothing, size: 0 } : {}),
  }))
  if (screen === undefined) return { ...rest, files }
  const named = { ...screen, questions: screen.questions.map(withFileName) }
  return { ...rest, files, screen: { ...renderScreen(named), successful: screen.successful } }

  /** On the wire of version 1, the answer is the name of its file. */
  function withFileName(question: ResultQuestion, index: number): ResultQuestion {
    if (question.kind !== 'file') return question
    const text = files.find(({ type }) => type === answerFileType(index))?.fileName ?? ''
    return { ...question, answers: question.answers.map(each => ({ ...each, text, selected: text !== '' })) }
  }
}
