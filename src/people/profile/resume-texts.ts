import { type FileKind, kindNames } from '../../files/file-kinds.ts'
import type { Resume } from '../../model/candidate.ts'
import { isolateBidi } from '../../web/bidi.ts'
import { type Html, html } from '../../web/html.ts'

const scanWords: Record<Exclude<Resume['scan'], 'unscanned'>, string> = {
  clean: 'no virus found',
  'not-judged':
    'can’t be checked for viruses, so we don’t share it with other websites. Upload another copy, without a password or as a PDF.',
  infected: 'virus found, so we don’t share this file. Delete it and upload a clean copy.',
}

/** Texts of the resume pages. */
export const resumeTexts = {
  title: 'Your resumes',
  lead: 'Keep several, such as one for each kind of work. Your default resume is preselected when another website asks for your profile; you can choose another one there, and when you apply here.',
  listLabel: 'Resumes',
  noneTitle: 'No resume yet',
  none: 'Upload one, and you can share it with one click when you apply.',
  scanWords,
  willBeScanned: 'not checked for viruses yet',
  badges: {
    default: 'Default',
    infected: 'Virus found',
    checking: 'Checking',
    notJudged: 'Can’t be checked',
  },
  count: (count: number): string => (count === 1 ? '1 resume' : `${count} resumes`),
  /** The verdict is false where nothing is scanned. */
  facts: (size: string, uploaded: Html, verdict: Html | string | false): Html =>
    html`${size}, uploaded on ${uploaded}${verdict !== false && html`, ${verdict}`}`,
  download: (fileName: string): Html => html`Download<span class="for-readers"> ${fileName}</span>`,
  makeDefault: 'Make default',
  makeDefaultOf: (fileName: string): string => `Make default: ${fileName}`,
  delete: (fileName: string): Html => html`Delete<span class="for-readers"> ${fileName}</span>`,

  upload: 'Upload a resume',
  tooMany: (most: number): string =>
    `You have ${most} resumes, which is the limit. Delete one to upload another.`,
  file: 'File',
  fileHint: (size: string): string => `PDF, Word (doc or docx), RTF or plain text, up to ${size}.`,
  send: 'Upload resume',
  noFile: 'Choose a file first.',

  done: {
    uploaded: 'Resume uploaded.',
    infected: 'We found a virus in this file, so we didn’t keep it.',
    chosen: 'This is now your default resume.',
    deleted: 'Resume deleted.',
  },
  /** Replaces `uploaded` when the file was given the ending that matches its content. */
  renamed: (kind: FileKind): string =>
    `Resume uploaded. It is ${kindNames[kind]}, so its name now ends in .${kind}.`,

  infected: 'We found a virus in this file, so we don’t show or share it. Delete it and upload a clean copy.',
  isDefault: 'This is your default resume: it is shared when you allow it.',

  removalTitle: 'Delete this resume?',
  removal: (fileName: string): Html =>
    html`<strong>${isolateBidi(fileName)}</strong> will be removed from your account, and websites you shared it with can no longer download it. Applications you have sent keep their copy.`,
  removalOfDefault: 'This is your default resume. The newest of your other resumes becomes the default.',
  remove: 'Delete resume',
  keep: 'Keep resume',
} as const
