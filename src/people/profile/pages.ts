import type { FastifyReply, RouteOptions } from 'fastify'
import type { FieldError } from '../../core/problems.ts'
import type { Sessions } from '../../http/auth/sessions.ts'
import { searchOf } from '../../http/requests/form.ts'
import type { Candidate } from '../../model/candidate.ts'
import { notice } from '../../web/components.ts'
import { html } from '../../web/html.ts'
import { redirect, sendPage } from '../../web/page-response.ts'
import { accountPage } from '../../web/page-routes.ts'
import { accountNavigation } from '../account/navigation-markup.ts'
import type { ProfileLimits } from './check.ts'
import {
  emptyCountry,
  emptyJob,
  formOfProfile,
  isEmptyCountry,
  type ProfileForm,
  readProfileForm,
  versionOf,
  withRoom,
} from './form.ts'
import { profileFormMarkup } from './markup.ts'
import type { Profiles } from './service.ts'
import { profileTexts as texts } from './texts.ts'

interface PageDeps {
  profiles: Profiles
  sessions: Sessions
  limits: ProfileLimits
}

const path = '/account'

/** One form for everything that a prefill can contain. */
export function profilePages({ profiles, sessions, limits }: PageDeps): RouteOptions[] {
  interface Shown {
    candidate: Candidate
    form: ProfileForm
    /** Version of the profile that the form was made from, if it is not the stored one. */
    version?: string | undefined
    errors?: FieldError[]
    isSaved?: boolean
    isStale?: boolean
    added?: 'job' | 'country' | undefined
  }

  function show(reply: FastifyReply, shown: Shown): FastifyReply {
    const { candidate, form, errors = [], isSaved = false, isStale = false, added } = shown
    const { version = versionOf(formOfProfile(candidate, candidate.profile)) } = shown
    return sendPage(reply, {
      status: isStale ? 409 : errors.length > 0 ? 422 : 200,
      title: texts.title,
      navigation: accountNavigation(path),
      body: profileFormMarkup({
        form: withRoom(form, limits),
        formToken: sessions.formToken(reply, path),
        version,
        candidate,
        limits,
        errors,
        isSaved,
        isStale,
        added,
      }),
    })
  }

  return [
    accountPage.get(path, async ({ request, reply, caller }) => {
      const candidate = await profiles.find(caller.candidateId)
      const isSaved = new URLSearchParams(searchOf(request.raw.url)).get('saved') === '1'
      return show(reply, { candidate, form: formOfProfile(candidate, candidate.profile), isSaved })
    }),
    accountPage.post(
      path,
      async call => {
        const { candidateId } = call.caller
        const fields = sessions.checkForm(call, path)
        const form = readProfileForm(fields)
        const version = fields.get('version')
        const candidate = await profiles.find(candidateId)
        const added = fields.get('add')
        if (added === 'job' || added === 'country') {
          return show(call.reply, { candidate, version, form: withOneMore(form, added), added })
        }
        // Detects a change made in another window. Of two saves at the same moment, the last one wins.
        if (version !== undefined && version !== versionOf(formOfProfile(candidate, candidate.profile))) {
          return show(call.reply, { candidate, form, isStale: true })
        }
        const errors = await profiles.save(candidateId, form)
        if (errors.length === 0) return redirect(call.reply, `${path}?saved=1`)
        return show(call.reply, { candidate, version, form, errors })
      },
      {
        errorHandler: (error, _request, reply) => {
          if (error.code !== 'FST_ERR_CTP_BODY_TOO_LARGE') throw error
          sendTooLarge(reply)
        },
      },
    ),
  ]

  function withOneMore(form: ProfileForm, kind: 'job' | 'country'): ProfileForm {
    const { jobs, countries } = form
    if (kind === 'job')
      return jobs.length < limits.workHistory ? { ...form, jobs: [...jobs, emptyJob] } : form
    // Not a second empty entry, because each contains the list of all countries.
    const filled = countries.filter(entry => !isEmptyCountry(entry))
    return filled.length < limits.countries ? { ...form, countries: [...filled, emptyCountry] } : form
  }

  /** The body was not read, so the form cannot be shown again; the browser still has it one step back. */
  function sendTooLarge(reply: FastifyReply): FastifyReply {
    return sendPage(reply, {
      status: 413,
      title: texts.tooLongTitle,
      navigation: accountNavigation(path),
      body: html`${notice('problem', texts.tooLong(Math.floor(limits.formBytes / 1024)))}
<p>${texts.tooLongHelp}</p>
<p class="actions"><a class="button second" href="${path}">${texts.showSaved}</a></p>`,
    })
  }
}
