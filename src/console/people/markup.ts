import type { FieldError } from '../../core/problems.ts'
import type { AnyRole, Colleague, Invitation } from '../../people/members/ports.ts'
import type { People } from '../../people/members/service.ts'
import { isolateBidi } from '../../web/bidi.ts'
import { actionForm, badge, dataTable } from '../../web/components.ts'
import { errorSummary, selectField, textField } from '../../web/fields.ts'
import { type Html, html } from '../../web/html.ts'
import { timeElement } from '../../web/time.ts'
import { type PeopleTexts, peopleTexts } from './texts.ts'

/** All forms of the page post to one URL, so that a person whose session ends meanwhile comes back to it. */
export type PeopleAction = 'invite' | 'take-back' | 'role' | 'second-factor'

export interface PeoplePage {
  /** Of the page: all its forms post there. */
  path: string
  texts: PeopleTexts
  /** The roles that people can have here, the lowest first. */
  roles: readonly AnyRole[]
  isAdmin: boolean
  ownId: string
  people: People
  token(action: PeopleAction): string
  formKey: string
  isMailOn: boolean
  invitationDays: number
  /** Of a company: whether it requires a second factor, and whether the reader has signed in with one. */
  factor?: { isRequired: boolean; hasOwn: boolean } | undefined
  /** Entered values and their errors. */
  typed: { email: string; role: AnyRole; errors: readonly FieldError[] }
}

/** Below the path of the page. */
export const removalPath = (path: string, candidateId: string): string =>
  `${path}/${encodeURIComponent(candidateId)}/remove`

export const leavingPath = (path: string): string => `${path}/leave`

export function nameOf({ firstName, lastName, email }: Colleague): string {
  return `${firstName} ${lastName}`.trim() || email
}

export function roleBadge(role: AnyRole): Html {
  return badge(role === 'admin' ? 'good' : 'neutral', peopleTexts.role[role])
}

export function peopleMarkup(page: PeoplePage): Html {
  const { path, texts, people, isAdmin } = page
  return html`${errorSummary(page.typed.errors, undefined, texts.nothingSent)}
<div class="people">
<h2 class="first">${texts.members}</h2>
${membersTable(page)}
${!isAdmin && html`<p class="quiet">${texts.adminsOnly}</p>`}
${(isAdmin || people.invitations.length > 0) && html`<h2>${texts.invitations}</h2>`}
${people.invitations.length > 0 ? invitationsTable(page) : isAdmin && html`<p class="quiet">${texts.noInvitations}</p>`}
</div>
${isAdmin && inviteForm(page)}
${isAdmin && factorForm(page)}
${!isLastAdmin(people, page.ownId) && html`<p><a href="${leavingPath(path)}">${texts.leave}</a></p>`}`
}

/** Hides an action that the store would reject. */
function isLastAdmin({ colleagues }: People, candidateId: string): boolean {
  const admins = colleagues.filter(({ role }) => role === 'admin')
  return admins.length === 1 && admins[0]?.candidateId === candidateId
}

function membersTable(page: PeoplePage): Html {
  const { texts, ownId, people, isAdmin } = page
  const columns = [
    { label: texts.name },
    { label: texts.email },
    { label: texts.roleLabel },
    { label: texts.since },
    ...(isAdmin && page.factor ? [{ label: texts.factor.column }] : []),
    ...(isAdmin ? [{ label: texts.actions, isHidden: true }] : []),
  ]
  const rows = people.colleagues.map(colleague => {
    const { candidateId, email, role, since, hasFactor = false } = colleague
    return [
      html`${isolateBidi(nameOf(colleague))}${candidateId === ownId && html` <span class="quiet">(${texts.you})</span>`}`,
      isolateBidi(email),
      roleBadge(role),
      timeElement(since),
      ...(isAdmin && page.factor
        ? [badge(hasFactor ? 'good' : 'neutral', hasFactor ? texts.factor.on : texts.factor.off)]
        : []),
      ...(isAdmin
        ? [
            isLastAdmin(people, candidateId)
              ? html`<span class="quiet">${texts.lastAdmin}</span>`
              : actions(page, colleague),
          ]
        : []),
    ]
  })
  return dataTable(texts.membersCaption, columns, rows)
}

