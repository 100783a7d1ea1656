import { type FileKind, kindNames } from '../../files/file-kinds.ts'
import type { Resume } from '../../model/candidate.ts'
import { theirs } from '../../web/bidi.ts'
import { type Html, html } from '../../web/html.ts'

const scanWords: Record<Resume['scan'], string> = {
  unscanned: 'not checked for viruses',
  clean: 'no virus found',
  'not-judged':
    'cannot be checked for viruses: other websites do not get it. Upload another copy, without a password or as a PDF.',
  infected: 'a virus was found: nobody gets this file. Delete it, and upload a clean copy.',
}

/** The words of the pages about resumes. */
export const resumeTexts = {
  title: 'Your resumes',
  lead: 'Keep several, for instance one for each kind of work. The default one goes out when you allow it on another website; when you apply here, you choose.',
  listLabel: 'Resumes',
  noneTitle: 'No resume yet',
  none: 'Upload one, and you can share it with a tick when you apply somewhere.',
  scanWords,
  willBeScanned: 'not checked for viruses yet',
  badges: {
    default: 'Default',
    infected: 'Virus found',
    checking: 'Being checked',
    notJudged: 'Cannot be checked',
  },
  facts: (size: string, uploaded: Html, scan: Html | string): Html =>
    html`${size}, uploaded on ${uploaded}, ${scan}`,
  download: (fileName: string): Html => html`Download<span class="for-readers"> ${fileName}</span>`,
  makeDefault: 'Make default',
  makeDefaultOf: (fileName: string): string => `Make default: ${fileName}`,
  delete: (fileName: string): Html => html`Delete<span class="for-readers"> ${fileName}</span>`,

  upload: 'Upload a resume',
  tooMany: (most: number): string =>
    `You have ${most} resumes, which is the most. Delete one to upload another.`,
  file: 'File',
  fileHint: (size: string): string => `PDF, Word (doc or docx), RTF or plain text, ${size} at most.`,
  send: 'Upload',
  noFile: 'Choose a file first.',

  done: {
    uploaded: 'Your resume is uploaded.',
    infected: 'A virus was found in this file, so nothing of it was kept.',
    chosen: 'This resume goes out from now on.',
    deleted: 'The resume is deleted.',
  },
  /** In place of `uploaded`, for a file whose name said that it was something else. */
  renamed: (kind: FileKind): string =>
    `Your resume is uploaded. It is ${kindNames[kind]}, so its name now ends in .${kind}.`,

  infected:
    'A virus was found in this file. Nobody gets it, and it cannot be shown. Delete it, and upload a clean copy.',
  isDefault: 'This is your default resume: it goes out when you allow it.',

  removalTitle: 'Delete this resume?',
  removal: (fileName: string): Html =>
    html`<strong>${theirs(fileName)}</strong> will be gone from your account, and whoever you shared it with cannot download it any more. Applications that you have sent keep their copy.`,
  removalOfDefault: 'It is your default resume. The newest of the others takes its place.',
  remove: 'Delete this resume',
  keep: 'Keep it',
} as const
