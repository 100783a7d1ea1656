import type { FastifyReply, RouteOptions } from 'fastify'
import type { Candidate } from '../../model/candidate.ts'
import type { ListName, Lists } from '../../model/own-lists.ts'
import type { FieldError } from '../../platform/core/problems.ts'
import type { Sessions } from '../../platform/http/auth/sessions.ts'
import { type FormFields, searchOf } from '../../platform/http/requests/form.ts'
import type { Call } from '../../platform/http/routes.ts'
import { notice } from '../../platform/web/components.ts'
import { formsOf } from '../../platform/web/forms.ts'
import { type Html, html } from '../../platform/web/html.ts'
import { redirect, sendPage } from '../../platform/web/page-response.ts'
import { accountPage } from '../../platform/web/page-routes.ts'
import { t } from '../../platform/web/t.ts'
import { accountNavigation } from '../account/navigation-markup.ts'
import type { ProfileLimits } from './check.ts'
import {
  formOfSection,
  readSectionForm,
  type Section,
  type SectionForm,
  sections,
  versionOf,
} from './form.ts'
import { noteMarkup, profileMarkup, profilePaths, type SkillState } from './markup.ts'
import { sectionHeading, sectionMarkup, sectionTitle } from './section-markup.ts'
import type { Profiles } from './service.ts'

interface PageDeps {
  profiles: Profiles
  sessions: Sessions
  limits: ProfileLimits
  config: { LISTS_DIR: Pick<Lists, ListName>; BOARD_COUNTRY: string }
}

