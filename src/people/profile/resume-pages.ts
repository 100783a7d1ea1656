import { create as contentDisposition } from 'content-disposition'
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { asciiFileName } from '../../core/file-name.ts'
import { newUuid } from '../../core/ids.ts'
import { Problem } from '../../core/problems.ts'
import { fileKinds, hasNewEnding, kindOfName } from '../../files/file-kinds.ts'
import type { Sessions } from '../../http/auth/sessions.ts'
import { type RateLimit, rateLimited } from '../../http/rates/rate-limit.ts'
import type { SentForms } from '../../http/rates/sent-forms.ts'
import { FormFields, searchOf } from '../../http/requests/form.ts'
import { receiveForm, type SentFile } from '../../http/requests/upload.ts'
import { problemStatus } from '../../http/responses/problem-status.ts'
import { sendFramedText } from '../../http/responses/text-frame.ts'
import type { Limits } from '../../limits.ts'
import { previewAssets } from '../../web/file-preview.ts'
import { filePreviewTexts } from '../../web/file-preview-texts.ts'
import { redirect, sendPage } from '../../web/page-response.ts'
import { accountNavigation } from '../account/navigation-markup.ts'
import {
  removalMarkup,
  resumeHeading,
  resumePaths,
  resumePreviewMarkup,
  resumesMarkup,
} from './resume-markup.ts'
import { resumeTexts as texts } from './resume-texts.ts'
import type { Profiles } from './service.ts'

interface PageDeps {
  profiles: Profiles
  sessions: Sessions
  sentForms: SentForms
  /** Limits uploads per candidate, successful or not. */
  uploads: RateLimit
  limits: Pick<Limits, 'fileBytes' | 'resumes' | 'previewTextBytes'>
  /** Whether unscanned files will be scanned. */
  hasScanner: boolean
}

const paths = resumePaths

