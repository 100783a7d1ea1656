import { create as contentDisposition } from 'content-disposition'
import type { FastifyReply, RouteOptions } from 'fastify'
import { asciiFileName } from '../../platform/core/file-name.ts'
import { Problem } from '../../platform/core/problems.ts'
import type { DocumentConversions } from '../../platform/documents/document.ts'
import { fileKinds, hasNewEnding, kindNames, kindOfName } from '../../platform/documents/file-kinds.ts'
import type { Sessions } from '../../platform/http/auth/sessions.ts'
import type { Limit } from '../../platform/http/rates/rate-limit.ts'
import type { SentForms } from '../../platform/http/rates/sent-forms.ts'
import { type FormFields, searchOf } from '../../platform/http/requests/form.ts'
import { receiveForm, type SentFile } from '../../platform/http/requests/upload.ts'
import { problemStatus } from '../../platform/http/responses/problem-status.ts'
import type { Call } from '../../platform/http/routes.ts'
import { typeset } from '../../platform/web/fields.ts'
import { sendFileFrame } from '../../platform/web/file-frame.ts'
import { previewAssets } from '../../platform/web/file-preview.ts'
import { formsOf } from '../../platform/web/forms.ts'
import { redirect, sendPage } from '../../platform/web/page-response.ts'
import { accountPage } from '../../platform/web/page-routes.ts'
import { t } from '../../platform/web/t.ts'
import { accountNavigation } from '../account/navigation-markup.ts'
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
  const { profiles, sessions, sentForms, uploads, limits, hasScanner, conversions } = deps
  const queryOf = ({ request }: Call<'session'>, name: string) =>
    new URLSearchParams(searchOf(request.raw.url)).get(name) ?? undefined

  const doneOf = (call: Call<'session'>) => {
    const done = queryOf(call, 'done') ?? ''
    const renamed = fileKinds.find(kind => kind === queryOf(call, 'renamed'))
    if (done === 'uploaded' && renamed !== undefined)
      return t`Resume uploaded. It is ${kindNames[renamed]}, so its name now ends in .${renamed}.`
    return Object.hasOwn(notices, done) ? notices[done] : undefined
  }

  async function showList(
    { reply, caller }: Call<'session'>,
    { problem, done }: { problem?: Problem; done?: string | undefined } = {},
  ): Promise<FastifyReply> {
    const fault = problem && typeset(problem.detail)
    const errors = fault === undefined ? [] : [{ field: 'file', code: 'rejected', message: fault }]
    return sendPage(reply, {
      status: problem === undefined ? 200 : problemStatus[problem.code],
      title: t`Your resumes`,
      navigation: accountNavigation(paths.list),
      body: resumesMarkup({
        resumes: await profiles.listResumes(caller.candidateId),
        ...formsOf(sessions, reply, { values: {}, errors }),
        limits,
        hasScanner,
        done,
        fault,
      }),
    })
  }

  /** Adds the file and returns where to redirect. A double click, which sends the file twice, adds it once. */
  async function addOnce(call: Call<'session'>, fields: FormFields, file: SentFile): Promise<string> {
    const { candidateId } = call.caller
    const { scan, fileName } = await profiles.addResume(candidateId, file, async (received, add) => {
      const act = async () => {
        await add()
        return paths.list
      }
      await sentForms.once(call, fields, act, [received.fileName, received.sha256])
    })
    if (scan === 'infected') return `${paths.list}?done=infected`
    const renamed = hasNewEnding(file.name, fileName) ? `&renamed=${kindOfName(fileName)}` : ''
    return `${paths.list}?done=uploaded${renamed}`
  }

  /** Redirects a candidate who was signed out when they sent the form and has signed in since. */
  const backToList = (url: string) => accountPage.get(url, async ({ reply }) => redirect(reply, paths.list))

  return [
    accountPage.get(paths.list, async call => showList(call, { done: doneOf(call) })),
    backToList(paths.upload),
    accountPage.upload(paths.upload, async call => {
      await uploads.take(call.reply, call.caller.candidateId)
      try {
        const { files } = await receiveForm(call.request, {
          ...limits,
          fileFields: ['file'],
          fieldBytes: 4096,
          textBytes: 16_384,
          maxFields: 10,
          checkFields: fields => sessions.checkForm({ request: call.request, fields }, paths.upload),
          take: (_field, file, fields) => addOnce(call, fields, file),
          // Storing is the last step of the form, so there is never anything to discard.
          discard: async () => {},
        })
        const location = files.get('file')
        if (location === undefined) throw new Problem('invalid-fields', t`Choose a file first.`)
        return redirect(call.reply, location)
      } catch (error) {
        const isAboutFile =
          error instanceof Problem && ['invalid-fields', 'payload-too-large'].includes(error.code)
        if (!isAboutFile) throw error
        return showList(call, { problem: error })
      }
    }),
    backToList(paths.default),
    accountPage.post(paths.default, async call => {
      const fields = sessions.checkForm(call, paths.default)
      await profiles.chooseDefault(call.caller.candidateId, fields.get('resume') ?? '')
      return redirect(call.reply, `${paths.list}?done=chosen`)
    }),
    accountPage.get(paths.delete, async call => {
      const resumeId = queryOf(call, 'resume')
      if (resumeId === undefined) return redirect(call.reply, paths.list)
      const resume = await profiles.findResume(call.caller.candidateId, resumeId)
      return sendPage(call.reply, {
        title: t`Delete this resume?`,
        navigation: accountNavigation(paths.list),
        body: removalMarkup(resume, formsOf(sessions, call.reply).form),
      })
    }),
    accountPage.post(paths.delete, async call => {
      const fields = sessions.checkForm(call, paths.delete)
      await profiles.removeResume(call.caller.candidateId, fields.get('resume') ?? '')
      return redirect(call.reply, `${paths.list}?done=deleted`)
    }),
    accountPage.get(paths.of(':resumeId'), async ({ reply, caller, params }) => {
      const resume = await profiles.findResume(caller.candidateId, params.resumeId)
      return sendPage(reply, {
        title: resume.fileName,
        heading: resumeHeading(resume),
        navigation: accountNavigation(paths.list),
        body: resumePreviewMarkup(resume, { ...formsOf(sessions, reply), hasScanner }),
        scripts: previewAssets,
        hasPreview: true,
      })
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

const notices: Record<string, string> = {
  uploaded: t`Resume uploaded.`,
  infected: t`We found a virus in this file, so we didn’t keep it.`,
  chosen: t`This is now your default resume.`,
  deleted: t`Resume deleted.`,
}
