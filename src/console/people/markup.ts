import type { EpochMs } from '../../core/clock.ts'
import type { FieldError } from '../../core/problems.ts'
import type { Member, Role } from '../../model/principal.ts'
import type { Colleague, Invitation } from '../../people/members/ports.ts'
import type { People } from '../../people/members/service.ts'
import { isolateBidi } from '../../web/bidi.ts'
import { actionForm, badge, copyField, dataTable, notice } from '../../web/components.ts'
import { errorSummary, selectField, textField } from '../../web/fields.ts'
import { type Html, html } from '../../web/html.ts'
import { timeElement } from '../../web/time.ts'
import { consolePath } from '../navigation-markup.ts'
import { peopleTexts as texts } from './texts.ts'

/** All forms of the page post to one URL, so that a person whose session ends meanwhile comes back to it. */
export type PeopleAction = 'invite' | 'take-back' | 'role'

export interface PeoplePage {
  member: Member
  ownId: string
  people: People
  token(action: PeopleAction): string
  formKey: string
  isMailOn: boolean
  invitationDays: number
  /** Entered values and their errors. */
  typed: { email: string; role: Role; errors: readonly FieldError[] }
}

export function removalPath(advertiserId: number, candidateId: string): string {
  return `${consolePath(advertiserId, 'people')}/${encodeURIComponent(candidateId)}/remove`
}

export function leavingPath(advertiserId: number): string {
  return `${consolePath(advertiserId, 'people')}/leave`
}

export function nameOf({ firstName, lastName, email }: Colleague): string {
  return `${firstName} ${lastName}`.trim() || email
}

export function roleBadge(role: Role): Html {
  return badge(role === 'admin' ? 'good' : 'neutral', texts.role[role])
}

export function peopleMarkup(page: PeoplePage): Html {
  const { member, people } = page
  const isAdmin = member.role === 'admin'
  return html`${errorSummary(page.typed.errors, undefined, texts.nothingSent)}
<div class="people">
<h2 class="first">${texts.members}</h2>
${membersTable(page, isAdmin)}
${!isAdmin && html`<p class="quiet">${texts.adminsOnly}</p>`}
${(isAdmin || people.invitations.length > 0) && html`<h2>${texts.invitations}</h2>`}
${people.invitations.length > 0 ? invitationsTable(page, isAdmin) : isAdmin && html`<p class="quiet">${texts.noInvitations}</p>`}
</div>
${isAdmin && inviteForm(page)}
${!isLastAdmin(people, page.ownId) && html`<p><a href="${leavingPath(member.advertiserId)}">${texts.leave}</a></p>`}`
}

/** Hides an action that the store would reject. */
function isLastAdmin({ colleagues }: People, candidateId: string): boolean {
  const admins = colleagues.filter(({ role }) => role === 'admin')
  return admins.length === 1 && admins[0]?.candidateId === candidateId
}

function membersTable({ member, ownId, people, token }: PeoplePage, isAdmin: boolean): Html {
  const columns = [
    { label: texts.name },
    { label: texts.email },
    { label: texts.roleLabel },
    { label: texts.since },
    ...(isAdmin ? [{ label: texts.actions, isHidden: true }] : []),
  ]
  const rows = people.colleagues.map(colleague => {
    const { candidateId, email, role, since } = colleague
    return [
      html`${isolateBidi(nameOf(colleague))}${candidateId === ownId && html` <span class="quiet">(${texts.you})</span>`}`,
      isolateBidi(email),
      roleBadge(role),
      timeElement(since),
      ...(isAdmin
        ? [
            isLastAdmin(people, candidateId)
              ? html`<span class="quiet">${texts.lastAdmin}</span>`
              : actions(member, colleague, token('role'), ownId),
          ]
        : []),
    ]
  })
  return dataTable(texts.membersCaption, columns, rows)
}

function actions({ advertiserId }: Member, colleague: Colleague, token: string, ownId: string): Html {
  const { candidateId, role } = colleague
  const name = nameOf(colleague)
  const other: Role = role === 'admin' ? 'recruiter' : 'admin'
  const label = other === 'admin' ? texts.makeAdmin : texts.makeRecruiter
  return html`<div class="actions tight">${actionForm({
    action: consolePath(advertiserId, 'people'),
    token,
    fields: { action: 'role', person: candidateId, role: other },
    label,
    describedAs: texts.about(label, name),
  })}${
    candidateId !== ownId &&
    html`<a class="button second" href="${removalPath(advertiserId, candidateId)}" aria-label="${texts.about(texts.remove, name)}">${texts.remove}</a>`
  }</div>`
}

function invitationsTable({ member, people, token }: PeoplePage, isAdmin: boolean): Html {
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
            action: consolePath(member.advertiserId, 'people'),
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

function inviteForm({ member, token, formKey, isMailOn, invitationDays, typed }: PeoplePage): Html {
  const { email, role, errors } = typed
  return html`<h2>${texts.invite}</h2>
<form class="card" method="post" action="${consolePath(member.advertiserId, 'people')}" novalidate>
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
  choices: (['recruiter', 'admin'] as const).map(id => ({ id, description: texts.roleMeaning[id] })),
})}
</div>
<div class="actions"><button type="submit">${texts.inviteButton}</button></div>
</form>`
}

/** The invitation link, shown where the service sends no email. */
export function linkMarkup({
  email,
  url,
  expiresAt,
}: {
  email: string
  url: string
  expiresAt: EpochMs
}): Html {
  return notice(
    'good',
    html`${texts.linkTitle(email)}
${copyField({ id: 'link', label: texts.linkLabel, value: url })}
<p>${texts.linkValidUntil(timeElement(expiresAt))}</p>`,
  )
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
<div class="actions"><button class="danger" type="submit">${page.label}</button> <a class="button second" href="${page.back}">${texts.keep}</a></div>
</form>`
}
