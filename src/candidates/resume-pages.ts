import { create as contentDisposition } from 'content-disposition'
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { asciiFileName } from '../core/file-name.ts'
import { Problem } from '../core/problems.ts'
import { searchOf } from '../http/form.ts'
import { problemStatus } from '../http/problem-status.ts'
import { type RateLimit, rateLimited } from '../http/rate-limit.ts'
import type { Sessions } from '../http/sessions.ts'
import { receiveForm } from '../http/upload.ts'
import { redirect, sendPage } from '../web/page-response.ts'
import { accountNavigation } from './account-navigation.ts'
import type { Profiles } from './profiles.ts'
import { removalMarkup, resumesMarkup } from './resume-markup.ts'

interface PageDeps {
  profiles: Profiles
  sessions: Sessions
  /** Files that one candidate sends, whatever comes of them. */
  uploads: RateLimit
  limits: { fileBytes: number; resumes: number }
}

const paths = {
  list: '/account/resumes',
  upload: '/account/resumes/upload',
  default: '/account/resumes/default',
  delete: '/account/resumes/delete',
} as const

const notices = new Map([
  ['uploaded', 'Your resume is uploaded.'],
  ['infected', 'A virus was found in this file, so nothing of it was kept.'],
  ['chosen', 'This resume goes out from now on.'],
  ['deleted', 'The resume is deleted.'],
])

/** Resumes: several, one of them the default, each checked by its content. */
export function resumePages({ profiles, sessions, uploads, limits }: PageDeps): RouteOptions[] {
  const session = { auth: 'session', errors: 'page', isOnAuthUrl: true } as const
  const schema = { hide: true }
  const queryOf = (request: FastifyRequest, name: string) =>
    new URLSearchParams(searchOf(request.raw.url)).get(name) ?? undefined

  async function showList(
    request: FastifyRequest,
    reply: FastifyReply,
    { problem, notice }: { problem?: Problem; notice?: string | undefined } = {},
  ): Promise<FastifyReply> {
    const token = (path: string) => sessions.formToken(request, reply, path)
    return sendPage(reply, {
      status: problem === undefined ? 200 : problemStatus[problem.code],
      title: 'Your resumes',
      navigation: accountNavigation(sessions, request, reply, paths.list),
      body: resumesMarkup({
        resumes: await profiles.listResumes(request.session.candidateId),
        uploadToken: token(paths.upload),
        defaultToken: token(paths.default),
        limits,
        notice,
        fault: problem?.detail,
      }),
    })
  }

  /** Where somebody lands who was signed out when the form was sent, and has signed in since. */
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
      handler: async (request, reply) =>
        showList(request, reply, { notice: notices.get(queryOf(request, 'done') ?? '') }),
    },
    backToList(paths.upload),
    {
      method: 'POST',
      url: paths.upload,
      config: { ...session, body: 'upload' },
      schema,
      handler: async (request, reply) => {
        const usage = uploads.hit(request.session.candidateId)
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
            take: (_field, file) => profiles.addResume(request.session.candidateId, file),
            // It is the form's last step, and nothing can go wrong after it.
            discard: async () => {},
          })
          const uploaded = files.get('file')
          if (uploaded === undefined) throw new Problem('invalid-fields', 'Choose a file first.')
          const done = uploaded.scan === 'infected' ? 'infected' : 'uploaded'
          return redirect(reply, `${paths.list}?done=${done}`)
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
          title: 'Delete this resume?',
          navigation: accountNavigation(sessions, request, reply, paths.list),
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
      url: '/account/resumes/file/:resumeId',
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