/** Resumes: several per candidate, one of them the default, each checked by its content. */
export function resumePages(deps: PageDeps): RouteOptions[] {
  const { profiles, sessions, sentForms, uploads, limits, hasScanner } = deps
  const session = { auth: 'session', errors: 'page', isOnAuthUrl: true } as const
  const schema = { hide: true }
  const queryOf = (request: FastifyRequest, name: string) =>
    new URLSearchParams(searchOf(request.raw.url)).get(name) ?? undefined

  const doneOf = (request: FastifyRequest) => {
    const done = queryOf(request, 'done') ?? ''
    const renamed = fileKinds.find(kind => kind === queryOf(request, 'renamed'))
    if (done === 'uploaded' && renamed !== undefined) return texts.renamed(renamed)
    return Object.hasOwn(texts.done, done) ? texts.done[done as keyof typeof texts.done] : undefined
  }

  async function showList(
    request: FastifyRequest,
    reply: FastifyReply,
    { problem, done }: { problem?: Problem; done?: string | undefined } = {},
  ): Promise<FastifyReply> {
    const token = (path: string) => sessions.formToken(request, reply, path)
    return sendPage(reply, {
      status: problem === undefined ? 200 : problemStatus[problem.code],
      title: texts.title,
      navigation: accountNavigation(paths.list),
      body: resumesMarkup({
        resumes: await profiles.listResumes(request.session.candidateId),
        uploadToken: token(paths.upload),
        uploadKey: newUuid(),
        defaultToken: token(paths.default),
        limits,
        hasScanner,
        done,
        fault: problem?.detail,
      }),
    })
  }

  /** Adds the file and returns where to redirect. A double click, which sends the file twice, adds it once. */
  async function addOnce(request: FastifyRequest, file: SentFile): Promise<string> {
    const fields = request.sentFields ?? FormFields.of([])
    const { scan, fileName } = await profiles.addResume(
      request.session.candidateId,
      file,
      async (received, add) => {
        const act = async () => {
          await add()
          return paths.list
        }
        await sentForms.once(request, fields, act, [received.fileName, received.sha256])
      },
    )
    if (scan === 'infected') return `${paths.list}?done=infected`
    const renamed = hasNewEnding(file.name, fileName) ? `&renamed=${kindOfName(fileName)}` : ''
    return `${paths.list}?done=uploaded${renamed}`
  }

  /** Redirects a candidate who was signed out when they sent the form and has signed in since. */
  const backToList = (url: string): RouteOptions => ({
    method: 'GET',
    url,
    config: session,
    schema,
    handler: async (_request, reply) => redirect(reply, paths.list),
  })

  return [
    {
      method: 'GET',
      url: paths.list,
      config: session,
      schema,
      handler: async (request, reply) => showList(request, reply, { done: doneOf(request) }),
    },
    backToList(paths.upload),
    {
      method: 'POST',
      url: paths.upload,
      config: { ...session, body: 'upload' },
      schema,
      handler: async (request, reply) => {
        const usage = await uploads.hit(request.session.candidateId)
        uploads.writeHeaders(reply, usage)
        if (usage.isExceeded) throw rateLimited(usage)
        try {
          const { files } = await receiveForm(request, {
            ...limits,
            fileFields: ['file'],
            fieldBytes: 4096,
            textBytes: 16_384,
            mostFields: 10,
            checkFields: fields => sessions.checkFormToken(request, fields.get('form_token'), paths.upload),
            take: (_field, file) => addOnce(request, file),
            // Storing is the last step of the form, so there is never anything to discard.
            discard: async () => {},
          })
          const location = files.get('file')
          if (location === undefined) throw new Problem('invalid-fields', texts.noFile)
          return redirect(reply, location)
        } catch (error) {
          const isAboutFile =
            error instanceof Problem && ['invalid-fields', 'payload-too-large'].includes(error.code)
          if (!isAboutFile) throw error
          return showList(request, reply, { problem: error })
        }
      },
    },
    backToList(paths.default),
    {
      method: 'POST',
      url: paths.default,
      config: { ...session, body: 'form' },
      schema,
      handler: async (request, reply) => {
        const fields = sessions.checkForm(request, paths.default)
        await profiles.chooseDefault(request.session.candidateId, fields.get('resume') ?? '')
        return redirect(reply, `${paths.list}?done=chosen`)
      },
    },
    {
      method: 'GET',
      url: paths.delete,
      config: session,
      schema,
      handler: async (request, reply) => {
        const resumeId = queryOf(request, 'resume')
        if (resumeId === undefined) return redirect(reply, paths.list)
        const resume = await profiles.findResume(request.session.candidateId, resumeId)
        return sendPage(reply, {
          title: texts.removalTitle,
          navigation: accountNavigation(paths.list),
          body: removalMarkup(resume, sessions.formToken(request, reply, paths.delete)),
        })
      },
    },
    {
      method: 'POST',
      url: paths.delete,
      config: { ...session, body: 'form' },
      schema,
      handler: async (request, reply) => {
        const fields = sessions.checkForm(request, paths.delete)
        await profiles.removeResume(request.session.candidateId, fields.get('resume') ?? '')
        return redirect(reply, `${paths.list}?done=deleted`)
      },
    },
    {
      method: 'GET',
      url: paths.of(':resumeId'),
      config: session,
      schema,
      handler: async (request, reply) => {
        const { resumeId } = request.params as { resumeId: string }
        const resume = await profiles.findResume(request.session.candidateId, resumeId)
        const defaultToken = sessions.formToken(request, reply, paths.default)
        return sendPage(reply, {
          title: resume.fileName,
          heading: resumeHeading(resume),
          navigation: accountNavigation(paths.list),
          body: resumePreviewMarkup(resume, { defaultToken, hasScanner }),
          scripts: previewAssets,
          hasPreview: true,
        })
      },
    },
    {
      method: 'GET',
      url: paths.text(':resumeId'),
      config: session,
      schema,
      handler: async (request, reply) => {
        const { resumeId } = request.params as { resumeId: string }
        const { resume, open } = await profiles.openResume(request.session.candidateId, resumeId)
        // Only plain text is shown in a frame.
        if (resume.contentType !== 'text/plain') throw new Problem('not-found')
        return sendFramedText(
          reply,
          { size: resume.size, open },
          { maxBytes: limits.previewTextBytes, rest: filePreviewTexts.restNotShown },
        )
      },
    },
    {
      method: 'GET',
      url: paths.file(':resumeId'),
      config: session,
      schema,
      handler: async (request, reply) => {
        const { resumeId } = request.params as { resumeId: string }
        const { resume, open } = await profiles.openResume(request.session.candidateId, resumeId)
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
      },
    },
  ]
}
