import { create as contentDisposition } from 'content-disposition'
import type { RouteOptions } from 'fastify'
import { asciiFileName } from '../../platform/core/file-name.ts'
import type { DocumentConversions } from '../../platform/documents/document.ts'
import { fileKinds, hasNewEnding, kindNames, kindOfName } from '../../platform/documents/file-kinds.ts'
import type { Sessions } from '../../platform/http/auth/sessions.ts'
import type { Limit } from '../../platform/http/rates/rate-limit.ts'
import type { SentForms } from '../../platform/http/rates/sent-forms.ts'
import { sendFileFrame } from '../../platform/web/file-frame.ts'
import { previewAssets } from '../../platform/web/file-preview.ts'
import { storeOneFile } from '../../platform/web/one-file.ts'
import { accountPage } from '../../platform/web/page-routes.ts'
import { warning } from '../../platform/web/tab.ts'
import { accountTab } from '../account/tab-pages.ts'
import {
  removalMarkup,
  resumeHeading,
  resumePaths,
  resumePreviewMarkup,
  resumesMarkup,
} from './resume-markup.ts'
import type { Profiles } from './service.ts'

interface PageDeps {
  profiles: Profiles
  sessions: Sessions
  sentForms: SentForms
  /** Limits uploads per candidate, successful or not. */
  uploads: Limit
  limits: { fileBytes: number }
  /** Whether unscanned files will be scanned. */
  hasScanner: boolean
  conversions: DocumentConversions
}

const paths = resumePaths

/** Resumes: several per candidate, one of them the default, each checked by its content. */
export function resumePages(deps: PageDeps): RouteOptions[] {
  const { profiles, sentForms, uploads, limits, hasScanner, conversions } = deps
  const tab = accountTab(deps.sessions, paths.list)
  /** Returns the page for a candidate who was signed out when they sent the form and has signed in since. */
  const ask = async () => ({ location: paths.list })

  return [
    ...tab(paths.list, {
      async show({ caller, form, button, value }) {
        const renamed = fileKinds.find(kind => kind === value('renamed'))
        return {
          title: 'Your resumes',
          failed: 'The resume wasn’t uploaded.',
          body: resumesMarkup({
            resumes: await profiles.listResumes(caller.candidateId),
            form,
            button,
            limits,
            hasScanner,
          }),
          done: {
            uploaded:
              renamed === undefined
                ? 'Resume uploaded.'
                : `Resume uploaded. It is ${kindNames[renamed]}, so its name now ends in .${renamed}.`,
          },
        }
      },
      acts: {
        upload: {
          ask,
          async upload(call) {
            const { candidateId } = call.caller
            await uploads.take(call.reply, candidateId)
            return storeOneFile(call, limits.fileBytes, async (file, fields) => {
              // A double click, which sends the file twice, adds it once.
              const { scan, fileName } = await profiles.addResume(
                candidateId,
                file,
                async (received, add) => {
                  const addAndReturn = async () => {
                    await add()
                    return paths.list
                  }
                  await sentForms.once(call, fields, addAndReturn, [received.fileName, received.sha256])
                },
              )
              if (scan === 'infected') return 'infected'
              const renamed = hasNewEnding(file.name, fileName) ? `&renamed=${kindOfName(fileName)}` : ''
              return { location: `${paths.list}?done=uploaded${renamed}` }
            })
          },
        },
        default: {
          ask,
          async run({ caller, value }) {
            await profiles.chooseDefault(caller.candidateId, value('resume'))
            return 'chosen'
          },
        },
        delete: {
          async ask({ caller, query, form }) {
            const id = query.get('resume')
            if (id === undefined) return { location: paths.list }
            const resume = await profiles.findResume(caller.candidateId, id)
            return { title: 'Delete this resume?', body: removalMarkup(resume, form) }
          },
          async run({ caller, value }) {
            await profiles.removeResume(caller.candidateId, value('resume'))
            return 'deleted'
          },
        },
      },
      done: {
        infected: warning('We found a virus in this file, so we didn’t keep it.'),
        chosen: 'This is now your default resume.',
        deleted: 'Resume deleted.',
      },
    }),
    ...tab(paths.of(':resumeId'), {
      async show({ caller, params, button }) {
        const resume = await profiles.findResume(caller.candidateId, params.resumeId)
        return {
          title: resume.fileName,
          heading: resumeHeading(resume),
          body: resumePreviewMarkup(resume, { button, hasScanner }),
          scripts: previewAssets,
          hasPreview: true,
        }
      },
    }),
    accountPage.get(paths.text(':resumeId'), async ({ reply, caller, params }) => {
      const { resume, open } = await profiles.openResume(caller.candidateId, params.resumeId)
      const viewer = caller.candidateId
      return sendFileFrame(reply, { ...resume, open }, { conversions, viewer })
    }),
    accountPage.get(paths.file(':resumeId'), async ({ reply, caller, params }) => {
      const { resume, open } = await profiles.openResume(caller.candidateId, params.resumeId)
      const content = await open()
      return reply
        .headers({
          'content-type': resume.contentType,
          'content-length': resume.size,
          'content-disposition': contentDisposition(resume.fileName, {
            fallback: asciiFileName(resume.fileName),
          }),
          'cache-control': 'private, no-store',
        })
        .send(content)
    }),
  ]
}