function factorForm({ path, texts: { factor: texts }, factor, token }: PeoplePage): Html | undefined {
  if (factor === undefined) return undefined
  const { isRequired, hasOwn } = factor
  const form = actionForm({
    action: path,
    token: token('second-factor'),
    fields: { action: 'second-factor', required: isRequired ? 'no' : 'yes' },
    label: isRequired ? texts.stop : texts.require,
  })
  const enrol = html`<p class="hint">${texts.needsOwn}</p><p class="actions"><a class="button second" href="/account/security/two-step">${texts.setUp}</a></p>`
  return html`<section class="card" aria-labelledby="factor-title"><h2 class="first" id="factor-title">${texts.title}</h2>
<p>${isRequired ? texts.isRequired : texts.isOptional}</p>
${isRequired || hasOwn ? html`<div class="actions">${form}</div>` : enrol}</section>`
}

function actions({ path, texts, roles, token, ownId }: PeoplePage, colleague: Colleague): Html {
  const { candidateId, role } = colleague
  const name = nameOf(colleague)
  const other = roles.find(each => each !== role) ?? 'admin'
  const label = texts.make[other]
  return html`<div class="actions tight">${actionForm({
    action: path,
    token: token('role'),
    fields: { action: 'role', person: candidateId, role: other },
    label,
    describedAs: texts.about(label, name),
  })}${
    candidateId !== ownId &&
    html`<a class="button second" href="${removalPath(path, candidateId)}" aria-label="${texts.about(texts.remove, name)}">${texts.remove}</a>`
  }</div>`
}

function invitationsTable({ path, texts, people, token, isAdmin }: PeoplePage): Html {
  const columns = [
    { label: texts.email },
    { label: texts.roleLabel },
    { label: texts.invitedAt },
    { label: texts.validUntil },
    ...(isAdmin ? [{ label: texts.actions, isHidden: true }] : []),
  ]
  const rows = people.invitations.map(({ id, email, role, createdAt, expiresAt }: Invitation) => [
    isolateBidi(email),
    roleBadge(role),
    timeElement(createdAt),
    timeElement(expiresAt),
    ...(isAdmin
      ? [
          actionForm({
            action: path,
            token: token('take-back'),
            fields: { action: 'take-back', invitation: id },
            label: texts.takeBack,
            describedAs: texts.about(texts.takeBack, email),
          }),
        ]
      : []),
  ])
  return dataTable(texts.invitationsCaption, columns, rows)
}

function inviteForm(page: PeoplePage): Html {
  const { path, texts, roles, token, formKey, isMailOn, invitationDays } = page
  const { email, role, errors } = page.typed
  return html`<h2>${texts.invite}</h2>
<form class="card" method="post" action="${path}" novalidate>
<input type="hidden" name="form_token" value="${token('invite')}">
<input type="hidden" name="form_key" value="${formKey}">
<input type="hidden" name="action" value="invite">
<p>${isMailOn ? texts.inviteByMail(invitationDays) : texts.inviteByLink(invitationDays)}</p>
<div class="fields">
${textField({ name: 'email', label: texts.email, value: email, errors, attributes: html`type="email" autocomplete="off" required` })}
${selectField({
  name: 'role',
  label: texts.roleLabel,
  value: role,
  errors,
  choices: roles.map(id => ({ id, description: texts.roleMeaning[id] })),
})}
</div>
<div class="actions"><button type="submit">${isMailOn ? texts.sendInvitation : texts.createInvitation}</button></div>
</form>`
}

/** The confirmation page before a person is removed or leaves. */
export function farewellMarkup(page: {
  path: string
  back: string
  token: string
  text: Html
  label: string
}): Html {
  return html`<form class="card" method="post" action="${page.path}">
<input type="hidden" name="form_token" value="${page.token}">
<p>${page.text}</p>
<div class="actions"><button class="danger" type="submit">${page.label}</button> <a class="button second" href="${page.back}">${peopleTexts.keep}</a></div>
</form>`
}
