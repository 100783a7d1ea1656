import type { FastifyReply, RouteOptions } from 'fastify'
import type { Candidate } from '../../model/candidate.ts'
import type { ListName, Lists } from '../../model/own-lists.ts'
import type { FieldError } from '../../platform/core/problems.ts'
import type { Sessions } from '../../platform/http/auth/sessions.ts'
import { notice } from '../../platform/web/components.ts'
import { type Forms, formsOf } from '../../platform/web/forms.ts'
import { html } from '../../platform/web/html.ts'
import { sendPage } from '../../platform/web/page-response.ts'
import { type ActCall, type Outcome, type Page, warning } from '../../platform/web/tab.ts'
import { accountNavigation } from '../account/navigation-markup.ts'
import { accountTab } from '../account/tab-pages.ts'
import type { ProfileLimits } from './check.ts'
import {
  formOfSection,
  readSectionForm,
  type Section,
  type SectionForm,
  sections,
  versionOf,
} from './form.ts'
import { profileMarkup, profilePaths, type SkillState } from './markup.ts'
import { type SectionMarkup, sectionMarkup, sectionTitle } from './section-markup.ts'
import type { Profiles } from './service.ts'

interface PageDeps {
  profiles: Profiles
  sessions: Sessions
  limits: ProfileLimits
  config: { LISTS_DIR: Pick<Lists, ListName>; BOARD_COUNTRY: string }
}

/** The profile to read, and a form for each of its sections, jobs and countries. */
export function profilePages({ profiles, sessions, limits, config }: PageDeps): RouteOptions[] {
  const { LISTS_DIR: lists, BOARD_COUNTRY: home } = config
  const tab = accountTab(sessions, profilePaths.view)

  const profilePage = (candidate: Candidate, forms: Forms, skill?: SkillState): Page => ({
    title: 'Your profile',
    body: profileMarkup({ candidate, limits, ...forms, skill }),
  })

  function sectionPage(
    { form }: Forms,
    {
      isStale = false,
      errors = [],
      ...shown
    }: Pick<SectionMarkup, 'candidate' | 'sent' | 'version'> & Faults,
  ): Page {
    return {
      title: sectionTitle(shown.sent, shown.version),
      crumbs: [{ href: profilePaths.view, label: 'Your profile' }],
      body: sectionMarkup({ ...shown, form, limits, lists, home, errors, isStale }),
    }
  }

  async function save(call: SectionCall, section: Section): Promise<Outcome> {
    const sent = readSectionForm(section, call.fields)
    const version = call.fields.get('version')
    const { candidateId } = call.caller
    const { errors, isStale } = await profiles.change(candidateId, { action: 'save', version, ...sent })
    if (errors.length === 0 && !isStale) return { location: `${profilePaths.view}?done=${section}` }
    const candidate = await profiles.find(candidateId)
    if (!isStale)
      return { page: sectionPage(call, { candidate, sent, version: version ?? '', errors }), errors }
    const replaced = versionToReplace(sent, candidate)
    return { page: sectionPage(call, { candidate, sent, version: replaced, isStale }), status: 409 }
  }

  async function addSkill({ reply, caller: { candidateId }, fields }: SectionCall): Promise<Outcome> {
    const skill = fields.get('skill') ?? ''
    const at = Number(fields.get('at') ?? undefined)
    const { errors } = await profiles.change(candidateId, {
      action: 'add-skill',
      skill,
      at: Number.isInteger(at) && at >= 0 ? at : undefined,
    })
    if (errors.length === 0) return { location: `${profilePaths.view}?done=skill` }
    const typed = formsOf(sessions, reply, { values: { skill }, errors })
    return { page: profilePage(await profiles.find(candidateId), typed), errors }
  }

  /** Answers with the page itself, because the skill to bring back belongs into no address. */
  async function removeSkill(call: SectionCall): Promise<Outcome> {
    const { candidateId } = call.caller
    const skill = call.value('skill')
    const { profile } = await profiles.find(candidateId)
    const at = profile.skills.indexOf(skill)
    if (at === -1) return { location: profilePaths.view }
    await profiles.change(candidateId, { action: 'remove-skill', skill })
    return { page: profilePage(await profiles.find(candidateId), call, { kind: 'removed', skill, at }) }
  }

  async function remove({ caller, value }: SectionCall, section: 'job' | 'country'): Promise<Outcome> {
    const version = value('version')
    const { isStale } = await profiles.change(caller.candidateId, { action: 'remove', section, version })
    return { location: `${profilePaths.view}?done=${isStale ? 'gone' : `${section}-removed`}` }
  }

  return [
    ...tab(profilePaths.view, {
      show: async call =>
        profilePage(
          await profiles.find(call.caller.candidateId),
          call,
          call.value('done') === 'skill' ? { kind: 'added' } : undefined,
        ),
      done: {
        about: 'Saved.',
        skills: 'Skills saved.',
        job: 'Job saved.',
        country: 'Salary and work rights saved.',
        'job-removed': 'Job removed.',
        'country-removed': 'Country removed.',
        gone: warning('This entry was changed or removed in another window. This is your profile now.'),
      },
    }),
    ...sections.flatMap(section =>
      tab(profilePaths.edit(section), {
        async show(call) {
          const candidate = await profiles.find(call.caller.candidateId)
          const found = formOfSection(section, candidate, call.value('entry'), home)
          if (found === undefined) return { location: `${profilePaths.view}?done=gone` }
          return sectionPage(call, { candidate, sent: found.filled, version: found.version })
        },
        acts: {
          '': {
            limits: {
              errorHandler(error, _request, reply) {
                if (error.code !== 'FST_ERR_CTP_BODY_TOO_LARGE') throw error
                sendTooLarge(reply)
              },
            },
            async run(call) {
              const action = call.value('action')
              if (action === 'add' && section === 'skills') return addSkill(call)
              if (action === 'remove' && section === 'skills') return removeSkill(call)
              if (action === 'remove' && (section === 'job' || section === 'country'))
                return remove(call, section)
              return save(call, section)
            },
          },
        },
      }),
    ),
  ]

  /** The body was not read, so the form cannot be shown again; the browser still has it one step back. */
  function sendTooLarge(reply: FastifyReply): FastifyReply {
    return sendPage(reply, {
      status: 413,
      title: 'Your profile is too long',
      navigation: accountNavigation(profilePaths.view),
      body: html`${notice('problem', `A profile can hold about ${Math.floor(limits.formBytes / 1024)} kB of text, and this one is longer. Nothing was saved.`)}
<p>Go back in your browser: what you typed is still there. Shorten some of your achievements, and put the full story in your resume instead.</p>
<p class="actions"><a class="button second" href="${profilePaths.view}">Show saved profile</a></p>`,
    })
  }
}

type SectionCall = ActCall<'session'>

interface Faults {
  errors?: readonly FieldError[]
  /** Whether the section was changed elsewhere since the form was made. */
  isStale?: boolean
}

/** What the form replaces when the candidate saves it again: a changed job cannot be found, so it is added. */
function versionToReplace(sent: SectionForm, candidate: Candidate): string {
  if (sent.section === 'job') return ''
  if (sent.section !== 'country') return formOfSection(sent.section, candidate, '')?.version ?? ''
  const code = sent.form.country
  const entry = candidate.profile.salaryAndVisaByCountry[code]
  return entry === undefined ? '' : versionOf([code, entry])
}
