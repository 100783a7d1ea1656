import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { FieldError } from '../core/problems.ts'
import { searchOf } from '../http/form.ts'
import type { Sessions } from '../http/sessions.ts'
import { html } from '../web/html.ts'
import { redirect, sendPage } from '../web/page-response.ts'
import { accountNavigation } from './account-navigation.ts'
import type { Candidate } from './ports.ts'
import type { ProfileLimits } from './profile-check.ts'
import {
  emptyCountry,
  emptyJob,
  formOfProfile,
  type ProfileForm,
  readProfileForm,
  withRoom,
} from './profile-form.ts'
import { profileFormMarkup } from './profile-markup.ts'
import type { Profiles } from './profiles.ts'

interface PageDeps {
  profiles: Profiles
  sessions: Sessions
  limits: ProfileLimits
}

const path = '/account'

/** One form for everything that a prefill can hold about a candidate. */
export function profilePages({ profiles, sessions, limits }: PageDeps): RouteOptions[] {
  interface Shown {
    candidate: Candidate
    form: ProfileForm
    errors?: FieldError[]
    isSaved?: boolean
    added?: 'job' | 'country' | undefined
  }

  function show(request: FastifyRequest, reply: FastifyReply, shown: Shown): FastifyReply {
    const { candidate, form, errors = [], isSaved = false, added } = shown
    return sendPage(reply, {
      status: errors.length > 0 ? 422 : 200,
      title: 'Your profile',
      navigation: accountNavigation(sessions, request, reply, path),
      body: profileFormMarkup({
        form: withRoom(form, limits),
        formToken: sessions.formToken(request, reply, path),
        email: candidate.email,
        stored: candidate.profile,
        limits,
        errors,
        isSaved,
        added,
      }),
    })
  }

  return [
    {
      method: 'GET',
      url: path,
      config: { auth: 'session', errors: 'page', isOnAuthUrl: true },
      schema: { hide: true },
      handler: async (request, reply) => {
        const candidate = await profiles.find(request.session.candidateId)
        const isSaved = new URLSearchParams(searchOf(request.raw.url)).get('saved') === '1'
        return show(request, reply, { candidate, form: formOfProfile(candidate, candidate.profile), isSaved })
      },
    },
    {
      method: 'POST',
      url: path,
      config: { auth: 'session', body: 'form', errors: 'page', isOnAuthUrl: true },
      schema: { hide: true },
      errorHandler: (error, request, reply) => {
        if (error.code !== 'FST_ERR_CTP_BODY_TOO_LARGE') throw error
        sendTooLarge(request, reply)
      },
      handler: async (request, reply) => {
        const { candidateId } = request.session
        const fields = sessions.checkForm(request, path)
        const form = readProfileForm(fields)
        const added = fields.get('add')
        if (added === 'job' || added === 'country') {
          const candidate = await profiles.find(candidateId)
          return show(request, reply, { candidate, form: withOneMore(form, added), added })
        }
        const errors = await profiles.save(candidateId, form)
        if (errors.length === 0) return redirect(reply, `${path}?saved=1`)
        return show(request, reply, { candidate: await profiles.find(candidateId), form, errors })
      },
    },
  ]

  function withOneMore(form: ProfileForm, kind: 'job' | 'country'): ProfileForm {
    const { jobs, countries } = form
    if (kind === 'job')
      return jobs.length < limits.workHistory ? { ...form, jobs: [...jobs, emptyJob] } : form
    return countries.length < limits.countries ? { ...form, countries: [...countries, emptyCountry] } : form
  }

  /** Nothing of it was read, so nothing of it can be shown again; the browser still has it one step back. */
  function sendTooLarge(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    return sendPage(reply, {
      status: 413,
      title: 'Your profile is too long',
      navigation: accountNavigation(sessions, request, reply, path),
      body: html`<div class="problem" role="alert"><p>All texts of a profile together may have about
${Math.floor(limits.formBytes / 1024)} KB, and these have more. Nothing was saved.</p></div>
<p>Go back in your browser, where what you typed is still there, and shorten what you achieved in some jobs. The
whole story can go into your resume instead.</p>
<p class="actions"><a class="button second" href="${path}">Show what is saved</a></p>`,
    })
  }
}