/** The profile as a page, and a form for each of its sections, jobs and countries. */
export function profilePages({ profiles, sessions, limits, config }: PageDeps): RouteOptions[] {
  const { LISTS_DIR: lists, BOARD_COUNTRY: home } = config
  const queryOf = ({ request }: Call<'session'>, name: string) =>
    new URLSearchParams(searchOf(request.raw.url)).get(name) ?? undefined

  function showProfile(
    reply: FastifyReply,
    candidate: Candidate,
    { note = false, skill }: { note?: Html | false; skill?: SkillState | undefined } = {},
  ): FastifyReply {
    return sendPage(reply, {
      status: skill?.kind === 'rejected' ? 422 : 200,
      title: t`Your profile`,
      navigation: accountNavigation(profilePaths.view),
      body: profileMarkup({
        candidate,
        limits,
        ...formsOf(sessions, reply, skill?.kind === 'rejected' ? typedSkill(skill) : undefined),
        note,
        skill,
      }),
    })
  }

  interface Shown {
    candidate: Candidate
    sent: SectionForm
    version: string
    errors?: FieldError[]
    isStale?: boolean
  }

  function showSection(reply: FastifyReply, shown: Shown): FastifyReply {
    const { candidate, sent, version, errors = [], isStale = false } = shown
    const title = sectionTitle(sent, version)
    return sendPage(reply, {
      status: isStale ? 409 : errors.length > 0 ? 422 : 200,
      title,
      heading: sectionHeading(title),
      navigation: accountNavigation(profilePaths.view),
      body: sectionMarkup({
        sent,
        version,
        form: formsOf(sessions, reply).form,
        candidate,
        limits,
        lists,
        home,
        errors,
        isStale,
      }),
    })
  }

  async function save({ reply, caller }: Call<'session'>, section: Section, fields: FormFields) {
    const sent = readSectionForm(section, fields)
    const version = fields.get('version')
    const { errors, isStale } = await profiles.change(caller.candidateId, {
      action: 'save',
      version,
      ...sent,
    })
    if (errors.length === 0 && !isStale) return redirect(reply, `${profilePaths.view}?done=${section}`)
    const candidate = await profiles.find(caller.candidateId)
    if (!isStale) return showSection(reply, { candidate, sent, version: version ?? '', errors })
    return showSection(reply, { candidate, sent, version: versionToReplace(sent, candidate), isStale })
  }

  async function addSkill({ reply, caller }: Call<'session'>, fields: FormFields) {
    const skill = fields.get('skill') ?? ''
    const at = Number(fields.get('at') ?? undefined)
    const { errors } = await profiles.change(caller.candidateId, {
      action: 'add-skill',
      skill,
      at: Number.isInteger(at) && at >= 0 ? at : undefined,
    })
    if (errors.length === 0) return redirect(reply, `${profilePaths.view}?done=skill`)
    const candidate = await profiles.find(caller.candidateId)
    return showProfile(reply, candidate, { skill: { kind: 'rejected', skill, errors } })
  }

  /** Responds with the page itself, because the skill to restore does not belong in a URL. */
  async function removeSkill({ reply, caller }: Call<'session'>, skill: string) {
    const { profile } = await profiles.find(caller.candidateId)
    const at = profile.skills.indexOf(skill)
    if (at === -1) return redirect(reply, profilePaths.view)
    await profiles.change(caller.candidateId, { action: 'remove-skill', skill })
    const candidate = await profiles.find(caller.candidateId)
    return showProfile(reply, candidate, { skill: { kind: 'removed', skill, at } })
  }

  async function remove({ reply, caller }: Call<'session'>, section: 'job' | 'country', version: string) {
    const { isStale } = await profiles.change(caller.candidateId, { action: 'remove', section, version })
    return redirect(reply, `${profilePaths.view}?done=${isStale ? 'gone' : `${section}-removed`}`)
  }

  return [
    accountPage.get(profilePaths.view, async call => {
      const done = queryOf(call, 'done')
      return showProfile(call.reply, await profiles.find(call.caller.candidateId), {
        note: noteMarkup(done),
        skill: done === 'skill' ? { kind: 'added' } : undefined,
      })
    }),
    ...sections.flatMap(sectionPages),
  ]

  function sectionPages(section: Section): RouteOptions[] {
    const path = profilePaths.edit(section)
    return [
      accountPage.get(path, async call => {
        const candidate = await profiles.find(call.caller.candidateId)
        const found = formOfSection(section, candidate, queryOf(call, 'entry') ?? '', home)
        if (found === undefined) return redirect(call.reply, `${profilePaths.view}?done=gone`)
        return showSection(call.reply, { candidate, sent: found.filled, version: found.version })
      }),
      accountPage.post(
        path,
        async call => {
          const fields = sessions.checkForm(call, path)
          const action = fields.get('action')
          if (action === 'add' && section === 'skills') return addSkill(call, fields)
          if (action === 'remove' && section === 'skills') return removeSkill(call, fields.get('skill') ?? '')
          if (action === 'remove' && (section === 'job' || section === 'country')) {
            return remove(call, section, fields.get('version') ?? '')
          }
          return save(call, section, fields)
        },
        {
          errorHandler: (error, _request, reply) => {
            if (error.code !== 'FST_ERR_CTP_BODY_TOO_LARGE') throw error
            sendTooLarge(reply)
          },
        },
      ),
    ]
  }

  /** The body was not read, so the form cannot be shown again; the browser's Back button still shows it. */
  function sendTooLarge(reply: FastifyReply): FastifyReply {
    return sendPage(reply, {
      status: 413,
      title: t`Your profile is too long`,
      navigation: accountNavigation(profilePaths.view),
      body: html`${notice('problem', t`A profile can hold about ${Math.floor(limits.formBytes / 1024)} kB of text, and this one is longer. Nothing was saved.`)}
<p>${t`Go back in your browser: what you typed is still there. Shorten some of your achievements, and put the full story in your resume instead.`}</p>
<p class="actions"><a class="button second" href="${profilePaths.view}">${t`Show saved profile`}</a></p>`,
    })
  }
}

const typedSkill = ({ skill, errors }: Extract<SkillState, { kind: 'rejected' }>) => ({
  values: { skill },
  errors,
})

/**
 * The version that the form replaces when the candidate saves it again: a changed job cannot be found, so the form adds
 * it.
 */
function versionToReplace(sent: SectionForm, candidate: Candidate): string {
  if (sent.section === 'job') return ''
  if (sent.section !== 'country') return formOfSection(sent.section, candidate, '')?.version ?? ''
  const code = sent.form.country
  const entry = candidate.profile.salaryAndVisaByCountry[code]
  return entry === undefined ? '' : versionOf([code, entry])
}
